package runs

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Family is the saved form of a test against a baseline: all that it takes to judge by it again.
// Exactly one of its members is there. Many scenarios may share one.
type Family struct {
	Stored *baseline.Record       `json:"stored,omitempty"` // a pair of boundaries for every outcome of the baseline
	Rounds *baseline.RoundsRecord `json:"rounds,omitempty"` // of both sides
}

// families are those of the tests, each once, in their order.
func (e Evidence) families() (list []Family) {
	seen := map[string]bool{}
	for _, t := range e.Tests {
		switch {
		case t.Against == nil:
		case t.Against.Stored != nil:
			if digest := t.Against.Stored.Family.Digest(); !seen[digest] {
				seen[digest] = true
				list = append(list, Family{Stored: new(t.Against.Stored.Family.Record())})
			}
		case t.Against.Rounds != nil:
			if digest := t.Against.Rounds.Digest(); !seen[digest] {
				seen[digest] = true
				list = append(list, Family{Rounds: new(t.Against.Rounds.Record())})
			}
		}
	}
	return list
}

// against are the families of a saved result by their digests, ready to judge by.
type against map[string]Against

// against reads the families again; each must be the one that its digest names.
func (r *Result) against() (against, error) {
	read := against{}
	for i, f := range r.Families {
		path := fmt.Sprintf("families[%d]", i)
		var digest string
		var a Against
		var err error
		switch {
		case f.Stored != nil && f.Rounds == nil:
			digest, a.Stored = f.Stored.Digest, &StoredBaseline{}
			a.Stored.Family, err = f.Stored.Family()
		case f.Rounds != nil && f.Stored == nil:
			digest = f.Rounds.Digest
			a.Rounds, err = f.Rounds.Rounds()
		default:
			err = fmt.Errorf("none, or two")
		}
		if err != nil {
			return nil, &verdict.DifferenceError{Path: path, Have: err.Error(), Want: "one test against a baseline"}
		}
		if err := a.tooLarge(); err != nil {
			return nil, &verdict.DifferenceError{Path: path, Have: err.Error(), Want: "one that can be proved again"}
		}
		if _, twice := read[digest]; twice {
			return nil, &verdict.DifferenceError{Path: path, Have: digest, Want: "a family that is not there twice"}
		}
		read[digest] = a
	}
	return read, nil
}

// mostPoints bounds the lattice points of all boundaries of a family that is read. To prove its errors
// again takes a few minutes at most; plans have far fewer.
const mostPoints = 1e11

// tooLarge says that a family of a document has more points than it would take minutes to prove the
// errors of: a document may claim anything.
func (a Against) tooLarge() error {
	if a.Stored == nil {
		return nil // rounds have few
	}
	outcomes, n := len(a.Stored.Family.Sample().Outcomes()), float64(a.Stored.Family.MaxTrials())
	if points := float64(outcomes) * n * n / 2; points > mostPoints {
		return fmt.Errorf("boundaries of %d trials for each of %d outcomes", a.Stored.Family.MaxTrials(), outcomes)
	}
	return nil
}

// of rebuilds what a test was against from its saved form. A path is where the test stands.
func (known against) of(r *Regression, path string) (*Against, error) {
	path += ".regression"
	a, ok := known[r.Family]
	if !ok {
		return nil, &verdict.DifferenceError{Path: path + ".family", Have: r.Family, Want: "a family that is there"}
	}
	if a.Rounds != nil {
		a.Gamma, a.Changed = r.Gamma, r.Source.Changed
		return &a, nil
	}
	s := &StoredBaseline{Family: a.Stored.Family, Errors: r.Baseline.Errors, Source: r.Source}
	s.Outcome = baseline.Outcome{Trials: r.Baseline.Trials, Failures: r.Baseline.Fails}
	if (r.Best == nil) != (r.Worst == nil) {
		return nil, &verdict.DifferenceError{Path: path + ".baseline_with_errors_passed", Have: "one end of the baseline",
			Want: "both, or none"}
	}
	if r.Best != nil {
		s.Outcome = baseline.Outcome{Trials: r.Best.Trials, Failures: r.Best.Failures}
		s.Worst = baseline.Outcome{Trials: r.Worst.Trials, Failures: r.Worst.Failures}
		if s.Family.Sample().Record().Pooled != nil {
			if !s.counts(r.Baseline) {
				return nil, &verdict.DifferenceError{Path: path + ".baseline", Have: r.Baseline.Text(),
					Want: "the trials of runs that came to both ends of the baseline"}
			}
			s.Counted = r.Baseline
		}
	}
	return &Against{Stored: s}, nil
}

// counts reports whether runs that were pooled may have had so many trials and come to the ends that they did. A run
// has as many trials as the longer of its two ends.
func (s *StoredBaseline) counts(c Side) bool {
	best, worst := s.Outcome, s.Worst
	return c.Passes >= 0 && c.Fails >= max(best.Failures, worst.Failures-c.Errors) && c.Errors >= 0 &&
		c.Trials == c.Passes+c.Fails+c.Errors && c.Trials >= max(best.Trials, worst.Trials) &&
		c.Trials <= best.Trials+worst.Trials
}
