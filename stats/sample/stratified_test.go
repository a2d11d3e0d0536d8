package sample

import (
	"errors"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
)

// Another mix of two strata that are far apart is no difference.
func TestStratifiedMeanDifference(t *testing.T) {
	fill := func(n int, centre float64) (values []float64) {
		for i := range n {
			values = append(values, centre+float64(i%2)) // half of them higher by 1
		}
		return values
	}
	strata := []Stratum{{fill(40, 0), fill(10, 2)}, {fill(10, 100), fill(40, 102)}}
	d, interval, err := StratifiedMeanDifference(strata, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "difference", d, 2, 1e-12)
	// Either stratum has the weight 1/2, and the variance 0.25/39 + 0.25/9 of its difference.
	spread := math.Sqrt(0.5 * (0.25/39 + 0.25/9))
	terms := [2]float64{0.25 * 0.25 / 39, 0.25 * 0.25 / 9}
	freedom := math.Pow(spread, 4) / (2 * (terms[0]*terms[0]/39 + terms[1]*terms[1]/9))
	if !(freedom > 26 && freedom < 27) {
		t.Fatal(freedom)
	}
	// Between the quantiles of t with 27 and 26 degrees of freedom (SciPy, t.isf(.025, ·)), without skewness.
	if reach := interval.High - d; !(reach > 2.0518305164802833*spread && reach < 2.055529438642871*spread) {
		t.Errorf("reach %v of %v", reach, spread)
	}
	refdata.Close(t, "low", interval.Low, 2*d-interval.High, 1e-10)
}

func TestStratifiedMeanDifferenceOfFew(t *testing.T) {
	single := func(n int) (strata []Stratum) {
		for i := range n {
			strata = append(strata, Stratum{[]float64{float64(i)}, []float64{float64(i) - 1 + 2*float64(i%2)}})
		}
		return strata
	}
	// Strata of one trial a side are a sample of differences.
	d, interval, err := StratifiedMeanDifference(single(30), 0.05)
	if err != nil || math.Abs(d) > 1e-12 {
		t.Fatal(d, err)
	}
	reach := 2.045229642132703 * math.Sqrt(1./29) // SciPy, t.isf(.025, 29)
	refdata.Close(t, "high", interval.High, reach, 1e-10)
	for name, strata := range map[string][]Stratum{
		"few strata": single(19),
		"few trials": {{make([]float64, 19), []float64{1, 2, 3}}},
		"nothing":    nil,
		// Of 30 values one holds all the spread.
		"one dear": {{make([]float64, 30), append(make([]float64, 29), 1)}},
	} {
		if _, i, err := StratifiedMeanDifference(strata, 0.05); !errors.Is(err, ErrTooFew) || i != (stats.Interval{}) {
			t.Errorf("%s: %v, error %v", name, i, err)
		}
	}
	if _, _, err := StratifiedMeanDifference([]Stratum{{make([]float64, 20), make([]float64, 20)}}, 0.05); !errors.Is(err,
		ErrNoSpread) {
		t.Error(err)
	}
}
