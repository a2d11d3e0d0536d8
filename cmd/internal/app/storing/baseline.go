package storing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Revision asks to make a revision of the name of a baseline.
type Revision struct {
	Store       app.StoreChoice
	Name        string
	Reason, Who string // "" for Who is who is logged in, or who the build server says
	// After it is no baseline any more; not known, it is that of the revision before.
	MaxAge trial.Optional[time.Duration]
	sized  bool // that it is large enough has been looked at
}

// SetRequest asks to give a name to runs.
type SetRequest struct {
	Revision
	Runs []string // beginnings of IDs, or queries
}

// SetBaseline gives a name to runs of a store.
func SetBaseline(ctx context.Context, a *world.World, r SetRequest) error {
	if err := checkName(r.Name); err != nil {
		return err
	}
	return use(ctx, a, r.Store, nil, false, func(s *store.Store) error {
		ids, err := runsNamed(ctx, a, s, r.Runs)
		if err != nil {
			return err
		}
		return r.set(ctx, a, s, ids)
	})
}

// PromoteRequest asks to let a run that passed its gate be the baseline.
type PromoteRequest struct {
	Revision
	From      string // the run, or the baseline whose runs are promoted
	Candidate bool   // it is a baseline
	Force     bool   // promotes what passed no gate
}

// PromoteBaseline checks the gate of each run, and makes the revision.
func PromoteBaseline(ctx context.Context, a *world.World, r PromoteRequest) error {
	if r.Force && r.Reason == "" {
		return problem.Usage("add --reason", "--force promotes what passed no gate, and says why")
	}
	if err := checkName(r.Name); err != nil {
		return err
	}
	return use(ctx, a, r.Store, nil, false, func(s *store.Store) error {
		ids, err := r.runs(ctx, a, s)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if r.Force {
				break
			}
			if err := app.PassedGate(ctx, s, id); err != nil {
				return err
			}
		}
		return r.set(ctx, a, s, ids)
	})
}

// runs are the IDs of what is promoted.
func (r *PromoteRequest) runs(ctx context.Context, a *world.World, s *store.Store) ([]string, error) {
	if !r.Candidate {
		return runsNamed(ctx, a, s, []string{r.From})
	}
	b, err := s.Baseline(ctx, r.From)
	if err != nil {
		return nil, err
	}
	return b.Runs, nil
}

// checkName refuses what can be no name of a baseline.
func checkName(text string) error {
	if !app.IsBaselineName(text) {
		return problem.Usage("such as main: letters, digits, dots, dashes and underscores", "%s is no name of a baseline",
			prose.Quote(text))
	}
	return nil
}

// whoVariables say who is at work: those of build servers first.
var whoVariables = []string{"GITHUB_ACTOR", "GITLAB_USER_LOGIN", "BUILDKITE_BUILD_CREATOR", "CIRCLE_USERNAME", "USER",
	"LOGNAME", "USERNAME"}

// set makes the revision.
func (r *Revision) set(ctx context.Context, a *world.World, s *store.Store, ids []string) error {
	found, changed, err := app.CheckBaseline(ctx, s, r.Name, ids)
	if err != nil {
		return err
	}
	b := store.Baseline{Name: r.Name, Runs: ids, Reason: r.Reason, Who: r.Who, At: a.Now()}
	if b.Who == "" {
		for _, variable := range whoVariables {
			b.Who = cmp.Or(b.Who, a.Env.Get(variable))
		}
	}
	b.Policy.MaxAge = r.MaxAge.Value
	if !r.MaxAge.Known {
		all, err := s.Baselines(ctx)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(all, func(o store.Baseline) bool { return o.Name == r.Name }); i >= 0 {
			b.Policy = all[i].Policy
		}
	}
	set, err := s.SetBaseline(ctx, b)
	if err != nil {
		return err
	}
	for _, line := range changed {
		a.Warn("the agents of the runs differ, and their rate is one of both: " + prose.Printable(line))
	}
	if !r.sized {
		r.warnOfSize(a, found)
	}
	text := fmt.Sprintf("baseline %s, revision %d: %s", set.Name, set.Revision, prose.Count(len(set.Runs), "run"))
	if set.Policy.MaxAge > 0 {
		text += ", may be " + phrase.Age(set.Policy.MaxAge) + " old"
	}
	_, err = fmt.Fprintln(a.Out, text)
	return err
}

// warnOfSize warns of a baseline of the suite of this folder that is too small for its tests.
func (r *Revision) warnOfSize(a *world.World, found *runs.Baseline) {
	file, err := app.FindSuite()
	if err != nil || file == "" {
		return
	}
	s, err := app.LoadSuite(a.Opening, file)
	if err != nil || s.Name != found.First().Suite {
		return
	}
	tests := map[string]suite.Test{}
	for _, c := range s.Scenarios {
		tests[c.Name] = c.Test
	}
	var all baseline.Outcome
	for _, recorded := range found.First().Tests {
		one, err := found.Recorded(recorded.Name)
		if err != nil {
			return
		}
		all.Trials, all.Failures = all.Trials+one.Outcome.Trials, all.Failures+one.Outcome.Failures
		if t, is := tests[recorded.Name]; is && s.Test.By != suite.BySuite {
			r.warnIfSmall(a, recorded.Name, t, one.Outcome, s, 1)
		}
	}
	if s.Test.By == suite.BySuite {
		r.warnIfSmall(a, s.Name, s.Test, all, s, len(s.Scenarios))
	}
}

// warnIfSmall warns where what was recorded of so many scenarios is too little for a test.
func (r *Revision) warnIfSmall(
	a *world.World, name string, t suite.Test, o baseline.Outcome, s *suite.Suite, scenarios int,
) {
	questions := 1
	if s.Gated() && scenarios == 1 {
		questions = len(s.Scenarios)
	}
	rate := float64(o.Trials-o.Failures) / float64(o.Trials)
	if t.Against.SideBySide || t.Against.Guard != 0 || !(rate > t.Delta) {
		return
	}
	q := baseline.Question{Delta: t.Delta, Alpha: t.Alpha / float64(questions), Beta: t.Beta}
	needed := q.Enough(rate)
	if s.Test.Joint() {
		needed = scenarios * t.Enough(s.Scenarios, rate)
	}
	if needed > o.Trials {
		a.Warn(fmt.Sprintf("to tell a drop of %v a baseline that passes %.4g%% of its trials takes about %d of %s, and %s "+
			"has %d: tribunal store baseline record %s --trials %d", t.Delta, 100*rate, needed, prose.Excerpt(name), r.Name,
			o.Trials, r.Name, (needed+scenarios-1)/scenarios))
	}
}

// runsNamed are the IDs of the runs that arguments mean, each once, in their order; those of a query are the latest
// last.
func runsNamed(ctx context.Context, a *world.World, s *store.Store, args []string) (ids []string, err error) {
	add := func(id string) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, text := range args {
		if !strings.Contains(text, "=") {
			r, err := s.Run(ctx, text)
			if err != nil {
				return nil, err
			}
			add(r.ID)
			continue
		}
		q, err := store.ParseQuery(text, a.Now())
		if err != nil {
			return nil, err
		}
		list, err := s.Runs(ctx, q, 0, mostRunsNamed+1)
		switch {
		case err != nil:
			return nil, err
		case len(list) == 0:
			return nil, problem.BadInput("the store "+prose.FileName(s.String())+" holds no run of "+prose.Quote(text),
				"tribunal store history lists its runs")
		case len(list) > mostRunsNamed:
			return nil, problem.BadInput(fmt.Sprintf("%s means more than %d runs", prose.Quote(text), mostRunsNamed),
				"add last=3")
		}
		for _, r := range slices.Backward(list) {
			add(r.ID)
		}
	}
	return ids, nil
}

// mostRunsNamed bounds the runs of a query: a baseline can have no more.
const mostRunsNamed = 100
