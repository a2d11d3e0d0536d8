package fingerprint

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/trial"
)

// reference is what testdata/make_reference.py wrote, with scikit-learn 1.2.1 and
// SciPy 1.10.1.
type reference struct {
	LedoitWolf []struct {
		Rows, Covariance [][]float64
		Centred          bool
		Shrinkage        float64
	} `json:"ledoit_wolf"`
	NoncentralF []struct {
		D, Baseline, Candidate           int
		Distance, Alpha, Critical, Power float64
	} `json:"noncentral_f"`
	Permutation []struct {
		Baseline, Candidate [][]float64
		P                   float64
		Relabelings         int
		Adjusted            []float64
	}
	EffectiveDimension []struct {
		Rows          [][]float64
		Participation float64
		Components    int
	} `json:"effective_dimension"`
}

func readReference(t *testing.T) (r reference) {
	t.Helper()
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.LedoitWolf) == 0 || len(r.NoncentralF) == 0 || len(r.Permutation) == 0 || len(r.EffectiveDimension) == 0 {
		t.Fatal("testdata/reference.json lacks a part")
	}
	return r
}

func TestLedoitWolfAgreesWithScikitLearn(t *testing.T) {
	for _, c := range readReference(t).LedoitWolf {
		got, err := LedoitWolf(c.Rows, c.Centred)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "shrinkage", got.Shrinkage, c.Shrinkage, 1e-10)
		for i := range c.Covariance {
			for j, want := range c.Covariance[i] {
				if math.Abs(got.Covariance[i][j]-want) > 1e-11*got.Scale {
					t.Errorf("%d rows: covariance %d, %d = %v, want %v", len(c.Rows), i, j, got.Covariance[i][j], want)
				}
			}
		}
	}
}

func TestLedoitWolfRefuses(t *testing.T) {
	for _, rows := range [][][]float64{nil, {{}}, {{1, 2}, {3}}, {{1, math.NaN()}}, {{math.Inf(1)}}} {
		var argument *ArgumentError
		if _, err := LedoitWolf(rows, false); !errors.As(err, &argument) {
			t.Errorf("%v: %v", rows, err)
		}
	}
}

func TestHotellingReference(t *testing.T) {
	refdata.Each(t, "hotelling", func(t *testing.T, args struct{ Baseline, Candidate [][]float64 }, want struct{ T2, F, P float64 }) {
		got, err := Hotelling(args.Baseline, args.Candidate)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "T²", got.TSquared, want.T2, 1e-9)
		refdata.Close(t, "F", got.F, want.F, 1e-9)
		refdata.Close(t, "P", got.P, want.P, 1e-9)
		nb, nc := float64(len(args.Baseline)), float64(len(args.Candidate))
		refdata.Close(t, "distance² nb nc / n", got.Distance*got.Distance*nb*nc/(nb+nc), want.T2, 1e-9)
	})
}

func TestHotellingRefuses(t *testing.T) {
	row := []float64{1, 2, 3}
	_, err := Hotelling([][]float64{row, {2, 1, 0}}, [][]float64{row, {0, 5, 1}})
	if !errors.Is(err, ErrTooFewTrials) {
		t.Errorf("4 trials of 3 columns: %v", err)
	}
	_, err = Hotelling([][]float64{{1}, {1}}, [][]float64{{2}, {2}})
	if !errors.Is(err, ErrSingular) {
		t.Errorf("no spread within the sides: %v", err)
	}
	var argument *ArgumentError
	if _, err = Hotelling([][]float64{{1, 2}}, [][]float64{{2}}); !errors.As(err, &argument) {
		t.Errorf("2 columns against 1: %v", err)
	}
	if _, err = Hotelling(nil, [][]float64{{2}}); !errors.As(err, &argument) {
		t.Errorf("no baseline: %v", err)
	}
}

func TestHotellingPowerReference(t *testing.T) {
	for _, c := range readReference(t).NoncentralF {
		d2 := float64(c.Baseline + c.Candidate - c.D - 1)
		refdata.Close(t, "critical value", fUpperQuantile(c.Alpha, float64(c.D), d2), c.Critical, 1e-9)
		got, err := HotellingPower(c.D, c.Baseline, c.Candidate, c.Distance, c.Alpha)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "power", got, c.Power, 1e-8)
	}
}

func TestHotellingPowerWithoutAShiftIsAlpha(t *testing.T) {
	for d := 1; d < 30; d += 4 {
		got, err := HotellingPower(d, 20, 30, 0, 0.03)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "power", got, 0.03, 1e-10)
	}
}

// The permutation p-values and the adjusted ones of the columns, against a brute
// force that follows the definitions with scikit-learn's covariance.
func TestPermutationAgreesWithBruteForce(t *testing.T) {
	for _, c := range readReference(t).Permutation {
		got, err := CompareVectors(t.Context(), numbered(len(c.Adjusted)), vectors("", c.Baseline), vectors("", c.Candidate), Options{Test: ShrunkT2})
		if err != nil {
			t.Fatal(err)
		}
		if !got.Exhaustive || got.Relabelings != c.Relabelings {
			t.Errorf("%d relabelings, exhaustive %t, want all %d", got.Relabelings, got.Exhaustive, c.Relabelings)
		}
		refdata.Close(t, "p", got.P, c.P, 1e-12)
		for j, want := range c.Adjusted {
			refdata.Close(t, "adjusted p", got.Columns[j].AdjustedP, want, 1e-12)
		}
	}
}

func TestEffectiveDimensionReference(t *testing.T) {
	for _, c := range readReference(t).EffectiveDimension {
		got, err := CompareVectors(t.Context(), numbered(len(c.Rows[0])), vectors("", c.Rows[:3]), vectors("", c.Rows[3:]), Options{Permutations: 1})
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "participation ratio", got.EffectiveDimension, c.Participation, 1e-10)
		if got.Components != c.Components {
			t.Errorf("%d components, want %d", got.Components, c.Components)
		}
	}
}

// numbered returns columns c0, c1 and so on.
func numbered(n int) []Column {
	columns := make([]Column, n)
	for j := range columns {
		columns[j].Name = "c" + string(rune('0'+j/10)) + string(rune('0'+j%10))
	}
	return columns
}

func vectors(scenario string, rows [][]float64) []Vector {
	list := make([]Vector, len(rows))
	for i, row := range rows {
		list[i].Scenario = scenario
		for _, x := range row {
			list[i].Values = append(list[i].Values, trial.Some(x))
		}
	}
	return list
}
