package chart

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// growthOf has so many lines in its first panel, and one in each other.
func growthOf(lines int) Growth {
	line := func(i int) GrowthLine {
		return GrowthLine{Name: fmt.Sprint("work ", i), Sizes: []float64{10, 100, 1000},
			Seconds: []float64{0.002, 0.02, 0.3 + float64(i)}}
	}
	g := Growth{Title: "A title", Below: "a line", Description: "What it is.", Panels: []GrowthPanel{
		{Title: "One", Size: "scenarios"}, {Title: "Two", Size: "trials", Lines: []GrowthLine{line(20)}},
		{Title: "Three", Size: "workers", Lines: []GrowthLine{line(30)}},
	}}
	for i := range lines {
		g.Panels[0].Lines = append(g.Panels[0].Lines, line(i))
	}
	return g
}

func TestGrowthsSayWhatTheyShow(t *testing.T) {
	draw := func() string {
		return documentOf(t, func(w io.Writer) error { return Growths(w, growthOf(len(growthStrokes))) })
	}
	document := draw()
	shown := texts(t, document)
	for _, want := range []string{"A title", "One", "Two", "Three", "work 0", "work 9", "work 20", "scenarios", "trials",
		"seconds",
		"10", "1000", "0.01", "100"} {
		if !slices.Contains(shown, want) {
			t.Errorf("%q is not among %q", want, shown)
		}
	}
	if want := "<desc>What it is. work 0: 0.3 s at 1000 scenarios. "; !strings.Contains(document, want) {
		t.Errorf("no %s", want)
	}
	if strings.Contains(document, "NaN") || draw() != document {
		t.Error("another drawing differs")
	}
}

func TestGrowthsThatCannotBeDrawn(t *testing.T) {
	for name, change := range map[string]func(*Growth){
		"a panel is missing":  func(g *Growth) { g.Panels = g.Panels[:2] },
		"a panel is empty":    func(g *Growth) { g.Panels[0].Lines = nil },
		"too many lines":      func(g *Growth) { *g = growthOf(len(growthStrokes) + 1) },
		"one size":            func(g *Growth) { g.Panels[1].Lines[0].Sizes = []float64{1} },
		"a size of 0":         func(g *Growth) { g.Panels[1].Lines[0].Sizes[0] = 0 },
		"no time":             func(g *Growth) { g.Panels[1].Lines[0].Seconds[1] = math.NaN() },
		"an infinite time":    func(g *Growth) { g.Panels[1].Lines[0].Seconds[1] = math.Inf(1) },
		"sizes without times": func(g *Growth) { g.Panels[1].Lines[0].Seconds = nil },
	} {
		g := growthOf(2)
		change(&g)
		if err := Growths(io.Discard, g); err == nil {
			t.Errorf("%s: it is drawn", name)
		}
	}
}
