package runner

import (
	"github.com/tribunal-dev/tribunal/runner/journal"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// scenarioRun is a scenario of a run: what is asked, and how often it was so far.
type scenarioRun struct {
	spec   Scenario
	trials int // launched
}

// trialRun is one trial, in the place of its test that its launch gave it. Its record
// is what the result says of it.
type trialRun struct {
	Record
	test     *testRun
	scenario *scenarioRun
	place    int // in the launch order of its test
	attempt  int // that runs or comes next
}

// key is what the journal names the trial by.
func (t *trialRun) key() journal.Key {
	return journal.Key{Scenario: t.Scenario, Variant: t.Variant, Number: t.Number}
}

// finished reports whether the trial has ended, with whatever outcome.
func (t *trialRun) finished() bool { return t.Trial != nil }

// errored reports whether the trial ended without an outcome that can be judged.
func (t *trialRun) errored() bool { return t.finished() && t.Trial.Outcome == trial.Error }

// failed reports whether the trial ended and did not pass.
func (t *trialRun) failed() bool { return t.finished() && t.Trial.Outcome == trial.Fail }

// testRun is a test of a run. Its trials are judged in the order of their launch.
//
// It joins three things: the sequential test, which sees outcomes alone; the trials that were launched for
// it; and the order in which scenarios are drawn.
type testRun struct {
	spec      Test
	agent     Agent // that its trials are of
	test      *sprt.RobustTest
	scenarios []*scenarioRun
	order     *rounds     // of the scenarios
	trials    []*trialRun // in launch order

	inFlight int  // attempts
	needed   int  // how many trials beyond the judged are needed in any case; 0 is not known
	changed  bool // since progress was last told
	written  bool // the decision is in the journal
}

// newTestRun begins a test, with the scenarios that it names; the name is that which the
// order of the scenarios is drawn by.
func newTestRun(t Test, o *Options, inputs map[string]Scenario, order string) (*testRun, error) {
	r := &testRun{spec: t, agent: o.agent(t.Variant), order: newRounds(o.Seed, "scenarios", order, len(t.Scenarios))}
	for _, name := range t.Scenarios {
		r.scenarios = append(r.scenarios, &scenarioRun{spec: inputs[name]})
	}
	var err error
	r.test, err = sprt.NewRobustTest(t.Design)
	return r, err
}

// maxTrials is how many trials the design has at most.
func (t *testRun) maxTrials() int { return t.spec.Design.Boundaries.MaxTrials() }

// extend gives the test more trials. What was judged stays judged: the longer test
// observes the same trials from the first one on.
func (t *testRun) extend(more int) error {
	longer, err := t.spec.Design.Extend(more)
	if err != nil {
		return err
	}
	t.spec.Design = longer
	t.written = false
	t.test, err = sprt.NewRobustTest(longer)
	if err != nil {
		return err
	}
	for _, s := range t.trials {
		if s.finished() && !t.ended() {
			if err := t.test.Observe(s.place, s.Trial.Outcome); err != nil {
				return err
			}
		}
	}
	t.needed = 0
	t.changed = true
	return nil
}

// ended reports whether the test needs no more trials: it has decided, or used them up.
func (t *testRun) ended() bool { return t.test.Decided() }

// goesOn reports whether the test may have another trial, now or later.
func (t *testRun) goesOn() bool { return !t.ended() && len(t.trials) < t.maxTrials() }

// rounds returns how many rounds of its group the test has been through.
func (t *testRun) rounds() int { return len(t.trials) }

// open adds the next trial. Which scenario it is of follows from the seed and the
// number of trials before, so that a pooled test is the same in every session.
func (t *testRun) open(seed uint64) *trialRun {
	scenario := t.scenarios[t.order.take()]
	opened := &trialRun{
		Record: Record{
			Test: t.spec.Name, Scenario: scenario.spec.Name, Variant: t.spec.Variant, Number: scenario.trials,
			Seed: trialSeed(seed, scenario.spec.Name, scenario.trials),
		},
		test: t, scenario: scenario, place: len(t.trials),
	}
	scenario.trials++
	t.trials = append(t.trials, opened)
	return opened
}

// finish takes in how a trial ended, and judges what has no gap: the trials in launch
// order up to the first that has not ended. The test itself waits for gaps to close: an outcome may be
// observed before those of earlier places.
func (t *testRun) finish(s *trialRun, record *trial.Trial) error {
	s.Trial = record
	t.needed = 0
	t.changed = true
	if t.ended() {
		return nil // overrun
	}
	return t.test.Observe(s.place, record.Outcome)
}

// room returns whether one more trial may be launched. Unless all workers are to be busy,
// it is so only for a trial that the test needs whatever those in flight come to.
//
// WasteFree is the number of further trials that no outcome of those in flight could make needless; it is
// kept until an outcome changes it.
func (t *testRun) room(eager bool) bool {
	switch {
	case t.ended():
		return false
	case eager:
		return len(t.trials) < t.maxTrials()
	}
	if t.needed == 0 {
		t.needed = t.test.WasteFree()
	}
	return len(t.trials)-t.test.Trials() < t.needed
}

// progress returns where the test stands.
func (t *testRun) progress() Progress {
	p := Progress{
		Test: t.spec.Name, Outcome: t.test.Outcome(),
		Trials: t.test.Trials(), Failures: t.test.Failures(), Errors: t.test.Errors(),
		InFlight: t.inFlight, MaxTrials: t.maxTrials(), Needed: t.test.WasteFree(),
		PassAtOrBelow: -1, FailAtOrAbove: sprt.Never,
	}
	if b := t.spec.Design.Boundaries; p.Trials < b.MaxTrials() {
		p.PassAtOrBelow = b.PassAtOrBelow[p.Trials]
		p.FailAtOrAbove = b.FailAtOrAbove[p.Trials]
	}
	return p
}
