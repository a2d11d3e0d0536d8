package runs

import (
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/trial/usage"
)

// MostListed is how many trials that passed, and how many others, a result lists at most: what has so many before it in
// its test is in no list, and [KeptOf] is enough of it.
const MostListed = mostTrials

// KeptTrial is what counts of a trial that no result lists, in some dozens of bytes where it had no limits, guards and
// points.
type KeptTrial struct {
	duration      float64
	answer        uint64
	packed        *usage.PackedTrial // what it took; nil is nothing, or more
	more          *extras            // nil: there is none
	input, output uint32
	outcome       trial.Outcome
	basis         uint8   // place among the bases
	known         [3]bool // duration, input and output
	silent        bool    // see [Test]
}

// extras is what few trials have.
type extras struct {
	usage *usage.Trial // nil: what is packed
	whole *trial.Trial // in place of the rest, where more is to be counted; nil: nothing is
}

// bases are those of a cost.
var bases = [...]trial.CostBasis{trial.RecordedCost, trial.EstimatedCost, trial.CostAtMost}

// KeptOf is what is kept of a trial that ended.
func KeptOf(x TrialEvidence) KeptTrial {
	t := x.Trial
	basis := slices.Index(bases[:], t.CostBasis)
	k := KeptTrial{
		duration: t.DurationSeconds.Value, input: uint32(t.InputTokens.Value), output: uint32(t.OutputTokens.Value),
		answer: x.answer(), outcome: t.Outcome, basis: uint8(max(basis, 0)),
		known: [3]bool{t.DurationSeconds.Known, t.InputTokens.Known, t.OutputTokens.Known},
	}
	var rest extras
	if took := x.usage(); !took.Nothing() {
		if packed, fits := took.Pack(); fits {
			k.packed = &packed
		} else {
			rest.usage = &took
		}
	}
	judgement, _ := oracle.Recorded(t)
	k.silent = silent(t, judgement)
	guarded, points := guardrails.Of(t), score.Recorded(t)
	fits := basis >= 0 && int64(k.input) == t.InputTokens.Value && int64(k.output) == t.OutputTokens.Value
	if len(judgement.Limits) > 0 || guarded != nil || points != nil || !fits {
		whole := &trial.Trial{Outcome: t.Outcome, CostBasis: t.CostBasis, DurationSeconds: t.DurationSeconds,
			InputTokens: t.InputTokens, OutputTokens: t.OutputTokens}
		guarded.Record(whole)
		points.Record(whole)
		if len(judgement.Limits) > 0 {
			counted := oracle.Judgement{Outcome: judgement.Outcome, Limits: judgement.Limits}
			if counted.Record(whole) != nil {
				whole = t
			}
		}
		rest.whole = whole
	}
	if rest != (extras{}) {
		k.more = &rest
	}
	return k
}

// usage is what the trial took.
func (k *KeptTrial) usage() *usage.Trial {
	switch {
	case k.more != nil && k.more.usage != nil:
		return k.more.usage
	case k.packed != nil:
		took := k.packed.Trial()
		return &took
	}
	return &nothingUsed
}

// nothingUsed is shared by the trials that do not tell what they took.
var nothingUsed usage.Trial

// whole is what is kept of a trial of which more is to be counted than of others; nil of those.
func (k *KeptTrial) whole() *trial.Trial {
	if k.more == nil {
		return nil
	}
	return k.more.whole
}

// trial is what is kept as a trial.
func (k *KeptTrial) trial() *trial.Trial {
	if whole := k.whole(); whole != nil {
		return whole
	}
	return &trial.Trial{
		Outcome: k.outcome, CostBasis: bases[k.basis],
		DurationSeconds: trial.Optional[float64]{Value: k.duration, Known: k.known[0]},
		InputTokens:     trial.Optional[int64]{Value: int64(k.input), Known: k.known[1]},
		OutputTokens:    trial.Optional[int64]{Value: int64(k.output), Known: k.known[2]},
	}
}

// Outcome is that of the trial.
func (k *KeptTrial) Outcome() trial.Outcome { return k.outcome }

// gathered is the test with its trials, wherever they stood.
func (t TestEvidence) gathered() TestEvidence {
	if t.Gather != nil {
		t.Trials, t.Gather = t.Gather(), nil
	}
	return t
}

// all are the trials with their places, each of what is kept of it.
func (t TestEvidence) all(yield func(int, TrialEvidence) bool) {
	for i, x := range t.gathered().Trials {
		if !yield(i, x.unpacked()) {
			return
		}
	}
}

// outcome is that of the trial; false where it did not end.
func (x TrialEvidence) outcome() (trial.Outcome, bool) {
	switch {
	case x.Kept != nil:
		return x.Kept.outcome, true
	case x.Trial != nil:
		return x.Trial.Outcome, true
	}
	return 0, false
}

// unpacked has the trial of what is kept of it.
func (x TrialEvidence) unpacked() TrialEvidence {
	if x.Kept != nil {
		x.Trial, x.Usage, x.Answer = x.Kept.trial(), x.Kept.usage(), &x.Kept.answer
	}
	return x
}
