package runs

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
)

// rounds is a test of two sides, a trial of each in every round. It is judged twice: with
// all errors against the candidate, and with all errors for it.
type rounds struct {
	test     *baseline.Rounds
	outcomes []trial.Outcome // by place; Unjudged where not known yet
	judged   int             // rounds
	against  roundsSide      // errors of the candidate are failures, those of the baseline passes
	favour   roundsSide      // the other way round
	outcome  sprt.Outcome
}

// roundsSide is one of the two ways to judge errors.
type roundsSide struct {
	baseline, candidate int // events
	rounds              int // at which it ended
	outcome             sprt.Outcome
}

// add judges the next round.
func (s *roundsSide) add(test *baseline.Rounds, round int, baselinePassed, candidatePassed bool) {
	if s.outcome != sprt.Undecided {
		return
	}
	// Of matched pairs a pair in which both fail tells nothing.
	both := test.Matched() && !baselinePassed && !candidatePassed
	if !baselinePassed && !both {
		s.baseline++
	}
	if !candidatePassed && !both {
		s.candidate++
	}
	s.rounds, s.outcome = round, test.Outcome(round, s.baseline, s.candidate)
}

func (r *rounds) Observe(place int, o trial.Outcome) error {
	switch {
	case place < 0 || place >= r.MaxTrials():
		return fmt.Errorf("trial %d: places run from 0 to %d", place, r.MaxTrials()-1)
	case o > trial.Error:
		return fmt.Errorf("trial %d: %d is no outcome", place, o)
	case o == trial.Unjudged:
		o = trial.Error
	}
	for len(r.outcomes) <= place {
		r.outcomes = append(r.outcomes, trial.Unjudged)
	}
	if old := r.outcomes[place]; old != trial.Unjudged && old != o {
		return fmt.Errorf("trial %d: %w", place, sprt.ErrObserved)
	}
	r.outcomes[place] = o
	for !r.Decided() && 2*r.judged+1 < len(r.outcomes) && settled(r.outcomes[2*r.judged:2*r.judged+2]) {
		b, c := r.outcomes[2*r.judged], r.outcomes[2*r.judged+1]
		r.judged++
		r.against.add(r.test, r.judged, b != trial.Fail, c == trial.Pass)
		r.favour.add(r.test, r.judged, b == trial.Pass, c != trial.Fail)
		switch {
		case r.against.outcome == sprt.Pass:
			r.outcome = sprt.Pass
		case r.favour.outcome == sprt.Fail:
			r.outcome = sprt.Fail
		case r.against.outcome != sprt.Undecided && r.favour.outcome != sprt.Undecided:
			r.outcome = sprt.Inconclusive
		}
	}
	return nil
}

func (r *rounds) Decided() bool { return r.outcome != sprt.Undecided }

func (r *rounds) Outcome() sprt.Outcome { return r.outcome }

func (r *rounds) Trials() int { return 2 * r.judged }

func (r *rounds) Failures() int { return count(r.outcomes[:r.Trials()], trial.Fail) }

func (r *rounds) Errors() int { return count(r.outcomes[:r.Trials()], trial.Error) }

func (r *rounds) MaxTrials() int { return 2 * r.test.MaxRounds() }

func (r *rounds) Boundaries() (sprt.Boundaries, bool) { return sprt.Boundaries{}, false }

// WasteFree looks for the fewest rounds in which a side that is open may end. Stop points need
// not be ordered: no event in four pairs may pass where one does not, so all counts are tried.
func (r *rounds) WasteFree() int {
	if r.Decided() {
		return 0
	}
	for k := 1; r.judged+k < r.test.MaxRounds(); k++ {
		if r.against.mayEnd(r.test, r.judged, k) || r.favour.mayEnd(r.test, r.judged, k) {
			return 2 * k
		}
	}
	return 2 * (r.test.MaxRounds() - r.judged)
}

// mayEnd reports whether the side, open so far, may end after k more rounds.
func (s *roundsSide) mayEnd(test *baseline.Rounds, judged, k int) bool {
	if s.outcome != sprt.Undecided {
		return false
	}
	for b := range k + 1 {
		most := k
		if test.Matched() {
			most = k - b // a pair has one event at most
		}
		for c := range most + 1 {
			if test.Outcome(judged+k, s.baseline+b, s.candidate+c) != sprt.Undecided {
				return true
			}
		}
	}
	return false
}
