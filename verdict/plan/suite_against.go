package plan

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// StoredBaseline is the test against a recorded baseline.
type StoredBaseline struct {
	Family  *baseline.Family
	Outcome baseline.Outcome // what the baseline came to
	File    string           // where it is from
}

// SuiteAgainst is the test against a baseline, as a run takes it.
type SuiteAgainst struct {
	Kind   string `json:"kind"`   // "stored", "side by side" or "matched pairs"
	Digest string `json:"digest"` // of the test
	// Of a stored baseline: the file, and what it came to; trials without an outcome count as passes.
	File   string `json:"file,omitempty"`
	Passes int    `json:"passes,omitzero"`
	Trials int    `json:"trials,omitzero"`
	// Guarded are the rates of the baseline for which the errors are kept; of matched pairs those at which
	// the sides differ.
	Guarded Range   `json:"guarded"`
	Alpha   float64 `json:"alpha"` // largest chance of Fail where nothing changed; proved
	Beta    float64 `json:"beta"`  // largest chance of Pass after a drop by delta; proved
	Gamma   float64 `json:"gamma"` // of both errors, the chance that the guarded rates miss the baseline's
	// Rate is that of the baseline at which the figures below hold: the observed one, or in rounds one
	// that is assumed. Of matched pairs it is the share of rounds in which the sides differ.
	Rate      float64 `json:"rate"`
	MaxTrials int     `json:"max_trials"` // of both sides in rounds
	// Expected trials, of both sides in rounds: where nothing ever fails, where nothing changed, and
	// after a drop by delta.
	Expected  AgainstLadder `json:"expected_trials"`
	Undecided AgainstLadder `json:"inconclusive"` // the chance of no verdict, likewise
	Found     float64       `json:"found"`        // the chance of Fail after a drop by delta
}

// AgainstLadder holds a figure of a test against a baseline.
type AgainstLadder struct {
	Perfect   float64 `json:"perfect"`   // no trial of either side fails
	Unchanged float64 `json:"unchanged"` // both sides have the rate
	Dropped   float64 `json:"dropped"`   // the candidate's is lower by delta
}

// Words for the kinds of tests against a baseline.
const (
	StoredKind  = "stored"
	SidesKind   = "side by side"
	MatchedKind = "matched pairs"
)

// against fills in what the test against the baseline does, and what both do together.
func (t *SuiteTest) against(test PlannedTest) error {
	j := joint{threshold: test.Design.Boundaries, rounds: test.Rounds}
	sides := 1
	switch {
	case test.Rounds != nil:
		sides = 2
		t.Against = besideOf(test.Rounds)
	case test.Stored != nil:
		b, ok := test.Stored.Family.Boundaries(test.Stored.Outcome)
		if !ok {
			return &baseline.OutcomeError{Outcome: test.Stored.Outcome, Guarded: test.Stored.Family.Hypotheses().Guarded}
		}
		j.stored = b
		var err error
		if t.Against, err = storedOf(*test.Stored, b); err != nil {
			return err
		}
		if t.Kind == "" {
			t.LeastPass, t.LeastFail = design.Of(b).StraightPasses(), design.Of(b).StraightFailures()
		}
	default:
		return nil
	}
	a := t.Against
	if t.Kind == "" {
		t.Delta, t.Alpha, t.Beta, t.MaxTrials = deltaOf(test), a.Alpha, a.Beta, a.MaxTrials
		t.ExpectedAt = Ladder{a.Expected.Perfect, a.Expected.Unchanged, a.Expected.Dropped}
		if test.Rounds != nil {
			t.LeastPass, t.LeastFail = straightRounds(test.Rounds, 0), straightRounds(test.Rounds, 1)
		}
		return nil
	}
	// Both over the same trials of the candidate, at the rates of the threshold.
	t.MaxTrials = sides * j.maxTrials()
	theta, lower := test.Design.Hypotheses.Threshold, test.Design.Hypotheses.Lower()
	t.ExpectedAt = Ladder{
		float64(sides) * j.expected(a, 1, 1), float64(sides) * j.expected(a, theta, theta),
		float64(sides) * j.expected(a, theta, lower),
	}
	return nil
}

// expected are the expected trials of the candidate of both tests, at rates of the sides. Of matched
// pairs, whose events say nothing of how many trials fail on both sides, it is an upper bound, at the
// discordance that is assumed.
func (j joint) expected(a *SuiteAgainst, baselineRate, rate float64) float64 {
	if j.rounds == nil {
		c, _ := j.walk(alone(rate))
		return c.ExpectedTrials
	}
	if !j.rounds.Matched() {
		c, _ := j.walk(beside(baselineRate, rate))
		return c.ExpectedTrials
	}
	_, threshold := joint{threshold: j.threshold}.walk(alone(rate))
	fixed, broke := discordantAt(a.Rate, baselineRate-rate)
	if baselineRate == 1 && rate == 1 {
		fixed, broke = 0, 0
	}
	_, pairs := joint{rounds: j.rounds}.walk(paired(fixed, broke))
	return atMost(threshold, pairs)
}

// discordantAt are the probabilities of pairs that are fixed and that break, of which more break by the
// drop. The pairs that differ are at least so many.
func discordantAt(share, drop float64) (fixed, broke float64) {
	share = math.Max(share, drop)
	return (share - drop) / 2, (share + drop) / 2
}

// deltaOf is the drop that a test against a baseline looks for.
func deltaOf(test PlannedTest) float64 {
	if test.Rounds != nil {
		return test.Rounds.Hypotheses().Delta
	}
	return test.Stored.Family.Hypotheses().Delta
}

// storedOf describes the test against a recorded baseline by the boundaries for what it came to, so its
// figures are those of the candidate at the observed rate.
func storedOf(s StoredBaseline, b sprt.Boundaries) (*SuiteAgainst, error) {
	lattice, err := b.Lattice()
	if err != nil {
		return nil, err
	}
	h, exact := s.Family.Hypotheses(), s.Family.Errors()
	rate := float64(s.Outcome.Passes()) / float64(s.Outcome.Trials)
	a := &SuiteAgainst{
		Kind: StoredKind, Digest: s.Family.Digest(), File: s.File, Passes: s.Outcome.Passes(), Trials: s.Outcome.Trials,
		Guarded: Range{h.Guarded.Low, h.Guarded.High}, Alpha: exact.Alpha, Beta: exact.Beta,
		Gamma: s.Family.Gamma(), Rate: rate,
		MaxTrials: b.MaxTrials(),
	}
	perfect, unchanged := lattice.At(1), lattice.At(rate)
	dropped := lattice.At(math.Max(rate-h.Delta, 0))
	a.Expected = AgainstLadder{perfect.ExpectedTrials, unchanged.ExpectedTrials, dropped.ExpectedTrials}
	a.Undecided = AgainstLadder{perfect.Inconclusive, unchanged.Inconclusive, dropped.Inconclusive}
	a.Found = dropped.Fail
	return a, nil
}

// besideOf describes a test in rounds. Its figures hold at a rate that is assumed: 0.95, or in the middle
// of the guarded rates where these lie above; and of matched pairs 0.15, or half of the largest share that differ.
func besideOf(r *baseline.Rounds) *SuiteAgainst {
	h, exact := r.Hypotheses(), r.Errors()
	a := &SuiteAgainst{
		Kind: SidesKind, Digest: r.Digest(), Guarded: Range{h.Guarded.Low, h.Guarded.High},
		Alpha: exact.Alpha, Beta: exact.Beta,
		MaxTrials: 2 * r.MaxRounds(),
	}
	var at [3]baseline.Characteristics
	if r.Matched() {
		a.Kind, a.Rate = MatchedKind, math.Min(h.Guarded.High/2, assumedDiscordant)
		at[0] = r.AtPairs(0, 0)
		at[1] = r.AtPairs(discordantAt(a.Rate, 0))
		at[2] = r.AtPairs(discordantAt(a.Rate, h.Delta))
	} else {
		a.Rate = assumedRate
		if h.Guarded.Low >= assumedRate {
			a.Rate = (h.Guarded.Low + h.Guarded.High) / 2
		}
		at[0], at[1], at[2] = r.At(1, 1), r.At(a.Rate, a.Rate), r.At(a.Rate, math.Max(a.Rate-h.Delta, 0))
	}
	a.Expected = AgainstLadder{2 * at[0].ExpectedTrials, 2 * at[1].ExpectedTrials, 2 * at[2].ExpectedTrials}
	a.Undecided = AgainstLadder{at[0].Inconclusive, at[1].Inconclusive, at[2].Inconclusive}
	a.Found = at[2].Fail
	return a
}

// assumedRate is the rate of a baseline that was not recorded at which a plan says how many trials it
// expects; chosen.
const assumedRate = 0.95

// assumedDiscordant is the share of matched pairs that differ at which it does; chosen.
const assumedDiscordant = 0.15

// straightRounds is after how many trials of the candidate a test in rounds ends at the earliest if all of
// them pass, and so do the baseline's, or if all of them fail beside such a baseline; 0 if it then never
// does with a Pass, or a Fail.
func straightRounds(r *baseline.Rounds, failures int) int {
	for n := 1; n <= r.MaxRounds(); n++ {
		switch outcome := r.Outcome(n, 0, n*failures); {
		case outcome == sprt.Pass && failures == 0, outcome == sprt.Fail && failures == 1:
			return n
		case outcome != sprt.Undecided:
			return 0
		}
	}
	return 0
}
