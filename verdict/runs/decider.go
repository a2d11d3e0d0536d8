package runs

import (
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
)

// Decider is a test while its trials come in. A run stops by it and a result is judged by
// it, so that the two cannot differ. Trials have places from 0 in launch order and are
// judged without a gap; of a test in rounds the trial of the baseline in round i has place 2i,
// that of the candidate 2i+1, and a round is judged when both are known: trials are those of
// both sides there.
//
// A trial without an outcome is judged both ways: the test passes, or fails, only if it
// would whatever that trial had come to. A Decider may be used by one goroutine at a time.
type Decider interface {
	sprt.TrialTest
	MaxTrials() int // after which the test ends in any case
	// Boundaries are where the test stops, which are its own and not to be changed; false where more than one pair of
	// them decides, and of rounds.
	Boundaries() (sprt.Boundaries, bool)
}

// NewDecider returns a test that has seen nothing: of the evidence it takes the design and
// the baseline. Against a stored baseline alone the family's boundaries for what the baseline
// came to decide. Where that has trials without an outcome, a Pass takes the boundaries with
// these as passes, a Fail those with these as failures. With a design beside a baseline both
// judge the same trials of the candidate: any Fail ends with Fail, and a Pass takes both; see
// [sprt.JointTest].
//
// An error says that there is nothing to decide by, or that the family has no boundaries for
// what the baseline came to.
func NewDecider(t TestEvidence) (Decider, error) { return newDecider(t) }

// NewDeciders returns those of all tests of a run, in their order. Tests of one [Joint] end together.
func NewDeciders(tests []TestEvidence) ([]Decider, error) {
	deciders, err := newDeciders(tests)
	list := make([]Decider, len(deciders))
	for i, d := range deciders {
		list[i] = d
	}
	return list, err
}

func newDeciders(tests []TestEvidence) ([]*decider, error) {
	list, states := make([]*decider, len(tests)), map[*Joint]*jointState{}
	for i, t := range tests {
		var err error
		if (t.Joint == nil) != (tests[0].Joint == nil) {
			return nil, fmt.Errorf("test %q: some tests are asked together, and some by themselves", t.Name)
		}
		if t.Joint == nil {
			list[i], err = newDecider(t)
		} else {
			if states[t.Joint] == nil {
				states[t.Joint], err = newJointState(t.Joint)
			}
			if err == nil {
				var m *member
				m, err = states[t.Joint].add(t)
				list[i] = &decider{TrialTest: m, member: m}
			}
		}
		if err != nil {
			return nil, fmt.Errorf("test %q: %w", t.Name, err)
		}
	}
	for _, s := range states {
		if err := s.complete(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// decider is a test of one or two parts.
type decider struct {
	sprt.TrialTest                      // what decides: the only part, or both
	design         *sprt.RobustTest     // of the candidate's trials alone; nil where there is none
	stored         *twofoldTest         // nil without a stored baseline
	rounds         *baseline.RoundsTest // nil without a baseline that runs in rounds
	member         *member              // of a question that several tests are asked together; nil: of none
}

func newDecider(t TestEvidence) (*decider, error) {
	d := &decider{}
	designed := t.Design.Boundaries.MaxTrials() > 0
	switch {
	case t.Joint != nil:
		return nil, errors.New("it is decided together with others")
	case t.Against == nil:
	case designed && t.Design.Kind == sprt.RecordingKind:
		return nil, errors.New("a recording decides nothing, so it has no baseline")
	case (t.Against.Stored == nil) == (t.Against.Rounds == nil):
		return nil, errors.New("a baseline is either stored or runs in rounds")
	}
	var err error
	if designed || t.Against == nil {
		if d.design, err = sprt.NewRobustTest(t.Design); err != nil {
			return nil, err
		}
		d.TrialTest = d.design
	}
	if t.Against == nil {
		return d, nil
	}
	against, limited := sprt.TrialTest(nil), d.TrialTest
	if r := t.Against.Rounds; r != nil {
		d.rounds = baseline.NewRoundsTest(r)
		against = d.rounds
		if designed {
			limited = baseline.NewCandidateTest(d.design)
		}
	} else {
		if d.stored, err = t.Against.Stored.test(); err != nil {
			return nil, err
		}
		against = d.stored
	}
	d.TrialTest = against
	if designed {
		d.TrialTest, err = sprt.NewJointTest(limited, against)
	}
	return d, err
}

func (d *decider) MaxTrials() int {
	most := 0
	if d.design != nil {
		most = d.design.Design().Boundaries.MaxTrials()
	}
	switch {
	case d.stored != nil:
		most = max(most, d.stored.maxTrials())
	case d.rounds != nil:
		most = 2 * max(most, d.rounds.Test().MaxRounds())
	case d.member != nil:
		most = d.member.maxTrials()
	}
	return most
}

func (d *decider) Boundaries() (sprt.Boundaries, bool) {
	if l := d.lattice(); l != nil {
		return l.Design().Boundaries, true
	}
	return sprt.Boundaries{}, false
}

// lattice is the part that alone decides by trials and failures of the candidate; nil if there
// is no such part.
func (d *decider) lattice() *sprt.RobustTest {
	switch {
	case d.stored == nil && d.rounds == nil:
		return d.design
	case d.design == nil && d.stored != nil && d.stored.pass == d.stored.fail:
		return d.stored.pass
	}
	return nil
}

// twofoldTest is a test against a stored baseline: it passes where one test does, and fails where
// another does. The two are one unless the baseline has trials without an outcome.
type twofoldTest struct{ pass, fail *sprt.RobustTest }

// test is the test of a candidate that has seen nothing.
func (s *StoredBaseline) test() (*twofoldTest, error) {
	robust := func(o baseline.Outcome) (*sprt.RobustTest, error) {
		d, err := s.Design(o)
		if err != nil {
			return nil, err
		}
		return sprt.NewRobustTest(d)
	}
	pass, err := robust(s.Outcome)
	if err != nil {
		return nil, err
	}
	if s.WithErrorsFailed() == s.Outcome {
		return &twofoldTest{pass, pass}, nil
	}
	fail, err := robust(s.WithErrorsFailed())
	return &twofoldTest{pass, fail}, err
}

// maxTrials is after how many trials it ends in any case.
func (t *twofoldTest) maxTrials() int {
	return max(t.pass.Design().Boundaries.MaxTrials(), t.fail.Design().Boundaries.MaxTrials())
}

func (t *twofoldTest) Observe(place int, o trial.Outcome) error {
	if err := t.pass.Observe(place, o); err != nil || t.fail == t.pass {
		return err
	}
	return t.fail.Observe(place, o)
}

// end is where the test stands, and the part whose judged trials are its own.
func (t *twofoldTest) end() (sprt.Outcome, *sprt.RobustTest) {
	last := t.pass
	if t.fail.Trials() > last.Trials() {
		last = t.fail
	}
	passes, fails := t.pass.Outcome() == sprt.Pass, t.fail.Outcome() == sprt.Fail
	switch {
	case fails && !(passes && t.pass.Trials() < t.fail.Trials()):
		return sprt.Fail, t.fail
	case passes:
		return sprt.Pass, t.pass
	case t.pass.Decided() && t.fail.Decided():
		return sprt.Inconclusive, last
	}
	return sprt.Undecided, last
}

func (t *twofoldTest) Outcome() sprt.Outcome {
	o, _ := t.end()
	return o
}

// judged is the part whose judged trials are those of the test.
func (t *twofoldTest) judged() *sprt.RobustTest {
	_, part := t.end()
	return part
}

func (t *twofoldTest) Decided() bool { return t.Outcome() != sprt.Undecided }

func (t *twofoldTest) Trials() int { return t.judged().Trials() }

func (t *twofoldTest) Failures() int { return t.judged().Failures() }

func (t *twofoldTest) Errors() int { return t.judged().Errors() }

// WasteFree is that of the part that may end first: the test ends only where a part does.
func (t *twofoldTest) WasteFree() int {
	if t.Decided() {
		return 0
	}
	first := sprt.Never
	for _, p := range []*sprt.RobustTest{t.pass, t.fail} {
		if !p.Decided() {
			first = min(first, p.Trials()+p.WasteFree())
		}
	}
	return first - t.Trials()
}

// WithErrorsFailed is what the baseline came to with its trials without an outcome as
// failures, where Outcome has them as passes.
func (s *StoredBaseline) WithErrorsFailed() baseline.Outcome {
	if s.Worst != (baseline.Outcome{}) {
		return s.Worst
	}
	return baseline.Outcome{Trials: s.Outcome.Trials, Failures: s.Outcome.Failures + s.Errors}
}

// Design is the test of a candidate as a design of its own, for what the baseline came to:
// its hypotheses have no threshold.
func (s *StoredBaseline) Design(o baseline.Outcome) (sprt.Design, error) {
	if s.Family == nil {
		return sprt.Design{}, errors.New("the test against a stored baseline has no boundaries")
	}
	h := s.Family.Hypotheses()
	b, ok := s.Family.Boundaries(o)
	if !ok {
		return sprt.Design{}, fmt.Errorf("the test has no boundaries for a baseline of which %d of %d trials passed: "+
			"at the guarded rates, %s to %s, it cannot have come to that", o.Passes(), o.Trials,
			phrase.Number(h.Guarded.Low), phrase.Number(h.Guarded.High))
	}
	return sprt.Design{Kind: sprt.BaselineKind, Boundaries: b,
		Hypotheses: sprt.Hypotheses{Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta}}, nil
}
