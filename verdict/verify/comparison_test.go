package verify

import (
	"fmt"
	"math/rand/v2"
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
				Scenario: fmt.Sprint("s", s), Index: trial.Some(i), Outcome: trial.Fail, Input: trial.RawString(fmt.Sprint("task ", i)), Output: trial.RawString("answer of " + name),
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
		"pairs.flips[].baseline_output": "a text", "pairs.flips[].candidate_output": "a text",
		"trials.baseline.trial": "the number of a trial that did not flip", "trials.candidate.trial": "only that it is the baseline's",
		"baseline.name": "a name", "candidate.name": "a name",
	}
	boschloo := stats.BoschlooTest
	for _, c := range []struct {
		name               string
		o                  compare.Options
		metrics, behaviour bool
		free               map[string]string
	}{
		{"pairs", compare.Options{Seed: 5}, true, false, map[string]string{"seed": "another one may draw the same figures"}},
		{"independent", compare.Options{Test: &boschloo, By: verdict.ByScenario}, false, false, map[string]string{"rule": "a comparison by scenario has its own"}},
		{"paper, behaviour", compare.Options{Rule: compare.PaperRule, Errors: verdict.ExcludeErrors}, false, true, rawOfBehaviour("behaviour.")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := compare.Judge(t.Context(), taskTrials("before", 1, c.metrics, 8, 8, 8), taskTrials("after", 2, c.metrics, 8, 0, 5), c.o)
			if err != nil {
				t.Fatal(err)
			}
			if c.behaviour {
				r.AddBehaviour(comparedAgents(t, 2, 6), true)
			}
			for _, missed := range unfounded(t, r, with(free, c.free)) {
				t.Error(missed)
			}
		})
	}
}
