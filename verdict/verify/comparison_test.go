package verify

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// taskTrials is a recording of scenarios with so many passes of 8 trials each.
func taskTrials(name string, seed uint64, metrics bool, passes ...int) *recording.Recording {
	random := rand.New(rand.NewPCG(seed, 8))
	r := &recording.Recording{Name: name}
	for s, most := range passes {
		for i := range 8 {
			x := &trial.Trial{
				Scenario: fmt.Sprint("s", s), Index: trial.Some(i), Outcome: trial.Fail,
				Input: trial.RawString(fmt.Sprint("task ", i)), Output: trial.RawString("answer of " + name),
			}
			switch {
			case i < most:
				x.Outcome = trial.Pass
			case i == 7 && seed == 2:
				x.Outcome = trial.Error
			}
			if metrics {
				x.InputTokens, x.OutputTokens = trial.Some(int64(i)), trial.Some(int64(random.IntN(90)))
				if i%3 > 0 {
					x.CostUSD = trial.Some(random.Float64())
				}
			}
			r.Add(x)
		}
	}
	return r
}

// Whatever is changed in a saved comparison, it is found: of pairs, of independent
// sides and of behaviour.
func TestEveryChangeOfAComparisonIsFound(t *testing.T) {
	free := map[string]string{
		"correction":                    "others leave the same here, and no text names it",
		"pairs.flips[].baseline_output": "a text", "pairs.flips[].candidate_output": "a text",
		"trials.baseline.trial":  "the number of a trial that did not flip",
		"trials.candidate.trial": "only that it is the baseline's",
		"baseline.name":          "a name", "candidate.name": "a name",
	}
	boschloo := stats.BoschlooTest
	for _, c := range []struct {
		name               string
		o                  compare.Options
		metrics, behaviour bool
		free               map[string]string
	}{
		{"pairs", compare.Options{Seed: 5}, true, false, map[string]string{"seed": "another one may draw the same figures"}},
		{"independent", compare.Options{Test: &boschloo, By: verdict.ByScenario}, false, false,
			map[string]string{"rule": "a comparison by scenario has its own"}},
		{"metrics that fail", compare.Options{Seed: 5, FailOn: []compare.MetricRise{
			{Metric: recording.CostMetric, Most: new(.2)}, {Metric: recording.TokensMetric}, {Metric: recording.TurnsMetric},
		}}, true, false, map[string]string{"seed": "another one may draw the same figures"}},
		{"paper, behaviour", compare.Options{Rule: compare.PaperRule, Errors: verdict.ExcludeErrors}, false, true,
			with(rawOfBehaviour("behaviour."), ofSeed)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := compare.Judge(t.Context(), taskTrials("before", 1, c.metrics, 8, 8, 8),
				taskTrials("after", 2, c.metrics, 8, 0, 5), c.o)
			if err != nil {
				t.Fatal(err)
			}
			if c.behaviour {
				r.AddBehaviour(comparedAgents(t, fewest, 2, 6), true)
			}
			for _, missed := range unfounded(t, r, with(free, c.free)) {
				t.Error(missed)
			}
		})
	}
}

// What is changed in a posterior is found, which stands beside the verdict.
func TestEveryChangeOfAPosteriorIsFound(t *testing.T) {
	var sides [2]*recording.Recording
	for i, passes := range []int{17, 9} {
		var err error
		if sides[i], err = recording.OfCounts("side", stats.Counts{Passes: passes, Trials: 20}); err != nil {
			t.Fatal(err)
		}
	}
	priors := &compare.Priors{Baseline: stats.BetaPrior{A: 9, B: 2}, Source: "earlier.jsonl"}
	r, err := compare.Judge(t.Context(), sides[0], sides[1], compare.Options{Priors: priors})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := Verify(t.Context(), r); err != nil {
		t.Fatalf("%+v, %v", v, err)
	}
	for _, missed := range unfounded(t, r, nil) {
		if strings.Contains(missed, "posterior") && !strings.Contains(missed, "posterior.source") { // which is a name
			t.Error(missed)
		}
	}
}

// A comparison that metrics failed is verified without them, too: what came of each is taken as it is, and the verdict
// must follow from it and from the rates.
func TestVerdictOfMetricsThatAreNotHeld(t *testing.T) {
	for name, drop := range map[string]func(*compare.Result){
		"trials":  func(r *compare.Result) { r.Trials = nil },
		"metrics": func(r *compare.Result) { r.Trials.NoMetrics = true },
	} {
		t.Run(name, func(t *testing.T) {
			// The baseline does not tell its costs.
			before, after := &recording.Recording{Name: "before"}, &recording.Recording{Name: "after"}
			for i := range 24 {
				before.Add(&trial.Trial{Scenario: "s", Index: trial.Some(i), Outcome: trial.Pass})
				after.Add(&trial.Trial{Scenario: "s", Index: trial.Some(i), Outcome: trial.Pass, CostUSD: trial.Some(1.)})
			}
			r, err := compare.Judge(t.Context(), before, after, compare.Options{
				FailOn: []compare.MetricRise{{Metric: recording.CostMetric}}, Delta: .5,
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != verdict.Inconclusive {
				t.Fatalf("%v: %v", r.Verdict, r.Reasons)
			}
			drop(r)
			if _, err := Verify(t.Context(), r); err != nil {
				t.Error(err)
			}
			for _, v := range []verdict.Verdict{verdict.Pass, verdict.Fail} {
				r.Verdict, r.ExitCode = v, v.ExitCode()
				if _, err := Verify(t.Context(), r); err == nil {
					t.Errorf("%v is verified", v)
				}
			}
		})
	}
}

// So many trials are saved without their metrics, which have a part of the family all the same.
func TestVerifyOfMetricsOfManyTrials(t *testing.T) {
	priced := func(name string, cost float64) *recording.Recording {
		r := &recording.Recording{Name: name}
		for i := range recording.MostValues/2 + 100 {
			x := &trial.Trial{Scenario: "s", Index: trial.Some(i), Outcome: trial.Pass,
				CostUSD: trial.Some(cost * float64(1+i%7))}
			if i%10 == 0 {
				x.Outcome = trial.Fail
			}
			r.Add(x)
		}
		return r
	}
	for name, failOn := range map[string][]compare.MetricRise{
		"shown": nil, "counts": {{Metric: recording.CostMetric, Most: new(.2)}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := compare.Judge(t.Context(), priced("before", 1), priced("after", 1.5), compare.Options{FailOn: failOn})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Trials.NoMetrics || (r.Verdict == verdict.Fail) != (failOn != nil) {
				t.Fatalf("%v, without metrics: %v", r.Verdict, r.Trials.NoMetrics)
			}
			if _, err := Verify(t.Context(), r); err != nil {
				t.Error(err)
			}
			r.Family.Each *= 2
			if _, err := Verify(t.Context(), r); err == nil && failOn == nil {
				t.Error("another family is verified")
			}
		})
	}
}
