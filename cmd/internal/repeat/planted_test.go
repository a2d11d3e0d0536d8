package repeat

import (
	"fmt"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
)

// planted are the rates of the flakes among 200 cases: seven that pass 0.8 of the time or less, which is to be found,
// and five that pass 0.9 of it or more, which is what is asked.
var planted = []float64{.5, .54, .6, .65, .7, .75, .8, .9, .92, .94, .96, .98}

// A suite of 200 cases with 12 flakes and 2 that are broken comes to the right lists: in many repetitions no more
// cases are on a wrong one than the errors that were asked for give, but for one in a thousand such tests. It takes at
// most 40 % of the trials of the fixed number with the same errors.
func TestPlantedFlakes(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for many seconds")
	}
	repetitions := thorough.Draws(10, 100)
	wrong := map[string]int{}
	trials, fixed, executions := 0, 0, 0
	for seed := range uint64(repetitions) {
		rates := cases(200-len(planted)-2, 1)
		for i, rate := range planted {
			rates[fmt.Sprintf("flake%02d", i)] = rate
		}
		rates["broken0"], rates["broken1"] = 0, 0
		result, agent := execute(t, &flaky{rates: rates, narrow: true, seed: seed}, 1)
		executions += agent.Executions()
		for _, test := range result.Tests {
			sample, _ := test.Design.Hypotheses.FixedSample()
			fixed += sample.Trials
			trials += test.Trials
			switch rate := rates[test.Name]; {
			case rate >= .9 && test.Outcome == sprt.Fail, rate <= .8 && test.Outcome == sprt.Pass:
				wrong[test.Name]++
			}
		}
	}
	for i, rate := range planted {
		level := .05 // a false Fail
		if rate <= .8 {
			level = .1 // a false Pass
		}
		name := fmt.Sprintf("flake%02d", i)
		if p := (dist.Binomial{N: repetitions, P: level}).Survival(wrong[name] - 1); p < .001 {
			t.Errorf("what passes with %v is on the wrong list in %d of %d repetitions", rate, wrong[name], repetitions)
		}
		delete(wrong, name)
	}
	if len(wrong) > 0 {
		t.Errorf("cases that always pass, or never, are on the wrong list: %v", wrong)
	}
	share := float64(trials) / float64(fixed)
	if share > .4 {
		t.Errorf("it took %.0f%% of the trials of a fixed number", 100*share)
	}
	t.Logf("%.1f%% of the trials of a fixed number; %.1f executions of the command a repetition, at most %d fixed",
		100*share, float64(executions)/float64(repetitions), fixed/200/repetitions)
}
