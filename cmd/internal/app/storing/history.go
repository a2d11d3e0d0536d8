package storing

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/stats/change"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/history"
)

// HistoryRequest asks where a metric of a suite changed over its runs.
type HistoryRequest struct {
	app.HistoryRequest
	Store app.StoreChoice
	Name  string // of the suite in the store, or its file; "" is the one that is found, or the only one
	// As an age, a date or a time; "" is all of the time.
	Since, Until string
	Unit         change.Unit // that is exchanged
	Result       deliver.Target
	Given        value.GivenOptions // the options that were given
}

// History reads the store and judges what is in it.
func History(ctx context.Context, a *world.World, r HistoryRequest) error {
	s, err := r.complete(a)
	if err != nil {
		return err
	}
	name, err := r.Store.Named(a, s)
	if err != nil {
		return err
	}
	var inputs []string
	if name != "" && !store.IsURL(name) {
		inputs = []string{name}
	}
	to, err := r.Result.File(ctx, a, inputs)
	if err != nil {
		return err
	}
	return use(ctx, a, r.Store, s, true, func(opened *store.Store) error {
		found, err := app.History(ctx, opened, r.HistoryRequest)
		if err != nil {
			return meaning(err)
		}
		return r.Result.Deliver(ctx, a, to, found)
	})
}

// meaning says how one of several suites or versions is named.
func meaning(err error) error {
	e, ok := errors.AsType[*app.SeveralError](err)
	switch {
	case !ok:
		return err
	case e.Noun == "version":
		return problem.Usage("name one by --version", "%s", e.Message())
	}
	return problem.Usage("name one: tribunal store history SUITE", "%s", e.Message())
}

// complete refuses what does not go together and completes the query. It returns the suite where a file of one is
// meant; nil is none.
func (r *HistoryRequest) complete(a *world.World) (s *suite.Suite, err error) {
	switch {
	case r.Baseline != "" && r.Metric != history.Distance:
		return nil, problem.Usage("--metric distance shows it", "%s is for distances of behaviour",
			r.Given.Origin("baseline"))
	case r.Metric != history.Rate && r.Unit == change.Trials:
		return nil, problem.Usage("omit it",
			"%s is for pass rates: of other metrics, the means of runs are exchanged", r.Given.Origin("unit"))
	}
	r.ByTrials = r.Unit == change.Trials
	for _, at := range []struct {
		flag, text string
		into       *time.Time
	}{{"since", r.Since, &r.Query.Since}, {"until", r.Until, &r.Query.Until}} {
		if at.text == "" {
			continue
		}
		moment, ok := store.ParseTime(at.text, a.Now())
		if !ok {
			return nil, problem.Usage("such as 30d, 12h, 2026-03-01 or 2026-03-01T10:00:00Z",
				"--%s %q is no age, date or time", at.flag, at.text)
		}
		*at.into = moment
	}
	if s, err = r.suite(a); err != nil {
		return nil, err
	}
	r.Query.Suite = r.Name
	if s != nil {
		r.Query.Suite = s.Name
	}
	return s, nil
}

// suite is the one whose file is named or found; nil where a name is meant, or none.
func (r *HistoryRequest) suite(a *world.World) (*suite.Suite, error) {
	if r.Name == "" {
		return suitefile.FindSuite(a)
	}
	// A corpus is a folder, and no suite; its runs are kept under its name.
	if _, err := os.Stat(r.Name); err != nil || r.Query.Kind == "conform" {
		return nil, nil
	}
	return app.LoadSuite(a.Opening, r.Name)
}
