package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/report/internal/document"
)

func span(low, high float64, estimate *float64) document.Span {
	return document.Span{Low: low, High: high, Estimate: estimate}
}

var ascii = strokes{line: "-", estimate: "O", mark: "|", crossing: "+"}

func TestBar(t *testing.T) {
	scale := newAxis([]document.Span{span(0.1, 0.9, nil)}, 0, 1, 0.5)
	for _, test := range []struct {
		low, high float64
		estimate  *float64
		want      string
	}{
		{0, 1, ptr(0.25), "--O--+----"},
		{0.2, 0.45, ptr(0.32), "  -O-|    "},
		{0.2, 0.4999, ptr(0.45), "  --O|    "},
		{0.5, 0.5001, ptr(0.5), "     |O   "}, // at the threshold: on the side that passes
		{0.2, 0.5, nil, "  ---+    "},         // holds the threshold: reaches it
		{0.71, 0.98, ptr(0.9), "     | --O"},
		{0.5625, 0.5625, ptr(0.5625), "     |O   "}, // as narrow as can be, in the column of the mark
		{0.5, 1, ptr(0.7), "     |-O--"},
	} {
		if got := scale.draw(span(test.low, test.high, test.estimate), 10, ascii); got != test.want {
			t.Errorf("[%v, %v]: %q, want %q", test.low, test.high, got, test.want)
		}
	}
	if got := scale.header(10); got != "0   0.5  1" {
		t.Errorf("scale %q", got)
	}
}

func TestScales(t *testing.T) {
	for _, test := range []struct {
		spans       []document.Span
		least, most float64
		marks       []float64
		low, high   float64
		header      string
	}{
		{[]document.Span{span(0.05, 0.3, nil), span(0.7, 0.9, nil)}, 0, 1, []float64{0.5}, 0, 1, "0        0.5       1"},
		{[]document.Span{span(0.997652, 0.999166, nil)}, 0, 1, []float64{0.995}, 0.994, 1, " 0.995             1"},
		{[]document.Span{span(0.6030, 0.7702, nil), span(0.4960, 0.6738, nil)}, 0, 1, nil, 0.4, 0.8, "0.4              0.8"},
		{[]document.Span{span(-0.1814, -0.0345, nil)}, -1, 1, []float64{-0.1, 0}, -0.2, 0, "-0.2     -0.1     0 "},
		{[]document.Span{span(0.5, 0.5, nil)}, 0, 1, []float64{0.5}, 0.4999, 0.5001, "0.4999   0.5  0.5001"},
		{nil, 0, 1, []float64{0.9}, 0.8999, 0.9001, "0.8999   0.9  0.9001"},
		{nil, 0, 1, nil, 0, 1, "0                  1"},
	} {
		a := newAxis(test.spans, test.least, test.most, test.marks...)
		if a.Low != test.low || a.High != test.high {
			t.Errorf("%v: from %v to %v, want %v to %v", test.spans, a.Low, a.High, test.low, test.high)
		}
		if got := a.header(20); got != test.header {
			t.Errorf("%v: %q, want %q", test.spans, got, test.header)
		}
	}
}

// What a bar says of an interval and a mark is what the numbers say.
func TestBarNeverContradictsTheNumbers(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		unit := rapid.Float64Range(0, 1)
		low, high, mark := unit.Draw(t, "low"), unit.Draw(t, "high"), unit.Draw(t, "mark")
		if low > high {
			low, high = high, low
		}
		if rapid.Bool().Draw(t, "near") { // within a column of an end
			offset := rapid.SampledFrom([]float64{-0.005, -1e-9, 0, 1e-9, 0.005}).Draw(t, "offset")
			mark = min(max(rapid.SampledFrom([]float64{low, high}).Draw(t, "end")+offset, 0), 1)
		}
		estimate := low + (high-low)*unit.Draw(t, "estimate")
		width := rapid.IntRange(8, 60).Draw(t, "width")
		spans := []document.Span{span(low, high, &estimate), span(unit.Draw(t, "other low"), unit.Draw(t, "other high"), nil)}
		scale := newAxis(spans, 0, 1, mark)
		bar := scale.draw(spans[0], width, ascii)
		if utf8.RuneCountInString(bar) != width || strings.Count(bar, "O") != 1 {
			t.Fatalf("%q is not %d wide with one estimate", bar, width)
		}
		at := -1
		for cell := range scale.markCells(width) {
			at = cell
		}
		first, last := strings.IndexAny(bar, "-O+"), strings.LastIndexAny(bar, "-O+")
		switch {
		case high < mark && last >= at:
			t.Fatalf("[%v, %v] is below %v, but %q", low, high, mark, bar)
		case low >= mark && first <= at:
			t.Fatalf("[%v, %v] is above %v, but %q", low, high, mark, bar)
		case low < mark && mark <= high && (first > at || last < at):
			t.Fatalf("[%v, %v] holds %v, but %q", low, high, mark, bar)
		}
		if got := utf8.RuneCountInString(scale.header(width)); got != width {
			t.Fatalf("scale has %d columns, not %d", got, width)
		}
	})
}
