package compare

import (
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// pairing matches the trials of two recordings by scenario, and by input where
// all trials of both have one: where each side has one such trial. Trials that were repeated have no partner, as
// any of the other side would be as good, and the verdict would depend on which is taken.
type pairing struct {
	baseline, candidate *recording.Recording
	// In the order in which the scenarios and inputs appear in the baseline.
	matches []match
	// By scenario and input; else by scenario alone.
	byInput bool
}

// match is a pair of trials, as indices of the recordings' observations.
type match struct{ baseline, candidate int }

// pairKey is what two trials must share to be a pair; the input is 0 where pairs are by
// scenario alone.
type pairKey struct {
	scenario string
	input    uint64
}

// pairUp matches trials that are the only ones of their scenario and input on both sides.
func pairUp(baseline, candidate *recording.Recording) *pairing {
	p := &pairing{baseline: baseline, candidate: candidate}
	// Counts say nothing of single trials: there is nothing to pair.
	if baseline.Counted() || candidate.Counted() {
		return p
	}
	p.byInput = baseline.HasInputs() && candidate.HasInputs()
	key := func(o recording.Observation) pairKey {
		if p.byInput {
			return pairKey{o.Scenario, o.Input}
		}
		return pairKey{scenario: o.Scenario}
	}
	// Group both sides by key; the baseline's order makes the result the same every time.
	others := map[pairKey][]int{}
	for i, o := range candidate.Observations() {
		others[key(o)] = append(others[key(o)], i)
	}
	own := map[pairKey][]int{}
	var order []pairKey
	for i, o := range baseline.Observations() {
		k := key(o)
		if own[k] == nil {
			order = append(order, k)
		}
		own[k] = append(own[k], i)
	}
	for _, k := range order {
		if len(own[k]) == 1 && len(others[k]) == 1 {
			p.matches = append(p.matches, match{own[k][0], others[k][0]})
		}
	}
	return p
}

// mostUnpaired is the share of trials that may have no partner for the trials to count as
// paired. It is chosen: the tests of pairs leave out the others, and with more of them the
// stratified test uses the evidence better.
const mostUnpaired = 0.1

// suffices reports whether the trials are paired: at least two scenarios or inputs
// match, and nearly all trials do.
// The test that decides follows from it, so it looks at scenarios, inputs and numbers
// alone, never at outcomes: else the choice of the test would spoil its level.
func (p *pairing) suffices() bool {
	n := float64(len(p.matches))
	return len(p.matches) >= 2 &&
		n >= (1-mostUnpaired)*float64(p.baseline.Len()) &&
		n >= (1-mostUnpaired)*float64(p.candidate.Len())
}

// table counts the pairs, with errors scored on each side as given.
func (p *pairing) table(s scoring) stats.Pairs {
	var t stats.Pairs
	for _, m := range p.matches {
		before, known := s.baseline.Passed(p.baseline.Observations()[m.baseline].Outcome)
		after, knownToo := s.candidate.Passed(p.candidate.Observations()[m.candidate].Outcome)
		switch {
		// An error that is left out takes its partner with it; see FlipTable.WithErrors.
		case !known || !knownToo:
		case before && after:
			t.BothPass++
		case before:
			t.Broke++
		case after:
			t.Mended++
		default:
			t.BothFail++
		}
	}
	return t
}

// flipTable is the table with the pairs that flipped, regressed ones first.
func (p *pairing) flipTable(s scoring) *FlipTable {
	t := p.table(s)
	f := &FlipTable{
		Pairs: t.Total(), BothPass: t.BothPass, Regressed: t.Broke, Fixed: t.Mended, BothFail: t.BothFail,
		WithErrors:        len(p.matches) - t.Total(),
		UnpairedBaseline:  p.baseline.Len() - len(p.matches),
		UnpairedCandidate: p.candidate.Len() - len(p.matches),
		ByInput:           p.byInput,
		Flips:             []Flip{},
	}
	for _, regressed := range []bool{true, false} {
		for _, m := range p.matches {
			before, known := s.baseline.Passed(p.baseline.Observations()[m.baseline].Outcome)
			after, knownToo := s.candidate.Passed(p.candidate.Observations()[m.candidate].Outcome)
			if known && knownToo && before != after && before == regressed {
				f.Flips = append(f.Flips, p.flip(m, after))
			}
		}
	}
	return f
}

// flip describes a pair by the baseline's scenario and number; passed is the outcome on the
// candidate's side.
func (p *pairing) flip(m match, passed bool) Flip {
	o := p.baseline.Observations()[m.baseline]
	flip := Flip{Scenario: o.Scenario, To: trial.Fail.String()}
	if passed {
		flip.To = trial.Pass.String()
	}
	if o.Index.Known {
		flip.Trial = new(o.Index.Value)
	}
	flip.BaselineOutput, flip.CandidateOutput = o.Output, p.candidate.Observations()[m.candidate].Output
	return flip
}

// scoring is how the errors of both sides count.
type scoring struct{ baseline, candidate recording.ErrorScore }

// scorings returns every way of counting the errors that must lead to the
// verdict. The first is the one that is shown. Between the other two lie all
// further ways of mixing passes and failures.
func scorings(policy verdict.ErrorPolicy, errors bool) []scoring {
	switch {
	// Where the policy says what errors are, or there are none, one way is all there is.
	case policy == verdict.FailErrors:
		return []scoring{{recording.ErrorsFail, recording.ErrorsFail}}
	case policy == verdict.ExcludeErrors || !errors:
		return []scoring{{recording.ErrorsLeftOut, recording.ErrorsLeftOut}}
	}
	// Shown without them; then at their worst for the candidate, and at their best.
	return []scoring{{recording.ErrorsLeftOut, recording.ErrorsLeftOut}, {recording.ErrorsPass,
		recording.ErrorsFail}, {recording.ErrorsFail, recording.ErrorsPass}}
}
