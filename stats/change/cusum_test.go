package change

import (
	"errors"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/stats"
)

// Mean run lengths from a published Bernoulli CUSUM table's recursion, solved by
// NumPy: +6 for a failure, -1 for a pass, alarm at 18.
func TestCUSUMReference(t *testing.T) {
	c := CUSUM{Failure: 6, Pass: 1, Alarm: 18}
	for failure, want := range map[float64]float64{.1: 183.953044, .2: 32.022070} {
		got, err := c.AverageRunLength(1 - failure)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got-want) > 5e-7 {
			t.Errorf("run length %v at %v, want %v", got, failure, want)
		}
	}
}

// followed is the expected number of trials by following the distribution of the sum, until next to nothing of it is
// left.
func followed(c CUSUM, p float64) float64 {
	at := map[int]float64{0: 1}
	trials, left := 0.0, 1.0
	for left > 1e-14 {
		next := map[int]float64{}
		trials += left
		left = 0
		for sum, weight := range at {
			for _, pass := range []bool{true, false} {
				w := weight * p
				if !pass {
					w = weight * (1 - p)
				}
				if to, alarm := c.Next(sum, pass); !alarm {
					next[to] += w
					left += w
				}
			}
		}
		at = next
	}
	return trials
}

func TestCUSUMAgreesWithItsDistribution(t *testing.T) {
	for _, c := range []CUSUM{{1, 1, 1}, {3, 2, 7}, {2, 5, 4}, {7, 3, 12}, {9, 1, 5}} {
		for _, p := range []float64{.2, .5, .7} {
			got, err := c.AverageRunLength(p)
			if want := followed(c, p); err != nil || math.Abs(got-want) > 1e-9*want {
				t.Errorf("%+v at %v: %v (%v), want %v", c, p, got, err, want)
			}
		}
	}
}

func TestNewCUSUMIsTheLowestThatReachesTheRunLength(t *testing.T) {
	for _, k := range []struct{ baseline, drop, length float64 }{
		{.9, .1, 5000}, {.99, .04, 20_000}, {.5, .2, 300}, {.2, .1, 1000}, {.999, .009, 5000}, {.9, .1, 1},
	} {
		c, err := NewCUSUM(k.baseline, k.drop, k.length)
		if err != nil {
			t.Fatal(err)
		}
		length, _ := c.AverageRunLength(k.baseline)
		below := 0.0
		if c.Alarm > 1 {
			below, _ = CUSUM{c.Failure, c.Pass, c.Alarm - 1}.AverageRunLength(k.baseline)
		}
		if length < k.length || below >= k.length {
			t.Errorf("%+v: %+v has %v, one lower %v", k, c, length, below)
		}
	}
	// log 2 over log 9/8 is 5.9.
	if c, _ := NewCUSUM(.9, .1, 5000); c.Failure != 6 || c.Pass != 1 {
		t.Errorf("steps %+v", c)
	}
}

func TestNewCUSUMRefuses(t *testing.T) {
	for _, k := range [][3]float64{{0, .1, 9}, {1, .1, 9}, {.9, 0, 9}, {.9, .9, 9}, {.9, .1, 0}, {.9, .1, math.NaN()},
		{.5, .25, math.MaxFloat64}} {
		if _, err := NewCUSUM(k[0], k[1], k[2]); err == nil {
			t.Errorf("%v: no error", k)
		} else if _, ok := errors.AsType[*stats.ArgumentError](err); !ok {
			t.Errorf("%v: %v", k, err)
		}
	}
}
