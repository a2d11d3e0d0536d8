package fingerprint

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

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
	Permutation []struct {
		Baseline, Candidate [][]float64
		P                   float64
		Permutations        int `json:"relabelings"`
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
	if len(r.LedoitWolf) == 0 || len(r.Permutation) == 0 || len(r.EffectiveDimension) == 0 {
		t.Fatal("testdata/reference.json lacks a part")
	}
	return r
}

func TestShrinkageAgreesWithScikitLearn(t *testing.T) {
	for _, c := range readReference(t).LedoitWolf {
		x := matrix(c.Rows)
		if n, d := x.Dims(); !c.Centred {
			for j := range d {
				mean := mat.Sum(x.ColView(j)) / float64(n)
				for i := range n {
					x.Set(i, j, x.At(i, j)-mean)
				}
			}
		}
		got := shrink(x)
		refdata.Close(t, "shrinkage", got.intensity, c.Shrinkage, 1e-10)
		for i := range c.Covariance {
			for j, want := range c.Covariance[i] {
				shrunk := (1 - got.intensity) * got.covariance.At(i, j)
				if i == j {
					shrunk += got.intensity * got.scale
				}
				if math.Abs(shrunk-want) > 1e-11*got.scale {
					t.Errorf("%d rows: covariance %d, %d = %v, want %v", len(c.Rows), i, j, shrunk, want)
				}
			}
		}
	}
}

// The permutation p-values and the adjusted ones of the columns, against a brute
// force that follows the definitions with scikit-learn's covariance.
func TestPermutationAgreesWithBruteForce(t *testing.T) {
	for _, c := range readReference(t).Permutation {
		got, err := CompareVectors(t.Context(), numbered(len(c.Adjusted)), vectors("", c.Baseline), vectors("", c.Candidate),
			Options{Test: ShrunkT2})
		if err != nil {
			t.Fatal(err)
		}
		if !got.Exhaustive || got.Permutations != c.Permutations {
			t.Errorf("%d permutations, exhaustive %t, want all %d", got.Permutations, got.Exhaustive, c.Permutations)
		}
		refdata.Close(t, "p", got.P, c.P, 1e-12)
		for j, want := range c.Adjusted {
			refdata.Close(t, "adjusted p", got.Columns[j].AdjustedP, want, 1e-12)
		}
	}
}

func TestEffectiveDimensionReference(t *testing.T) {
	for _, c := range readReference(t).EffectiveDimension {
		got, err := CompareVectors(t.Context(), numbered(len(c.Rows[0])), vectors("", c.Rows[:3]), vectors("", c.Rows[3:]),
			Options{Permutations: 1})
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "participation ratio", got.Participation, c.Participation, 1e-10)
		if got.EffectiveDimension != c.Components {
			t.Errorf("%d components, want %d", got.EffectiveDimension, c.Components)
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
