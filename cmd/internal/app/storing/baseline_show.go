package storing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
)

// ShowRequest asks what a baseline is.
type ShowRequest struct {
	Store app.StoreChoice
	Name  string
	JSON  bool
}

// ShowBaseline prints what a baseline is.
func ShowBaseline(ctx context.Context, a *world.World, r ShowRequest) error {
	return use(ctx, a, r.Store, nil, true, func(s *store.Store) error {
		state, err := app.DescribeBaseline(ctx, s, r.Name, a.Now())
		if err != nil {
			return err
		}
		if r.JSON {
			return report.JSON(a.Out, state)
		}
		return showBaseline(a, state)
	})
}

// showBaseline prints a state.
func showBaseline(a *world.World, b *app.BaselineState) error {
	var text strings.Builder
	fmt.Fprintf(&text, "baseline %s, revision %d, set %s\n", b.Name, b.Revision, setBy(b.At, b.Who, b.Reason))
	old := "its age is not known"
	if b.Age != nil {
		old = phrase.Age(time.Duration(*b.Age*float64(time.Second))) + " old"
	}
	switch {
	case b.TooOld:
		fmt.Fprintf(&text, "too old: %s, and may be %s\n", old, ageOf(b.MaxAge))
	case b.MaxAge > 0:
		fmt.Fprintf(&text, "%s, and may be %s\n", old, ageOf(b.MaxAge))
	default:
		fmt.Fprintln(&text, old)
	}
	if b.Problem != "" {
		fmt.Fprintf(&text, "nothing can be tested against it: %s\n", prose.Printable(b.Problem))
	}
	for _, write := range []func(*world.World, *strings.Builder, *app.BaselineState) error{
		baselineRuns, baselineRates, baselineRevisions,
	} {
		if err := write(a, &text, b); err != nil {
			return err
		}
	}
	_, err := fmt.Fprint(a.Out, text.String())
	return err
}

// ageOf is an age in seconds in words.
func ageOf(seconds float64) string { return phrase.Age(time.Duration(seconds * float64(time.Second))) }

// setBy says when a revision was set, by whom and why.
func setBy(at time.Time, who, reason string) string {
	text := at.UTC().Format(time.RFC3339)
	if who != "" {
		text += " by " + prose.Printable(who)
	}
	if reason != "" {
		text += ": " + prose.Printable(reason)
	}
	return text
}

// shownID is as much of a run's ID as people are shown.
func shownID(id string) string { return id[:min(len(id), keeping.IDDigits)] }

// lines writes a table under a title.
func lines(a *world.World, text *strings.Builder, title string, page table.Table) error {
	page.Width, page.Indent, page.Ellipsis = world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth).Width, 2, "..."
	lines, err := page.Lines()
	if err != nil {
		return err
	}
	fmt.Fprintf(text, "\n%s\n%s\n", title, strings.Join(lines, "\n"))
	return nil
}

func baselineRuns(a *world.World, text *strings.Builder, b *app.BaselineState) error {
	if len(b.Runs) == 0 {
		return nil
	}
	page := table.Table{Columns: []table.Column{
		{Header: "run"}, {Header: "suite", Least: 6}, {Header: "finished"}, {Header: "passed", Align: table.Right},
		{Header: "trials", Align: table.Right}, {Header: "errors", Align: table.Right, Drop: 1},
	}}
	for _, r := range b.Runs {
		page.Rows = append(page.Rows, []string{shownID(r.ID), prose.Printable(r.Suite), prose.Printable(r.Finished),
			fmt.Sprint(r.Passes), fmt.Sprint(r.Trials), fmt.Sprint(r.Errors)})
	}
	if err := lines(a, text, "Runs", page); err != nil {
		return err
	}
	for _, r := range b.Runs {
		for _, line := range r.Changed {
			fmt.Fprintf(text, "  %s, beside the first: %s\n", shownID(r.ID), prose.Printable(line))
		}
	}
	return nil
}

func baselineRates(a *world.World, text *strings.Builder, b *app.BaselineState) error {
	if len(b.Rates) == 0 {
		return nil
	}
	page := table.Table{Columns: []table.Column{
		{Header: "scenario", Least: 10}, {Header: "baseline", Align: table.Right}, {Header: "95% interval"},
		{Header: "later", Align: table.Right}, {Header: "95% interval"}, {Header: ""},
	}}
	for _, r := range b.Rates {
		row := append([]string{prose.Printable(r.Test)}, observed(&r.Observed)...)
		row = append(row, observed(r.Later)...)
		if r.Apart {
			row = append(row, "drifted")
		}
		page.Rows = append(page.Rows, row)
	}
	return lines(a, text, "Rates, and those of "+prose.Count(b.LaterRuns, "later run"), page)
}

// observed is a rate and its interval; "-" where there are no trials.
func observed(o *app.Observed) []string {
	if o == nil {
		return []string{"-", ""}
	}
	return []string{fmt.Sprintf("%d/%d", o.Passes, o.Trials), phrase.Rate(o.Low) + " to " + phrase.Rate(o.High)}
}

func baselineRevisions(a *world.World, text *strings.Builder, b *app.BaselineState) error {
	if len(b.Revisions) < 2 {
		return nil
	}
	fmt.Fprintf(text, "\nRevisions\n")
	for _, r := range b.Revisions {
		fmt.Fprintf(text, "  %d, of %s, %s\n", r.Revision, prose.Count(len(r.Runs), "run"), setBy(r.At, r.Who, r.Reason))
	}
	return nil
}

// baselineList is the list as JSON.
type baselineList struct {
	Schema    string                 `json:"schema"`
	Baselines []app.BaselineRevision `json:"baselines"` // the last revision of each name
}

// ListRequest asks for the baselines of a store.
type ListRequest struct {
	Store app.StoreChoice
	JSON  bool
}

// ListBaselines prints the last revision of each name.
func ListBaselines(ctx context.Context, a *world.World, r ListRequest) error {
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
		if r.JSON {
			return report.JSON(a.Out, baselineList{"tribunal/baselines/v1", last})
		}
		return listBaselines(a, last)
	})
}

// listBaselines prints the last revisions.
func listBaselines(a *world.World, list []app.BaselineRevision) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.Out, "the store has no baselines")
		return err
	}
	page := table.Table{Columns: []table.Column{
		{Header: "name", Least: 8}, {Header: "revision", Align: table.Right}, {Header: "runs", Align: table.Right},
		{Header: "set"}, {Header: "by", Least: 4}, {Header: "reason", Least: 6, Drop: 1},
	}}
	for _, b := range list {
		page.Rows = append(page.Rows, []string{b.Name, fmt.Sprint(b.Revision), fmt.Sprint(len(b.Runs)),
			b.At.UTC().Format(time.RFC3339), prose.Printable(b.Who), prose.Printable(b.Reason)})
	}
	return deliver.PrintTable(a, page)
}
