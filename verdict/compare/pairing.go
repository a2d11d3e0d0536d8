package compare

import (
	"iter"
	"maps"

	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// pairing matches the trials of two recordings: where a scenario has one trial on each side they are a
// pair, whatever their inputs are, for both are drawn as that scenario's are. Of a scenario with several
// trials those are that are alone with an input which both sides tried; and then those that are left, where
// there is one on each side. Where there are several no two are a pair, as any of the other side would be as good,
// and the verdict would depend on which is taken.
type pairing struct {
	baseline, candidate *recording.Recording
	// In the order in which the scenarios and inputs appear in the baseline.
	matches []match
	// The inputs of all trials are known, and those of a pair are compared.
	byInput bool
	// The pairs of a saved comparison, which are counted and not known one by one; nil otherwise. They are counted as
	// errors are shown.
	counted *FlipTable
	// The pairs of a saved comparison by their outcomes, which follow from what it holds; nil otherwise.
	tallied *talliedPairs
}

// talliedPairs are pairs of which only outcomes are known.
type talliedPairs struct {
	counts      map[[2]trial.Outcome]int
	same, other int // of the same input, and of others
}

func (t *talliedPairs) len() int { return t.same + t.other }

// countPairs are the pairs of groups that a saved result holds: the kinds that both sides tried once, and the
// scenarios of which each side has one trial more.
func countPairs(g *groups) *pairing {
	t := &talliedPairs{counts: map[[2]trial.Outcome]int{}}
	rest := make([][2]outcomes, len(g.scenarios))
	for kind, scenario := range g.scenario {
		both := g.outcomes(uint32(kind))
		switch {
		case !g.shared(uint32(kind)):
			for side, counts := range both {
				rest[scenario][side].passes += counts.passes
				rest[scenario][side].fails += counts.fails
				rest[scenario][side].errors += counts.errors
			}
		case both[0].trials() == 1 && both[1].trials() == 1:
			t.counts[[2]trial.Outcome{both[0].single(), both[1].single()}]++
			t.same++
		}
	}
	for _, both := range rest {
		if both[0].trials() == 1 && both[1].trials() == 1 {
			t.counts[[2]trial.Outcome{both[0].single(), both[1].single()}]++
			t.other++
		}
	}
	return &pairing{baseline: g.sides[0], candidate: g.sides[1], byInput: g.byInput, tallied: t}
}

// single is the outcome of one trial.
func (o outcomes) single() trial.Outcome {
	switch {
	case o.passes > 0:
		return trial.Pass
	case o.fails > 0:
		return trial.Fail
	}
	return trial.Error
}

// outcomes are those of the pairs, each with how many have them.
func (p *pairing) outcomes() iter.Seq2[[2]trial.Outcome, int] {
	if p.tallied != nil {
		return maps.All(p.tallied.counts)
	}
	return func(yield func([2]trial.Outcome, int) bool) {
		for _, m := range p.matches {
			both := [2]trial.Outcome{p.baseline.Outcome(int(m.baseline)), p.candidate.Outcome(m.candidate())}
			if !yield(both, 1) {
				return
			}
		}
	}
}

// len is the number of pairs, also of those that have no outcome on a side.
func (p *pairing) len() int {
	if p.counted != nil {
		return p.counted.Pairs + p.counted.WithErrors
	}
	if p.tallied != nil {
		return p.tallied.len()
	}
	return len(p.matches)
}

// match is a pair of trials, as places of the recordings' observations.
type match struct{ baseline, candidateAnd uint32 }

// sameInput marks a match whose inputs are known and the same.
const sameInput = 1 << 31

func matchOf(baseline, candidate uint32, same bool) match {
	if same {
		candidate |= sameInput
	}
	return match{baseline, candidate}
}

func (m match) candidate() int { return int(m.candidateAnd &^ sameInput) }

func (m match) sameInput() bool { return m.candidateAnd&sameInput != 0 }

// pairUp matches trials that have one partner alone. The cells of a [layout] with one trial on each side are these
// pairs: the test of pairs and the one within strata look at the same trials.
// Before the third edition trials of unlike inputs were no pair.
func pairUp(g *groups, edition int) *pairing {
	p := &pairing{baseline: g.sides[0], candidate: g.sides[1], matches: g.pairs(edition)}
	p.byInput = g.byInput && !unknownTrials(p.baseline) && !unknownTrials(p.candidate)
	return p
}

// unknownTrials reports whether a recording knows no trial from the others of its side.
func unknownTrials(r *recording.Recording) bool { return r.Counted() && r.Groups() == nil }

// mostUnpaired is the share of trials that may have no partner for the trials to count as
// paired. It is chosen: the tests of pairs leave out the others, and with more of them the
// stratified test uses the evidence better.
const mostUnpaired = 0.1

// suffices reports whether the trials are paired: at least two scenarios or inputs
// match, and nearly all trials do.
// The test that decides follows from it, so it looks at scenarios, inputs and numbers
// alone, never at outcomes: else the choice of the test would spoil its level.
func (p *pairing) suffices() bool {
	n := float64(p.len())
	return p.len() >= 2 &&
		n >= (1-mostUnpaired)*float64(p.baseline.Len()) &&
		n >= (1-mostUnpaired)*float64(p.candidate.Len())
}

// table counts the pairs, with errors scored on each side as given.
func (p *pairing) table(s errorScores) stats.Pairs {
	if p.counted != nil {
		return p.counted.table()
	}
	var t stats.Pairs
	for both, times := range p.outcomes() {
		before, known := s.baseline.Passed(both[0])
		after, knownToo := s.candidate.Passed(both[1])
		switch {
		// An error that is left out takes its partner with it; see FlipTable.WithErrors.
		case !known || !knownToo:
		case before && after:
			t.BothPass += times
		case before:
			t.Broke += times
		case after:
			t.Mended += times
		default:
			t.BothFail += times
		}
	}
	return t
}

// flipTable is the table with the pairs that flipped, regressed ones first.
func (p *pairing) flipTable(s errorScores, edition int) *FlipTable {
	if p.counted != nil {
		return p.counted
	}
	t := p.table(s)
	f := &FlipTable{
		Pairs: t.Total(), BothPass: t.BothPass, Regressed: t.Broke, Fixed: t.Mended, BothFail: t.BothFail,
		WithErrors:        p.len() - t.Total(),
		UnpairedBaseline:  p.baseline.Len() - p.len(),
		UnpairedCandidate: p.candidate.Len() - p.len(),
		ByInput:           p.byInput,
		Flips:             []Flip{},
	}
	if t := p.tallied; t != nil && p.byInput {
		f.SameInput, f.OtherInput = t.same, t.other
	}
	if p.byInput && edition >= pairsOfScenarios {
		for _, m := range p.matches {
			if m.sameInput() {
				f.SameInput++
			} else {
				f.OtherInput++
			}
		}
	}
	room := mostStepsOfFlips
	for _, regressed := range []bool{true, false} {
		listed := 0
		for _, m := range p.matches {
			before, known := s.baseline.Passed(p.baseline.Outcome(int(m.baseline)))
			after, knownToo := s.candidate.Passed(p.candidate.Outcome(m.candidate()))
			if known && knownToo && before != after && before == regressed {
				if listed++; listed > mostFlips && edition >= shortOfMany {
					f.Omitted++
					continue
				}
				flip := p.flip(m, after)
				room -= p.addSteps(&flip, m, room)
				f.Flips = append(f.Flips, flip)
			}
		}
	}
	return f
}

// flip describes a pair by the baseline's scenario and number; passed is the outcome on the
// candidate's side.
func (p *pairing) flip(m match, passed bool) Flip {
	o := p.baseline.At(int(m.baseline))
	flip := Flip{Scenario: o.Scenario, To: trial.Fail.String()}
	if passed {
		flip.To = trial.Pass.String()
	}
	if o.Index.Known {
		flip.Trial = new(o.Index.Value)
	}
	flip.BaselineOutput = (*redact.Secrets)(nil).Text(o.Output)
	flip.CandidateOutput = (*redact.Secrets)(nil).Text(p.candidate.At(m.candidate()).Output)
	return flip
}

// mostFlips is how many pairs a result of many trials lists that broke, and how many that were fixed. Chosen: a result
// stays a document of a megabyte, and nobody reads as many.
const mostFlips = 5000

// mostStepsOfFlips is how many steps a result lists of all pairs that flipped, in both of their trials. Chosen: with
// the bounds of their texts they take a few megabytes at most, and a page shows some hundred pairs.
const mostStepsOfFlips = 6000

// addSteps adds the steps of both trials, if there is room for so many, and returns how many these are.
func (p *pairing) addSteps(flip *Flip, m match, room int) int {
	flip.BaselineSteps, flip.CandidateSteps = p.baseline.Steps(int(m.baseline)), p.candidate.Steps(m.candidate())
	taken := 0
	for _, s := range []*recording.Steps{flip.BaselineSteps, flip.CandidateSteps} {
		if s == nil {
			continue
		}
		if taken += len(s.List); taken > room {
			taken -= len(s.List)
			*s = recording.Steps{Omitted: s.Omitted + len(s.List)}
		}
	}
	return taken
}

// errorScores is how the errors of both sides count.
type errorScores struct{ baseline, candidate recording.ErrorScore }

// scorings returns every way of counting the errors that must lead to the
// verdict. The first is the one that is shown. Between the other two lie all
// further ways of mixing passes and failures.
func scorings(policy verdict.ErrorPolicy, errors bool) []errorScores {
	switch {
	// Where the policy says what errors are, or there are none, one way is all there is.
	case policy == verdict.FailErrors:
		return []errorScores{{recording.ErrorsFail, recording.ErrorsFail}}
	case policy == verdict.ExcludeErrors || !errors:
		return []errorScores{{recording.ErrorsLeftOut, recording.ErrorsLeftOut}}
	}
	// Shown without them; then at their worst for the candidate, and at their best.
	return []errorScores{{recording.ErrorsLeftOut, recording.ErrorsLeftOut}, {recording.ErrorsPass,
		recording.ErrorsFail}, {recording.ErrorsFail, recording.ErrorsPass}}
}
