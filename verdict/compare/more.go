package compare

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// addMoreTrials answers "what would it take" for the margin rule: the size, with
// both sides grown alike, at which a new comparison decides with the chance that
// is asked for if the observed rates are the true ones. The chance is exact; a
// normal approximation only tells where to look.
func (c *comparer) addMoreTrials(result *Result) {
	if result.Verdict != verdict.Inconclusive || c.options.Rule != MarginRule || c.options.By == verdict.ByScenario {
		return
	}
	e := c.evidence(c.scorings[0])
	if shown, _ := c.applyMargin(e); shown != verdict.Inconclusive || e.size() == 0 || len(e.Clusters) > 0 {
		return // it is the errors that leave it open
	}
	// From the approximate answer on, grow by 5 % a step until the exact chance suffices.
	// Thirty steps are a factor of about four: further from the approximation it is given up.
	scale := c.roughScale(e)
	for range 30 {
		n := e.grown(scale)
		if n.size() > mostEnumerated {
			return
		}
		chance, ok := c.decisionChance(e, n)
		if !ok {
			return
		}
		if chance >= verdict.DecisionChance {
			result.MoreTrials = &MorePairs{Baseline: n.Baseline.Trials, Candidate: n.Candidate.Trials, Chance: chance}
			return
		}
		scale *= 1.05
	}
}

// grown returns evidence of the same rates with more trials; only the numbers of
// trials matter.
// grown is used with [comparer.decisionChance], which takes the rates from elsewhere: so
// all pairs may stand in one cell.
func (e evidence) grown(scale float64) evidence {
	more := func(n int) int { return int(math.Ceil(scale * float64(n))) }
	if e.Pairs != nil {
		n := more(e.Pairs.Total())
		return evidence{stats.Table{
			Baseline:  stats.Counts{Trials: n},
			Candidate: stats.Counts{Trials: n},
			Pairs:     &stats.Pairs{BothPass: n},
		}}
	}
	if len(e.Strata) > 0 {
		var n evidence
		for _, s := range e.Strata {
			s.Baseline = stats.Counts{Trials: more(s.Baseline.Trials)}
			s.Candidate = stats.Counts{Trials: more(s.Candidate.Trials)}
			n.Strata = append(n.Strata, s)
			n.Baseline.Trials += s.Baseline.Trials
			n.Candidate.Trials += s.Candidate.Trials
		}
		return n
	}
	return evidence{stats.Table{
		Baseline:  stats.Counts{Trials: more(e.Baseline.Trials)},
		Candidate: stats.Counts{Trials: more(e.Candidate.Trials)},
	}}
}

// decisionChance is the exact probability of any decision with n's numbers of
// trials at e's rates.
func (c *comparer) decisionChance(e, n evidence) (float64, bool) {
	o := c.options
	if e.Pairs != nil {
		pairs := n.Pairs.Total()
		// A decision is a Fail by the one region or a Pass by the other. Both are enumerated
		// for these numbers of trials, so the chance holds for the very test that decides.
		worse, err := c.test.PairedRegion(c.ctx, pairs, o.Alpha)
		if err != nil {
			return 0, false
		}
		within, err := stats.PairedNonInferiorityRegion(c.ctx, pairs, o.Delta, o.Beta)
		if err != nil {
			return 0, false
		}
		total := float64(e.Pairs.Total())
		chance, err := worse.EitherProbability(within, float64(e.Pairs.Broke)/total, float64(e.Pairs.Mended)/total)
		return chance, err == nil
	}
	if c.stratified {
		return c.stratifiedChance(e, n)
	}
	// The same for two independent sides, at the observed rates of both.
	worse, err := c.test.Region(c.ctx, n.Baseline.Trials, n.Candidate.Trials, o.Alpha)
	if err != nil {
		return 0, false
	}
	within, err := stats.NonInferiorityRegion(c.ctx, n.Baseline.Trials, n.Candidate.Trials, o.Delta, o.Beta)
	if err != nil {
		return 0, false
	}
	chance, err := worse.EitherProbability(within, e.Baseline.Rate(), e.Candidate.Rate())
	return chance, err == nil
}

// roughScale finds by the normal approximation how many times the trials are
// needed; at least one more than there are.
func (c *comparer) roughScale(e evidence) float64 {
	// The estimated difference is taken as normal, its variance falling with the trials. It
	// decides below low (worse) and above high (a drop of delta is excluded); once the two
	// meet, every outcome decides.
	variance := e.variance()
	// At least one more pair, or one more trial a side.
	least := 1 + 1/float64(max(e.size()/2, 1))
	difference := -e.Drop()
	chance := func(scale float64) float64 {
		deviation := math.Sqrt(variance / scale)
		low := -dist.NormalUpperQuantile(c.options.Alpha) * deviation                 // below: worse
		high := -c.options.Delta + dist.NormalUpperQuantile(c.options.Beta)*deviation // above: within delta
		if low >= high {
			return 1
		}
		return 1 - (dist.NormalCDF((high-difference)/deviation) - dist.NormalCDF((low-difference)/deviation))
	}
	high := least
	for chance(high) < verdict.DecisionChance && high < 1e9 {
		high *= 1.05
	}
	// The approximation errs by a few percent either way; start a little below.
	return math.Max(least, high*0.9)
}

// variance is that of the estimated difference, kept away from 0 where all trials
// of a side agree.
func (e evidence) variance() float64 {
	if e.Pairs != nil {
		n := float64(e.Pairs.Total())
		// Flips over pairs, less the squared difference, is the variance of one pair. Half a
		// flip is added, and half of the square left out, so that it is never 0.
		flips := float64(e.Pairs.Discordant()) + 0.5
		d := e.Drop()
		return (flips/n - d*d*0.5) / n
	}
	// Half a pass and half a failure more, so that a rate of 0 or 1 has a variance too.
	side := func(c stats.Counts) float64 {
		p := (float64(c.Passes) + 0.5) / (float64(c.Trials) + 1)
		return p * (1 - p) / float64(c.Trials)
	}
	return side(e.Baseline) + side(e.Candidate)
}
