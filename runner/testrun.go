package runner

import (
	"github.com/tribunal-dev/tribunal/runner/journal"
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
	place    int // in the launch order of its test
	scenario *scenarioRun
	number   int // within the scenario
	seed     uint64
	attempt  int // that runs or comes next
	spent    journal.Spend
	record   *trial.Trial // nil until it ends
}

func (s *slot) finished() bool { return s.record != nil }
func (s *slot) errored() bool  { return s.record != nil && s.record.Outcome == trial.Error }
func (s *slot) failed() bool   { return s.record != nil && s.record.Outcome == trial.Fail }

// testRun is a test of a run. Its trials are judged in the order of their launch.
type testRun struct {
	spec      Test
	test      *sprt.RobustTest
	scenarios []*scenarioRun
	order     *rounds
	slots     []*slot // in launch order

	inFlight int
	needed   int // how many slots beyond the judged are needed in any case; 0 is not known
	changed  bool
	written  bool // the decision is in the journal
}

func newTestRun(t Test, o *Options, inputs map[string]Scenario) (*testRun, error) {
	r := &testRun{spec: t, order: newRounds(o.Seed, "scenarios", t.Name, len(t.Scenarios))}
	for _, name := range t.Scenarios {
		r.scenarios = append(r.scenarios, &scenarioRun{spec: inputs[name]})
	}
	var err error
	r.test, err = sprt.NewRobustTest(t.Design)
	return r, err
}

func (t *testRun) maxTrials() int { return t.spec.Design.Boundaries.MaxTrials() }

// extend gives the test more trials. What was judged stays judged.
func (t *testRun) extend(more int) error {
	longer, err := t.spec.Design.Extend(more)
	if err != nil {
		return err
	}
	t.spec.Design, t.written = longer, false
	if t.test, err = sprt.NewRobustTest(longer); err != nil {
		return err
	}
	for _, s := range t.slots {
		if s.finished() && !t.ended() {
			if err := t.test.Observe(s.place, s.record.Outcome); err != nil {
				return err
			}
		}
	}
	t.needed, t.changed = 0, true
	return nil
}

func (t *testRun) ended() bool { return t.test.Decided() }

// open adds the next trial. Which scenario it is of follows from the seed and the
// number of trials before, so that a pooled test is the same in every session.
func (t *testRun) open(seed uint64) *slot {
	scenario := t.scenarios[t.order.take()]
	s := &slot{test: t, place: len(t.slots), scenario: scenario, number: scenario.trials, seed: trialSeed(seed, scenario.spec.Name, scenario.trials)}
	scenario.trials++
	t.slots = append(t.slots, s)
	return s
}

// finish takes in how a trial ended, and judges what has no gap.
func (t *testRun) finish(s *slot, record *trial.Trial) error {
	s.record = record
	t.needed, t.changed = 0, true
	if t.ended() {
		return nil // overrun
	}
	return t.test.Observe(s.place, record.Outcome)
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
		t.needed = t.test.WasteFree()
	}
	return len(t.slots)-t.test.Trials() < t.needed
}

// progress returns where the test stands.
func (t *testRun) progress() Progress {
	p := Progress{
		Test: t.spec.Name, Outcome: t.test.Outcome(), Trials: t.test.Trials(), Failures: t.test.Failures(), Errors: t.test.Errors(),
		InFlight: t.inFlight, MaxTrials: t.maxTrials(), Needed: t.test.WasteFree(), PassAtOrBelow: -1, FailAtOrAbove: sprt.Never,
	}
	if b := t.spec.Design.Boundaries; p.Trials < b.MaxTrials() {
		p.PassAtOrBelow, p.FailAtOrAbove = b.PassAtOrBelow[p.Trials], b.FailAtOrAbove[p.Trials]
	}
	return p
}
