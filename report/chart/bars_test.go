package chart

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func barsOf(panels int) Bars {
	b := Bars{Title: "A title", Below: "a line", Description: "What it is.", First: "measured", Second: "paper"}
	for range panels {
		b.Panels = append(b.Panels, BarPanel{Title: "Cost", Unit: "dollars", Names: []string{"fixed", "new"},
			First: []float64{3, 1}, Second: []float64{2, math.NaN()}})
	}
	return b
}

func TestBarsSayWhatTheyShow(t *testing.T) {
	document := documentOf(t, func(w io.Writer) error { return PairedBars(w, barsOf(4)) })
	shown := texts(t, document)
	for _, want := range []string{"A title", "a line", "measured", "paper", "Cost", "dollars", "fixed", "new"} {
		if !slices.Contains(shown, want) {
			t.Errorf("%q is not among %q", want, shown)
		}
	}
	if want := "<desc>What it is. Cost: fixed 3 (paper 2), new 1."; !strings.Contains(document, want) {
		t.Errorf("no %s", want)
	}
	if strings.Contains(document, "NaN") {
		t.Error("a bar of no height")
	}
}

func TestBarsThatCannotBeDrawn(t *testing.T) {
	short, negative := barsOf(1), barsOf(1)
	short.Panels[0].First = []float64{1}
	negative.Panels[0].First = []float64{1, -1}
	for _, b := range []Bars{barsOf(0), barsOf(5), short, negative} {
		if err := PairedBars(io.Discard, b); err == nil {
			t.Errorf("%+v is drawn", b)
		}
	}
}
