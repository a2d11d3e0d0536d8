// Package follow compares saved results with the trials that they were made of, read again.
package follow

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// DifferenceError says what of the trials is not what was judged.
type DifferenceError struct {
	Place trial.Place // of a trial; without a file where it is none of a trial that was read
	Text  string
	More  int // further ones that were found with it
}

// Error has the place first.
func (e *DifferenceError) Error() string {
	text := e.Text
	if e.Place.File != "" {
		text = e.Place.String() + ": " + text
	}
	if e.More > 0 {
		text += fmt.Sprintf(" (and %d more of the sample)", e.More)
	}
	return text
}

// Placed reports whether the text names the place of a trial that was read.
func (e *DifferenceError) Placed() bool { return e.Place.File != "" }

// ExitCode is that of input that cannot be used.
func (e *DifferenceError) ExitCode() int { return exit.Input }

// Close reports whether two sums are the same but for the order of their terms.
func Close(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }

// Counts compares those of scenarios, as they were judged and as they are read. A result of a single scenario does
// not name it.
func Counts(judged, read []verdict.Tally, single bool) error {
	if single {
		judged, read = []verdict.Tally{verdict.Pool("", judged)}, []verdict.Tally{verdict.Pool("", read)}
	}
	now := map[string]verdict.Tally{}
	for _, t := range read {
		now[t.Scenario] = t
	}
	figures := func(t verdict.Tally) [4]int { return [4]int{t.Passes, t.Fails, t.Errors, t.Unrun} }
	where := func(name string) string {
		if single {
			return ""
		}
		return prose.Quote(name) + ": "
	}
	for _, t := range judged {
		if have, want := figures(now[t.Scenario]), figures(t); have != want {
			return &DifferenceError{Text: fmt.Sprintf("%s%s, and %s were judged", where(t.Scenario), counts(have), counts(want))}
		}
		delete(now, t.Scenario)
	}
	for _, t := range read {
		if _, left := now[t.Scenario]; left && figures(t) != [4]int{} {
			return &DifferenceError{Text: fmt.Sprintf("%s%s, and none were judged", where(t.Scenario), counts(figures(t)))}
		}
	}
	return nil
}

func counts(n [4]int) string {
	text := fmt.Sprintf("%d of %s passed and %d ended in an error", n[0], prose.Count(n[0]+n[1]+n[2], "trial"), n[2])
	if n[3] > 0 {
		text += fmt.Sprintf(", of which %d for tests that did not run", n[3])
	}
	return text
}
