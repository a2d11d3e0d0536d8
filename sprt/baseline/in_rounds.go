package baseline

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// Sides of a round.
const (
	BaselineSide  = 0
	CandidateSide = 1
)

// RoundsTest applies a test in rounds to trials, some of which have no outcome. Trials
// have places: that of a side in a round, both from 0 on, is 2·round + side. Only rounds
// of which both trials are known are judged, without a gap from the first round on, so
// the order in which trials end does not matter. It is a [sprt.TrialTest].
//
// An error is neither a pass nor a failure, and the decision must hold whichever it would
// have been. So rounds are judged twice: with errors of the candidate as passes and those
// of the baseline as failures, which speaks against a drop, and the other way round. The
// test fails when the first does, and passes when the second does. Where the first ended
// without a Fail and the second without a Pass, no further round could decide:
// Inconclusive. The candidate's errors never raise the error rates of the test, whatever
// they depend on; the baseline's neither as long as the stop points are ordered: see
// [Rounds.Ordered].
//
// A RoundsTest may be used by one goroutine at a time.
type RoundsTest struct {
	test     *Rounds
	outcomes []trial.Outcome // by place; Unjudged where not known yet
	low      reading         // errors speak for a drop
	high     reading         // errors speak against it
	judged   int             // rounds
	outcome  sprt.Outcome
	sides    [2]SideCounts
}

// reading is one way to count errors: how often both kinds of events happened, and where
// it ended.
type reading struct {
	baseline, candidate int
	rounds              int
	outcome             sprt.Outcome
}

// SideCounts are the judged trials of one side of a test in rounds.
type SideCounts struct {
	Trials   int // with those that ended in an error
	Failures int
	Errors   int
}

// NewRoundsTest returns a test that has seen nothing.
func NewRoundsTest(r *Rounds) *RoundsTest { return &RoundsTest{test: r} }

// Observe records what came of the trial at a place, 2·round + side, and judges the
// rounds that have no gap before them. All but a pass and a failure is an error: it might
// have been either. A trial may be observed again with the same outcome.
func (t *RoundsTest) Observe(place int, o trial.Outcome) error {
	o, err := observed(place, o)
	if err != nil {
		return err
	}
	if old := t.known(place); old != trial.Unjudged && old != o {
		return fmt.Errorf("trial %d: %w", place, sprt.ErrObserved)
	}
	for len(t.outcomes) <= place {
		t.outcomes = append(t.outcomes, trial.Unjudged)
	}
	t.outcomes[place] = o
	for t.outcome == sprt.Undecided && t.complete(t.judged) {
		t.judge()
	}
	return nil
}

// observed is what counts of an outcome: all but a pass and a failure is an error. It refuses
// places and outcomes that there are not.
func observed(place int, o trial.Outcome) (trial.Outcome, error) {
	const most = 2 * mostRoundsObserved
	switch {
	case place < 0 || place >= most:
		return o, fmt.Errorf("trial %d: places run from 0 to %d", place, most-1)
	case o > trial.Error:
		return o, fmt.Errorf("trial %d: %d is no outcome", place, o)
	case o == trial.Unjudged:
		return trial.Error, nil
	}
	return o, nil
}

// mostRoundsObserved bounds the memory of a test: more rounds than any test has, for trials that were under
// way when it ended.
const mostRoundsObserved = 20_000

// known returns what came of a trial so far.
func (t *RoundsTest) known(place int) trial.Outcome {
	if place >= len(t.outcomes) {
		return trial.Unjudged
	}
	return t.outcomes[place]
}

// complete reports whether both trials of a round are known.
func (t *RoundsTest) complete(round int) bool {
	return t.known(2*round+BaselineSide) != trial.Unjudged && t.known(2*round+CandidateSide) != trial.Unjudged
}

// judge takes in the next round.
func (t *RoundsTest) judge() {
	base, candidate := t.outcomes[2*t.judged+BaselineSide], t.outcomes[2*t.judged+CandidateSide]
	t.judged++
	for side, o := range []trial.Outcome{base, candidate} {
		t.sides[side].Trials++
		switch o {
		case trial.Fail:
			t.sides[side].Failures++
		case trial.Error:
			t.sides[side].Errors++
		}
	}
	t.low.add(t.test, base == trial.Fail, candidate != trial.Pass)
	t.high.add(t.test, base != trial.Pass, candidate == trial.Fail)
	low, high := t.low.outcome, t.high.outcome
	switch {
	case low == sprt.Pass:
		t.outcome = sprt.Pass
	case high == sprt.Fail:
		t.outcome = sprt.Fail
	case low != sprt.Undecided && high != sprt.Undecided:
		t.outcome = sprt.Inconclusive
	}
}

// add counts a round, unless the reading has ended.
func (r *reading) add(test *Rounds, baselineFails, candidateFails bool) {
	if r.outcome != sprt.Undecided {
		return
	}
	x, y := test.events(baselineFails, candidateFails)
	r.baseline += x
	r.candidate += y
	r.rounds++
	r.outcome = test.Outcome(r.rounds, r.baseline, r.candidate)
}

// events are those of a round: the failures of both sides, and of matched pairs whether
// the candidate fixed the pair or broke it.
func (r *Rounds) events(baselineFails, candidateFails bool) (baseline, candidate int) {
	if r.matched && baselineFails && candidateFails {
		return 0, 0
	}
	if baselineFails {
		baseline = 1
	}
	if candidateFails {
		candidate = 1
	}
	return baseline, candidate
}

// Test is what is applied.
func (t *RoundsTest) Test() *Rounds { return t.test }

// Outcome returns where the test stands.
func (t *RoundsTest) Outcome() sprt.Outcome { return t.outcome }

// Decided reports whether the test has ended.
func (t *RoundsTest) Decided() bool { return t.outcome != sprt.Undecided }

// Rounds returns the number of judged rounds. Once the test has ended it does not change.
func (t *RoundsTest) Rounds() int { return t.judged }

// Trials returns the number of judged trials of both sides, Failures and Errors parts of
// it.
func (t *RoundsTest) Trials() int { return 2 * t.judged }

// Failures returns the number of failures of both sides among the judged trials.
func (t *RoundsTest) Failures() int { return t.sides[0].Failures + t.sides[1].Failures }

// Errors returns the number of errors of both sides among the judged trials.
func (t *RoundsTest) Errors() int { return t.sides[0].Errors + t.sides[1].Errors }

// Side returns the judged trials of [BaselineSide] or [CandidateSide].
func (t *RoundsTest) Side(side int) SideCounts { return t.sides[side] }

// Deciding returns the rounds and events of the reading that gave the outcome, or is
// behind: that with errors against a drop where the outcome is Fail, else the other one.
// Where the test has ended they are an end of it, for [Rounds.PValues] and
// [Rounds.Difference].
func (t *RoundsTest) Deciding() (rounds, baseline, candidate int) {
	r := t.low
	if t.outcome == sprt.Fail {
		r = t.high
	}
	return r.rounds, r.baseline, r.candidate
}

// ErrorsMatter reports whether a test is Inconclusive for its errors: read in one of the
// two ways alone it would have passed or failed.
func (t *RoundsTest) ErrorsMatter() bool {
	return t.outcome == sprt.Inconclusive &&
		(t.low.outcome != sprt.Inconclusive || t.high.outcome != sprt.Inconclusive)
}

// WasteFree returns how many trials beyond the judged ones are needed in any case, those
// included that are known beyond a gap: so many may be under way, or known, without any
// being wasted. Rounds are run as a whole, so it is even. It is 0 once the test has ended.
func (t *RoundsTest) WasteFree() int {
	if t.Decided() {
		return 0
	}
	low, high := t.low, t.high
	lowOpen, highOpen := low.outcome == sprt.Undecided, high.outcome == sprt.Undecided
	lowEnds, highEnds := !lowOpen, !highOpen
	unknown := 0 // rounds
	for n := t.judged + 1; n <= t.test.MaxRounds(); n++ {
		if i := n - 1; t.complete(i) {
			base, candidate := t.outcomes[2*i+BaselineSide], t.outcomes[2*i+CandidateSide]
			x, y := t.test.events(base == trial.Fail, candidate != trial.Pass)
			low.baseline, low.candidate = low.baseline+x, low.candidate+y
			x, y = t.test.events(base != trial.Pass, candidate == trial.Fail)
			high.baseline, high.candidate = high.baseline+x, high.candidate+y
		} else {
			unknown++
		}
		if lowOpen && t.test.mayPass(n, low, unknown) || highOpen && t.test.mayFail(n, high, unknown) {
			return 2 * (n - t.judged)
		}
		// The third end: errors that could have decided it either way.
		lowEnds = lowEnds || t.test.mayFail(n, low, unknown)
		highEnds = highEnds || t.test.mayPass(n, high, unknown)
		if lowEnds && highEnds {
			return 2 * (n - t.judged)
		}
	}
	return 2 * (t.test.MaxRounds() - t.judged)
}

// mayPass reports whether a test might pass after n rounds, so many of which are unknown,
// and mayFail whether it might fail. They may say so where it cannot: then fewer are
// launched.
func (r *Rounds) mayPass(n int, known reading, unknown int) bool {
	for x := known.baseline; x <= min(known.baseline+unknown, len(r.stops.pass[n])-1); x++ {
		if known.candidate <= int(r.stops.pass[n][x]) {
			return true
		}
	}
	return false
}

func (r *Rounds) mayFail(n int, known reading, unknown int) bool {
	for x := known.baseline; x <= min(known.baseline+unknown, len(r.stops.fail[n])-1); x++ {
		if known.candidate+unknown >= int(r.stops.fail[n][x]) {
			return true
		}
	}
	return false
}

// Ordered reports whether more failures of the baseline, or more pairs that are fixed,
// never stand against a Pass, nor for a Fail. Then no error of a trial of the baseline
// raises the error rates of a [RoundsTest].
func (r *Rounds) Ordered() bool {
	for n := 1; n <= r.MaxRounds(); n++ {
		pass, fail := r.stops.pass[n], r.stops.fail[n]
		for x := 1; x < len(pass); x++ {
			most := n // events of the candidate
			if r.matched {
				most = n - x
			}
			if int(pass[x]) < min(int(pass[x-1]), most) || fail[x] < fail[x-1] && int(fail[x]) <= most {
				return false
			}
		}
	}
	return true
}

// CandidateTest applies a test of the candidate alone, such as one against a threshold, to
// the trials of a test in rounds: it has the places of a [RoundsTest], and the candidate's
// trials of rounds of which both are known are judged. It is a [sprt.TrialTest], for a
// [sprt.JointTest] of both.
type CandidateTest struct {
	test  sprt.TrialTest // over the candidate's trials, one a round
	known []trial.Outcome
}

// NewCandidateTest returns the test of the candidate's trials in rounds, by a test that
// has seen nothing.
func NewCandidateTest(test sprt.TrialTest) *CandidateTest { return &CandidateTest{test: test} }

// Observe records what came of the trial at a place, 2·round + side.
func (t *CandidateTest) Observe(place int, o trial.Outcome) error {
	o, err := observed(place, o)
	if err != nil {
		return err
	}
	other := place ^ 1
	for len(t.known) <= max(place, other) {
		t.known = append(t.known, trial.Unjudged)
	}
	if old := t.known[place]; old != trial.Unjudged && old != o {
		return fmt.Errorf("trial %d: %w", place, sprt.ErrObserved)
	}
	t.known[place] = o
	if t.known[other] == trial.Unjudged {
		return nil
	}
	return t.test.Observe(place/2, t.known[place|CandidateSide])
}

// Test is the test of the candidate's trials alone.
func (t *CandidateTest) Test() sprt.TrialTest { return t.test }

// Decided reports whether the test has ended.
func (t *CandidateTest) Decided() bool { return t.test.Decided() }

// Outcome returns where the test stands.
func (t *CandidateTest) Outcome() sprt.Outcome { return t.test.Outcome() }

// Trials returns the number of trials of both sides in the rounds that are judged.
func (t *CandidateTest) Trials() int { return 2 * t.test.Trials() }

// Failures returns the number of the candidate's failures among them.
func (t *CandidateTest) Failures() int { return t.test.Failures() }

// Errors returns the number of the candidate's errors among them.
func (t *CandidateTest) Errors() int { return t.test.Errors() }

// WasteFree returns how many trials of both sides are needed in any case.
func (t *CandidateTest) WasteFree() int { return 2 * t.test.WasteFree() }
