package baseline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// PValues are the evidence of where a test ended against each hypothesis.
type PValues struct {
	// Unchanged is the p-value against "the candidate's rate is the baseline's". At an end
	// with Fail it is at most the family's alpha.
	Unchanged float64
	// Dropped is the p-value against "the candidate's rate is lower by delta". At an end
	// with Pass it is at most the family's beta.
	Dropped float64
}

// PValues returns the p-values of a test that ended after so many trials of the candidate
// with so many failures, the baseline having come to an outcome. Ends are ordered by
// their outcome (a Fail is more extreme against Unchanged than no decision, and that more
// than a Pass), and among those of one outcome by the ratio of the largest likelihoods,
// over the guarded rates, of the two hypotheses. The p-value is the largest probability,
// over the guarded rates, of an end as extreme, over what the baseline might have come to
// too, and [Family.Gamma] more. Of a decision it is rounded up, by half a percent at most
// from a thousandth of the target on, and at most the target of its error. It is valid up
// to that: with probability u at most it is u or less. In a chain of tiers that holds over
// all tiers, and in its last family at every rate. An error says that the test cannot end there.
func (f *Family) PValues(o Outcome, trials, failures int) (PValues, error) {
	place := f.sample.place(o)
	if place < 0 || f.settled != nil && !f.settled[place] {
		return PValues{}, noEnd(o, trials, failures)
	}
	if earlier := f.earlier(); earlier != nil && earlier.settled[place] {
		return earlier.PValues(o, trials, failures)
	}
	ends := f.ranked()
	at := slices.IndexFunc(ends, func(r rankedEnd) bool {
		return r.end.key() == endKey{o.Passes(), o.Failures, trials - failures, failures}
	})
	if at < 0 {
		return PValues{}, noEnd(o, trials, failures)
	}
	return PValues{
		Unchanged: math.Min(1, f.pValue(ends, ends[at], false)+f.gamma),
		Dropped:   math.Min(1, f.pValue(ends, ends[at], true)+f.gamma),
	}, nil
}

// pValue is one of the two, without gamma.
func (f *Family) pValue(ends []rankedEnd, seen rankedEnd, dropped bool) float64 {
	if seen.severity == deciding(dropped) {
		return f.evidence(dropped).pValue(seen.end.key())
	}
	// Of what does not speak against the hypothesis the size hardly matters: it is above the target in any case.
	var as event
	for _, r := range ends {
		if r.asExtreme(seen, dropped) {
			as = append(as, r.end)
		}
	}
	drop, target := 0.0, f.hypotheses.Alpha
	if dropped {
		drop, target = f.hypotheses.Delta, f.hypotheses.Beta
	}
	most := as.polynomial(drop, f.rates(drop)).within(f.rates(drop), 0, looseTolerance).bound
	return math.Max(most, math.Nextafter(target, 1))
}

// earlier is the tier whose outcomes keep the p-values that they have there; nil is none.
func (f *Family) earlier() *Family { return cmp.Or(f.tier, f.before) }

// rates are those of the baseline over which p-values hold, of a candidate that is lower by so much: the guarded ones,
// and in the last family of a chain, whose outcomes need not lie in these, all.
func (f *Family) rates(drop float64) stats.Interval {
	if f.tier != nil {
		return stats.Interval{Low: drop, High: f.hypotheses.Guarded.High}
	}
	return f.hypotheses.Guarded
}

// looseTolerance is how far a p-value may be too high where it is above the target of its error, as a share.
const looseTolerance = 1e-2

// deciding is the severity of the outcome that speaks against a hypothesis: Fail against "unchanged", Pass against
// "dropped".
func deciding(dropped bool) int {
	if dropped {
		return severity(sprt.Pass)
	}
	return severity(sprt.Fail)
}

// ranked returns all ends of the family, once.
func (f *Family) ranked() []rankedEnd {
	f.cache.ranks.Do(func() {
		unchanged := &polynomial{factors: rateFactors(0)}
		lower := &polynomial{factors: rateFactors(f.hypotheses.Delta)}
		for _, m := range f.members {
			i := f.sample.place(m.outcome)
			walk(m.boundaries, func(n, failed int, logPaths float64, outcome sprt.Outcome) {
				e := end{m.outcome.Passes(), m.outcome.Failures, n - failed, failed, f.sample.paths[i] + logPaths}
				// Numbers of paths cancel in a ratio of likelihoods.
				plain := e
				plain.logPaths = 0
				ratio := lower.largest(plain.term(f.hypotheses.Delta), f.hypotheses.Guarded) -
					unchanged.largest(plain.term(0), f.hypotheses.Guarded)
				f.cache.ends = append(f.cache.ends, rankedEnd{e, severity(outcome), ratio,
					m.fixed || f.tier != nil && f.tier.settled[i], f.settled == nil || f.settled[i]})
			})
		}
	})
	return f.cache.ends
}

// evidence returns the p-values of the ends that decide, once for each hypothesis.
func (f *Family) evidence(dropped bool) *evidence {
	drop, side := 0.0, 0
	target, top := f.hypotheses.Alpha-f.gamma, f.Errors().Alpha
	if dropped {
		drop, side = f.hypotheses.Delta, 1
		target, top = f.hypotheses.Beta-f.gamma, f.Errors().Beta
	}
	f.cache.once[side].Do(func() {
		var ends []decidingEnd
		for _, r := range f.ranked() {
			if r.severity == deciding(dropped) && !r.fixed {
				ends = append(ends, r.decided(r.end.key(), r.end.term(drop), dropped))
			}
		}
		var before []*evidence
		for b := f.earlier(); b != nil; b = b.before {
			before = append(before, b.evidence(dropped))
		}
		left := 0.0
		if f.gamma > 0 {
			// Every end that decides has at most the target, whichever tier it belongs to.
			top = math.Max(top, target)
			left = leftShare / math.Exp2(float64(f.depth()))
		}
		rates := f.rates(drop)
		m := newMesh(rateFactors(drop), rates, cellsFor(rates, float64(f.sample.mostTrials()+f.trials/2)))
		f.cache.evidence[side] = newEvidence(m, ends, before, target, top, 0, left)
	})
	return f.cache.evidence[side]
}

// familyCache holds what is computed once of a family.
type familyCache struct {
	ranks    sync.Once
	ends     []rankedEnd
	once     [2]sync.Once // against "unchanged" and against "dropped"
	evidence [2]*evidence
	errors   sync.Once
	proved   Errors
	lock     sync.Mutex
	unlike   map[int]Errors // as shares of their targets, by the number of scenarios

	medians   sync.Once
	estimated [][]candidateEnd // by member
}

// noEnd is that the test of a candidate cannot end where it is said to have.
func noEnd(o Outcome, trials, failures int) error {
	return fmt.Errorf("the test cannot end after %d trials with %d failures, with %d failures in %d of the baseline",
		trials, failures, o.Failures, o.Trials)
}

// rankedEnd is an end with what orders it: how much it speaks for a drop.
type rankedEnd struct {
	end      end
	severity int     // of its outcome
	ratio    float64 // logarithm of the likelihood ratio of a drop to none
	fixed    bool    // by a tier before
	own      bool    // of an outcome that belongs to the tier
}

// asExtreme reports whether an end speaks as much against a hypothesis as another one does.
func (r rankedEnd) asExtreme(other rankedEnd, dropped bool) bool {
	if dropped {
		return !other.below(r)
	}
	return !r.below(other)
}

// decided is the end as evidence against a hypothesis.
func (r rankedEnd) decided(key endKey, t term, dropped bool) decidingEnd {
	ratio := r.ratio
	if dropped {
		ratio = -ratio
	}
	return decidingEnd{key, t, ratio, r.own}
}

// below reports whether an end speaks less for a drop than another. What differs by
// rounding alone does not.
func (r rankedEnd) below(other rankedEnd) bool {
	if r.severity != other.severity {
		return r.severity < other.severity
	}
	return r.ratio < other.ratio-1e-9
}

// severity orders outcomes by how much they speak for a drop.
func severity(o sprt.Outcome) int {
	switch o {
	case sprt.Fail:
		return 2
	case sprt.Pass:
		return 0
	}
	return 1
}
