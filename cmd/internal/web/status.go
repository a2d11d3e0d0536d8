package web

import (
	"context"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/report/site"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// How far the first page looks back, and what it remembers. Chosen: over twenty suites of which none ever passed it
// takes some ten milliseconds.
const (
	lookedBack = 100         // runs of a suite
	mostReason = 1 << 20     // bytes of a result that is read to say why
	lookedAt   = 2000        // trials of a run, for those that failed
	mostStates = 1000        // suites that are remembered
	statesKept = time.Minute // by then a run may have taken the place of another
)

// suiteState is a suite as it was.
type suiteState struct {
	site.Suite
	at time.Time
}

// follows says how a suite is: the verdict of its latest run that was judged and, where that is no Pass, since when and
// why. Experiments say nothing of it. It is found out again once there is another run.
func (s *Server) follows(ctx context.Context, x *site.Suite) error {
	s.mutex.Lock()
	known, is := s.states[x.Name]
	s.mutex.Unlock()
	if is && known.SuiteRuns == x.SuiteRuns && s.now().Sub(known.at) < statesKept {
		*x = known.Suite
		return nil
	}
	if err := s.since(ctx, x); err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.states == nil || len(s.states) >= mostStates {
		s.states = map[string]suiteState{}
	}
	s.states[x.Name] = suiteState{*x, s.now()}
	return nil
}

// since is follows where nothing is remembered.
func (s *Server) since(ctx context.Context, x *site.Suite) (err error) {
	own := store.Query{Suite: x.Name, Own: true}
	if x.Latest, err = s.options.Store.Runs(ctx, own, 0, sparkRuns); err != nil {
		return err
	}
	if !walk(x, x.Latest) && x.Verdict != "" && len(x.Latest) == sparkRuns {
		earlier, err := s.options.Store.Heads(ctx, own, sparkRuns, lookedBack)
		if err != nil {
			return err
		}
		x.More = !walk(x, earlier) && len(earlier) == lookedBack
	}
	if x.Since == nil {
		return nil
	}
	// Heads have no versions.
	for _, run := range []*store.Run{x.Since, x.Passed} {
		if run != nil && run.Parts == nil {
			list, err := s.options.Store.Runs(ctx, store.Query{Run: run.ID}, 0, 1)
			if err != nil {
				return err
			}
			if len(list) > 0 {
				*run = list[0]
			}
		}
	}
	x.Why, err = s.why(ctx, x.Judged)
	return err
}

// walk goes back over runs that did not pass. It reports whether a Pass ended it: the last one, or the latest run.
func walk(x *site.Suite, runs []store.Run) (done bool) {
	for i := range runs {
		r := runs[i]
		switch {
		case r.Verdict == "pass" && x.Since == nil:
			x.Verdict, x.Kind = r.Verdict, r.Kind
			return true
		case r.Verdict == "pass":
			x.Passed = &r
			return true
		case r.Verdict == "fail" || r.Verdict == "inconclusive":
			if x.Since == nil {
				x.Verdict, x.Kind, x.Judged = r.Verdict, r.Kind, r.ID
			}
			x.Since = &r
			x.Failing++
		}
	}
	return false
}

// why says why a run did not pass.
func (s *Server) why(ctx context.Context, id string) (*site.Why, error) {
	why := &site.Why{}
	run, err := s.options.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	if run.Result != nil && len(run.Result.Text) <= mostReason {
		if d, err := documentOf(run); err == nil {
			why.Take(d)
		}
	}
	if len(why.Findings) > 0 {
		const most = 200 // among which the first trial of each cause is. Chosen
		found, err := s.options.Store.Search(ctx, store.Search{
			Query: store.Query{Run: id, Outcome: trial.Fail}, Most: most, Look: lookedAt})
		if err != nil {
			return nil, err
		}
		why.Lead(found.Trials)
	}
	if len(why.Findings) == 0 && why.Headline == "" {
		tallies, err := s.options.Store.Tallies(ctx, run.ID)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(tallies, worst)
		why.Count(tallies)
	}
	return why, nil
}
