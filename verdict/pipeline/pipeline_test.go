package pipeline

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
)

// usual is what the pages of the manual plan for.
var usual = sprt.Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}

// designed is the optimal test of it.
func designed(t *testing.T) sprt.Design {
	t.Helper()
	found, err := sprt.Optimal(context.Background(), usual, sprt.OptimalOptions{MaxTrials: 152})
	if err != nil {
		t.Fatal(err)
	}
	return found.Design
}

// leastFixed is the fewest trials for which some most failures keep both errors, by the binomial distribution.
func leastFixed(h sprt.Hypotheses) int {
	for n := 1; ; n++ {
		// The chances of at most c failures add up, at both rates.
		good, bad := failures(n, 1-h.Threshold), failures(n, 1-h.Lower())
		g, b := 0.0, 0.0
		for c := range n {
			g, b = g+good[c], b+bad[c]
			if 1-g <= h.Alpha && b <= h.Beta {
				return n
			}
		}
	}
}

// failures are the chances of 0, 1, ... failures in n trials.
func failures(n int, rate float64) []float64 {
	p := []float64{1}
	for range n {
		next := make([]float64, len(p)+1)
		for f, x := range p {
			next[f] += x * (1 - rate)
			next[f+1] += x * rate
		}
		p = next
	}
	return p
}

// expected walks through the trials of a design: each that is reached counts.
func expected(d sprt.Design, rate float64) (trials float64) {
	open := map[int]float64{0: 1} // by failures
	for n := range d.Boundaries.MaxTrials() {
		next := map[int]float64{}
		for f, x := range open {
			trials += x
			next[f] += x * rate
			next[f+1] += x * (1 - rate)
		}
		for f := range next {
			if f <= d.Boundaries.PassAtOrBelow[n] || f >= d.Boundaries.FailAtOrAbove[n] {
				delete(next, f)
			}
		}
		open = next
	}
	return trials
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Example 7.1 with tests that keep its errors: 50 scenarios, 15 of them live, at $0.15 a trial.
func TestExampleOfThePaper(t *testing.T) {
	design := designed(t)
	o := Options{Suite: "support", Scenarios: 50, Live: 15, PriceUSD: new(0.15)}
	for range 50 {
		o.Tests = append(o.Tests, Test{Name: "s", Design: design})
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	fixed, atThreshold := leastFixed(usual), expected(design, .9)
	if fixed != 109 || p.FixedTrials != 50*fixed {
		t.Errorf("%d fixed trials, %d of a test by enumeration", p.FixedTrials, fixed)
	}
	near(t, "fixed cost", *p.FixedUSD, 50*109*.15)
	near(t, "budget", p.Factors[1].Value.Perfect, 15./109)
	near(t, "budget at the threshold", p.Factors[1].Value.Threshold, atThreshold/109)
	near(t, "traces", p.Factors[2].Value.Perfect, .3)
	near(t, "product", p.Product.Perfect, .3*15/109)
	near(t, "Equation 51", p.Theorem.USD.Perfect, 33.75) // 15 scenarios of 15 trials
	near(t, "Equation 51 at the threshold", p.Theorem.Trials.Threshold, 15*atThreshold)
	near(t, "expected", p.Expected.USD.Perfect, 112.5) // 50 of them
	near(t, "expected at the threshold", p.Expected.Trials.Threshold, 50*atThreshold)
	near(t, "low", p.PaperLow, .0018)
	near(t, "high", p.PaperHigh, .216)
	for _, i := range []int{0, 3, 4} {
		if f := p.Factors[i]; f.Value != nil || !strings.HasPrefix(f.Here, "not of this suite") {
			t.Errorf("%+v", f)
		}
	}
	if !strings.HasPrefix(p.Differ, "They differ by the factor traces:") {
		t.Error(p.Differ)
	}
}

// A history is what the trials are divided by that the same test takes without it.
func TestWarmStart(t *testing.T) {
	design := designed(t)
	cold, err := sprt.Fixed(usual, 109)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Options{Suite: "s", Scenarios: 1, Live: 1, Tests: []Test{{Name: "s", Design: design, Cold: &cold}}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "budget", p.Factors[1].Value.Perfect, 1)
	near(t, "warm start", p.Factors[4].Value.Perfect, 15./109)
	near(t, "Equation 51", p.Theorem.Trials.Perfect, 15)
	near(t, "expected", p.Expected.Trials.Perfect, 15)
	if p.FixedUSD != nil || p.Theorem.USD != nil || p.Expected.USD != nil {
		t.Errorf("costs without a price: %+v", p)
	}
	if !strings.HasPrefix(p.Differ, "They are the same:") {
		t.Errorf("%+v", p)
	}
	// The other way round the history costs trials.
	p, err = New(Options{Suite: "s", Scenarios: 1, Live: 0, Tests: []Test{{Name: "s", Design: cold, Cold: &design}}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "warm start", p.Factors[4].Value.Perfect, 109./15)
	if !strings.Contains(p.Factors[4].Here, "no factor above 1") ||
		!strings.Contains(p.Factors[2].Here, "no factor of 0") {
		t.Errorf("%+v", p.Factors)
	}
	near(t, "Equation 51", p.Theorem.Trials.Perfect, 0)
	near(t, "expected", p.Expected.Trials.Perfect, 109)
}

func TestOptionsThatCannotBe(t *testing.T) {
	tests := []Test{{Name: "s", Design: designed(t)}}
	for _, o := range []Options{
		{Scenarios: 1}, {Tests: tests}, {Tests: tests, Scenarios: 1, Live: 2}, {Tests: tests, Scenarios: 1, Live: -1},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestNoFixedNumber(t *testing.T) {
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: .9, Delta: .004, Alpha: .05, Beta: .1}, 15_000)
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(Options{Suite: "s", Scenarios: 1, Tests: []Test{{Name: "fine", Design: design}}})
	if e, ok := errors.AsType[*NoFixedError](err); !ok || e.Test != "fine" || e.Hint() == "" {
		t.Error(err)
	}
}
