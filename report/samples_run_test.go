package report

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// runRenders are runs against baselines, and a recording.
func runRenders() map[string]render {
	all := map[string]render{}
	for name, sample := range map[string]func() (*runs.Result, error){
		"run-baseline": baselineRun, "run-baselines": baselinesRun, "run-recorded": recordedRun,
		"run-guarded": guardedRun(true), "run-guard-idle": guardedRun(false), "run-conformance": conformanceRun,
		"run-errors-pass": erroneousRun("PPPPE" + strings.Repeat("P", 30)),
		"run-errors-open": erroneousRun("PEPPEEPEPEEPEPE" + strings.Repeat("PE", 20)),
	} {
		result := sync.OnceValues(sample)
		all[name] = func(w io.Writer, o Options) error {
			r, err := result()
			if err != nil {
				return err
			}
			return Write(w, r, TextFormat, o)
		}
	}
	return all
}

// regressionPlans are searched for once.
var regressionPlans = sync.OnceValues(func() (p struct {
	stored        *baseline.Family
	sides, paired *baseline.Rounds
}, err error) {
	ctx := context.Background()
	fixed, err := baseline.Fixed(60)
	if err != nil {
		return p, err
	}
	stored, err := baseline.Against(ctx, baseline.Question{Delta: .3, Alpha: .05, Beta: .1}, fixed,
		baseline.Outcome{Trials: 60, Failures: 3}, baseline.Options{})
	if err != nil {
		return p, err
	}
	sides, err := baseline.SideBySide(ctx, baseline.Hypotheses{Delta: .3, Alpha: .05, Beta: .1,
		Guarded: stats.Interval{Low: .8, High: 1}}, baseline.Options{})
	if err != nil {
		return p, err
	}
	paired, err := baseline.Matched(ctx, baseline.MatchedHypotheses{Delta: .3, Alpha: .05, Beta: .1, MostDiscordant: .6},
		baseline.Options{})
	p.stored, p.sides, p.paired = stored.Family, sides.Test, paired.Test
	return p, err
})

// outcomesRun is a test with the trials of its marks, in rounds those of both sides in turn.
func outcomesRun(e runs.TestEvidence, candidate, base string) (runs.TestEvidence, error) {
	e.Scenarios = []string{e.Name}
	for i := range candidate {
		for side, marks := range []string{base, candidate} {
			if marks == "" {
				continue
			}
			x := runs.TrialEvidence{Scenario: e.Name, Number: i, Baseline: side == 0, CostUSD: trial.Some(0.01)}
			x.Trial = &trial.Trial{Scenario: e.Name, DurationSeconds: trial.Some(2.5)}
			j := oracle.Judgement{Outcome: map[byte]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}[marks[i]]}
			if j.Outcome != trial.Pass {
				j.Text = "contains: no refund number"
			}
			if err := j.Record(x.Trial); err != nil {
				return e, err
			}
			e.Trials = append(e.Trials, x)
		}
	}
	return e, nil
}

// sampleSource is the baseline of the samples.
func sampleSource() runs.BaselineSource {
	return runs.BaselineSource{File: "main.result.json", Finished: "2026-05-04T03:02:01Z", Task: "sha256:0123",
		Changed: []string{"agent.env.MODEL: small -> large", `agent.command: ["./agent"] -> ["./agent","--terse"]`}}
}

func judgedSample(e runs.Evidence, tests ...func() (runs.TestEvidence, error)) (*runs.Result, error) {
	for _, evidence := range tests {
		t, err := evidence()
		if err != nil {
			return nil, err
		}
		e.Tests = append(e.Tests, t)
		e.Spent.Trials += len(t.Trials)
	}
	e.Suite, e.Digest, e.Seed, e.Version = "shop", "sha256:0123456789abcdef0123456789abcdef", 1, "v1"
	e.Spent.Attempts, e.Spent.Duration = e.Spent.Trials, 12.5
	e.Spent.CostUSD = ptr(0.01 * float64(e.Spent.Trials))
	return runs.Judge(context.Background(), e)
}

// baselineRun is one test against a stored baseline: the candidate is as good.
func baselineRun() (*runs.Result, error) {
	p, err := regressionPlans()
	if err != nil {
		return nil, err
	}
	return judgedSample(runs.Evidence{StoppedBy: runs.StoppedByDecision}, func() (runs.TestEvidence, error) {
		return outcomesRun(runs.TestEvidence{Name: "refund",
			Against: &runs.Against{Stored: &runs.StoredBaseline{Family: p.stored,
				Outcome: baseline.Outcome{Trials: 60, Failures: 3}, Source: sampleSource()}}}, "PPFP"+strings.Repeat("P", 26), "")
	})
}

// baselinesRun has tests of every kind, with a correction and variants.
func baselinesRun() (*runs.Result, error) {
	p, err := regressionPlans()
	if err != nil {
		return nil, err
	}
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.8, Delta: 0.3, Alpha: 0.05, Beta: 0.1}, 40)
	if err != nil {
		return nil, err
	}
	stored := func(errors int) *runs.Against {
		return &runs.Against{Stored: &runs.StoredBaseline{Family: p.stored,
			Outcome: baseline.Outcome{Trials: 60, Failures: 2}, Errors: errors,
			Source: sampleSource()}}
	}
	changed := sampleSource().Changed
	e := runs.Evidence{StoppedBy: runs.StoppedByDecision, Correction: new(multiplicity.Holm)}
	test := func(t runs.TestEvidence, candidate, base string) func() (runs.TestEvidence, error) {
		return func() (runs.TestEvidence, error) { return outcomesRun(t, candidate, base) }
	}
	return judgedSample(e,
		test(runs.TestEvidence{Name: "refund", Against: stored(0), Design: design, Variant: "large"}, strings.Repeat("P", 30),
			""),
		test(runs.TestEvidence{Name: "cancel", Against: stored(1)}, "PFFFPFFEFFFF", ""),
		test(runs.TestEvidence{Name: "address", Against: &runs.Against{Rounds: p.sides, Changed: changed}},
			"PFPPFFFPFFFFFFFFFFFFF", strings.Repeat("P", 21)),
		test(runs.TestEvidence{Name: "greeting", Against: &runs.Against{Rounds: p.paired, Changed: changed}},
			strings.Repeat("P", 30), strings.Repeat("P", 12)+"F"+strings.Repeat("P", 17)),
	)
}

// recordedRun is a recording of two scenarios.
func recordedRun() (*runs.Result, error) {
	design, err := sprt.Recording(20)
	if err != nil {
		return nil, err
	}
	e := runs.Evidence{StoppedBy: runs.StoppedByMaxTrials}
	return judgedSample(e, func() (runs.TestEvidence, error) {
		return outcomesRun(runs.TestEvidence{Name: "refund", Design: design}, strings.Repeat("P", 19)+"F", "")
	}, func() (runs.TestEvidence, error) {
		return outcomesRun(runs.TestEvidence{Name: "cancel", Design: design}, "PPEP"+strings.Repeat("P", 16), "")
	})
}

// erroneousRun is a test of trials of which some ended in errors, in attempts of which some were repeated and
// some lost.
func erroneousRun(marks string) func() (*runs.Result, error) {
	return func() (*runs.Result, error) {
		design, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.8, Delta: 0.3, Alpha: 0.05, Beta: 0.1}, 40)
		if err != nil {
			return nil, err
		}
		r, err := judgedSample(runs.Evidence{StoppedBy: runs.StoppedByDecision, Spent: runs.Expense{
			Lost: 1, Repeated: map[string]int{"start": 2, "provider": 1},
		}}, func() (runs.TestEvidence, error) {
			return outcomesRun(runs.TestEvidence{Name: "refund", Design: design}, marks, "")
		})
		if err == nil {
			r.Spent.Attempts = r.Spent.Trials + 3 - 1
		}
		return r, err
	}
}

// Every format tells of attempts that were repeated and lost, and of both ways of counting errors.
func TestEveryFormatTellsOfErrors(t *testing.T) {
	r, err := erroneousRun("PPPPE" + strings.Repeat("P", 30))()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		var out strings.Builder
		if err := Write(&out, r, f, Options{}); err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		text := out.String()
		words := []string{"repeated", "3 of ", "attempt was running", "0.8"}
		switch f {
		case JSONFormat:
			words = []string{`"repeated": {`, `"lost": 1`, `"errors_passed": {`, `"pass_hat_k_errors_passed"`, "attempts-lost"}
		case AnnotationsFormat:
			words = nil // nothing failed
		case metricsFormat:
			words = []string{`"num_turns": null`} // what trials took, and no verdict
		case goTestFormat:
			words = words[3:] // of tests alone
		case outputsFormat:
			words = []string{"repeated", "lost"}
		}
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%v does not tell %q: %s", f, word, text)
			}
		}
		if f != JSONFormat && strings.Contains(strings.ToLower(text), "unbiased estimate of") {
			t.Errorf("%v calls the estimate of a test with errors unbiased", f)
		}
	}
}

// What is said of a baseline is in every format.
func TestEveryFormatTellsOfTheBaseline(t *testing.T) {
	r, err := baselinesRun()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		var out strings.Builder
		if err := Write(&out, r, f, Options{}); err != nil {
			t.Fatalf("%v: %v", f, err)
		}
		words := []string{"main.result.json", "drop", "MODEL"}
		if f == HTMLFormat && !strings.Contains(out.String(), "of the baseline") {
			t.Error("a trial of the baseline is not told from one of the candidate")
		}
		if (f == HTMLFormat || f == markdownFormat) && !strings.Contains(out.String(), "PFPPFFFPFF FFF") {
			t.Errorf("%v does not tell the rounds", f)
		}
		switch f {
		case AnnotationsFormat:
			words = []string{"worse than the baseline"} // what failed, and why
		case metricsFormat:
			words = []string{`"baseline": {`, `"cases": [`} // what both sides took
		case outputsFormat:
			words = words[2:]
		}
		for _, word := range words {
			if text := out.String(); !strings.Contains(text, word) {
				t.Errorf("%v does not tell %q: %s", f, word, text)
			}
		}
		if strings.Contains(out.String(), "threshold 0,") || strings.Contains(out.String(), " design, at most 0") {
			t.Errorf("%v tells of a threshold of 0: %s", f, out.String())
		}
	}
}

// guardedRun is a run with a guard that denies calls, or has nothing to deny.
func guardedRun(denies bool) func() (*runs.Result, error) {
	return func() (*runs.Result, error) {
		plan, err := sprt.Optimal(context.Background(), sprt.Hypotheses{Threshold: .9, Delta: .3, Alpha: .05, Beta: .1},
			sprt.OptimalOptions{MaxTrials: 30})
		if err != nil {
			return nil, err
		}
		test := func(name, marks string, denied ...int) func() (runs.TestEvidence, error) {
			return func() (runs.TestEvidence, error) {
				t, err := outcomesRun(runs.TestEvidence{Name: name, Design: plan.Design}, marks, "")
				for i, x := range t.Trials {
					found := &guardrails.Trial{}
					for _, k := range denied {
						if denies && k == i {
							found.Add("git", "no-force-push", `runs "git push -f", which preset git: a push by force forbids`,
								x.Trial.Outcome == trial.Fail)
							found.Add("<b>shop</b>", "nothing | is refunded twice, whatever the customer says",
								`calls tool "refund\u202e", which "refund*" forbids`, false)
						}
					}
					found.Record(x.Trial)
				}
				return t, err
			}
		}
		return judgedSample(runs.Evidence{StoppedBy: runs.StoppedByDecision},
			test("refund", strings.Repeat("P", 20), 3, 7, 7), test("push", "PPPPPPF"+strings.Repeat("P", 13), 2, 6))
	}
}

// conformanceRun is a corpus with each kind of scenario, of which an attack succeeded and a fault is undecided.
func conformanceRun() (*runs.Result, error) {
	plan, err := sprt.Optimal(context.Background(), sprt.Hypotheses{Threshold: .9, Delta: .3, Alpha: .05, Beta: .1},
		sprt.OptimalOptions{MaxTrials: 30})
	if err != nil {
		return nil, err
	}
	attacks, err := sprt.Optimal(context.Background(), sprt.Hypotheses{Threshold: .9995, Delta: .0495, Alpha: .05,
		Beta: .05},
		sprt.OptimalOptions{MaxTrials: 82})
	if err != nil {
		return nil, err
	}
	e := runs.Evidence{StoppedBy: runs.StoppedByBudget, Budget: "trials",
		Task: &runs.Task{Scenarios: map[string]runs.TaskScenario{}}}
	test := func(name, kind, marks string, design sprt.Design, capabilities ...string) func() (runs.TestEvidence, error) {
		e.Task.Scenarios[name] = runs.TaskScenario{Kind: kind, Capabilities: capabilities}
		return func() (runs.TestEvidence, error) {
			return outcomesRun(runs.TestEvidence{Name: name, Design: design}, marks, "")
		}
	}
	return judgedSample(e,
		test("conformance/answers", "conformance", strings.Repeat("P", 20), plan.Design, "answers"),
		test("conformance/files/write", "conformance", "PPFPPP"+strings.Repeat("P", 20), plan.Design, "answers"),
		test("faults/rate-limited", "faults", "PF", plan.Design, "answers"),
		test("security/files/escaping-write", "security", strings.Repeat("P", 70), attacks.Design, "files"),
		test("security/exfiltration", "security", "PPFPEFFPFFFFFF", attacks.Design, "web"),
	)
}
