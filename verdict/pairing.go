package verdict

import (
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// pairing matches the trials of two recordings by scenario, and by input where
// all trials of both have one.
type pairing struct {
	baseline, candidate *Recording
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
func pairUp(baseline, candidate *Recording) *pairing {
	p := &pairing{baseline: baseline, candidate: candidate}
	if baseline.counted || candidate.counted {
		return p
	}
	p.byInput = baseline.inputs > 0 && baseline.inputs == baseline.Len() && candidate.inputs == candidate.Len()
	key := func(o observation) pairKey {
		if p.byInput {
			return pairKey{o.scenario, o.input}
		}
		return pairKey{scenario: o.scenario}
	}
	others := map[pairKey][]int{}
	for i, o := range candidate.observations {
		others[key(o)] = append(others[key(o)], i)
	}
	own := map[pairKey][]int{}
	var order []pairKey
	for i, o := range baseline.observations {
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
		if index := p.candidate.observations[j].index; index.Known {
			byNumber[index.Value] = j
		}
	}
	var found []match
	for _, i := range own {
		index := p.baseline.observations[i].index
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
		before, known := s.baseline.passed(p.baseline.observations[m.baseline].outcome)
		after, knownToo := s.candidate.passed(p.candidate.observations[m.candidate].outcome)
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

// flipTable is the table with the pairs that flipped, broken ones first.
func (p *pairing) flipTable(s scoring) *FlipTable {
	t := p.table(s)
	f := &FlipTable{
		Pairs: t.Total(), BothPass: t.BothPass, Broke: t.Broke, Mended: t.Mended, BothFail: t.BothFail,
		WithErrors:        len(p.matches) - t.Total(),
		UnpairedBaseline:  p.baseline.Len() - len(p.matches),
		UnpairedCandidate: p.candidate.Len() - len(p.matches),
		ByInput:           p.byInput,
		Flips:             []Flip{},
	}
	for _, broken := range []bool{true, false} {
		for _, m := range p.matches {
			before, known := s.baseline.passed(p.baseline.observations[m.baseline].outcome)
			after, knownToo := s.candidate.passed(p.candidate.observations[m.candidate].outcome)
			if known && knownToo && before != after && before == broken {
				f.Flips = append(f.Flips, p.flip(m, after))
			}
		}
	}
	return f
}

func (p *pairing) flip(m match, passed bool) Flip {
	o := p.baseline.observations[m.baseline]
	flip := Flip{Scenario: o.scenario, To: trial.Fail.String()}
	if passed {
		flip.To = trial.Pass.String()
	}
	if o.index.Known {
		flip.Trial = pointer(o.index.Value)
	}
	flip.BaselineOutput, flip.CandidateOutput = o.output, p.candidate.observations[m.candidate].output
	return flip
}

// errorScore says what a trial counts as that ended in an error.
type errorScore uint8

const (
	errorsLeftOut errorScore = iota
	errorsFail
	errorsPass
)

// passed returns whether the outcome counts as a pass, and whether it counts.
func (s errorScore) passed(o trial.Outcome) (passed, counts bool) {
	switch o {
	case trial.Pass:
		return true, true
	case trial.Fail:
		return false, true
	}
	return s == errorsPass, s != errorsLeftOut
}

// scoring is how the errors of both sides count.
type scoring struct{ baseline, candidate errorScore }

// scorings returns every way of counting the errors that must lead to the
// verdict. The first is the one that is shown. Between the other two lie all
// further ways of mixing passes and failures.
func scorings(policy ErrorPolicy, errors bool) []scoring {
	switch {
	case policy == FailErrors:
		return []scoring{{errorsFail, errorsFail}}
	case policy == ExcludeErrors || !errors:
		return []scoring{{errorsLeftOut, errorsLeftOut}}
	}
	return []scoring{{errorsLeftOut, errorsLeftOut}, {errorsPass, errorsFail}, {errorsFail, errorsPass}}
}
