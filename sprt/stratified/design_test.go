package stratified

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
)

// The trials of an earlier design, simulated by another program in 8,000 runs a row. This one takes no more in any row:
// its exact upper bounds are compared.
func TestNoDearerThanTheDesignBefore(t *testing.T) {
	twenty, fifty := planned(t, Question{Scenarios: 20}), planned(t, Question{Scenarios: 50})
	for _, x := range []struct {
		name   string
		design *Design
		rates  []float64
		before float64
	}{
		{"all 1", twenty, same(20, 1), 40.0},
		{"all .99", twenty, same(20, 0.99), 42.0},
		{"all .97", twenty, same(20, 0.97), 46.9},
		{"all .95", twenty, same(20, 0.95), 53.7},
		{"all .90", twenty, same(20, 0.90), 83.0},
		{"ten 1, ten .8", twenty, both(same(10, 1), same(10, 0.8)), 90.8},
		{"all .80", twenty, same(20, 0.80), 70.0},
		{"one .3, others .97", twenty, both(same(19, 0.97), same(1, 0.3)), 69.9},
		{"one 0, others .99", twenty, both(same(19, 0.99), same(1, 0)), 50.9},
		{"50 at .97", fifty, same(50, 0.97), 115.8},
		{"50 at .95", fifty, same(50, 0.95), 127.3},
		{"50 at .90", fifty, same(50, 0.90), 159.5},
	} {
		c, ok := x.design.At(x.rates, nil)
		if !ok || c.Trials > x.before+1e-9 {
			t.Errorf("%s: %.2f trials, before %.1f", x.name, c.Trials, x.before)
		}
	}
}

func TestPromisesKeepTheTargets(t *testing.T) {
	questions := []Question{
		{Scenarios: 3, Delta: 0.3}, {Scenarios: 20}, {Scenarios: 20, Threshold: 0.95, Delta: 0.1}, {Scenarios: 100},
		{Scenarios: 4, Delta: 0.3, Weights: []int{1, 2, 3, 4}}, {Scenarios: 20, Own: map[int]Floor{3: {0.9, 0.7}}},
		{Scenarios: 20, Anytime: true},
		{Scenarios: 20, Sides: SideBySide}, {Scenarios: 20, Sides: Matched}, {Scenarios: 20, Sides: Stored, MaxRounds: 5},
	}
	if thorough.Asked() {
		questions = append(questions, Question{Scenarios: 1}, Question{Scenarios: 2}, Question{Scenarios: 5},
			Question{Scenarios: 300}, Question{Scenarios: 50, Threshold: 0.7, Floor: Floor{0.4, 0.1}},
			Question{Scenarios: 20, Own: map[int]Floor{3: {0.9, 0.8}, 7: {0.95, 0.8}}})
	}
	for _, q := range questions {
		d := planned(t, q)
		p, complete := d.Promise(), d.Question()
		if p.FalseFail > complete.Alpha*(1+1e-12) || p.FalsePass > complete.Beta*(1+1e-12) {
			t.Errorf("%+v: %+v", q, p)
		}
		if p.Bound > p.Rounds || p.Rounds > 1.25*p.Bound {
			t.Errorf("%+v: rounds take %v trials, at least %v", q, p.Rounds, p.Bound)
		}
		if again := planned(t, q); q.Scenarios <= 20 && !cmp.Equal(again.Promise(), p) || !cmp.Equal(again.Mean(), d.Mean()) {
			t.Errorf("%+v: planned again it is another", q)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, q := range []Question{
		{}, {Scenarios: -1}, {Scenarios: 1000}, {Scenarios: 2, Weights: []int{1}}, {Scenarios: 2, Weights: []int{1, 0}},
		{Scenarios: 2, Weights: []int{400, 400}}, {Scenarios: 2, Threshold: math.NaN()}, {Scenarios: 2, Delta: -1},
		{Scenarios: 2, Alpha: 2}, {Scenarios: 2, Floor: Floor{0.3, 0.7}}, {Scenarios: 2, Floor: Floor{0.95, 0.3}},
		{Scenarios: 2, Own: map[int]Floor{2: {0.9, 0.8}}}, {Scenarios: 2, Own: map[int]Floor{0: {0.8, 0.9}}},
		{Scenarios: 2, Sides: Stored}, {Scenarios: 2, Sides: 9}, {Scenarios: 2, Sides: SideBySide, Anytime: true},
		{Scenarios: 2, Sides: Matched, Own: map[int]Floor{0: {0.9, 0.8}}}, {Scenarios: 20, MaxRounds: -1},
		{Scenarios: 2, Floor: Floor{0.5, math.Nextafter(0.5, 0)}},
	} {
		var wrong *sprt.HypothesesError
		if d, err := New(context.Background(), q); !errors.As(err, &wrong) || d != nil {
			t.Errorf("%+v: %v, %v", q, d, err)
		}
	}
	var short *sprt.InfeasibleError
	if _, err := New(context.Background(), Question{Scenarios: 20, MaxRounds: 2}); !errors.As(err, &short) {
		t.Errorf("two rounds of 20: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(ended, Question{Scenarios: 20}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
}

// At equal rates the mean test is one of pooled trials, which package sprt counts by another recursion.
func TestMeanAtEqualRates(t *testing.T) {
	for _, m := range []int{1, 3, 20} {
		d := planned(t, Question{Scenarios: m, Delta: map[int]float64{1: 0.3, 3: 0.2, 20: 0.1}[m]})
		rounds := d.Mean()
		pooled, err := sprt.NewBoundaries(rounds.MaxTrials() * m)
		if err != nil {
			t.Fatal(err)
		}
		for r := range rounds.PassAtOrBelow {
			n := (r+1)*m - 1
			pooled.PassAtOrBelow[n], pooled.FailAtOrAbove[n] = rounds.PassAtOrBelow[r], rounds.FailAtOrAbove[r]
		}
		for _, rate := range []float64{1, 0.95, 0.9, 0.83, 0.8, 0.3, 0} {
			want, err := pooled.Characteristics(rate)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := d.At(same(m, rate), nil)
			for _, x := range [][2]float64{
				{got.MeanPasses, want.Pass}, {got.MeanFails, want.Fail}, {got.Rounds * float64(m), want.ExpectedTrials},
			} {
				if math.Abs(x[0]-x[1]) > 1e-9*(1+x[1]) {
					t.Errorf("%d at %v: %v, want %v", m, rate, got, want)
				}
			}
		}
	}
}

// The mean test of three scenarios, by every sequence of outcomes, at every vector on a grid.
func TestMeanByEnumeration(t *testing.T) {
	d := planned(t, Question{
		Scenarios: 3, Threshold: 0.8, Delta: 0.5, Alpha: 0.2, Beta: 0.2, Floor: Floor{0.5, 0.1}, MaxRounds: 4,
	})
	p, rule := d.Promise(), d.mean.(*sumRule)
	const rounds = 4
	type end struct {
		failures [3]int
		outcome  sprt.Outcome
	}
	ends := map[end]int{}
	for code := range 1 << (3 * rounds) {
		v := view{candidate: make([][]bool, 3)}
		var e end
		for n := range 3 * rounds {
			failed := code>>n&1 == 1
			v.candidate[n%3] = append(v.candidate[n%3], failed)
			if failed {
				e.failures[n%3]++
			}
		}
		e.outcome, _ = rule.decide(v)
		ends[e]++
	}
	const steps = 20
	largest := map[sprt.Outcome]float64{}
	for i := range steps + 1 {
		for j := range i + 1 {
			for k := range j + 1 {
				rates := []float64{float64(i) / steps, float64(j) / steps, float64(k) / steps}
				chances := map[sprt.Outcome]float64{}
				for e, count := range ends {
					mass := float64(count)
					for s, f := range e.failures {
						mass *= math.Pow(1-rates[s], float64(f)) * math.Pow(rates[s], float64(rounds-f))
					}
					chances[e.outcome] += mass
				}
				mean := (rates[0] + rates[1] + rates[2]) / 3
				if mean >= 0.8-1e-9 && rates[2] >= 0.5 {
					largest[sprt.Fail] = math.Max(largest[sprt.Fail], chances[sprt.Fail])
				}
				if mean <= 0.3+1e-9 && rates[2] > 0.1 {
					largest[sprt.Pass] = math.Max(largest[sprt.Pass], chances[sprt.Pass])
				}
				if got, _ := d.At(rates, nil); math.Abs(got.MeanFails-chances[sprt.Fail]) > 1e-9 {
					t.Fatalf("%v: fails %v, enumerated %v", rates, got.MeanFails, chances[sprt.Fail])
				}
			}
		}
	}
	if largest[sprt.Fail] > p.MeanFails+1e-12 || largest[sprt.Pass] > p.MeanPasses+1e-12 ||
		largest[sprt.Fail] < p.MeanFails/2 || largest[sprt.Pass] < p.MeanPasses/2 {
		t.Errorf("largest over a grid %v, proved %+v", largest, p)
	}
}

// The whole run of two scenarios, trial by trial as the design asks for them, over every sequence of outcomes.
func TestRunByEnumeration(t *testing.T) {
	q := Question{Scenarios: 2, Threshold: 0.8, Delta: 0.5, Alpha: 0.3, Beta: 0.3, Floor: Floor{0.5, 0.1}, MaxRounds: 4}
	d := planned(t, q)
	type end struct {
		trials, failures [2]int
		outcome          sprt.Outcome
	}
	ends := map[end]float64{}
	var follow func(e Evidence, x end)
	follow = func(e Evidence, x end) {
		got, err := d.Judge(e)
		if err != nil {
			t.Fatal(err)
		}
		if got.Outcome != sprt.Undecided || x.trials[0]+x.trials[1] >= 17 {
			x.outcome = got.Outcome
			ends[x]++
			return
		}
		i := got.Next[0]
		x.trials[i]++
		for _, letter := range []string{"P", "F"} {
			next := Evidence{Candidate: append([]string(nil), e.Candidate...)}
			next.Candidate[i] += letter
			y := x
			if letter == "F" {
				y.failures[i]++
			}
			follow(next, y)
		}
	}
	follow(Evidence{Candidate: make([]string, 2)}, end{})
	p := d.Promise()
	for i := range 21 {
		for j := range 21 {
			rates := []float64{float64(i) / 20, float64(j) / 20}
			chances, all := map[sprt.Outcome]float64{}, 0.0
			for e, count := range ends {
				mass := count
				for s := range rates {
					mass *= math.Pow(1-rates[s], float64(e.failures[s])) *
						math.Pow(rates[s], float64(e.trials[s]-e.failures[s]))
				}
				chances[e.outcome] += mass
				all += mass
			}
			mean, least := (rates[0]+rates[1])/2, min(rates[0], rates[1])
			if math.Abs(all-1) > 1e-9 {
				t.Fatalf("%v: all ends come to %v", rates, all)
			}
			if mean >= 0.8-1e-9 && least >= 0.5 && chances[sprt.Fail] > p.FalseFail+1e-12 {
				t.Errorf("%v: Fail %v, proved %v", rates, chances[sprt.Fail], p.FalseFail)
			}
			if (mean <= 0.3+1e-9 || least <= 0.1) && chances[sprt.Pass] > p.FalsePass+1e-12 {
				t.Errorf("%v: Pass %v, proved %v", rates, chances[sprt.Pass], p.FalsePass)
			}
		}
	}
}

// Agents with planted rates: errors within the promise, and trials as they are computed.
func TestSimulated(t *testing.T) {
	twenty := planned(t, Question{Scenarios: 20})
	own := planned(t, Question{Scenarios: 6, Own: map[int]Floor{0: {0.9, 0.7}}})
	weighted := planned(t, Question{Scenarios: 6, Weights: []int{5, 1, 1, 1, 1, 1}})
	repetitions := thorough.Draws(100, 8000)
	for n, x := range []struct {
		name   string
		design *Design
		rates  []float64
		fail   bool // it may fail by mistake, else pass by mistake
	}{
		{"mean at the threshold", twenty, same(20, 0.9), true},
		{"six near their floor", twenty, both(both(same(6, 0.7), same(1, 0.8)), same(13, 1)), true},
		{"mean too low", twenty, same(20, 0.8), false},
		{"four broken, mean too low", twenty, both(same(16, 1), same(4, 0)), false},
		{"one at its floor", twenty, both(same(19, 1), same(1, 0.3)), false},
		{"own floor holds", own, both(same(1, 0.9), same(5, 1)), true},
		{"own floor does not", own, both(same(1, 0.7), same(5, 1)), false},
		{"weighted, at the threshold", weighted, both(same(1, 0.8), same(5, 1)), true},
		{"weighted, too low", weighted, both(same(1, 0.6), same(5, 1)), false},
	} {
		c, err := x.design.Simulate(context.Background(), x.rates, nil, repetitions, uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		p := x.design.Promise()
		wrong, most := c.Pass, p.FalsePass
		if x.fail {
			wrong, most = c.Fail, p.FalseFail
		}
		if wrong > most+4*math.Sqrt(most*(1-most)/float64(repetitions)) {
			t.Errorf("%s: %+v, promised %v", x.name, c, most)
		}
		exact, _ := x.design.At(x.rates, nil)
		if c.Trials > exact.Trials+4*c.TrialsError+0.01 {
			t.Errorf("%s: %v trials (± %v), at most %v", x.name, c.Trials, c.TrialsError, exact.Trials)
		}
	}
}
