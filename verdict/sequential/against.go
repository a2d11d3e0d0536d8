package sequential

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// AgainstOptions say against which baseline a recording is judged.
type AgainstOptions struct {
	Family   *baseline.Family        // of the test: boundaries for every outcome that the baseline could have had
	Recorded design.RecordedBaseline // what it came to
	Source   string                  // the name of the baseline, for a person
}

// Against is what a verdict against a baseline rests on, and what it says of the drop.
type Against struct {
	Source   string                  `json:"source"`   // of the baseline, as it was named
	Baseline design.RecordedBaseline `json:"baseline"` // what it came to
	// the chance that the baseline's rate is not guarded; part of the errors
	Gamma float64 `json:"gamma"`
	Low   float64 `json:"lowest_guarded"`
	High  float64 `json:"highest_guarded"`
	// The p-value against "the candidate's rate is the baseline's", the largest over the
	// guarded rates; nil where it is not known where the test would have ended.
	PUnchanged *float64 `json:"p_unchanged"`
	// The p-value against "the candidate's rate is lower by delta", likewise.
	PDropped   *float64           `json:"p_dropped"`
	Difference *design.Difference `json:"difference"` // nil where the test has not ended
	Family     baseline.Record    `json:"family"`     // the test itself, and how the baseline was sampled
}

// designFor is the test of a candidate for an outcome of the baseline. Its hypotheses have no
// threshold. An error says that the family has none.
func (o *AgainstOptions) designFor(outcome baseline.Outcome) (sprt.Design, error) {
	h := o.Family.Hypotheses()
	boundaries, ok := o.Family.Boundaries(outcome)
	if !ok {
		return sprt.Design{}, &baseline.OutcomeError{Outcome: outcome, Guarded: h.Guarded}
	}
	return sprt.Design{Kind: sprt.BaselineKind, Boundaries: boundaries,
		Hypotheses: sprt.Hypotheses{Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta}}, nil
}

// errors are the proved ones of the family, with the chance that the baseline's rate is
// another.
func (o *AgainstOptions) errors() (sprt.Errors, bool) {
	e, gamma := o.Family.Errors(), o.Family.Gamma()
	return sprt.Errors{Alpha: math.Min(e.Alpha+gamma, 1), Beta: math.Min(e.Beta+gamma, 1)},
		e.Within(o.Family.Hypotheses())
}

// reading is one way to count what has no outcome, on either side.
type reading struct {
	design   sprt.Design
	baseline baseline.Outcome
	score    recording.ErrorScore // of the candidate's trials
}

// readings are all ways in which errors are counted under the policy, the shown one first.
// Against a baseline the second speaks most for the candidate and the third most against it:
// the errors of the baseline count both ways whatever the policy says of the candidate's.
func (o Options) readings() ([]reading, error) {
	scores := []recording.ErrorScore{recording.ErrorsLeftOut, recording.ErrorsPass, recording.ErrorsFail}
	switch o.Errors {
	case verdict.ExcludeErrors:
		scores = scores[:1]
	case verdict.FailErrors:
		scores = scores[2:]
	}
	var list []reading
	for _, s := range scores {
		list = append(list, reading{design: o.Design, score: s})
	}
	if o.Against == nil {
		return list, nil
	}
	best, worst := o.Against.Recorded.Outcome(), o.Against.Recorded.WithErrorsFailed()
	shown := scores[0]
	list = []reading{
		{baseline: best, score: shown},
		{baseline: worst, score: scores[min(1, len(scores)-1)]},
		{baseline: best, score: scores[len(scores)-1]},
	}
	for i := range list {
		var err error
		if list[i].design, err = o.Against.designFor(list[i].baseline); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// describe adds what the ends of the readings say of the drop: a drop is shown by the one
// that speaks most for the candidate, and excluded by the one that speaks most against it.
func (a *Against) describe(o *AgainstOptions, list []reading, walks []walk, result *Result) error {
	for i, into := range map[int]**float64{1: &a.PUnchanged, 2: &a.PDropped} {
		w := walks[i]
		if w.outcome == sprt.Undecided {
			continue
		}
		p, err := o.Family.PValues(list[i].baseline, w.trials, w.failures)
		if err != nil {
			return err
		}
		if i == 1 {
			*into = &p.Unchanged
		} else {
			*into = &p.Dropped
		}
	}
	// Of the interval, whatever alpha the test decides by: readers expect 95 %.
	const alpha = 0.05
	deciding := 2
	if result.Verdict == verdict.Fail {
		deciding = 1
	}
	w := walks[deciding]
	if w.outcome == sprt.Undecided || w.outcome != walks[0].outcome {
		return nil
	}
	d, err := o.Family.Difference(list[deciding].baseline, w.trials, w.failures, alpha)
	if err != nil {
		return err
	}
	a.Difference = design.DifferenceOf(d)
	return nil
}
