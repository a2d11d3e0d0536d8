package runner

import (
	"time"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/wire"
)

// scenarioRun is a scenario of a run: what is asked, and how often it was so far.
type scenarioRun struct {
	spec   Scenario
	trials int // launched, of a test in rounds on each side
}

// trialRun is one trial, in the place of its test that its launch gave it. Its record
// is what the result says of it.
type trialRun struct {
	Record
	test     *testRun
	scenario *scenarioRun
	at       int           // in the run, in launch order
	place    int           // in its test: that of the launch order, or 2·round and 1 more for the candidate
	attempt  int           // that runs or comes next
	after    time.Duration // how long it waits at least
}

// key is what the journal names the trial by.
func (t *trialRun) key() journal.Key {
	return journal.Key{Scenario: t.Scenario, Variant: t.Variant, Baseline: t.Baseline, Number: t.Number}
}

// request is what the agent is asked in the attempt that comes next.
func (t *trialRun) request() Request {
	return Request{
		Scenario: t.Scenario, Variant: t.Variant, Rounds: t.test.spec.inRounds(), Baseline: t.Baseline,
		Input: t.scenario.spec.Input, Trial: t.Number, Seed: t.Seed, Attempt: t.attempt,
		spent: wire.Expense{
			Turns: t.Spent.Turns, Tokens: t.Spent.Tokens(), CostUSD: t.Spent.CostUSD, LeastTokens: t.Spent.Tokens(),
		},
	}
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
// it; and the order in which scenarios are drawn. A test in rounds has a trial of each side in every
// round.
type testRun struct {
	spec      Test
	agent     Agent // that its trials are of
	baseline  Agent // of the other side of a test in rounds; nil: it has one side
	test      runs.Decider
	scenarios []*scenarioRun
	order     *rounds     // of the scenarios
	trials    []*trialRun // in launch order; nil: packed

	beside []*testRun // that are asked together with it, itself too; nil: none

	racing *raceState // that the test is an arm of; nil: of none
	arm    int        // its place there

	sharing *shardState // of a shard, which judges nothing; nil: the test judges its trials

	seeded string // before the name of the scenario, where the seeds of the variant are its own

	atOnce   int  // attempts at most; 0 is any number
	inFlight int  // attempts
	needed   int  // how many trials beyond the judged are needed in any case; 0 is not known
	target   int  // how many trials are launched whatever they come to; 0: none
	held     bool // no others are, for now
	spared   bool // it needs no decision: another test of its variant failed, or it left the race
	changed  bool // since progress was last told
	closed   bool // the run counts it as over
	written  bool // the decision is in the journal

	packing packState // of trials that no result lists

	number int   // in the order of the options
	news   *news // of the run
}

// newTestRun begins a test, with the scenarios that it names; the name is that which the
// order of the scenarios is drawn by.
func newTestRun(t Test, test runs.Decider, o *Options, inputs map[string]Scenario, order string) *testRun {
	r := &testRun{
		spec: t, test: test, agent: o.agent(t.Variant), order: newRounds(o.Seed, "scenarios", order, len(t.Scenarios)),
		atOnce: o.AtOnce * len(t.Scenarios),
	}
	if t.inRounds() {
		r.baseline = o.BaselineAgent
	}
	if o.OwnSeeds {
		r.seeded = t.Variant + "\n"
	}
	for _, name := range t.Scenarios {
		r.scenarios = append(r.scenarios, &scenarioRun{spec: inputs[name]})
	}
	return r
}

// maxTrials is how many trials the test has at most, of both sides where it is in rounds.
func (t *testRun) maxTrials() int { return t.test.MaxTrials() }

// sides returns how many trials a round of the test has.
func (t *testRun) sides() int {
	if t.spec.inRounds() {
		return 2
	}
	return 1
}

// extend gives the test more trials. What was judged stays judged: the longer test
// observes the same trials from the first one on.
func (t *testRun) extend(more int) error {
	if t.spec.Against != nil || t.spec.Joint != nil {
		return sprt.CannotExtend(sprt.BaselineKind, t.maxTrials()+more,
			"it has spent its errors on the trials that it was made for; begin a new run with a larger max_trials")
	}
	longer, err := t.spec.Design.Extend(more)
	if err != nil {
		return err
	}
	t.spec.Design = longer
	t.written = false
	t.test, err = runs.NewDecider(t.spec.Evidence())
	if err != nil {
		return err
	}
	for _, s := range t.trials {
		if s.finished() && !t.ended() && s.place < t.maxTrials() {
			if err := t.test.Observe(s.place, s.Trial.Outcome); err != nil {
				return err
			}
		}
	}
	t.needed = 0
	t.news.add(t)
	return nil
}

// ended reports whether the test needs no more trials: it has decided, or used them up.
func (t *testRun) ended() bool { return t.test.Decided() }

// goesOn reports whether the test may have another trial, now or later.
func (t *testRun) goesOn() bool {
	return len(t.trials) < t.target || !t.held && !t.over() && !t.waits() && len(t.trials) < t.maxTrials() &&
		(t.beside == nil || t.test.WasteFree() > 0)
}

// over reports whether the test needs no more trials: it has ended, or is spared.
func (t *testRun) over() bool { return t.ended() || t.spared }

// needs reports whether an attempt at a trial that never began is made again: the test goes on, or the trial is
// recorded whatever it comes to.
func (t *testRun) needs(s *trialRun) bool {
	if t.sharing != nil {
		return s.place < t.sharing.stop
	}
	return !t.over() || s.place < t.target
}

// rounds returns how many rounds the test has been through; one that has begun is none yet.
func (t *testRun) rounds() int { return len(t.trials) / t.sides() }

// within reports whether the test is within a round, of which one side was launched.
func (t *testRun) within() bool { return len(t.trials)%t.sides() != 0 }

// open adds the next trial. Which scenario it is of follows from the seed and the
// number of trials before, so that a pooled test is the same in every session. The second
// of a round is like the first, and of the other side.
func (t *testRun) open(seed uint64) *trialRun {
	opened := &trialRun{test: t, place: len(t.trials)}
	if t.within() {
		first := t.trials[len(t.trials)-1]
		opened.scenario, opened.Number = first.scenario, first.Number
	} else {
		opened.scenario = t.scenarios[t.order.take()]
		opened.Number = opened.scenario.trials
		opened.scenario.trials++
	}
	if t.spec.inRounds() {
		opened.place = t.place(seed)
		opened.Baseline = opened.place%2 == 0
	}
	opened.Test, opened.Scenario, opened.Variant = t.spec.Name, opened.scenario.spec.Name, t.spec.Variant
	opened.Seed = trialSeed(seed, t.seeded+opened.Scenario, opened.Number)
	t.trials = append(t.trials, opened)
	return opened
}

// place returns the place of the next trial of a test in rounds: which side comes first
// follows from the seed.
func (t *testRun) place(seed uint64) int {
	round := t.rounds()
	return 2*round + drawn(seed, "sides", t.spec.Name, round, 2)[len(t.trials)%2]
}

// agentOf returns the agent of a trial's side.
func (t *testRun) agentOf(s *trialRun) Agent {
	if s.Baseline {
		return t.baseline
	}
	return t.agent
}

// finish takes in how a trial ended, and judges what has no gap: the trials in launch
// order up to the first that has not ended. The test itself waits for gaps to close: an outcome may be
// observed before those of earlier places.
func (t *testRun) finish(s *trialRun, record *trial.Trial) error {
	s.Trial = record
	t.needed = 0
	t.news.add(t)
	if t.sharing != nil {
		t.sharing.observe(s.place, record.Outcome)
		return nil
	}
	// Beyond the decision, or the last trial that the test can have: it is recorded, and judged by nothing.
	if t.ended() || s.place >= t.maxTrials() {
		return nil
	}
	if err := t.test.Observe(s.place, record.Outcome); err != nil {
		return err
	}
	for _, other := range t.beside { // what it needs has changed too
		other.needed = 0
		t.news.add(other)
	}
	return t.racing.observe(s, record.Outcome)
}

// room returns whether one more trial may be launched. Unless all workers are to be busy,
// it is so only for a trial that the test needs whatever those in flight come to.
//
// WasteFree is the number of further trials that no outcome of those in flight could make needless; it is
// kept until an outcome changes it. Of a test in rounds it is even, so that a round that has begun has room.
func (t *testRun) room(eager bool) bool {
	switch {
	case t.atOnce > 0 && t.inFlight >= t.atOnce:
		return false
	case len(t.trials) < t.target:
		return true
	case t.over(), t.held:
		return false
	case t.racing != nil && !eager:
		return len(t.trials) < t.racing.race.Needed(t.arm)
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
	if t.sharing != nil {
		return t.shared()
	}
	p := Progress{
		Test: t.spec.Name, Outcome: t.test.Outcome(),
		Trials: t.test.Trials(), Failures: t.test.Failures(), Errors: t.test.Errors(),
		InFlight: t.inFlight, MaxTrials: t.maxTrials(), Needed: t.test.WasteFree(),
		PassAtOrBelow: -1, FailAtOrAbove: sprt.Never,
	}
	p.Sides = t.sides()
	if t.spec.inRounds() {
		for _, s := range t.trials {
			if s.Baseline && s.place < p.Trials {
				switch s.Trial.Outcome {
				case trial.Fail:
					p.BaselineFailures++
				case trial.Error:
					p.BaselineErrors++
				}
			}
		}
	}
	b, bounded := t.test.Boundaries()
	p.Bounded = bounded
	if bounded && p.Trials < b.MaxTrials() {
		p.PassAtOrBelow = b.PassAtOrBelow[p.Trials]
		p.FailAtOrAbove = b.FailAtOrAbove[p.Trials]
	}
	return p
}
