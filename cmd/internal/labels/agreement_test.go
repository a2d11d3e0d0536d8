package labels

import (
	"math"
	"slices"
	"testing"
)

// Cohen (1960), table 1 as counts of 200: agreement .70, by chance .41.
func TestKappaOfCohen(t *testing.T) {
	got, known := kappa([][]float64{{88, 14, 18}, {10, 40, 10}, {2, 6, 12}})
	if want := (.70 - .41) / (1 - .41); !known || math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, %v; the article has %v", got, known, want)
	}
}

func TestKappaIsNotKnown(t *testing.T) {
	for name, table := range map[string][][]float64{
		"nothing": {{0, 0}, {0, 0}}, "one rating": {{7, 0}, {0, 0}}, "not square": {{1, 2}},
		"no number": {{math.NaN(), 1}, {1, 1}},
		"no table":  nil,
	} {
		if k, known := kappa(table); known {
			t.Errorf("%s: %v", name, k)
		}
	}
}

// ones is the weight of each unit where none stands for several.
func ones(units [][]int) []float64 { return slices.Repeat([]float64{1}, len(units)) }

// Krippendorff (2011): example A of two observers and ten units has .095, example C of four observers, twelve units
// and missing ratings .743.
func TestAlphaOfKrippendorff(t *testing.T) {
	const none = -1
	for name, c := range map[string]struct {
		observers  [][]int
		categories int
		want       float64
	}{
		"A, binary, two observers": {[][]int{
			{0, 1, 0, 0, 0, 0, 0, 0, 1, 0},
			{1, 1, 1, 0, 0, 1, 0, 0, 0, 0},
		}, 2, .095},
		"C, nominal, missing ratings": {[][]int{
			{1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none},
			{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, 3},
			{none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, none},
			{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none},
		}, 6, .743},
	} {
		units := make([][]int, len(c.observers[0]))
		for _, ratings := range c.observers {
			for i, r := range ratings {
				units[i] = append(units[i], r)
			}
		}
		got, known := alpha(units, ones(units), c.categories)
		if !known || math.Abs(got-c.want) > 0.0005 {
			t.Errorf("%s: %v, %v; the article has %v", name, got, known, c.want)
		}
	}
}

// A unit of weight two is two units.
func TestWeightsAreUnits(t *testing.T) {
	units := [][]int{{0, 0}, {0, 1}, {1, 1}}
	weighted, _ := alpha(units, []float64{2, 1, 3}, 2)
	six := [][]int{{0, 0}, {0, 0}, {0, 1}, {1, 1}, {1, 1}, {1, 1}}
	repeated, known := alpha(six, ones(six), 2)
	if !known || math.Abs(weighted-repeated) > 1e-12 {
		t.Errorf("%v by weight, %v repeated", weighted, repeated)
	}
}

func TestAlphaIsNotKnown(t *testing.T) {
	for name, units := range map[string][][]int{
		"no units": nil, "no pairs": {{0}, {1}}, "one rating": {{1, 1}, {1, 1}}, "beyond the categories": {{7, 8}, {9, 9}},
	} {
		if a, known := alpha(units, ones(units), 2); known {
			t.Errorf("%s: %v", name, a)
		}
	}
}
