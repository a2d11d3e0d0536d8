package baseline

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
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
// over the guarded rates, of an end as extreme; it is an upper bound, at most a relative
// 0.0001 too high. An error says that the test cannot end there.
func (f *Family) PValues(o Outcome, trials, failures int) (PValues, error) {
	// All ends of all outcomes of the baseline are in one order: what the baseline came to is part of what
	// is extreme.
	var all []ranked
	at := -1
	for _, m := range f.members {
		i := f.sample.place(m.outcome)
		walk(m.boundaries, func(n, failed int, logPaths float64, outcome sprt.Outcome) {
			if m.outcome == o && n == trials && failed == failures {
				at = len(all)
			}
			e := end{m.outcome.Passes(), m.outcome.Failures, n - failed, failed, f.sample.paths[i] + logPaths}
			all = append(all, ranked{e, severity(outcome), f.likelihoodRatio(e)})
		})
	}
	if at < 0 {
		return PValues{}, &EndError{o, trials, failures}
	}
	// Ends that tie with the one seen belong to both tails. low holds what speaks for a drop at least as
	// much, high what speaks for it at most as much.
	var low, high event
	for _, r := range all {
		if !r.below(all[at]) {
			low = append(low, r.end)
		}
		if !all[at].below(r) {
			high = append(high, r.end)
		}
	}
	h := f.hypotheses
	return PValues{
		Unchanged: math.Min(1, low.maximum(h.Alpha, 0, h.Guarded).bound),
		Dropped:   math.Min(1, high.maximum(h.Beta, h.Delta, h.Guarded).bound),
	}, nil
}

// EndError says that the test of a candidate cannot end where it is said to have.
type EndError struct {
	Baseline         Outcome
	Trials, Failures int // of the candidate
}

func (e *EndError) Error() string {
	return fmt.Sprintf("the test cannot end after %d trials with %d failures, with %d failures in %d of the baseline",
		e.Trials, e.Failures, e.Baseline.Failures, e.Baseline.Trials)
}

// ranked is an end with what orders it: how much it speaks for a drop.
type ranked struct {
	end      end
	severity int     // of its outcome
	ratio    float64 // logarithm of the likelihood ratio of a drop to none
}

// below reports whether an end speaks less for a drop than another. What differs by
// rounding alone does not.
func (r ranked) below(other ranked) bool {
	if r.severity != other.severity {
		return r.severity < other.severity
	}
	// The largest likelihoods are found by bisection, so the same end reached in two ways may differ in the
	// last digits.
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

// likelihoodRatio is the logarithm of the largest likelihood of an end with a drop of
// delta over that without one.
func (f *Family) likelihoodRatio(e end) float64 {
	return f.likelihood(e, f.hypotheses.Delta) - f.likelihood(e, 0)
}

// likelihood is the logarithm of the largest likelihood over the guarded rates, but for
// the number of paths. It is concave in the rate.
func (f *Family) likelihood(e end, drop float64) float64 {
	// The number of paths is the same in both likelihoods of a ratio.
	e.logPaths = 0
	p := &polynomial{factors: rateFactors(drop)}
	return p.largest(e.term(drop), f.hypotheses.Guarded)
}
