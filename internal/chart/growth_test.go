package chart

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func growthOf(curves ...GrowthCurve) Growth {
	return Growth{Title: "Growth <here>", Below: "a machine", Curves: curves}
}

func TestGrowthCurves(t *testing.T) {
	exponent := 1.25
	g := growthOf(
		GrowthCurve{Name: "read (trials)", Sizes: []float64{1000, 1e7}, Seconds: []float64{0.001, 20}, Exponent: &exponent},
		GrowthCurve{Name: "alone", Sizes: []float64{1}, Seconds: []float64{0.002}},
	)
	var first, again bytes.Buffer
	if err := errors.Join(GrowthCurves(&first, g), GrowthCurves(&again, g)); err != nil {
		t.Fatal(err)
	}
	if first.String() != again.String() {
		t.Error("another drawing of the same curves differs")
	}
	document := first.String()
	shown := texts(t, document)
	for _, text := range []string{"read (trials): n^1.25", "alone", "as n^1 grows", "seconds", "1", "1e7", "0.001", "100"} {
		if !slices.Contains(shown, text) {
			t.Errorf("%q is not among %q", text, shown)
		}
	}
	for _, part := range []string{"<title>Growth &lt;here&gt; a machine</title>", "<desc>Both axes are logarithmic", "from 0.001 s at 1000 to 20 s at 10000000."} {
		if !strings.Contains(document, part) {
			t.Errorf("%q is not in the document", part)
		}
	}
}

func TestCurvesAreToldApartWithoutColour(t *testing.T) {
	for i := range 28 {
		for j := range i {
			sameStroke := i%len(growthStrokes) == j%len(growthStrokes)
			if sameMark := i%len(growthMarks) == j%len(growthMarks); sameStroke && sameMark && i-j < 8 {
				t.Errorf("curves %d and %d have the same stroke and mark", i, j)
			}
		}
	}
}

func TestGrowthThatCannotBeDrawn(t *testing.T) {
	for name, g := range map[string]Growth{
		"nothing":      growthOf(),
		"no points":    growthOf(GrowthCurve{Name: "a"}),
		"a time less":  growthOf(GrowthCurve{Name: "a", Sizes: []float64{1, 2}, Seconds: []float64{1}}),
		"zero":         growthOf(GrowthCurve{Name: "a", Sizes: []float64{0}, Seconds: []float64{1}}),
		"not a number": growthOf(GrowthCurve{Name: "a", Sizes: []float64{1}, Seconds: []float64{math.NaN()}}),
		"infinite":     growthOf(GrowthCurve{Name: "a", Sizes: []float64{math.Inf(1)}, Seconds: []float64{1}}),
	} {
		if err := GrowthCurves(io.Discard, g); !errors.Is(err, ErrNoGrowth) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
