package gate

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// storedPlan is a test against 30 trials of which one failed.
var storedPlan = sync.OnceValues(func() (*baseline.Family, error) {
	sample, err := baseline.Fixed(30)
	if err != nil {
		return nil, err
	}
	p, err := baseline.Against(context.Background(), baseline.Question{Delta: .4, Alpha: .1, Beta: .1, Gamma: .01}, sample,
		baseline.Outcome{Trials: 30, Failures: 1}, baseline.Options{})
	return p.Family, err
})

// testedRun is a run whose tests, of the scenarios a, b and so on, are against that baseline, and
// against a threshold besides if there is a design.
func testedRun(t *testing.T, d sprt.Design, outcomes ...string) *runs.Result {
	t.Helper()
	family, err := storedPlan()
	if err != nil {
		t.Fatal(err)
	}
	e := runs.Evidence{Suite: "s", Digest: "sha256:1", StoppedBy: runs.StoppedByDecision}
	for i, text := range outcomes {
		name := fmt.Sprint("s", i)
		test := runs.TestEvidence{Name: name, Scenarios: []string{name}, Design: d, Against: &runs.Against{
			Gamma: family.Gamma(), Stored: &runs.StoredBaseline{Family: family,
				Outcome: baseline.Outcome{Trials: 30, Failures: 1},
				Source: runs.BaselineSource{File: "main.json", Finished: "2026-11-20T00:00:00Z",
					Changed: []string{"agent.env.MODEL: small -> large"}}},
		}}
		for k, mark := range text {
			test.Trials = append(test.Trials, runs.TrialEvidence{Scenario: name, Number: k,
				Trial: &trial.Trial{Scenario: name, Outcome: map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail,
					'E': trial.Error}[mark]}})
		}
		e.Tests = append(e.Tests, test)
		e.Spent.Trials, e.Spent.Attempts = e.Spent.Trials+len(text), e.Spent.Attempts+len(text)
	}
	e.StoppedBy = stopOf(t, e)
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Where the run is a test against its baseline, the rule is that test: whatever else is asked.
func TestRegressionIsTheTestOfTheRun(t *testing.T) {
	family, err := storedPlan()
	if err != nil {
		t.Fatal(err)
	}
	b, ok := family.Boundaries(baseline.Outcome{Trials: 30, Failures: 1})
	if !ok {
		t.Fatal("no boundaries")
	}
	passes, fails := strings.Repeat("P", b.MaxTrials()), strings.Repeat("F", b.MaxTrials())
	between := "PPP" + strings.Repeat("E", b.MaxTrials()) // the errors decide
	fixed, err := sprt.Fixed(sprt.Hypotheses{Threshold: .5, Delta: .4, Alpha: .05, Beta: .1}, 10)
	if err != nil {
		t.Fatal(err)
	}
	beside := gated(t, passes)
	for _, c := range []struct {
		name     string
		design   sprt.Design
		outcomes []string
		o        Options
		want     Decision
		rule     RuleWord // of the first scenario's regression
		first    verdict.Code
	}{
		{"not worse", sprt.Design{}, []string{passes}, Options{}, Deploy, RuleHolds, codeDeploy},
		{"worse", sprt.Design{}, []string{fails}, Options{}, Block, RuleBroken, codeRegression},
		{"undecided", sprt.Design{}, []string{between}, Options{}, Review, RuleOpen, codeRegression},
		{"undecided, which is allowed", sprt.Design{}, []string{between}, Options{AllowUndecided: true}, Deploy, RuleNoted,
			CodeNoted},
		{"not ended", sprt.Design{}, []string{"P"}, Options{AllowUndecided: true}, Review, RuleOpen, codeRegression},
		{"one of two is worse", sprt.Design{}, []string{passes, fails}, Options{Correction: multiplicity.NoCorrection}, Block,
			RuleHolds, codeRegression},
		{"the threshold too", fixed, []string{passes}, Options{}, Deploy, RuleHolds, codeDeploy},
		{"below the threshold and worse", fixed, []string{fails}, Options{}, Block, RuleBroken, codeRegression},
		{"the same baseline is named", sprt.Design{}, []string{passes},
			Options{Baseline: &BaselineRun{File: "main.json", Run: TestsOf(gated(t))}}, Deploy, RuleHolds, codeDeploy},
		{"another baseline is named", sprt.Design{}, []string{passes},
			Options{Baseline: &BaselineRun{File: "x.json", Run: TestsOf(beside)}}, Review, RuleHolds, codeBaseline},
		{"too old", sprt.Design{}, []string{passes},
			Options{MaxAge: Age(time.Hour), Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}, Review, RuleHolds,
			codeBaseline},
		{"not too old", sprt.Design{}, []string{passes},
			Options{MaxAge: Age(48 * time.Hour), Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}, Deploy, RuleHolds,
			codeDeploy},
	} {
		run := testedRun(t, c.design, c.outcomes...)
		g, err := Judge(t.Context(), run, c.o)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var rule RuleWord
		for _, r := range g.Rules {
			if r.Name == ruleRegression && r.Scenario == "s0" && rule == "" {
				rule = r.Outcome
			}
		}
		if g.Decision != c.want || rule != c.rule || g.Reasons[0].Code != c.first {
			t.Errorf("%s: %v, %v, %+v; want %v, %v", c.name, g.Decision, rule, g.Reasons, c.want, c.rule)
		}
		if _, err := recheck.Verify(t.Context(), g); err != nil {
			t.Errorf("%s: verify: %v", c.name, err)
		}
	}
}

// failsOf are the ends at which a test fails, by the outcomes of one path to each.
func failsOf(b sprt.Boundaries) (fails []string) {
	paths := map[int]string{0: ""} // by failures
	for n := range b.MaxTrials() {
		next := map[int]string{}
		for f, path := range paths {
			next[f] = path + "P"
		}
		for f, path := range paths {
			next[f+1] = path + "F"
		}
		for f, path := range next {
			switch {
			case f >= b.FailAtOrAbove[n]:
				fails = append(fails, path)
			case f > b.PassAtOrBelow[n]:
				continue
			}
			delete(next, f)
		}
		paths = next
	}
	return fails
}

// A Fail that is one by itself does not block beside many scenarios: Holm on the p-values, of
// which none is above alpha.
func TestOwnTestsAreCorrected(t *testing.T) {
	family, err := storedPlan()
	if err != nil {
		t.Fatal(err)
	}
	b, _ := family.Boundaries(baseline.Outcome{Trials: 30, Failures: 1})
	passes := strings.Repeat("P", b.MaxTrials())
	// The weakest Fail is the one with the largest p-value.
	fails := failsOf(b)
	weak, most := "", 0.0
	for _, path := range fails {
		p, err := family.PValues(baseline.Outcome{Trials: 30, Failures: 1}, len(path), strings.Count(path, "F"))
		if err != nil {
			t.Fatal(err)
		}
		if p.Unchanged > most {
			weak, most = path, p.Unchanged
		}
	}
	outcomes := []string{weak}
	run := testedRun(t, sprt.Design{}, outcomes...)
	x := run.Tests[0].Regression
	if x.Verdict != verdict.Fail || x.PUnchanged == nil || *x.PUnchanged != most {
		t.Fatalf("%v after %s", x.Verdict, weak)
	}
	p := min(*x.PUnchanged, x.Alpha)
	seen := map[Decision]bool{}
	for n := 1; n <= 6; n++ {
		g, err := Judge(t.Context(), testedRun(t, sprt.Design{}, outcomes...), Options{Correction: multiplicity.Holm})
		if err != nil {
			t.Fatal(err)
		}
		want := Block
		if p*float64(n) > x.Alpha {
			want = Review
		}
		seen[want] = true
		if g.Decision != want {
			t.Errorf("%d scenarios, p %v: %v; want %v", n, p, g.Decision, want)
		}
		outcomes = append(outcomes, passes)
	}
	if !seen[Block] || !seen[Review] {
		t.Errorf("p %v alone does not show both", p)
	}
}

// A recording decides nothing, and so it deploys nothing.
func TestRecordingsAreOpen(t *testing.T) {
	d, err := sprt.Recording(5)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Judge(t.Context(), gatedBy(t, d, "PPPPP"), Options{})
	if err != nil || g.Decision != Review || g.Reasons[0].Code != codeVerdict {
		t.Errorf("%v, %v", g, err)
	}
	// It is a baseline for runs that have no test of their own.
	passes := strings.Repeat("P", 20)
	before, err := sprt.Recording(20)
	if err != nil {
		t.Fatal(err)
	}
	g, err = Judge(t.Context(), gated(t, strings.Repeat("F", 20)),
		Options{Baseline: &BaselineRun{File: "x", Run: TestsOf(gatedBy(t, before, passes))}})
	if err != nil || g.Decision != Block || g.Baseline.Tests[0].Verdict != verdict.Fail {
		t.Errorf("%+v, %v", g, err)
	}
}
