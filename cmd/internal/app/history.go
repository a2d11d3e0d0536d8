package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict/history"
)

// defaultPoints are those of a history unless it is told otherwise: about what a screen and a page show apart.
const defaultPoints = 200

// scenarioRuns are the latest runs of a segment whose scenarios are looked at. It is chosen: trials of a scenario by
// the
// thousand tell no more.
const scenarioRuns = 200

// HistoryRequest says of which runs of a store a history is, and how it is judged.
type HistoryRequest struct {
	Query  store.Query
	Points int // most points, about; 0 is 200
	history.Options
}

// History judges the runs of a store, without experiments unless the query asks for a kind of them. A query that leaves
// open which suite or version is meant takes the only one there is; of several, it is a [SeveralError].
func History(ctx context.Context, s *store.Store, r HistoryRequest) (*history.Result, error) {
	r.Query.Own = true
	if err := settle(ctx, s, &r.Query); err != nil {
		return nil, err
	}
	points, err := s.History(ctx, r.Query, store.HistoryOptions{
		Most: cmp.Or(r.Points, defaultPoints), Behaviour: r.Metric == history.Distance,
	})
	if err != nil {
		return nil, err
	}
	if len(points) == 0 {
		return nil, NoTrials(ctx, s, r.Query)
	}
	from, err := distanceFrom(ctx, s, r, points)
	if err != nil {
		return nil, err
	}
	list := make([]history.Point, len(points))
	for i := range points {
		list[i] = pointOf(&points[i], r.Metric, from)
	}
	r.Suite, r.Version, r.Branch, r.Scenario = r.Query.Suite, r.Query.Version, r.Query.Branch, r.Query.Scenario
	return history.Judge(ctx, list, func(ctx context.Context, from, to int) ([]history.Tally, error) {
		return scenariosBetween(ctx, s, r.Query, list, from, to)
	}, r.Options)
}

// settle completes a query by the one suite and version that there is.
func settle(ctx context.Context, s *store.Store, q *store.Query) error {
	strands, err := s.Strands(ctx, *q)
	if err != nil {
		return err
	}
	var suites, versions []string
	for _, x := range strands {
		suites = append(suites, x.Suite)
		if (q.Branch == "" || x.Branch == q.Branch) && (q.Since.IsZero() || !x.Latest.Before(q.Since)) {
			versions = append(versions, x.Version)
		}
	}
	only := func(names []string, noun string) (string, error) {
		slices.Sort(names)
		names = slices.Compact(names)
		switch len(names) {
		case 0:
			return "", NoTrials(ctx, s, *q)
		case 1:
			return names[0], nil
		}
		return "", &SeveralError{Noun: noun, Names: names}
	}
	if q.Suite == "" {
		if q.Suite, err = only(suites, "suite"); err != nil {
			return err
		}
	}
	if q.Version == "" {
		q.Version, err = only(versions, "version")
	}
	return err
}

// NoTrials is the error of a query that means no trials. Where the store does not have its suite, version or scenario,
// the hint names those that it has.
func NoTrials(ctx context.Context, s *store.Store, q store.Query) error {
	err := s.None(q)
	strands, failed := s.Strands(ctx, store.Query{})
	if failed != nil {
		return failed
	}
	var suites, versions []string
	for _, x := range strands {
		suites = append(suites, x.Suite)
		if q.Suite == "" || q.Suite == x.Suite {
			versions = append(versions, x.Version)
		}
	}
	var scenarios []string
	if q.Scenario != "" {
		tallies, failed := s.Scenarios(ctx, store.Query{Suite: q.Suite, Version: q.Version})
		if failed != nil {
			return failed
		}
		for _, t := range tallies {
			scenarios = append(scenarios, t.Scenario)
		}
	}
	for _, asked := range []struct {
		name  string
		known []string
	}{{q.Suite, suites}, {q.Version, versions}, {q.Scenario, scenarios}} {
		slices.Sort(asked.known)
		if asked.known = slices.Compact(asked.known); asked.name != "" && len(asked.known) > 0 &&
			!slices.Contains(asked.known, asked.name) {
			return &Problem{Text: messageOf(err), Advice: prose.DidYouMean(asked.name, asked.known), Err: err}
		}
	}
	return err
}

// SeveralError says that runs are of several suites or versions, and one must be meant.
type SeveralError struct {
	Noun  string   // "suite" or "version"
	Names []string // sorted
}

func (e *SeveralError) Error() string { return e.Message() }

// Message says which there are.
func (e *SeveralError) Message() string {
	// Chosen: a line or two.
	const most = 8
	list := make([]string, len(e.Names))
	for i, name := range e.Names {
		list[i] = prose.Quote(name)
	}
	return "the runs are of several " + prose.Plural(e.Noun) + ": " + prose.Some(list, most)
}

// ExitCode is that of wrong usage.
func (e *SeveralError) ExitCode() int { return exit.Usage }

// distanceFrom is the behaviour that distances are from: that of the baseline's runs together, or of the first run.
func distanceFrom(ctx context.Context, s *store.Store, r HistoryRequest, points []store.Point) (*store.Behaviour,
	error) {
	if r.Metric != history.Distance {
		return nil, nil
	}
	if r.Baseline == "" {
		for i := range points {
			if b := points[i].Behaviour; b != nil {
				return b, nil
			}
		}
		return nil, nil
	}
	runs, err := s.Runs(ctx, store.Query{Baseline: r.Baseline, Version: r.Query.Version}, 0, 0)
	if err != nil {
		return nil, err
	}
	all := new(store.Behaviour)
	for i := range runs {
		for k := range runs[i].Parts {
			all.Plus(runs[i].Parts[k].Behaviour)
		}
	}
	return all, nil
}

// pointOf is a point as it is judged.
func pointOf(p *store.Point, m history.Metric, from *store.Behaviour) history.Point {
	x := history.Point{
		From: p.From, Runs: p.Runs, Run: p.ID, Commit: p.Commit, Branch: p.Branch, Task: p.Task, Agent: p.Agent,
		Passes: p.Passes, Failures: p.Failures, Errors: p.Errors,
	}
	if p.Runs > 1 {
		x.Until = p.Until
	}
	sums := map[history.Metric]store.Sum{
		history.Cost: p.Cost, history.Turns: p.Turns, history.Duration: p.Seconds, history.Tokens: p.Tokens,
	}
	if sum, is := sums[m]; is {
		x.Sum = &history.Sum{Known: sum.Known, Total: sum.Total, Squares: sum.Squares}
	}
	if distance, known := p.Behaviour.Distance(from); known && m == history.Distance {
		x.Distance = &distance
	}
	return x
}

// scenariosBetween are the scenarios of the latest runs of points from..to-1.
func scenariosBetween(
	ctx context.Context, s *store.Store, q store.Query, points []history.Point, from, to int,
) ([]history.Tally, error) {
	if begins := points[from].From; begins.After(q.Since) {
		q.Since = begins
	}
	if to < len(points) && !points[to].From.IsZero() {
		q.Until = points[to].From
	} else if to < len(points) {
		q.Until = time.UnixMicro(1) // those whose time is not known
	}
	if q.Last == 0 || q.Last > scenarioRuns {
		q.Last = scenarioRuns
	}
	sums, err := s.Scenarios(ctx, q)
	if err != nil {
		return nil, err
	}
	list := make([]history.Tally, 0, len(sums))
	for _, x := range sums {
		list = append(list, history.Tally{Name: x.Scenario,
			Counts: stats.Counts{Passes: x.Passes, Trials: x.Passes + x.Failures}})
	}
	return list, nil
}
