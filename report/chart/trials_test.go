package chart

import (
	"bytes"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// trialsOf returns so many lines and a floor.
func trialsOf(lines int) Trials {
	t := Trials{Title: "A title", Below: "a line", Description: "What it is.", Marks: []TrialsMark{{P: .9, Name: "good"}}}
	p := []float64{.8, .9, 1}
	for i := range lines {
		n := float64(10 * i)
		t.Tests = append(t.Tests, TrialsLine{Name: "test " + strconv.Itoa(i), P: p, Trials: []float64{n + 50, n + 40, 20}})
	}
	t.Floor = TrialsLine{Name: "floor", P: p, Trials: []float64{30, 30, 11}}
	return t
}

func trialsDrawn(t *testing.T, trials Trials) string {
	t.Helper()
	return documentOf(t, func(w io.Writer) error { return ExpectedTrials(w, trials) })
}

func TestTrialsSayWhatTheyShow(t *testing.T) {
	document := trialsDrawn(t, trialsOf(8))
	shown := texts(t, document)
	for _, want := range []string{"A title", "a line", "good", "floor", "test 0", "test 7", "true pass rate",
		"expected trials"} {
		if !slices.Contains(shown, want) {
			t.Errorf("%q is not among %q", want, shown)
		}
	}
	for _, want := range []string{"<title>A title a line</title>",
		"<desc>What it is. test 0: 40.0 at 0.9, 20.0 at 1. ", "floor: 30.0 at 0.9, 11.0 at 1.</desc>"} {
		if !strings.Contains(document, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(document, "NaN") || trialsDrawn(t, trialsOf(8)) != document {
		t.Error("another drawing differs")
	}
}

// The names of lines that end at one point do not lie on each other.
func TestNamesOfLinesAreApart(t *testing.T) {
	place := regexp.MustCompile(`<text x="[-0-9.]+" y="(-?[0-9.]+)"[^>]*>(?:\s*)(test \d|floor)`)
	var heights []float64
	for _, found := range place.FindAllStringSubmatch(trialsDrawn(t, trialsOf(8)), -1) {
		y, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		heights = append(heights, y)
	}
	if len(heights) != 9 {
		t.Fatalf("%d names", len(heights))
	}
	slices.Sort(heights)
	for i := 1; i < len(heights); i++ {
		if heights[i]-heights[i-1] < 12 {
			t.Errorf("names at %v", heights)
		}
	}
}

func TestTrialsAreChecked(t *testing.T) {
	short, unknown, beyond := trialsOf(1), trialsOf(1), trialsOf(1)
	short.Tests[0].P = short.Tests[0].P[:2]
	unknown.Tests[0].Trials[1] = math.NaN()
	beyond.Tests[0].P = []float64{.8, .9, 1.1}
	for _, trials := range []Trials{{}, trialsOf(9), short, unknown, beyond} {
		if err := ExpectedTrials(&bytes.Buffer{}, trials); err == nil {
			t.Errorf("%+v is drawn", trials)
		}
	}
	full := errors.New("disk full")
	if err := ExpectedTrials(failingWriter{full}, trialsOf(2)); !errors.Is(err, full) {
		t.Error(err)
	}
}
