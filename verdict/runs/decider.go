package runs

import (
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/internal/phrase"
)

// Decider is a test while its trials come in. A run stops by it and a result is judged by
// it, so that the two cannot differ. Trials have places from 0 in launch order and are
// judged without a gap; of a test in rounds the trial of the baseline in round i has place 2i,
// that of the candidate 2i+1, and a round is judged when both are known.
//
// A trial without an outcome is judged both ways: the test passes, or fails, only if it
// would whatever that trial had come to. A Decider may be used by one goroutine at a time.
type Decider interface {
	// Observe records what came of the trial with the place, and judges what has no gap. All
	// but a pass and a failure is an error. A trial may be observed again with the same outcome.
	Observe(place int, o trial.Outcome) error
	Decided() bool         // the test has ended
	Outcome() sprt.Outcome // where it stands
	Trials() int           // that are judged, of both sides in a test in rounds
	Failures() int         // among the judged
	Errors() int           // among the judged
	// WasteFree is how many trials beyond the judged ones are needed in any case; 0 once the test has ended.
	WasteFree() int
	MaxTrials() int // after which the test ends in any case, of both sides in a test in rounds
	// Boundaries are where the test stops; false where more than one pair of them decides, and of rounds.
	Boundaries() (sprt.Boundaries, bool)
}

// NewDecider returns a test that has seen nothing: of the evidence it takes the design and
// the baseline. Against a stored baseline alone the family's boundaries for what the baseline
// came to decide. Where that has trials without an outcome, a Pass takes the boundaries with
// these as passes, a Fail those with these as failures. With a design beside a baseline both
// judge the same trials of the candidate: any Fail ends with Fail, and a Pass takes both.
//
// An error says that there is nothing to decide by, or that the family has no boundaries for
// what the baseline came to.
func NewDecider(t TestEvidence) (Decider, error) {
	designed := t.Design.Boundaries.MaxTrials() > 0
	switch {
	case t.Against == nil:
		return newLattice(t.Design)
	case designed && t.Design.Kind == sprt.RecordingKind:
		return nil, errors.New("a recording decides nothing, so it has no baseline")
	case (t.Against.Stored == nil) == (t.Against.Rounds == nil):
		return nil, errors.New("a baseline is either stored or runs in rounds")
	}
	j := &joint{}
	if designed {
		d, err := newLattice(t.Design)
		if err != nil {
			return nil, err
		}
		d.candidate = t.Against.Rounds != nil
		j.passes, j.fails = append(j.passes, d), append(j.fails, d)
	}
	if r := t.Against.Rounds; r != nil {
		d := &rounds{test: r}
		j.passes, j.fails, j.step = append(j.passes, d), append(j.fails, d), 2
		return j.only(), nil
	}
	best, err := t.Against.Stored.lattice(t.Against.Stored.Outcome)
	if err != nil {
		return nil, err
	}
	worst := best
	if w := t.Against.Stored.WithErrorsFailed(); w != t.Against.Stored.Outcome {
		if worst, err = t.Against.Stored.lattice(w); err != nil {
			return nil, err
		}
	}
	j.passes, j.fails, j.step = append(j.passes, best), append(j.fails, worst), 1
	return j.only(), nil
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

// lattice is the test for what the baseline came to.
func (s *StoredBaseline) lattice(o baseline.Outcome) (*lattice, error) {
	d, err := s.Design(o)
	if err != nil {
		return nil, err
	}
	return newLattice(d)
}

// lattice is a test of the trials of one side. In a test in rounds it sees the candidate's alone.
type lattice struct {
	*sprt.RobustTest
	candidate bool // of a test in rounds
}

func newLattice(d sprt.Design) (*lattice, error) {
	test, err := sprt.NewRobustTest(d)
	return &lattice{RobustTest: test}, err
}

func (l *lattice) MaxTrials() int { return l.places(l.Design().Boundaries.MaxTrials()) }

func (l *lattice) Boundaries() (sprt.Boundaries, bool) { return l.Design().Boundaries.Clone(), true }

func (l *lattice) Trials() int { return l.places(l.RobustTest.Trials()) }

func (l *lattice) WasteFree() int { return l.places(l.RobustTest.WasteFree()) }

// places turns a number of trials of the candidate into one of places.
func (l *lattice) places(trials int) int {
	if l.candidate {
		return 2 * trials
	}
	return trials
}

func (l *lattice) Observe(place int, o trial.Outcome) error {
	switch {
	case !l.candidate:
		return l.RobustTest.Observe(place, o)
	case place%2 == 0:
		return nil // of the baseline
	}
	return l.RobustTest.Observe(place/2, o)
}

// joint is a test of several parts over the same places. It fails where the first of some
// fails, and passes where the last of others passes; most parts are both. Parts are told of
// all trials, so that one that is decided says by its judged trials when that was.
type joint struct {
	passes, fails []Decider
	step          int             // places of a trial, or round
	outcomes      []trial.Outcome // by place; Unjudged where not known yet
	judged        int             // places
	outcome       sprt.Outcome
}

// only returns the part that decides alone, or else the test of all.
func (j *joint) only() Decider {
	if len(j.passes) == 1 && j.passes[0] == j.fails[0] {
		return j.passes[0]
	}
	return j
}

func (j *joint) parts() []Decider { return append(j.passes[:len(j.passes):len(j.passes)], j.fails...) }

func (j *joint) Observe(place int, o trial.Outcome) error {
	if place < 0 || place >= j.MaxTrials() {
		return nil // no part may come to it
	}
	for _, p := range j.parts() {
		if place >= p.MaxTrials() {
			continue
		}
		if err := p.Observe(place, o); err != nil {
			return err
		}
	}
	if o == trial.Unjudged {
		o = trial.Error
	}
	for len(j.outcomes) <= place {
		j.outcomes = append(j.outcomes, trial.Unjudged)
	}
	j.outcomes[place] = o
	j.judge()
	return nil
}

// judge finds where the test has ended, if it has: the parts have judged all that has no gap.
func (j *joint) judge() {
	if j.Decided() {
		return
	}
	for j.judged+j.step <= len(j.outcomes) && settled(j.outcomes[j.judged:j.judged+j.step]) {
		j.judged += j.step
	}
	const never = math.MaxInt
	// Numbers of judged trials at which it would pass, fail, be beyond a Pass, be beyond a Fail.
	passed, failed, hopeless, spared := 0, never, never, 0
	for _, p := range j.passes {
		switch j.ofPart(p) {
		case sprt.Undecided:
			passed = never
		case sprt.Pass:
			passed = max(passed, p.Trials())
		default:
			passed, hopeless = never, min(hopeless, p.Trials())
		}
	}
	for _, p := range j.fails {
		switch j.ofPart(p) {
		case sprt.Undecided:
			spared = never
		case sprt.Fail:
			failed, spared = min(failed, p.Trials()), never
		default:
			spared = max(spared, p.Trials())
		}
	}
	switch {
	case failed != never && failed <= passed:
		j.outcome, j.judged = sprt.Fail, failed
	case passed != never:
		j.outcome, j.judged = sprt.Pass, passed
	case hopeless != never && spared != never:
		j.outcome, j.judged = sprt.Inconclusive, max(hopeless, spared)
	}
}

// ofPart is the outcome of a part by what is judged of all: one that sees the candidate alone may
// be ahead of its round.
func (j *joint) ofPart(p Decider) sprt.Outcome {
	if p.Trials() > j.judged {
		return sprt.Undecided
	}
	return p.Outcome()
}

func settled(outcomes []trial.Outcome) bool {
	for _, o := range outcomes {
		if o == trial.Unjudged {
			return false
		}
	}
	return true
}

func (j *joint) Decided() bool { return j.outcome != sprt.Undecided }

func (j *joint) Outcome() sprt.Outcome { return j.outcome }

func (j *joint) Trials() int { return j.judged }

func (j *joint) Failures() int { return count(j.outcomes[:j.judged], trial.Fail) }

func (j *joint) Errors() int { return count(j.outcomes[:j.judged], trial.Error) }

func count(outcomes []trial.Outcome, of trial.Outcome) (n int) {
	for _, o := range outcomes {
		if o == of {
			n++
		}
	}
	return n
}

// WasteFree is that of the part that may end first: the test ends only where a part does.
func (j *joint) WasteFree() int {
	if j.Decided() {
		return 0
	}
	least := math.MaxInt
	for _, p := range j.parts() {
		// One that sees the candidate alone may have ended with a round that is not judged yet.
		if !p.Decided() || p.Trials() > j.judged {
			least = min(least, p.Trials()+p.WasteFree()-j.judged)
		}
	}
	return least
}

func (j *joint) MaxTrials() int {
	most := 0
	for _, p := range j.parts() {
		most = max(most, p.MaxTrials())
	}
	return most
}

func (j *joint) Boundaries() (sprt.Boundaries, bool) { return sprt.Boundaries{}, false }
