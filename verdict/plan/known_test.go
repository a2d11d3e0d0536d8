package plan

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
)

var update = flag.Bool("update", false, "search for the designs of known.txt anew, which takes a minute or two")

// asked are the hypotheses whose designs are remembered.
func asked() (list []sprt.Hypotheses) {
	add := func(threshold float64, deltas ...float64) {
		for _, delta := range deltas {
			list = append(list, sprt.Hypotheses{Threshold: threshold, Delta: delta, Alpha: 0.05, Beta: 0.1})
		}
	}
	for _, threshold := range []float64{0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.97, 0.98, 0.99} {
		if threshold > 0.94 {
			add(threshold, 0.02, 0.03)
		}
		add(threshold, 0.05, 0.1, 0.15, 0.2, 0.3)
	}
	return list
}

// searched is what the search finds, as the file has it.
func searched(t *testing.T, h sprt.Hypotheses) (sprt.Design, string) {
	t.Helper()
	trials, ok := DefaultTrials(h)
	if !ok {
		t.Fatalf("%+v has no fixed sample", h)
	}
	found, err := sprt.Optimal(t.Context(), h, sprt.OptimalOptions{MaxTrials: trials})
	if err != nil {
		t.Fatal(err)
	}
	b := found.Design.Boundaries
	return found.Design, knownKey(h, trials) + runsOf(b.PassAtOrBelow, -1) + " | " + runsOf(b.FailAtOrAbove, sprt.Never)
}

// runsOf writes equal counts that follow each other as one.
func runsOf(list []int, none int) string {
	var parts []string
	for i := 0; i < len(list); {
		n := 1
		for i+n < len(list) && list[i+n] == list[i] {
			n++
		}
		word := fmt.Sprint(list[i])
		if list[i] == none {
			word = "."
		}
		parts = append(parts, fmt.Sprintf("%d*%s", n, word))
		i += n
	}
	return strings.Join(parts, " ")
}

// What is remembered is what the search finds; of the longest tests, for which it takes seconds, the errors
// are computed alone. All of them are searched with -update, and the file then must not change.
func TestKnownDesignsAreThoseOfTheSearch(t *testing.T) {
	const mostSearched = 240 // trials
	if *update {
		text := "# Optimal designs of the tests that are asked for most; known.go says how they are read. Written by:\n" +
			"# go test ./verdict/plan -run TestKnownDesigns -update\n"
		for _, h := range asked() {
			_, line := searched(t, h)
			text += line + "\n"
		}
		if err := os.WriteFile("known.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		knownDesigns = text
	}
	if lines := strings.Count(knownDesigns, ": "); lines != len(asked()) {
		t.Errorf("%d lines, want %d", lines, len(asked()))
	}
	for _, h := range asked() {
		t.Run(fmt.Sprintf("%v-%v", h.Threshold, h.Delta), func(t *testing.T) {
			t.Parallel()
			o := Options{Hypotheses: h, Kind: sprt.OptimalKind}
			fixed, err := o.complete()
			if err != nil {
				t.Fatal(err)
			}
			d, ok := o.known()
			if !ok {
				t.Fatal("it is not known")
			}
			lattice, err := d.Boundaries.Lattice()
			if err != nil {
				t.Fatal(err)
			}
			// What the test is for holds of each: the errors, a decision at the end, and fewer trials than a fixed number.
			errors, err := d.Errors()
			if err != nil || !errors.Within(h) {
				t.Errorf("errors %+v, %v", errors, err)
			}
			for _, rate := range []float64{1, h.Threshold, h.Threshold - h.Delta} {
				at := lattice.At(rate)
				if at.Inconclusive > 0 || at.ExpectedTrials >= float64(fixed.Trials) {
					t.Errorf("at a rate of %v: %+v, and a fixed number is %d", rate, at, fixed.Trials)
				}
			}
			if o.MaxTrials > mostSearched {
				return
			}
			if want, _ := searched(t, h); !reflect.DeepEqual(d, want) {
				t.Error("the search finds another design: write the file anew with -update")
			}
		})
	}
}

// Whoever asks for anything else gets what the search finds for that.
func TestOnlyTheDesignThatWasAskedForIsKnown(t *testing.T) {
	h := sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}
	trials, _ := DefaultTrials(h)
	with := func(change func(*Options)) Options {
		o := Options{Hypotheses: h, MaxTrials: trials, Kind: sprt.OptimalKind}
		change(&o)
		return o
	}
	if _, ok := with(func(*Options) {}).known(); !ok {
		t.Error("the usual one is not known")
	}
	for name, o := range map[string]Options{
		"threshold": with(func(o *Options) { o.Hypotheses.Threshold = 0.91 }),
		"delta":     with(func(o *Options) { o.Hypotheses.Delta = 0.11 }),
		"alpha":     with(func(o *Options) { o.Hypotheses.Alpha = 0.051 }),
		"beta":      with(func(o *Options) { o.Hypotheses.Beta = 0.101 }),
		"trials":    with(func(o *Options) { o.MaxTrials++ }),
		"Wald's":    with(func(o *Options) { o.Kind = sprt.WaldKind }),
		"groups":    with(func(o *Options) { o.Group = 5 }),
		"weighting": with(func(o *Options) { o.Weighting = sprt.Worst() }),
	} {
		if d, ok := o.known(); ok {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// The price of a design that is known, beside that of the search.
func BenchmarkDesign(b *testing.B) {
	o := Options{Hypotheses: sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}, Kind: sprt.OptimalKind}
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			if _, err := Design(b.Context(), o); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("searched", func(b *testing.B) {
		searched := o
		searched.Hypotheses.Threshold = 0.901
		for b.Loop() {
			if _, err := Design(b.Context(), searched); err != nil {
				b.Fatal(err)
			}
		}
	})
}
