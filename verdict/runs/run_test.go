package runs

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
)

// look is a design that looks once, after so many trials.
func look(trials, pass, fail int) sprt.Design {
	b := sprt.Boundaries{}
	for range trials {
		b.PassAtOrBelow, b.FailAtOrAbove = append(b.PassAtOrBelow, -1), append(b.FailAtOrAbove, sprt.Never)
	}
	b.PassAtOrBelow[trials-1], b.FailAtOrAbove[trials-1] = pass, fail
	return sprt.Design{Hypotheses: sample.Hypotheses, Boundaries: b}
}

// ran is a test of one scenario: p, f, e for an error and . for a trial that did not
// end.
func ran(name string, d sprt.Design, outcomes string) TestEvidence {
	e := TestEvidence{Name: name, Scenarios: []string{name}, Design: d}
	for i := range len(outcomes) {
		x := TrialEvidence{Scenario: name, Number: i}
		if outcomes[i] != '.' {
			x.Trial = &trial.Trial{Scenario: name, Outcome: map[byte]trial.Outcome{'p': trial.Pass, 'f': trial.Fail,
				'e': trial.Error}[outcomes[i]]}
		}
		e.Trials = append(e.Trials, x)
	}
	return e
}

func judgeRun(t sample.T, tests ...TestEvidence) *Result {
	t.Helper()
	r, err := Judge(t.Context(), Evidence{Suite: "s", Digest: "sha256:d", Seed: 4, Version: "1", Tests: tests,
		StoppedBy: StoppedByBudget, Budget: "cost"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func warned(warnings []verdict.Warning, code verdict.Code) string {
	for _, w := range warnings {
		if w.Code == code {
			return w.Text
		}
	}
	return ""
}

func passes(n int) string { return strings.Repeat("p", n) }

func TestRunVerdicts(t *testing.T) {
	four, late := look(4, 1, 3), look(4, 0, 4)
	for _, c := range []struct {
		design                         sprt.Design
		outcomes                       string
		want                           verdict.Verdict
		trials, fails, errors, overrun int
		codes                          []verdict.Code
		text                           string // of the first reason
		outcomesText                   string
		estimated                      bool
	}{
		{sample.Design(), passes(15), verdict.Pass, 15, 0, 0, 0, []verdict.Code{"pass-boundary"},
			"15 of 15 passed: enough to rule out a rate of 80% or less", strings.Repeat("P", 15), true},
		{sample.Design(), "ffff", verdict.Fail, 4, 4, 0, 0, []verdict.Code{"fail-boundary"},
			"0 of 4 passed: below the 90% you require", "FFFF", true},
		{sample.Design(), passes(14), verdict.Inconclusive, 14, 0, 0, 0,
			[]verdict.Code{CodeNotEnded, verdict.CodePassUnreachable},
			"14 of 14 passed, and the cost budget was used up before this could be decided", strings.Repeat("P", 14), false},
		{sample.Design(), "f" + passes(14), verdict.Inconclusive, 15, 1, 0, 0, []verdict.Code{CodeNotEnded},
			"14 of 15 passed (93.3%), and the cost budget was used up", "F" + strings.Repeat("P", 14), false},
		{sample.Design(), "", verdict.Inconclusive, 0, 0, 0, 0, []verdict.Code{CodeNotEnded, verdict.CodeNoTrials},
			"the cost budget was used up before a trial was judged", "", false},
		{sample.Design(), ".pp", verdict.Inconclusive, 0, 0, 0, 0, []verdict.Code{CodeNotEnded, verdict.CodeNoTrials}, "",
			".PP", false},
		// One look after four trials: one failure passes, three fail.
		{four, "ppfp", verdict.Pass, 4, 1, 0, 0, []verdict.Code{"pass-boundary"},
			"3 of 4 passed (75%): enough to rule out", "PPFP", true},
		{four, "pfff", verdict.Fail, 4, 3, 0, 0, []verdict.Code{"fail-boundary"}, "1 of 4 passed (25%): below the",
			"PFFF", true},
		{four, "pfpf", verdict.Inconclusive, 4, 2, 0, 0, []verdict.Code{design.CodeTrialsUsedUp},
			"2 of 4 passed (50%): all 4 trials are used, and neither", "PFPF", true},
		// What ended beyond the decision, and what is beyond a gap.
		{four, "ppppff.p", verdict.Pass, 4, 0, 0, 3, []verdict.Code{"pass-boundary"}, "", "PPPPFF.P", true},
		{four, "pp.pff", verdict.Inconclusive, 2, 0, 0, 0, []verdict.Code{CodeNotEnded, verdict.CodePassUnreachable},
			"2 of 2 passed, and the cost budget was used up", "PP.PFF", false},
		// An error might have been either.
		{four, "pppe", verdict.Pass, 4, 0, 1, 0, []verdict.Code{"pass-boundary"},
			"3 of 4 passed, 0 failed and 1 ended in an error: enough to rule out", "PPPE", true},
		{four, "fffe", verdict.Fail, 4, 3, 1, 0, []verdict.Code{"fail-boundary"},
			"0 of 4 passed, 3 failed and 1 ended in an error: below the", "FFFE", true},
		{four, "ppfe", verdict.Inconclusive, 4, 1, 1, 0, []verdict.Code{verdict.CodeErrorsMatter},
			"1 ended in an error: the error would decide", "PPFE", false},
		{four, "pffe", verdict.Inconclusive, 4, 2, 1, 0, []verdict.Code{verdict.CodeErrorsMatter},
			"1 ended in an error: the error would decide", "PFFE", false},
		{four, "eeee", verdict.Inconclusive, 4, 0, 4, 0, []verdict.Code{verdict.CodeErrorsMatter},
			"0 of 4 passed, 0 failed and 4 ended in errors", "EEEE", false},
		{late, "pffe", verdict.Inconclusive, 4, 2, 1, 0, []verdict.Code{design.CodeTrialsUsedUp},
			"1 of 4 passed, 2 failed and 1 ended in an error: all 4 trials are used", "PFFE", false},
	} {
		r := judgeRun(t, ran("a", c.design, c.outcomes))
		got := r.Tests[0]
		if got.Verdict != c.want || got.Trials != c.trials || got.Fails != c.fails || got.Errors != c.errors ||
			got.Passes != c.trials-c.fails-c.errors || got.Overrun != c.overrun {
			t.Errorf("%s: %+v", c.outcomes, got)
		}
		var codes []verdict.Code
		for _, r := range got.Reasons {
			codes = append(codes, r.Code)
		}
		if diff := cmp.Diff(c.codes, codes); diff != "" || !strings.Contains(got.Reasons[0].Text, c.text) {
			t.Errorf("%s: %v %s", c.outcomes, got.Reasons, diff)
		}
		if got.Outcomes != c.outcomesText || (got.Estimate != nil) != c.estimated || (len(got.PassHatK) > 0) != c.estimated {
			t.Errorf("%s: outcomes %q, estimate %v, pass^k %v", c.outcomes, got.Outcomes, got.Estimate, got.PassHatK)
		}
		if (warned(got.Warnings, verdict.WarnErrors) != "") != (c.errors > 0) {
			t.Errorf("%s: %v", c.outcomes, got.Warnings)
		}
		if known := c.trials - c.errors; (got.Rate != nil) != (known > 0) || known > 0 &&
			*got.Rate != float64(got.Passes)/float64(known) {
			t.Errorf("%s: rate %v", c.outcomes, got.Rate)
		}
		// A suite of one test says what the test says.
		if r.Verdict != c.want || r.ExitCode != c.want.ExitCode() || cmp.Diff(got.Reasons, r.Reasons) != "" ||
			warned(r.Warnings, WarnFamily) != "" {
			t.Errorf("%s: %v, exit code %d, %v, %v", c.outcomes, r.Verdict, r.ExitCode, r.Reasons, r.Warnings)
		}
	}
}

func TestRunHeader(t *testing.T) {
	spent := Expense{CostUSD: new(1.5), Attempts: 5, Trials: 4, Duration: 2}
	r, err := Judge(t.Context(), Evidence{Suite: "s", Digest: "sha256:d", Seed: 4, Version: "1",
		Tests: []TestEvidence{ran("a", look(4, 1, 3), "pppp")}, StoppedBy: StoppedByDecision, Spent: spent})
	if err != nil {
		t.Fatal(err)
	}
	if r.Schema != Schema || r.Suite != "s" || r.Digest != "sha256:d" || r.Seed != 4 || r.Version != "1" ||
		r.StoppedBy != StoppedByDecision || r.Budget != "" || cmp.Diff(spent, r.Spent) != "" {
		t.Errorf("%+v", r)
	}
	d := r.Tests[0].Design
	// Fail at the threshold 0.9 with 3 or 4 failures: 4·0.9·0.1³ + 0.1⁴. Pass at 0.8
	// with at most one: 0.8⁴ + 4·0.2·0.8³.
	if math.Abs(d.Alpha-.0037) > 1e-12 || math.Abs(d.Beta-.8192) > 1e-12 || d.MaxTrials != 4 || d.Kind != "given" ||
		d.Digest != look(4, 1, 3).Digest() {
		t.Errorf("%+v", d)
	}
	if text := warned(r.Tests[0].Warnings, design.WarnErrorsExceed); !strings.Contains(text, "81.9%") {
		t.Errorf("%v", r.Tests[0].Warnings)
	}
	bad := look(4, 1, 3)
	bad.Boundaries.PassAtOrBelow = bad.Boundaries.PassAtOrBelow[:2]
	if _, err := Judge(t.Context(), Evidence{Tests: []TestEvidence{ran("odd", bad, "pp")}}); err == nil ||
		!strings.Contains(err.Error(), `"odd"`) {
		t.Errorf("a design that is none: %v", err)
	}
}

// Pooled scenarios are told apart, among the judged trials.
func TestRunMembers(t *testing.T) {
	e := ran("pool", look(4, 1, 3), "pfeppp")
	e.Scenarios = []string{"x", "y", "z"}
	for i, name := range []string{"x", "y", "x", "x", "y", "z"} {
		e.Trials[i].Scenario = name
	}
	got := judgeRun(t, e).Tests[0]
	if diff := cmp.Diff([]Member{{"x", 2, 0, 1}, {"y", 0, 1, 0}, {"z", 0, 0, 0}}, got.Members); diff != "" ||
		got.Overrun != 2 {
		t.Errorf("overrun %d %s", got.Overrun, diff)
	}
	if r := judgeRun(t, ran("a", look(4, 1, 3), "pppp")); r.Tests[0].Members != nil {
		t.Errorf("%+v", r.Tests[0].Members)
	}
}

// record writes a judgement with limits into a trial.
func record(t *testing.T, x *trial.Trial, text string, limits ...oracle.LimitResult) {
	t.Helper()
	if err := (oracle.Judgement{Outcome: x.Outcome, Text: text, Limits: limits}).Record(x); err != nil {
		t.Fatal(err)
	}
}

func TestRunLimits(t *testing.T) {
	limit := func(name string, most float64, actual ...float64) oracle.LimitResult {
		l := oracle.LimitResult{Name: name, Max: most, Outcome: trial.Error}
		if len(actual) > 0 {
			l.Actual, l.Outcome = trial.Some(actual[0]), trial.Pass
			if actual[0] > most {
				l.Outcome = trial.Fail
			}
		}
		return l
	}
	const turns, cost = oracle.TurnLimit, oracle.CostLimit
	e := ran("a", look(4, 2, 3), "pfpep")
	record(t, e.Trials[0].Trial, "", limit(turns, 10, 4), limit(cost, .5))
	record(t, e.Trials[1].Trial, "max_turns", limit(turns, 10, 12), limit(cost, .5))
	record(t, e.Trials[2].Trial, "", limit(turns, 10, 7), limit(cost, .5))
	record(t, e.Trials[3].Trial, "unknown", limit(turns, 20), limit(cost, .5))
	record(t, e.Trials[4].Trial, "", limit(turns, 99, 50), limit(cost, .5, .1)) // overrun
	got := judgeRun(t, e).Tests[0]
	want := []Limit{{turns, 20, new(12.0), 1, 1, ""}, {cost, .5, nil, 0, 4, ""}}
	if diff := cmp.Diff(want, got.Limits); diff != "" {
		t.Error(diff)
	}
	if text := warned(got.Warnings,
		warnLimitUnknown); text != "max_turns: 1 trial does not tell what it took of it, so whether the limit was kept is "+
		"not known" {
		t.Errorf("%v", got.Warnings)
	}
	if none := judgeRun(t, ran("a", look(4, 2, 3), "pppp")).Tests[0]; len(none.Limits) != 0 || none.Limits == nil {
		t.Errorf("%#v", none.Limits)
	}
}

func TestRunFailures(t *testing.T) {
	e := ran("a", look(4, 3, 4), "fpefff")
	record(t, e.Trials[0].Trial, "contains: no billing")
	e.Trials[2].Trial.Error = &trial.Cause{Message: "no\x1bnetwork"}
	e.Trials[3].Trial.Error = &trial.Cause{Message: "late"}
	got := judgeRun(t, e).Tests[0].Failures
	want := []Failure{{"a", 0, "fail", "contains: no billing"}, {"a", 2, "error", prose.Excerpt("no\x1bnetwork")},
		{"a", 3, "fail", "late"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if many := judgeRun(t, ran("a", look(60, 3, 59), strings.Repeat("f", 60))).Tests[0]; len(many.Failures) != 20 ||
		many.Fails != 60 {
		t.Errorf("%d failures are listed", len(many.Failures))
	}
	if strings.Contains(got[1].Text, "\x1b") {
		t.Errorf("%q goes to a terminal", got[1].Text)
	}
}

// All that was paid counts, overrun too; what is not known counts on neither side.
func TestRunCost(t *testing.T) {
	four := look(4, 1, 3)
	priced := func(e TestEvidence, costs ...float64) TestEvidence {
		for i, cost := range costs {
			if cost >= 0 {
				e.Trials[i].CostUSD = trial.Some(cost)
			}
		}
		return e
	}
	a := priced(ran("a", four, "ppfpfp"), .5, .5, 1, .5, 2, .5) // 5 for 4 passes
	b := priced(ran("b", four, "ffffe"), 1, 1, 1, 1, 1)         // 5 for none
	c := priced(ran("c", four, "pppp"), 2, -1, -1, 4)           // 6 for 2
	d := ran("d", four, "pppp")
	r := judgeRun(t, a, b, c, d)
	near := cmpopts.EquateApprox(1e-12, 0)
	for i, want := range []*float64{new(1.25), nil, new(3.0), nil} {
		if diff := cmp.Diff(want, r.Tests[i].CostPerSuccess, near); diff != "" {
			t.Errorf("test %d: %s", i, diff)
		}
	}
	if diff := cmp.Diff(new(16.0/6), r.Reliability.CostPerSuccess, near); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&verdict.CostView{KnownTrials: 13, Trials: 19, TotalUSD: 16}, r.Reliability.Cost,
		near); diff != "" {
		t.Error(diff)
	}
	if warned(r.Warnings, verdict.WarnCostPartlyKnown) == "" {
		t.Errorf("%v", r.Warnings)
	}
	if r := judgeRun(t, a, b); warned(r.Warnings, verdict.WarnCostPartlyKnown) != "" ||
		*r.Reliability.CostPerSuccess != 2.5 {
		t.Errorf("%+v %v", r.Reliability, r.Warnings)
	}
	if r := judgeRun(t, d); r.Reliability.Cost != nil || r.Reliability.CostPerSuccess != nil ||
		warned(r.Warnings, verdict.WarnCostPartlyKnown) != "" {
		t.Errorf("%+v %v", r.Reliability, r.Warnings)
	}
}

// With one look pass^k is the share of the k-subsets of the trials that all pass.
func TestRunPassHatK(t *testing.T) {
	four := look(4, 1, 3)
	near := cmpopts.EquateApprox(1e-9, 1e-12)
	a, b := ran("a", four, "pfppff"), ran("b", four, "fffp")
	r := judgeRun(t, a, b)
	for i, want := range []map[string]float64{{"1": .75, "2": 3. / 6, "3": 1. / 4, "4": 0},
		{"1": .25, "2": 0, "3": 0, "4": 0}} {
		if diff := cmp.Diff(want, r.Tests[i].PassHatK, near); diff != "" {
			t.Errorf("test %d: %s", i, diff)
		}
	}
	if diff := cmp.Diff(map[string]float64{"1": .5, "2": .25, "3": .125, "4": 0}, r.Reliability.PassHatK,
		near); diff != "" {
		t.Error(diff)
	}
	// As far as every test goes, and not at all while one has not ended.
	r = judgeRun(t, a, ran("c", look(2, 0, 1), "pp"))
	if diff := cmp.Diff(map[string]float64{"1": .875, "2": .75}, r.Reliability.PassHatK, near); diff != "" {
		t.Error(diff)
	}
	if r := judgeRun(t, a, ran("d", four, "ppp")); len(r.Reliability.PassHatK) != 0 || r.Reliability.PassHatK == nil {
		t.Errorf("%v", r.Reliability.PassHatK)
	}
}

func TestRunSuiteVerdict(t *testing.T) {
	four := look(4, 1, 3)
	p, f, i, open := ran("p", four, "pppp"), ran("f", four, "ffff"), ran("i", four, "ppff"), ran("o", four, "pp")
	again := func(e TestEvidence, name string) TestEvidence { e.Name = name; return e }
	for _, c := range []struct {
		tests []TestEvidence
		want  verdict.Verdict
		code  verdict.Code
		text  string
	}{
		{nil, verdict.Inconclusive, verdict.CodeNoTrials, "nothing was tested"},
		{[]TestEvidence{p, again(p, "q")}, verdict.Pass, CodeTestsPass, "both scenarios pass"},
		{[]TestEvidence{p, i}, verdict.Inconclusive, codeTestsOpen, "1 of 2 scenarios is undecided: i"},
		{[]TestEvidence{p, open, i}, verdict.Inconclusive, codeTestsOpen, "2 of 3 scenarios are undecided: o, i"},
		{[]TestEvidence{open, p, i, f}, verdict.Fail, codeTestsFail, "1 of 4 scenarios fails: f"},
		{[]TestEvidence{f, p, again(f, "g")}, verdict.Fail, codeTestsFail, "2 of 3 scenarios fail: f, g"},
	} {
		r := judgeRun(t, c.tests...)
		if r.Verdict != c.want || r.ExitCode != c.want.ExitCode() || len(r.Reasons) != 1 || r.Reasons[0].Code != c.code ||
			r.Reasons[0].Text != c.text || len(r.Tests) != len(c.tests) {
			t.Errorf("%v, exit code %d: %v, want %v %s", r.Verdict, r.ExitCode, r.Reasons, c.want, c.text)
		}
		family := warned(r.Warnings, WarnFamily)
		if (family != "") != (len(c.tests) > 1) {
			t.Errorf("%d tests: %v", len(c.tests), r.Warnings)
		}
		// Each fails falsely with 0.0037: of two one does with 1-0.9963² = 0.739 %.
		if len(c.tests) == 2 && !strings.Contains(family, "up to 0.739% of runs") {
			t.Error(family)
		}
	}
	never := look(4, 3, 5)
	if r := judgeRun(t, ran("a", never, "pppp"), ran("b", never, "pppp")); warned(r.Warnings, WarnFamily) != "" {
		t.Errorf("tests that cannot fail: %v", r.Warnings)
	}
	many := slices.Repeat([]TestEvidence{again(f, "f\x1b")}, 11)
	if text := judgeRun(t, many...).Reasons[0].Text; !strings.HasSuffix(text, ", and 3 more") ||
		strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
}

// A result is read back as it was written, and holds no number that JSON has not.
func TestRunResultJSON(t *testing.T) {
	thorough.Check(t, func(rt *rapid.T) {
		var tests []TestEvidence
		for i := range rapid.IntRange(0, 3).Draw(rt, "tests") {
			d := rapid.SampledFrom([]sprt.Design{sample.Design(), look(4, 1, 3), look(1, 0, 1),
				look(3, -1, sprt.Never)}).Draw(rt, "design")
			e := ran(string(rune('a'+i)), d, rapid.StringMatching(`[pfe.]{0,40}`).Draw(rt, "outcomes"))
			for j := range e.Trials {
				if rapid.Bool().Draw(rt, "known") {
					e.Trials[j].CostUSD = trial.Some(rapid.Float64Range(0, 5).Draw(rt, "cost"))
				}
			}
			tests = append(tests, e)
		}
		r := judgeRun(rt, tests...)
		text, err := json.Marshal(r)
		if err != nil {
			rt.Fatal(err)
		}
		var back Result
		if err := json.Unmarshal(text, &back); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(r, &back); diff != "" {
			rt.Fatalf("%s:\n%s", text, diff)
		}
		if strings.Contains(string(text), `"warnings":null`) || strings.Contains(string(text), `"reasons":null`) {
			rt.Fatalf("%s", text)
		}
	})
}

// Whatever the errors would have been, a Pass would have passed and a Fail failed; and
// what passes or fails in any case is called so.
func TestRunErrorsByBruteForce(t *testing.T) {
	designs := []sprt.Design{sample.Design(), look(6, 1, 4), look(5, 0, 5)}
	thorough.Check(t, func(rt *rapid.T) {
		d := rapid.SampledFrom(designs).Draw(rt, "design")
		outcomes := rapid.StringMatching(`[pp]{0,14}[pfe]{0,6}[ppppppf]{0,40}`).Draw(rt, "outcomes")
		test := judgeRun(rt, ran("a", d, outcomes)).Tests[0]
		all, seen := 1<<strings.Count(outcomes, "e"), map[sprt.Outcome]int{}
		for set := range all {
			replaced := []byte(outcomes)
			for i, way := 0, set; i < len(replaced); i++ {
				if replaced[i] == 'e' {
					replaced[i], way = "pf"[way&1], way>>1
				}
			}
			seen[alone(d.Boundaries, replaced)]++
		}
		if (test.Verdict == verdict.Pass) != (seen[sprt.Pass] == all) ||
			(test.Verdict == verdict.Fail) != (seen[sprt.Fail] == all) {
			rt.Fatalf("%s: %v, of %d ways %v", outcomes, test.Verdict, all, seen)
		}
		// Where the trials are used up either way, it is not for the errors.
		if used := test.Reasons[0].Code == design.CodeTrialsUsedUp; used != (seen[sprt.Inconclusive] == all) {
			rt.Fatalf("%s: %v, of %d ways %v", outcomes, test.Reasons, all, seen)
		}
	})
}

// alone walks along the boundaries.
func alone(b sprt.Boundaries, outcomes []byte) sprt.Outcome {
	failures := 0
	for i := range min(len(outcomes), b.MaxTrials()) {
		if outcomes[i] == 'f' {
			failures++
		}
		switch {
		case failures <= b.PassAtOrBelow[i]:
			return sprt.Pass
		case failures >= b.FailAtOrAbove[i]:
			return sprt.Fail
		case i+1 == b.MaxTrials():
			return sprt.Inconclusive
		}
	}
	return sprt.Undecided
}
