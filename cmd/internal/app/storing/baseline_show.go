package storing

import (
	"context"
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
)

// ShowRequest asks what a baseline is.
type ShowRequest struct {
	Store app.StoreChoice
	Name  string
	To    deliver.Target
}

// ShowBaseline prints what a baseline is.
func ShowBaseline(ctx context.Context, a *world.World, r ShowRequest) error {
	to, err := r.To.File(ctx, a, nil)
	if err != nil {
		return err
	}
	return use(ctx, a, r.Store, nil, true, func(s *store.Store) error {
		state, err := app.DescribeBaseline(ctx, s, r.Name, a.Now())
		if err != nil {
			return err
		}
		return r.To.Show(ctx, a, to, baselineDocument(state))
	})
}

// baselineDocument is a state for people.
func baselineDocument(b *app.BaselineState) *report.Document {
	d := new(report.Document).Listing(b.Schema, "baseline "+b.Name, b)
	d.Headline = fmt.Sprintf("baseline %s, revision %d, set %s", b.Name, b.Revision, setBy(b.At, b.Who, b.Reason))
	old := "its age is not known"
	if b.Age != nil {
		old = phrase.Age(time.Duration(*b.Age*float64(time.Second))) + " old"
	}
	switch {
	case b.TooOld:
		old = fmt.Sprintf("too old: %s, and may be %s", old, ageOf(b.MaxAge))
	case b.MaxAge > 0:
		old = fmt.Sprintf("%s, and may be %s", old, ageOf(b.MaxAge))
	}
	d.Line("age", old)
	if b.Problem != "" {
		d.Line("problem", "nothing can be tested against it: "+b.Problem)
	}
	baselineRuns(d, b)
	baselineRates(d, b)
	baselineRevisions(d, b)
	return d
}

// ageOf is an age in seconds in words.
func ageOf(seconds float64) string { return phrase.Age(time.Duration(seconds * float64(time.Second))) }

// setBy says when a revision was set, by whom and why.
func setBy(at time.Time, who, reason string) string {
	text := at.UTC().Format(time.RFC3339)
	if who != "" {
		text += " by " + who
	}
	if reason != "" {
		text += ": " + reason
	}
	return text
}

// shownID is as much of a run's ID as people are shown.
func shownID(id string) string { return id[:min(len(id), keeping.IDDigits)] }

func baselineRuns(d *report.Document, b *app.BaselineState) {
	if len(b.Runs) == 0 {
		return
	}
	t := d.Headed("Runs", "run", "suite", "finished", ">passed", ">trials", ">errors").Names(6, "suite").Dropping("errors")
	for _, r := range b.Runs {
		t.Add(shownID(r.ID), r.Suite, r.Finished, r.Passes, r.Trials, r.Errors)
	}
	for _, r := range b.Runs {
		for _, line := range r.Changed {
			d.Below(t, "%s, beside the first: %s", shownID(r.ID), line)
		}
	}
}

func baselineRates(d *report.Document, b *app.BaselineState) {
	if len(b.Rates) == 0 {
		return
	}
	t := d.Headed("Rates, and those of "+prose.Count(b.LaterRuns, "later run"),
		"scenario", ">baseline", "95% interval", ">later", "95% interval", "").Names(10, "scenario")
	drifted := false
	for _, r := range b.Rates {
		baseline, interval := observed(&r.ObservedRate)
		later, its := observed(r.Later)
		apart := ""
		if r.Apart {
			apart, drifted = "drifted", true
		}
		t.Add(r.Test, baseline, interval, later, its, apart)
	}
	if drifted {
		d.Below(t, "drifted: tribunal store history finds since when; tribunal store baseline record %s records it anew",
			problem.ShellWord(b.Name))
	}
}

// observed is a rate and its interval; "-" where there are no trials.
func observed(o *app.ObservedRate) (counts, interval string) {
	if o == nil {
		return "-", ""
	}
	return fmt.Sprintf("%d/%d", o.Passes, o.Trials), phrase.Rate(o.Low) + " to " + phrase.Rate(o.High)
}

func baselineRevisions(d *report.Document, b *app.BaselineState) {
	if len(b.Revisions) < 2 {
		return
	}
	t := d.Headed("Revisions", ">revision", ">runs", "set").Names(20, "set")
	for _, r := range b.Revisions {
		t.Add(r.Revision, len(r.Runs), setBy(r.At, r.Who, r.Reason))
	}
}

// baselineList is the list as JSON.
type baselineList struct {
	Schema    string                 `json:"schema"`
	Baselines []app.BaselineRevision `json:"baselines"` // the last revision of each name
}

// ListRequest asks for the baselines of a store.
type ListRequest struct {
	Store app.StoreChoice
	To    deliver.Target
}

// ListBaselines prints the last revision of each name.
func ListBaselines(ctx context.Context, a *world.World, r ListRequest) error {
	to, err := r.To.File(ctx, a, nil)
	if err != nil {
		return err
	}
	return use(ctx, a, r.Store, nil, true, func(s *store.Store) error {
		all, err := s.Baselines(ctx)
		if err != nil {
			return err
		}
		last := []app.BaselineRevision{}
		for _, b := range all {
			if len(last) == 0 || last[len(last)-1].Name != b.Name {
				last = append(last, app.RevisionOf(b))
			}
		}
		return r.To.Show(ctx, a, to, listBaselines(last))
	})
}

// listBaselines is a table of the last revisions.
func listBaselines(list []app.BaselineRevision) *report.Document {
	const schema = "tribunal/baselines/v1"
	d := new(report.Document).Listing(schema, "baselines", baselineList{schema, list})
	if len(list) == 0 {
		d.Headline = "the store has no baselines"
	}
	t := d.NewTable("Baselines", "name", ">revision", ">runs", "set", "by", "reason").
		Names(8, "name").Names(4, "by").Names(6, "reason").Dropping("reason")
	for _, b := range list {
		t.Add(b.Name, b.Revision, len(b.Runs), b.At.UTC().Format(time.RFC3339), b.Who, b.Reason)
	}
	return d
}
