package compare

import (
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// pairing matches the trials of two recordings by scenario, and by input where
// all trials of both have one.
type pairing struct {
	baseline, candidate *recording.Recording
	matches             []match
	keys                int // scenarios and inputs with a match
	byInput             bool
}

// match is a pair of trials, as indices of the recordings' observations.
type match struct{ baseline, candidate int }

type pairKey struct {
	scenario string
	input    uint64
}

// pairUp matches trials of equal number within a scenario; where no numbers agree,
// in their order.
func pairUp(baseline, candidate *recording.Recording) *pairing {
	p := &pairing{baseline: baseline, candidate: candidate}
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
		found := p.matchWithin(own[k], others[k])
		p.matches = append(p.matches, found...)
		if len(found) > 0 {
			p.keys++
		}
	}
	return p
}

func (p *pairing) matchWithin(own, others []int) []match {
	byNumber := map[int]int{}
	for _, j := range others {
		if index := p.candidate.Observations()[j].Index; index.Known {
			byNumber[index.Value] = j
		}
	}
	var found []match
	for _, i := range own {
		index := p.baseline.Observations()[i].Index
		if j, ok := byNumber[index.Value]; ok && index.Known {
			found = append(found, match{i, j})
			delete(byNumber, index.Value)
		}
	}
	if len(found) > 0 {
		return found
	}
	for k := range min(len(own), len(others)) {
		found = append(found, match{own[k], others[k]})
	}
	return found
}

// mostUnpaired is the share of trials that may have no partner for the trials to
// count as paired.
const mostUnpaired = 0.1

// suffices reports whether the trials are paired: at least two scenarios or inputs
// match, and nearly all trials do.
func (p *pairing) suffices() bool {
	n := float64(len(p.matches))
	return p.keys >= 2 &&
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
	case policy == verdict.FailErrors:
		return []scoring{{recording.ErrorsFail, recording.ErrorsFail}}
	case policy == verdict.ExcludeErrors || !errors:
		return []scoring{{recording.ErrorsLeftOut, recording.ErrorsLeftOut}}
	}
	return []scoring{{recording.ErrorsLeftOut, recording.ErrorsLeftOut}, {recording.ErrorsPass,
		recording.ErrorsFail}, {recording.ErrorsFail, recording.ErrorsPass}}
}
