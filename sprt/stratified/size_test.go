package stratified

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
)

// Where nothing ever fails a suite of 20 passes after two rounds: a scenario at 0.3 passes one of them too often, and two
// with a chance of 0.09. A scenario that is dead is never cleared.
func TestSize(t *testing.T) {
	x, err := SizeFor(t.Context(), Question{Scenarios: 20}, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]float64]Case{}
	for _, c := range x.Cases {
		broken := c.Rate
		if c.Broken != nil {
			broken = *c.Broken
		}
		seen[[2]float64{c.Rate, broken}] = c
		if c.Baseline != nil || c.Pass < 0 || c.Fail < 0 || c.Pass+c.Fail > 1+1e-12 || c.Trials < 20 {
			t.Errorf("%+v", c)
		}
	}
	if len(seen) != 8 {
		t.Fatalf("%+v", x.Cases)
	}
	if c := seen[[2]float64{1, 1}]; !c.Exact || c.Pass != 1 || c.Trials != 40 {
		t.Errorf("where nothing fails: %+v", c)
	}
	if c := seen[[2]float64{.9, .9}]; !c.Exact || c.Fail > x.FalseFail || x.FalseFail > .05 {
		t.Errorf("at the threshold: %+v", c)
	}
	noise := 4 * math.Sqrt(.1*.9/float64(x.Repetitions))
	if c := seen[[2]float64{.8, .8}]; c.Pass > x.FalsePass+noise || c.Fail < .85 {
		t.Errorf("at the lower rate: %+v", c)
	}
	if c := seen[[2]float64{.97, .3}]; c.Exact || c.Pass > .1+noise || c.Pass < .09-2*noise {
		t.Errorf("one at 0.3: %+v", c)
	}
	if c := seen[[2]float64{.97, 0}]; c.Exact || c.Pass != 0 || c.Fail != 1 {
		t.Errorf("one dead: %+v", c)
	}
}

// An exact case is what the simulation of the same rates comes to.
func TestSizeExactly(t *testing.T) {
	d, err := New(t.Context(), Question{Scenarios: 5})
	if err != nil {
		t.Fatal(err)
	}
	c := Case{Rate: .9}
	if err := c.look(t.Context(), d, 2); err != nil || !c.Exact {
		t.Fatalf("%+v, %v", c, err)
	}
	const runs = 4000
	x, err := d.Simulate(t.Context(), everywhere(d.Question(), .9), nil, runs, 7)
	if err != nil {
		t.Fatal(err)
	}
	// A round has 5 trials, so at most 4 are cut off.
	if noise := 4 * math.Sqrt(c.Fail*c.Pass/runs); math.Abs(x.Pass-c.Pass) > noise || math.Abs(x.Fail-c.Fail) > noise ||
		x.Trials > c.Trials+4*x.TrialsError || x.Trials < c.Trials-4-4*x.TrialsError {
		t.Errorf("exact %+v, simulated %+v", c, x)
	}
}

// With a baseline beside, both sides count, and a scenario has collapsed that lost 70 points.
func TestSizeBesideABaseline(t *testing.T) {
	x, err := SizeFor(t.Context(), Question{
		Sides: SideBySide, Scenarios: 4, Delta: .4, Floor: Floor{From: .7, To: .3},
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(x.Cases); n != 9 {
		t.Fatalf("%d cases: %+v", n, x.Cases)
	}
	noise := 4 * math.Sqrt(.1*.9/float64(x.Repetitions))
	for i, c := range x.Cases {
		same := c.Broken == nil && c.Rate == *c.Baseline
		if same != (i < 6) || same && c.Fail > .05+noise || !same && c.Pass > .1+noise || c.Trials < 16 {
			t.Errorf("case %d: %+v", i, c)
		}
	}
	if lost := x.Cases[7]; math.Abs(*lost.Baseline-*lost.Broken-.7) > 1e-12 {
		t.Errorf("%v has collapsed from %v", *lost.Broken, *lost.Baseline)
	}
}

// A larger baseline is good for more, and a row is for its number of trials.
func TestSizeRecorded(t *testing.T) {
	s, err := SizeFor(t.Context(), Question{Sides: Stored, Scenarios: 10}, .95)
	if err != nil {
		t.Fatal(err)
	}
	list := s.Recorded
	if len(list) != 13 || list[0].Trials != 3 || list[12].Trials != 15 || s.Rate != .95 {
		t.Fatalf("%+v", list)
	}
	for i, r := range list[1:] {
		if r.Passes <= list[i].Passes || r.Finds <= list[i].Finds {
			t.Errorf("%+v is no better than %+v", r, list[i])
		}
	}
}

// Where nothing fails a Pass takes 34 pairs: .7 * 1.05^n + .3 * (1 + .085/.9)^n reaches 10 with 34, and not with 33. An
// agent that passes as often as such a baseline passes, and not beside a smaller one.
func TestEnough(t *testing.T) {
	for scenarios, want := range map[int]int{1: 34, 2: 17, 5: 7, 20: 2} {
		q := Question{Sides: Stored, Scenarios: scenarios}
		n := q.Enough(1)
		if n != want {
			t.Errorf("%d scenarios: %d rounds, want %d", scenarios, n, want)
		}
		for rounds, want := range map[int]sprt.Outcome{n: sprt.Pass, n - 1: sprt.Inconclusive} {
			q.MaxRounds = rounds
			d, err := New(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			all := slices.Repeat([]string{strings.Repeat("P", rounds)}, scenarios)
			if x, err := d.Judge(Evidence{all, all}); err != nil || x.Mean != want {
				t.Errorf("%d scenarios, %d rounds: %s, %v", scenarios, rounds, x.Mean, err)
			}
		}
	}
	// At a rate at which trials fail, the chance of a Pass is what a recorded baseline of that size has.
	q := Question{Sides: Stored, Scenarios: 20}
	q.MaxRounds = q.Enough(.97)
	list, err := Recorded(t.Context(), q, .97)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(list); list[n-1].Passes < .9 || list[n-2].Passes >= .9 {
		t.Errorf("%+v", list)
	}
	// It is not looked for where it takes more than some hundreds of pairs, nor where a drop leaves nothing.
	for _, rate := range []float64{.5, .1} {
		if n := q.Enough(rate); n != 0 {
			t.Errorf("at %v: %d", rate, n)
		}
	}
}
