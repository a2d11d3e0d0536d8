package faults

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// Coverage goes with the faults that are found, in both designs and for each kind of faults; that of another suite does
// not. With coverage that has nothing to do with its suite, no correlation would be 0 on the dot, and one in twenty
// would be significant.
func TestCoverageGoesWithFaults(t *testing.T) {
	r, err := Measure(t.Context(), Options{Short: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 6 {
		t.Fatalf("%d rows", len(r.Rows))
	}
	for _, row := range r.Rows {
		if row.P > 0.001 || row.Low <= 0 || row.Low > row.Rho || row.Rho > row.High || row.High > 1 {
			t.Errorf("%s, %s: rho %v in [%v, %v], p %v", row.Design, row.Faults, row.Rho, row.Low, row.High, row.P)
		}
		if row.Found[0] >= row.Found[1] || row.Found[1] >= row.Found[2] || row.Found[2] > float64(r.Faults) {
			t.Errorf("%s, %s: %v faults by thirds", row.Design, row.Faults, row.Found)
		}
		if row.ShuffledP <= 0.05 || math.Abs(row.ShuffledRho) > 0.3 {
			t.Errorf("%s, %s: shuffled, rho is %v with p %v", row.Design, row.Faults, row.ShuffledRho, row.ShuffledP)
		}
	}
	again, err := Measure(t.Context(), Options{Short: true, Seed: 1})
	if err != nil || again.Rows[5] != r.Rows[5] {
		t.Errorf("the same seed gives %+v and %+v (%v)", r.Rows[5], again.Rows[5], err)
	}
	var text bytes.Buffer
	if err := r.Page().WriteText(&text, 80); err != nil || !strings.Contains(text.String(), "breadth") {
		t.Errorf("%s (%v)", text.String(), err)
	}
	if got := len(r.Records().Rows); got != 6 {
		t.Errorf("%d records", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ended, Options{Short: true}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Of coverage that is shuffled at most 5 % of tests find a correlation, within three standard errors of 300 of them.
func TestShuffledCoverageIsNoCorrelation(t *testing.T) {
	random := seeded.Stream(5, 0)
	a := newAgent(random)
	list := make([]pairs, 2)
	for i := range list {
		for s := range 20 {
			m, err := a.run(designs[i].tasks(a, random, s, 20))
			if err != nil {
				t.Fatal(err)
			}
			list[i].x, list[i].y = append(list[i].x, m.coverage), append(list[i].y, m.seen+m.unseen)
		}
	}
	const runs = 300
	found := 0
	for range runs {
		if pValue(shuffled(list, random), 199, random) <= 0.05 {
			found++
		}
	}
	if limit := runs*0.05 + 3*math.Sqrt(runs*0.05*0.95); float64(found) > limit || found == 0 {
		t.Errorf("%d of %d shuffles are significant at 5%%, and %.0f are the most", found, runs, limit)
	}
}

// The expected values are of Python's statistics.correlation of midranks, and of all permutations, counted there.
func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		x, y           []float64
		rho            float64
		atLeast, among int
	}{
		{[]float64{1, 2, 2, 4, 5, 6, 7}, []float64{2, 1, 4, 3, 3, 7, 6}, 0.7454545454545455, 162, 5040},
		{[]float64{10.2, 3, 8, 8, 1, 7, 6.5, 2}, []float64{3, 1, 9, 4, 4, 8, 2, 0}, 0.4397590361445783, 5530, 40320},
		{[]float64{1, 2, 3, 4, 5, 6}, []float64{2, 1, 3, 4, 6, 5}, 0.8857142857142857, 12, 720}, // 1 - 6·4/210
		{[]float64{1, 1, 1, 2, 3}, []float64{5, 4, 3, 2, 1}, -0.8944271909999159, 120, 120},
	} {
		if got := spearman(c.x, c.y); math.Abs(got-c.rho) > 1e-12 {
			t.Errorf("%v, %v: %v, want %v", c.x, c.y, got, c.rho)
		}
		const permutations = 20_000
		want := float64(c.atLeast) / float64(c.among)
		got := pValue([]pairs{{c.x, c.y}}, permutations, seeded.Stream(1, 1))
		if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/permutations)+1./permutations {
			t.Errorf("%v, %v: p %v, want %v", c.x, c.y, got, want)
		}
	}
	if got := spearman([]float64{1, 1, 1}, []float64{1, 2, 3}); got != 0 {
		t.Errorf("of a constant: %v", got)
	}
}

// The interval has the correlation of normal pairs in at least 93 % of 2,000 samples: Spearman's is 6/π·asin(r/2) there
// (Pearson 1907).
func TestIntervalCovers(t *testing.T) {
	for _, r := range []float64{0, 0.5, 0.9} {
		truth := 6 / math.Pi * math.Asin(r/2)
		random := rand.New(rand.NewPCG(3, 4))
		covered := 0
		const samples = 2000
		for range samples {
			list := make([]pairs, 2)
			for i := range list {
				for range 30 {
					x := random.NormFloat64()
					list[i].x = append(list[i].x, x)
					list[i].y = append(list[i].y, r*x+math.Sqrt(1-r*r)*random.NormFloat64())
				}
			}
			if low, high := interval(list); low <= truth && truth <= high {
				covered++
			}
		}
		if share := float64(covered) / samples; share < 0.93 {
			t.Errorf("r %v: %v of the intervals have %v", r, share, truth)
		}
	}
}
