package verdict

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
)

// everWrong walks along rounds of one trial of each scenario, looks after every one, and adds
// up the probability that any look so far says the wrong verdict.
func everWrong(t *testing.T, wrong Verdict, theta float64, rates []float64, rounds int) float64 {
	t.Helper()
	j, err := newThresholdJudge(nil, ThresholdOptions{Threshold: theta, Anytime: true})
	if err != nil {
		t.Fatal(err)
	}
	alive, sum := []float64{1}, 0.0
	for round := 1; round <= rounds; round++ {
		for _, p := range rates {
			next := make([]float64, len(alive)+1)
			for k, mass := range alive {
				next[k] += mass * (1 - p)
				next[k+1] += mass * p
			}
			alive = next
		}
		for k := range alive {
			if alive[k] > 0 && j.decideCounts(stats.Counts{Passes: k, Trials: round * len(rates)}) == wrong {
				sum, alive[k] = sum+alive[k], 0
			}
		}
	}
	return sum
}

// At every look together the errors are at most alpha, of one rate and of scenarios with
// unlike rates in rounds.
func TestErrorsOverAllLooks(t *testing.T) {
	for _, c := range []struct {
		theta float64
		rates []float64
	}{
		{.9, []float64{.9}}, {.5, []float64{.5}}, {.8, []float64{.99, .61}}, {.9, []float64{1, .8}},
	} {
		for _, wrong := range []Verdict{Pass, Fail} {
			p := everWrong(t, wrong, c.theta, c.rates, 200/len(c.rates))
			if p > .05 {
				t.Errorf("%v at theta %v, rates %v: %v", wrong, c.theta, c.rates, p)
			}
		}
	}
	// Three failures multiply a bet u on a failure rate above 0.1 by (1 + 9u)^3, and shares are uniform.
	evidence := 0.0
	for i := range 20 {
		from, to := float64(i*i)/400, float64((i+1)*(i+1))/400
		evidence += (to - from) * math.Pow(1+9*(from+to)/2, 3)
	}
	tally := Tally{Scenario: "s", Fails: 3}
	result := judge(t, ThresholdOptions{Threshold: .9, Anytime: true, By: ByScenario}, tally,
		Tally{Scenario: "t", Passes: 34})
	refdata.Near(t, "p below", *result.Scenarios[0].PBelow, 1/evidence, 1e-12)
	refdata.Near(t, "p of passes", *result.Scenarios[1].PBelow, 1, 0)
	if result.Verdict != Fail || result.Scenarios[1].Verdict != Pass || result.Suite.Scope != nil {
		t.Errorf("%v, %v", result.Verdict, result.Scenarios[1].Verdict)
	}
}

// A pooled rate of unlike numbers of trials is looked at within a round.
func TestUnevenRoundsAreWarnedOf(t *testing.T) {
	warned := func(by Grouping, second int) bool {
		result := judge(t, ThresholdOptions{Threshold: .5, Anytime: true, By: by}, Tally{Scenario: "a", Passes: 9},
			Tally{Scenario: "b", Passes: second})
		for _, w := range result.Warnings {
			if w.Code == WarnUnevenRounds {
				return true
			}
		}
		return false
	}
	if warned(BySuite, 9) || !warned(BySuite, 8) || warned(ByScenario, 8) {
		t.Error("even rounds warn, uneven ones do not, or scenarios alone do")
	}
}

// A result of a version that judged by the uniform mixture is judged again by that: 36 straight passes outweigh 0.9 by
// 1/(37·0.9^36) = 1.2 times only, and 69 by 20.5; of bets 34 are enough, and both limits err with alpha then.
func TestJudgedAgainByTheUniformMixture(t *testing.T) {
	for passes, want := range map[int][2]Verdict{
		33: {Inconclusive, Inconclusive}, 34: {Pass, Inconclusive}, 68: {Pass, Inconclusive}, 69: {Pass, Pass},
	} {
		for i, uniform := range []bool{false, true} {
			r := judge(t, ThresholdOptions{Threshold: .9, Anytime: true, uniform: uniform},
				Tally{Scenario: "s", Passes: passes})
			again, err := r.Rejudge(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if difference := cmp.Diff(r, again.Again); difference != "" {
				t.Errorf("%d passes, uniform %v: %s", passes, uniform, difference)
			}
			level, method := .9, "betting"
			if uniform {
				level, method = .95, ""
			}
			if r.Verdict != want[i] || r.Method != method || r.Scenarios[0].Interval.Level != level {
				t.Errorf("%d passes, uniform %v: %v by %q, at %v", passes, uniform, r.Verdict, r.Method,
					r.Scenarios[0].Interval.Level)
			}
		}
	}
	r := judge(t, ThresholdOptions{Threshold: .9, Anytime: true}, Tally{Scenario: "s", Passes: 34})
	r.Method = "wilson"
	if _, err := r.Rejudge(t.Context()); err == nil {
		t.Error("another method is not found")
	}
}
