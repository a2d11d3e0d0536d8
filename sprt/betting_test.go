package sprt

import (
	"math"
	"testing"
)

// crossed is the probability that the evidence ever reaches 1/level within so many pairs, by
// walking all counts of pairs; the rates of a pair go round.
func crossed(pairs int, rates [][2]float64, level float64, evidence func(Differences) float64) float64 {
	alive, sum := map[Differences]float64{{}: 1}, 0.0
	for n := range pairs {
		b, c := rates[n%len(rates)][0], rates[n%len(rates)][1]
		next := map[Differences]float64{}
		for d, mass := range alive {
			next[Differences{d.Broke + 1, d.Same, d.Mended}] += mass * b * (1 - c)
			next[Differences{d.Broke, d.Same, d.Mended + 1}] += mass * (1 - b) * c
			next[Differences{d.Broke, d.Same + 1, d.Mended}] += mass * (b*c + (1-b)*(1-c))
		}
		alive = next
		if (n+1)%len(rates) > 0 {
			continue
		}
		for d, mass := range alive {
			if evidence(d) >= -math.Log(level) {
				sum += mass
				delete(alive, d)
			}
		}
	}
	return sum
}

// Where nothing changed, and where the drop is delta, the evidence to the contrary is ever
// enough with at most the level, also for scenarios that differ in rounds.
func TestEvidenceIsSeldomWrong(t *testing.T) {
	worse := Differences.Worse
	within := func(d Differences) float64 { return d.NotWorse(.1) }
	for _, c := range []struct {
		name     string
		rates    [][2]float64
		evidence func(Differences) float64
	}{
		{"the same", [][2]float64{{.9, .9}}, worse}, {"the same, .5", [][2]float64{{.5, .5}}, worse},
		{"opposite scenarios", [][2]float64{{.99, .79}, {.6, .8}}, worse},
		{"a drop", [][2]float64{{.9, .8}}, within}, {"a drop, .99", [][2]float64{{.99, .89}}, within},
		{"a drop in one scenario", [][2]float64{{.95, .75}, {.9, .9}}, within},
	} {
		if p := crossed(80, c.rates, .1, c.evidence); p > .1 || p == 0 {
			t.Errorf("%s: %v", c.name, p)
		}
	}
}

// The mean of the evidence is at most 1 in H0, and by hand: with one pair that broke it is the
// mean of 1 + l over the bets, 1.5; with one that is the same 1 + l·delta, 1 + .1·.5/.9.
func TestEvidenceByHand(t *testing.T) {
	for name, x := range map[string][2]float64{
		"none":   {Differences{}.Worse(), 0},
		"broke":  {Differences{Broke: 1}.Worse(), math.Log(1.5)},
		"mended": {Differences{Mended: 1}.Worse(), math.Log(.5)},
		"same":   {Differences{Same: 1}.NotWorse(.1), math.Log(1 + .05/.9)},
		"drop":   {Differences{Broke: 1}.NotWorse(.1), math.Log(.5)},
	} {
		if math.Abs(x[0]-x[1]) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, x[0], x[1])
		}
	}
	if x := (Differences{Broke: 100_000}).Worse(); math.IsInf(x, 0) || math.IsNaN(x) {
		t.Errorf("many pairs: %v", x)
	}
}
