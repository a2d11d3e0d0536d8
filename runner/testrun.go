package runner

import (
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// scenarioRun is a scenario of a run.
type scenarioRun struct {
	spec   Scenario
	trials int // launched
}

// slot is one trial, in the place of its test that its launch gave it.
type slot struct {
	test     *testRun
	scenario *scenarioRun
	number   int // within the scenario
	seed     uint64
	attempt  int // that runs or comes next
	spent    Spent
	record   *trial.Trial // nil until it ends
}

func (s *slot) finished() bool { return s.record != nil }
func (s *slot) errored() bool  { return s.record != nil && s.record.Outcome == trial.Error }
func (s *slot) failed() bool   { return s.record != nil && s.record.Outcome == trial.Fail }

// testRun is a test of a run. Its trials are judged in the order of their launch.
//
// An error is neither a pass nor a failure, and the test must hold whichever it
// would have been: the trials are judged twice, with all errors as failures and with
// all errors as passes. The test passes when the first does, and fails when the
// second does. Without errors the two are one. A pass rate at which the design
// errs with some probability errs with no more here: the first sees no more passes
// than there are, the second no fewer.
type testRun struct {
	spec      Test
	low, high *sprt.Test // errors are failures; errors are passes
	scenarios []*scenarioRun
	order     *rounds
	slots     []*slot // in launch order
	judged    int     // slots
	failures  int     // among the judged
	errors    int     // among the judged

	inFlight int
	needed   int // how many slots beyond the judged are needed in any case; 0 is not known
	changed  bool
}

func newTestRun(t Test, o *Options, inputs map[string]Scenario) (*testRun, error) {
	r := &testRun{spec: t, order: newRounds(o.Seed, "scenarios", t.Name, len(t.Scenarios))}
	for _, name := range t.Scenarios {
		r.scenarios = append(r.scenarios, &scenarioRun{spec: inputs[name]})
	}
	var err error
	if r.low, err = sprt.NewTest(t.Design); err != nil {
		return nil, err
	}
	r.high, err = sprt.NewTest(t.Design)
	return r, err
}

func (t *testRun) maxTrials() int { return t.spec.Design.Boundaries.MaxTrials() }

// outcome returns where the test stands.
func (t *testRun) outcome() sprt.Outcome {
	switch {
	case t.low.Outcome() == sprt.Pass:
		return sprt.Pass
	case t.high.Outcome() == sprt.Fail:
		return sprt.Fail
	case t.low.Decided() && t.high.Decided():
		return sprt.Inconclusive // used up, or the errors decide
	}
	return sprt.Undecided
}

func (t *testRun) ended() bool { return t.outcome() != sprt.Undecided }

// open adds the next trial. Which scenario it is of follows from the seed and the
// number of trials before, so that a pooled test is the same in every session.
func (t *testRun) open(seed uint64) *slot {
	scenario := t.scenarios[t.order.take()]
	s := &slot{test: t, scenario: scenario, number: scenario.trials, seed: trialSeed(seed, scenario.spec.Name, scenario.trials)}
	scenario.trials++
	t.slots = append(t.slots, s)
	return s
}

// finish takes in how a trial ended.
func (t *testRun) finish(s *slot, record *trial.Trial) {
	s.record = record
	t.needed, t.changed = 0, true
}

// judge judges what has no gap.
func (t *testRun) judge() error {
	for ; !t.ended() && t.judged < len(t.slots) && t.slots[t.judged].finished(); t.judged++ {
		s := t.slots[t.judged]
		if err := t.low.Observe(t.judged, !s.failed() && !s.errored()); err != nil {
			return err
		}
		if err := t.high.Observe(t.judged, !s.failed()); err != nil {
			return err
		}
		switch {
		case s.failed():
			t.failures++
		case s.errored():
			t.errors++
		}
	}
	t.needed = 0
	return nil
}

// room returns whether one more trial may be launched.
func (t *testRun) room(eager bool) bool {
	switch {
	case t.ended():
		return false
	case eager:
		return len(t.slots) < t.maxTrials()
	}
	if t.needed == 0 {
		t.needed = t.wasteFree()
	}
	return len(t.slots)-t.judged < t.needed
}

// wasteFree returns how many trials beyond the judged ones are needed however those
// end that are not known yet. It is [sprt.Test.WasteFree] where none is known, and
// more where a known one beyond a gap rules out the quickest end.
func (t *testRun) wasteFree() int {
	b := t.spec.Design.Boundaries
	failures := t.failures // known ones
	errors := t.errors
	unknown := 0
	lowEnds, highEnds := t.low.Decided(), t.high.Decided()
	for next := t.judged; next < t.maxTrials(); next++ {
		switch {
		case next >= len(t.slots) || !t.slots[next].finished():
			unknown++
		case t.slots[next].failed():
			failures++
		case t.slots[next].errored():
			errors++
		}
		pass := failures+errors <= b.PassAtOrBelow[next] && !t.low.Decided()
		fail := failures+unknown >= b.FailAtOrAbove[next] && !t.high.Decided()
		if pass || fail {
			return next + 1 - t.judged
		}
		// The third end: errors that would decide it either way.
		lowEnds = lowEnds || failures+errors+unknown >= b.FailAtOrAbove[next]
		highEnds = highEnds || failures <= b.PassAtOrBelow[next]
		if lowEnds && highEnds {
			return next + 1 - t.judged
		}
	}
	return t.maxTrials() - t.judged
}

// progress returns where the test stands.
func (t *testRun) progress() Progress {
	p := Progress{
		Test: t.spec.Name, Outcome: t.outcome(), Trials: t.judged, Failures: t.failures, Errors: t.errors,
		InFlight: t.inFlight, MaxTrials: t.maxTrials(), PassAtOrBelow: -1, FailAtOrAbove: sprt.Never,
	}
	if b := t.spec.Design.Boundaries; p.Trials < b.MaxTrials() {
		p.PassAtOrBelow, p.FailAtOrAbove = b.PassAtOrBelow[p.Trials], b.FailAtOrAbove[p.Trials]
	}
	return p
}
