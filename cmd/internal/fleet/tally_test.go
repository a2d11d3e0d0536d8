package fleet

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// The p-values are closed forms: erfc(√(x/2)) with one degree of freedom and exp(-x/2) with two. The statistic x of two
// workers is n(ad-bc)² by the product of the margins, and of three n(ΣO²/(row·column)-1).
func TestHomogeneity(t *testing.T) {
	one := func(x float64) float64 { return math.Erfc(math.Sqrt(x / 2)) }
	two := func(x float64) float64 { return math.Exp(-x / 2) }
	for _, c := range []struct {
		workers [][2]int // trials, failures
		p       float64
		sparse  bool
	}{
		{[][2]int{{100, 10}, {100, 10}}, 1, false},
		{[][2]int{{100, 10}, {100, 20}}, one(200. * 1000 * 1000 / (100 * 100 * 30 * 170)), false},
		{[][2]int{{10, 1}, {10, 2}}, one(20. * 10 * 10 / (10 * 10 * 3 * 17)), true},
		{[][2]int{{50, 5}, {60, 12}, {40, 20}}, two(150 * (25./(50*37) + 144./(60*37) + 400./(40*37) +
			45.*45/(50*113) + 48.*48/(60*113) + 20.*20/(40*113) - 1)), false},
	} {
		var list []WorkerTally
		for _, w := range c.workers {
			list = append(list, WorkerTally{Trials: w[0], Failures: w[1]})
		}
		p, sparse := homogeneity(list)
		if !p.Known || math.Abs(p.Value-c.p) > 1e-9*c.p || sparse != c.sparse {
			t.Errorf("%v: p = %v, sparse %v; want %v, %v", c.workers, p, sparse, c.p, c.sparse)
		}
	}
	for _, none := range [][]WorkerTally{nil, {{Trials: 5, Failures: 1}}, {{Trials: 5}, {Trials: 5}},
		{{Errors: 3}, {Trials: 4, Failures: 2}}} {
		if p, _ := homogeneity(none); p.Known {
			t.Errorf("%v: p = %v", none, p)
		}
	}
}

func TestTallies(t *testing.T) {
	counts := tallies{}
	for i, o := range []trial.Outcome{trial.Pass, trial.Fail, trial.Error, trial.Pass} {
		counts.count([]string{"b", "a"}[i%2], &trial.Trial{Outcome: o})
	}
	counts.count("a", nil) // it is made again
	counts.count("", &trial.Trial{Outcome: trial.Pass})
	s := counts.summary()
	want := []WorkerTally{{"a", 2, 1, 0}, {"b", 1, 0, 1}}
	if len(s.Workers) != 2 || s.Workers[0] != want[0] || s.Workers[1] != want[1] || s.Worst().Worker != "a" ||
		s.Suspicious() {
		t.Errorf("the tallies are %+v", s)
	}
}
