package inspecting

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/chart"
	"github.com/tribunal-dev/tribunal/stats"
)

// draw draws the trials of one side or two. Without an axis, which is where nothing varies,
// there is no map.
func (r *FingerprintRequest) draw(ctx context.Context, a *world.World, to *outfile.File, table behaviourTable) error {
	shown, err := r.mapOf(ctx, a, table)
	if err != nil {
		return undrawable(err)
	}
	if len(shown.Map.Axes) == 0 {
		return problem.BadInput("there is nothing to draw: no column varies between the trials of a scenario",
			"the table needs no --chart")
	}
	return a.Deliver(ctx, to, func(w io.Writer) error { return chart.BehaviourMap(w, shown) })
}

// mapOf maps one side by what spreads its trials, and two by what separates them.
func (r *FingerprintRequest) mapOf(ctx context.Context, a *world.World, table behaviourTable) (chart.Behaviour, error) {
	if len(table) == 1 {
		return r.mapOne(a, table[0])
	}
	return r.mapBoth(ctx, a, table[0], table[1])
}

// options leaves the level of the test at its default: the command decides nothing.
func (r *FingerprintRequest) options() fingerprint.Options {
	return fingerprint.Options{Seed: r.Seed, Pooled: r.Pooled}
}

// mapOne maps the trials of a side about the means of their scenarios.
func (r *FingerprintRequest) mapOne(a *world.World, side *behaviourSide) (chart.Behaviour, error) {
	m, err := fingerprint.MapSample(&side.sample, r.options())
	if err != nil {
		return chart.Behaviour{}, err
	}
	// About the mean of its scenario a trial alone would always lie in the middle.
	if lost := side.sample.Len() - len(m.Points); lost > 0 {
		a.Notice("warning", "%s: %d of %s %s, and %s not drawn", side.file, lost,
			prose.Count(side.sample.Len(), "trial"),
			prose.Form(lost, "is the only one of its scenario", "are the only ones of their scenario"),
			prose.Form(lost, "is", "are"))
	}
	// Counted from the points, as a scenario with a single trial is not drawn.
	scenarios := make(map[string]bool)
	for _, point := range m.Points {
		scenarios[point.Scenario] = true
	}
	about := "each about the mean of its scenario"
	if r.Pooled {
		about = "about the mean of all"
	}
	return chart.Behaviour{Map: m, Baseline: side.title(), Finding: fmt.Sprintf("%s of %s, %s",
		several(len(m.Points), "trial"), several(len(scenarios), "scenario"), about)}, nil
}

// mapBoth maps the trials of both sides, with what the test says of them.
func (r *FingerprintRequest) mapBoth(
	ctx context.Context, a *world.World, baseline, candidate *behaviourSide,
) (chart.Behaviour, error) {
	c, err := fingerprint.Compare(ctx, &baseline.sample, &candidate.sample, r.options())
	if err != nil {
		return chart.Behaviour{}, err
	}
	for _, w := range c.Warnings {
		if w.Code != fingerprint.ErrorTrials { // they were told when the file was read
			a.Notice("warning", "%s", w.Text)
		}
	}
	// No change found is not the same as none: the words say only what was shown.
	finding := "no change of behaviour detected"
	if c.Changed {
		finding = "behaviour changed"
	}
	finding += fmt.Sprintf(" at level %g%%: p = %.4f, %d and %s", 100*c.Alpha, c.P, c.BaselineTrials,
		prose.Count(c.CandidateTrials, "trial"))
	if r.Pooled {
		finding += ", pooled"
	} else {
		finding += " of " + several(c.Scenarios, "scenario")
	}
	return chart.Behaviour{Map: &c.Map, Baseline: baseline.title(), Candidate: candidate.title(), Finding: finding}, nil
}

// several counts things in English.
func several(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// undrawable says what it takes to draw. The table can still be had, so every hint says so
// or says what to add.
func undrawable(err error) error {
	const pooled = "--pooled draws the trials of all scenarios as those of one; the table needs no --chart"
	switch {
	case errors.Is(err, fingerprint.ErrNoSharedScenario):
		return problem.BadInput("there is nothing to draw: no scenario was tried on both sides",
			"check the names of the scenarios; "+pooled)
	case errors.Is(err, fingerprint.ErrTooFewTrials):
		return problem.BadInput("there is nothing to draw: a map of one recording needs three trials or more, of "+
			"scenarios with several trials each", "run each scenario again; "+pooled)
	case problem.Is[*stats.ArgumentError](err):
		return problem.BadInput("the trials cannot be drawn: "+err.Error(), "the table needs no --chart")
	}
	return err
}
