package sample

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// randomStrata are of values with ties, from few.
func randomStrata(random *rand.Rand, sizes [][2]int, draw func() float64) (strata []Stratum) {
	for _, n := range sizes {
		var s Stratum
		for range n[0] {
			s.Baseline = append(s.Baseline, draw())
		}
		for range n[1] {
			s.Candidate = append(s.Candidate, draw())
		}
		strata = append(strata, s)
	}
	return strata
}

// pAt enumerates every assignment within two strata where the candidate's values are taken as larger by x: twice the
// smaller share of those whose weighted difference is as large, or as small, as the observed one.
func pAt(strata []Stratum, x float64) float64 {
	weight := func(s Stratum) float64 {
		b, c := float64(len(s.Baseline)), float64(len(s.Candidate))
		return b * c / (b + c)
	}
	sides := func(s Stratum) (differences []float64, observed float64) {
		var values []float64
		values = append(values, s.Baseline...)
		for _, v := range s.Candidate {
			values = append(values, v-x)
		}
		own := (1<<len(s.Candidate) - 1) << len(s.Baseline)
		for subset := range 1 << len(values) {
			if bits.OnesCount(uint(subset)) != len(s.Candidate) {
				continue
			}
			var sum [2]float64
			for i, v := range values {
				sum[subset>>i&1] += v
			}
			d := weight(s) * (sum[1]/float64(len(s.Candidate)) - sum[0]/float64(len(s.Baseline)))
			differences = append(differences, d)
			if subset == own {
				observed = d
			}
		}
		return differences, observed
	}
	first, observed := sides(strata[0])
	second, and := sides(strata[1])
	observed += and
	large, small := 0, 0
	for _, d := range first {
		for _, e := range second {
			if d+e >= observed-1e-9 {
				large++
			}
			if d+e <= observed+1e-9 {
				small++
			}
		}
	}
	return min(1, 2*float64(min(large, small))/float64(len(first)*len(second)))
}

// All assignments within two strata are gone through, for sizes that differ and with ties; and the shifts within the
// limits are those that are not rejected.
func TestPermutationOfMeansByEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	const alpha = .2
	for range 60 {
		sizes := [][2]int{{1 + random.IntN(3), 1 + random.IntN(4)}, {2 + random.IntN(2), 1 + random.IntN(3)}}
		strata := randomStrata(random, sizes, func() float64 { return float64(random.IntN(6)) })
		r, err := CompareMeans(strata, alpha, 1)
		if err != nil || r.Draws != 0 || r.Interval != nil {
			t.Fatalf("%v: %+v, %v", strata, r, err)
		}
		refdata.Close(t, "p", r.P, pAt(strata, 0), 1e-12)
		i := weigh(view{list: strata}).shifts(alpha, 1).interval(alpha)
		for x := -8.03; x < 8; x += .25 {
			if want := pAt(strata, x) > alpha; (x >= i.Low && x <= i.High) != want {
				t.Fatalf("%v: shift %v has p %v, limits %v", strata, x, pAt(strata, x), i)
			}
		}
	}
}

// Of n pairs that all rose by different amounts only the observed signs and their opposites are as extreme: 2/2ⁿ.
func TestPermutationOfPairs(t *testing.T) {
	var strata []Stratum
	for i := range 10 {
		strata = append(strata, Stratum{[]float64{5}, []float64{6 + float64(i)}})
	}
	r, err := CompareMeans(strata, .05, 1)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "p", r.P, 2/math.Pow(2, 10), 1e-15)
	refdata.Close(t, "difference", r.Difference, 5.5, 1e-12)
}

// P is at most alpha where the interval leaves 0 out, and nowhere else: for pairs and groups, drawn assignments and the
// normal distribution, near the level from both sides.
func TestMeansTestAgreesWithItsInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 5))
	const alpha = .05
	out, in := 0, 0
	for i := range 120 {
		var sizes [][2]int
		shift := .6
		switch i % 4 {
		case 0:
			for range 20 + random.IntN(20) {
				sizes = append(sizes, [2]int{1, 1})
			}
		case 1:
			sizes = [][2]int{{20, 30}, {5, 9}}
		case 2:
			for range 25 {
				sizes = append(sizes, [2]int{1, 2})
			}
		default:
			sizes, shift = [][2]int{{2000, 3100}}, .06
		}
		strata := randomStrata(random, sizes, func() float64 { return math.Exp(random.NormFloat64()) })
		for _, s := range strata {
			for k := range s.Candidate {
				s.Candidate[k] += shift
			}
		}
		r, err := CompareMeans(strata, alpha, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		if r.Interval == nil {
			continue // too few of the values that make up the spread
		}
		if excludes := !r.Interval.Contains(0); excludes != (r.P <= alpha) {
			t.Errorf("%d: p %v, interval %v", i, r.P, *r.Interval)
		} else if excludes {
			out++
		} else {
			in++
		}
		if !r.Interval.Contains(r.Difference) {
			t.Errorf("%d: %v is not in %v", i, r.Difference, *r.Interval)
		}
	}
	if out < 20 || in < 20 {
		t.Errorf("%d leave 0 out and %d do not: the test says little", out, in)
	}
}

// The normal distribution and drawn assignments agree where both can be had, also on the limits.
func TestPermutationOfManyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 5))
	strata := randomStrata(random, [][2]int{{600, 400}, {300, 500}}, random.NormFloat64)
	for i := range strata[0].Candidate {
		strata[0].Candidate[i] += .2
	}
	w := weigh(view{list: strata})
	drawn, normal := w.shifts(.05, 1), w.normal()
	refdata.Near(t, "p", drawn.p(), normal.p(), .004)
	d, n := drawn.interval(.05), normal.interval(.05)
	refdata.Near(t, "low", d.Low, n.Low, .006)
	refdata.Near(t, "high", d.High, n.High, .006)
}

func TestCompareMeansOfNothing(t *testing.T) {
	for name, strata := range map[string][]Stratum{
		"none": nil, "one side": {{Baseline: []float64{1, 2}}}, "equal": {{[]float64{2, 2, 2}, []float64{2, 2}}},
	} {
		if r, err := CompareMeans(strata, .05, 1); err != nil || r.P != 1 || r.Interval != nil {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	if _, err := CompareMeans([]Stratum{{[]float64{math.NaN()}, []float64{1}}}, .05, 1); err == nil {
		t.Error("NaN is taken for a value")
	}
	if _, err := CompareMeans(nil, 1, 1); err == nil {
		t.Error("alpha 1 is taken for a level")
	}
}
