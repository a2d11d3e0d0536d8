package chart

import (
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/coverage"
)

// coverageOf returns a result with these values; a negative one was not measured.
func coverageOf(values ...float64) *coverage.Result {
	r := &coverage.Result{Trials: 7}
	for i, d := range coverage.Dimensions() {
		m := coverage.Measurement{Dimension: d, Weight: 1, Reason: "not declared"}
		if x := values[i]; x >= 0 || math.IsNaN(x) {
			total := 8.0
			m.Value, m.Of, m.Covered, m.Reason = &x, &total, int(8*x), ""
		}
		r.Dimensions = append(r.Dimensions, m)
	}
	r.Overall = coverage.Overall(r.Dimensions)
	return r
}

func radarOf(t *testing.T, r *coverage.Result) string {
	t.Helper()
	return documentOf(t, func(w io.Writer) error { return CoverageRadar(w, r) })
}

func TestRadarSaysWhatItShows(t *testing.T) {
	document := radarOf(t, coverageOf(0.5, 0.25, -1, 0, 1))
	shown := texts(t, document)
	for _, want := range []string{
		"Coverage: 0 overall", "tool 0.5", "4 of 8", "path 0.25", "2 of about 8", "state", "not measured", "boundary 0",
		"0 of 8", "model 1", "8 of 8",
		"Radar chart of coverage, from 0 in the centre to 1 at the rim: tool 0.5, path 0.25, state not measured, boundary " +
			"0, model 1.",
	} {
		if !slices.Contains(shown, want) {
			t.Errorf("%q is not among %q", want, shown)
		}
	}
	for _, want := range []string{"<title>Coverage: 0 overall", "<desc>Radar chart"} {
		if !strings.Contains(document, want) {
			t.Errorf("no %s", want)
		}
	}
	if again := radarOf(t, coverageOf(0.5, 0.25, -1, 0, 1)); again != document {
		t.Error("another drawing of the same result differs")
	}
	none := texts(t, radarOf(t, coverageOf(-1, -1, -1, -1, -1)))
	if !slices.Contains(none, "Coverage: not measured") {
		t.Errorf("%q", none)
	}
}

// An area lies between two neighbours, and no other: five, three for four of them, none
// for one or for two that are apart.
func TestRadarAreas(t *testing.T) {
	for _, c := range []struct {
		values []float64
		areas  int
	}{
		{[]float64{1, 1, 1, 1, 1}, 5}, {[]float64{0.5, 0.5, -1, 0.5, 0.5}, 3}, {[]float64{-1, 0.5, -1, -1, -1}, 0},
		{[]float64{0.5, -1, 0.5, -1, -1}, 0}, {[]float64{0.5, -1, -1, -1, 0.5}, 1}, {[]float64{-1, -1, -1, -1, -1}, 0},
	} {
		if got := strings.Count(strings.ToLower(radarOf(t, coverageOf(c.values...))), "fill:#cce3f0"); got != c.areas {
			t.Errorf("%v: %d areas, want %d", c.values, got, c.areas)
		}
	}
}

func TestRadarStaysOnTheSheet(t *testing.T) {
	path := regexp.MustCompile(` d="([^"]*)"`)
	number := regexp.MustCompile(`-?[0-9.]+(e[-+][0-9]+)?`)
	points := 0
	for _, d := range path.FindAllStringSubmatch(radarOf(t, coverageOf(1, 1, 1, 1, 1)), -1) {
		if strings.Contains(d[1], "A") {
			continue // an arc has other numbers too
		}
		for i, text := range number.FindAllString(d[1], -1) {
			x, err := strconv.ParseFloat(text, 64)
			if limit := []float64{width.Points(), height.Points()}[i%2]; err != nil || x < -0.01 || x > limit+0.01 {
				t.Errorf("%v is not between 0 and %v: %.80s", text, limit, d[1])
			}
			points++
		}
	}
	if points < 50 {
		t.Errorf("only %d numbers", points)
	}
}

func TestRadarsThatCannotBeDrawn(t *testing.T) {
	for _, r := range []*coverage.Result{nil, {}} {
		if err := CoverageRadar(io.Discard, r); !errors.Is(err, errNoCoverage) {
			t.Error(err)
		}
	}
	for _, x := range []float64{math.NaN(), 1.5, math.Inf(1)} {
		if err := CoverageRadar(io.Discard, coverageOf(0.5, 0.5, x, 0.5, 0.5)); err == nil {
			t.Errorf("%v is drawn", x)
		}
	}
	full := errors.New("disk full")
	if err := CoverageRadar(failingWriter{full}, coverageOf(1, 1, 1, 1, 1)); !errors.Is(err, full) {
		t.Error(err)
	}
	r := coverageOf(1, 1, 1, 1, 1)
	r.Dimensions[0].Dimension = `<script>"&`
	if shown := texts(t, radarOf(t, r)); !slices.Contains(shown, `<script>"& 1`) {
		t.Errorf("%q", shown)
	}
}
