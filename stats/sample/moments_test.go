package sample

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// Of one stratum it is at least as careful as Welch's test by its definition.
func TestCompareMomentsIsWelchs(t *testing.T) {
	var a, b []float64
	for i := range 20 {
		a = append(a, float64(i*i%7))
		b = append(b, float64(i*i%11)+1)
	}
	r, err := CompareMoments([]MomentStratum{{MomentsOf(a), MomentsOf(b)}}, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	// The statistic and its degrees of freedom by their definitions.
	square := func(values []float64) (s float64) {
		for _, x := range values {
			s += (x - Mean(values)) * (x - Mean(values))
		}
		return s / 19 / 20
	}
	va, vb := square(a), square(b)
	refdata.Close(t, "difference", r.Difference, Mean(b)-Mean(a), 1e-12)
	freedom := (va + vb) * (va + vb) / (va*va/19 + vb*vb/19)
	w := weighMoments([]MomentStratum{{MomentsOf(a), MomentsOf(b)}})
	i := w.welch()(0.05)
	refdata.Close(t, "half width", (i.High-i.Low)/2/math.Sqrt(va+vb), tQuantile(freedom), 1e-3)
	if r.Interval == nil || r.Interval.Low > i.Low || r.Interval.High < i.High {
		t.Errorf("the interval is %v, and Welch's is %v", r.Interval, i)
	}
}

// tQuantile is Student's upper quantile at 0.025 by Cornish and Fisher's expansion, whose error is below 1e-3 from 20
// degrees of freedom on.
func tQuantile(freedom float64) float64 {
	const z = 1.959963984540054
	return z + (z*z*z+z)/4/freedom + (5*math.Pow(z, 5)+16*z*z*z+3*z)/96/freedom/freedom +
		(3*math.Pow(z, 7)+19*math.Pow(z, 5)+17*z*z*z-15*z)/384/math.Pow(freedom, 3)
}

// With many values the test of the values themselves goes by the same normal distribution.
func TestCompareMomentsIsThatOfManyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, shift := range []float64{0, 0.01, 0.05} {
		var values []Stratum
		var moments []MomentStratum
		for range 3 {
			var s Stratum
			for range 2000 {
				s.Baseline = append(s.Baseline, random.NormFloat64())
				s.Candidate = append(s.Candidate, random.NormFloat64()+shift)
			}
			values = append(values, s)
			moments = append(moments, MomentStratum{MomentsOf(s.Baseline), MomentsOf(s.Candidate)})
		}
		want, err := CompareMeans(values, 0.05, 1)
		if err != nil {
			t.Fatal(err)
		}
		have, err := CompareMoments(moments, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "difference", have.Difference, want.Difference, 1e-9)
		refdata.Close(t, "p", have.P, want.P, 2e-2) // the values' own skewness is in the other
		refdata.Close(t, "low", have.Interval.Low, want.Interval.Low, 2e-2)
		refdata.Close(t, "high", have.Interval.High, want.Interval.High, 2e-2)
	}
}

// The difference and what it is taken over are those of the values, however few there are.
func TestCompareMomentsChoosesAsOfValues(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		var values []Stratum
		var moments []MomentStratum
		for range rapid.IntRange(0, 30).Draw(t, "strata") {
			draw := func(name string) (list []float64) {
				for range rapid.IntRange(0, 4).Draw(t, name) {
					list = append(list, float64(rapid.IntRange(0, 100).Draw(t, "value"))/8)
				}
				return list
			}
			s := Stratum{draw("baseline"), draw("candidate")}
			values = append(values, s)
			moments = append(moments, MomentStratum{MomentsOf(s.Baseline), MomentsOf(s.Candidate)})
		}
		w, m := weigh(view{list: values}), weighMoments(moments)
		if w.by != m.by || w.strata.len() != len(m.strata) {
			t.Fatalf("by %d of %d strata, and %d of %d", w.by, w.strata.len(), m.by, len(m.strata))
		}
		if w.strata.len() > 0 && math.Abs(w.difference()-m.difference()) > 1e-9 {
			t.Fatalf("difference %v, and %v", w.difference(), m.difference())
		}
		r, err := CompareMoments(moments, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if i := r.Interval; !(r.P >= 0 && r.P <= 1) || i != nil && i.Contains(0) != (r.P > 0.05) {
			t.Fatalf("p %v with the interval %v", r.P, i)
		}
	})
}

// Under H0 a p-value below alpha is as rare as alpha says, or nearly so for skewed values.
func TestCompareMomentsHoldsItsLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	repetitions := thorough.Draws(500, 2000)
	for name, draw := range map[string]func() float64{
		"normal": random.NormFloat64, "exponential": random.ExpFloat64,
		"counts": func() float64 { return float64(random.IntN(4)) },
	} {
		rejected := 0
		for range repetitions {
			var s []MomentStratum
			for range 3 {
				var b, c []float64
				for range 8 {
					b = append(b, draw())
				}
				for range 12 {
					c = append(c, draw())
				}
				s = append(s, MomentStratum{MomentsOf(b), MomentsOf(c)})
			}
			r, err := CompareMoments(s, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			if r.P <= 0.05 {
				rejected++
			}
		}
		if share := float64(rejected) / float64(repetitions); share > 0.05+3*math.Sqrt(.05*.95/float64(repetitions)) {
			t.Errorf("%s: rejects %v", name, share)
		}
	}
}

// Large values with a small spread: the sums lose it, which must not make a difference sure.
func TestCompareMomentsOfWhatTheSumsLose(t *testing.T) {
	var b, c []float64
	for i := range 1000 {
		b = append(b, 1e9+float64(i%2)*1e-3)
		c = append(c, 1e9+float64((i+1)%2)*1e-3)
	}
	r, err := CompareMoments([]MomentStratum{{MomentsOf(b), MomentsOf(c)}}, 0.05)
	if err != nil || r.P < 0.99 {
		t.Errorf("p %v, %v", r.P, err)
	}
}

func TestMomentsValidate(t *testing.T) {
	for _, bad := range []Moments{
		{-1, 0, 0}, {0, 1, 1}, {2, 4, 1}, {2, math.NaN(), 1}, {2, 1, math.Inf(1)}, {2, 1, -1},
	} {
		if bad.Validate() == nil {
			t.Errorf("%v is taken", bad)
		}
		if _, err := CompareMoments([]MomentStratum{{bad, bad}}, 0.05); err == nil {
			t.Errorf("%v is compared", bad)
		}
	}
	thorough.Check(t, func(t *rapid.T) {
		m := MomentsOf(rapid.SliceOf(rapid.Float64Range(0, 1e6)).Draw(t, "values"))
		by := rapid.Float64Range(0, 100).Draw(t, "by")
		for _, moments := range []Moments{m, m.Plus(m), m.Scaled(by), m.Shifted(by)} {
			if err := moments.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
