package runs

import (
	"github.com/tribunal-dev/tribunal/oracle"
	"github.com/tribunal-dev/tribunal/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/oracle/score"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/usage"
)

// MostListed is how many trials that passed, and how many others, a result lists at most: what has so many before it in
// its test is in no list, and [KeptOf] is enough of it.
const MostListed = mostTrials

// Kept is what counts of a trial that no result lists, in some dozens of bytes where it had no limits, guards and
// points.
type Kept struct {
	duration      float64
	input, output int64
	answer        uint64
	usage         *usage.Trial
	whole         *trial.Trial // in place of the rest, where more is to be counted
	outcome       trial.Outcome
	basis         trial.CostBasis
	known         [3]bool // duration, input and output
}

// nothingUsed is shared by the trials that do not tell what they took.
var nothingUsed usage.Trial

// KeptOf is what is kept of a trial that ended.
func KeptOf(x TrialEvidence) Kept {
	t := x.Trial
	k := Kept{
		duration: t.DurationSeconds.Value, input: t.InputTokens.Value, output: t.OutputTokens.Value, answer: x.answer(),
		outcome: t.Outcome, basis: t.CostBasis,
		known: [3]bool{t.DurationSeconds.Known, t.InputTokens.Known, t.OutputTokens.Known},
	}
	if took := x.usage(); took.Nothing() {
		k.usage = &nothingUsed
	} else {
		k.usage = &took
	}
	judgement, _ := oracle.Recorded(t)
	guarded, points := guardrails.Of(t), score.Recorded(t)
	if len(judgement.Limits) == 0 && guarded == nil && points == nil {
		return k
	}
	k.whole = k.trial()
	guarded.Record(k.whole)
	points.Record(k.whole)
	if len(judgement.Limits) > 0 {
		counted := oracle.Judgement{Outcome: judgement.Outcome, Limits: judgement.Limits}
		if counted.Record(k.whole) != nil {
			k.whole = t
		}
	}
	return k
}

// trial is what is kept as a trial.
func (k *Kept) trial() *trial.Trial {
	if k.whole != nil {
		return k.whole
	}
	return &trial.Trial{
		Outcome: k.outcome, CostBasis: k.basis,
		DurationSeconds: trial.Optional[float64]{Value: k.duration, Known: k.known[0]},
		InputTokens:     trial.Optional[int64]{Value: k.input, Known: k.known[1]},
		OutputTokens:    trial.Optional[int64]{Value: k.output, Known: k.known[2]},
	}
}

// Outcome is that of the trial.
func (k *Kept) Outcome() trial.Outcome { return k.outcome }

// all are the trials with their places, each of what is kept of it.
func (t TestEvidence) all(yield func(int, TrialEvidence) bool) {
	for i, x := range t.Trials {
		if !yield(i, x.unpacked()) {
			return
		}
	}
}

// unpacked has the trial of what is kept of it.
func (x TrialEvidence) unpacked() TrialEvidence {
	if x.Kept != nil {
		x.Trial, x.Usage, x.Answer = x.Kept.trial(), x.Kept.usage, &x.Kept.answer
	}
	return x
}
