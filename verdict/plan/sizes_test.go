package plan

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// The power is counted table by table with the p-values of the test.
func TestSides(t *testing.T) {
	const rate, delta, alpha, beta = .9, .5, .05, .1
	binomial := func(k, n int, p float64) float64 {
		x := 1.0
		for i := range k {
			x *= float64(n-i) / float64(i+1) * p
		}
		return x * math.Pow(1-p, float64(n-k))
	}
	power := func(n int) (sum float64) {
		for b := range n + 1 {
			for c := range n + 1 {
				p, err := stats.Boschloo(t.Context(), stats.Counts{Passes: b, Trials: n}, stats.Counts{Passes: c, Trials: n})
				if err != nil {
					t.Fatal(err)
				}
				if p <= alpha {
					sum += binomial(b, n, rate) * binomial(c, n, rate-delta)
				}
			}
		}
		return sum
	}
	s, err := SidesFor(t.Context(), rate, delta, alpha, beta)
	if err != nil {
		t.Fatal(err)
	}
	least := 1
	for power(least) < 1-beta {
		least++
	}
	if s.Sides.Trials != least || math.Abs(s.Sides.Power-power(least)) > 1e-9 || s.Sides.Settled < least {
		t.Errorf("%+v, not %d with power %v", s.Sides, least, power(least))
	}
	if s.Sides.Pass < 1-beta {
		t.Errorf("unchanged it passes with probability %v", s.Sides.Pass)
	}
}

// At .95 and a drop of .1, by hand: (1.9600+1.2816)² · 2·.0475 / .01 = 99.8 and
// (1.6449+1.2816)² · (.0475+.1275) / .01 = 149.9.
func TestSidesByTheEquations(t *testing.T) {
	s, err := SidesFor(t.Context(), .95, .1, .05, .1)
	if err != nil {
		t.Fatal(err)
	}
	if s.Sides.Equation1.Trials != 100 || s.Sides.Equation6.Trials != 150 {
		t.Errorf("Equation 1 gives %d, Equation 6 %d", s.Sides.Equation1.Trials, s.Sides.Equation6.Trials)
	}
	// Both are too few for the power that they promise.
	if s.Sides.Equation1.Power > .8 || s.Sides.Equation6.Power >= .9 || s.Sides.Trials <= 150 {
		t.Errorf("%+v", s.Sides)
	}
}

// The more candidates, the more trials of the baseline pay.
func TestTrialsOfABaseline(t *testing.T) {
	before := 0
	for _, candidates := range []int{1, 100} {
		s, err := RecordedFor(t.Context(), baseline.Question{Delta: .2, Alpha: .05, Beta: .1, Gamma: .001}, .95, candidates)
		if err != nil {
			t.Fatal(err)
		}
		r := s.Recorded
		if want := float64(r.Trials) + float64(candidates)*r.Unchanged; math.Abs(r.Total-want) > 1e-9 || r.Trials <= before {
			t.Errorf("%d candidates: %+v", candidates, r)
		}
		before = r.Trials
	}
}

func TestSizesThatCannotBe(t *testing.T) {
	for _, c := range [][4]float64{{.05, .1, .05, .1}, {1.1, .1, .05, .1}, {.9, 0, .05, .1}, {.9, .1, 1, .1},
		{.5, .001, .05, .1}} {
		if _, err := SidesFor(t.Context(), c[0], c[1], c[2], c[3]); !is[*verdict.OptionError](err) {
			t.Errorf("%v: %v", c, err)
		}
	}
}
