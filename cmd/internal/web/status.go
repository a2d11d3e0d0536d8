package web

import (
	"context"
	"slices"

	"github.com/tribunal-dev/tribunal/report/site"
	"github.com/tribunal-dev/tribunal/report/store"
)

// How far the first page looks back. Chosen: over twenty suites of which none ever passed it takes some ten
// milliseconds.
const (
	lookedBack  = 200     // runs of a suite
	mostReason  = 1 << 20 // bytes of a result that is read to say why
	mostReasons = 1000    // of runs that are remembered
)

// follows says how a suite is: the verdict of its latest run that was judged and, where that is no Pass, since when and
// why. Experiments say nothing of it.
func (s *Server) follows(ctx context.Context, x *site.Suite) (err error) {
	own := store.Query{Suite: x.Name, Own: true}
	if x.Latest, err = s.options.Store.Runs(ctx, own, 0, sparkRuns); err != nil {
		return err
	}
	earlier := x.Latest
	for more := true; more && !walk(x, earlier); {
		if more = x.Verdict != "" && len(earlier) == sparkRuns; more {
			if earlier, err = s.options.Store.Heads(ctx, own, sparkRuns, lookedBack); err != nil {
				return err
			}
		}
		x.More = len(earlier) == lookedBack
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
	x.Why, err = s.why(ctx, x)
	return err
}

// walk goes back over runs that did not pass. It reports whether a Pass ended it: the last one, or the latest run.
func walk(x *site.Suite, runs []store.Run) (done bool) {
	for i := range runs {
		r := runs[i]
		switch {
		case r.Verdict == "pass" && x.Since == nil:
			x.Verdict = r.Verdict
			return true
		case r.Verdict == "pass":
			x.Passed = &r
			return true
		case r.Verdict == "fail" || r.Verdict == "inconclusive":
			if x.Since == nil {
				x.Verdict, x.Judged = r.Verdict, r.ID
			}
			x.Since = &r
			x.Failing++
		}
	}
	return false
}

// why says why the latest run of a suite that was judged did not pass. What a run says never changes, so it is read
// once.
func (s *Server) why(ctx context.Context, x *site.Suite) (*site.Why, error) {
	s.mutex.Lock()
	known := s.reasons[x.Judged]
	s.mutex.Unlock()
	if known != nil {
		return known, nil
	}
	why := &site.Why{}
	run, err := s.options.Store.Run(ctx, x.Judged)
	if err != nil {
		return nil, err
	}
	if run.Result != nil && len(run.Result.Text) <= mostReason {
		if d, err := documentOf(run); err == nil {
			why.Take(d)
		}
	}
	if len(why.Findings) == 0 && why.Headline == "" {
		tallies, err := s.options.Store.Tallies(ctx, run.ID)
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(tallies, worst)
		why.Count(tallies)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.reasons == nil || len(s.reasons) >= mostReasons {
		s.reasons = map[string]*site.Why{}
	}
	s.reasons[x.Judged] = why
	return why, nil
}
