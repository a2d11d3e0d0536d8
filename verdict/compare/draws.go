package compare

import (
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/stats"
)

// How many recordings are drawn for the power of the stratified test, and for the chance of a decision: the
// standard error is 1.1 and 2.3 points at most. The numbers are chosen.
const (
	powerDraws  = 2000
	chanceDraws = 480
	mostDrawn   = 2e7 // trials, in all draws of one power
)

// draw draws the outcomes of strata of such sizes, where every stratum passes at the baseline's observed rate
// and at the share of it that the candidate keeps. Random numbers are those of the seed.
func draw(random *rand.Rand, strata []stats.Stratum, sizes []stats.Stratum, kept func(i int) float64) stats.Table {
	t := stats.Table{Strata: make([]stats.Stratum, len(strata))}
	count := func(n int, rate float64) stats.Counts {
		c := stats.Counts{Trials: n}
		for range n {
			if random.Float64() < rate {
				c.Passes++
			}
		}
		return c
	}
	for i, s := range strata {
		b := count(sizes[i].Baseline.Trials, s.Baseline.Rate())
		k := count(sizes[i].Candidate.Trials, kept(i))
		t.Strata[i] = stats.Stratum{Baseline: b, Candidate: k}
		t.Baseline.Passes += b.Passes
		t.Baseline.Trials += b.Trials
		t.Candidate.Passes += k.Passes
		t.Candidate.Trials += k.Trials
	}
	return t
}

// stratifiedPower is the power of the stratified test, from recordings that are drawn: every scenario passes
// at the baseline's observed rate, and the candidate at the same share of it everywhere, so that the mean
// falls by delta.
func (c *comparer) stratifiedPower(e evidence) (*Power, bool) {
	if c.options.shortens() && e.size() > mostDrawnTrials {
		return c.normalPower(e)
	}
	mean, trials := 0.0, 0
	for _, s := range e.Strata {
		mean += s.Baseline.Rate() * float64(s.Candidate.Trials)
		trials += s.Candidate.Trials
	}
	if mean /= float64(max(trials, 1)); mean-c.options.Delta < 0 {
		return nil, false
	}
	draws := max(min(powerDraws, int(mostDrawn)/max(e.size(), 1)), 200)
	power := func(drop float64, draws int) float64 {
		c.drew = true
		random := rand.New(rand.NewPCG(c.options.Seed, 1))
		found := 0
		for range draws {
			t := draw(random, e.Strata, e.Strata, func(i int) float64 {
				return e.Strata[i].Baseline.Rate() * (1 - drop/mean)
			})
			if r, err := c.test.P(c.ctx, t); err == nil && r.P <= c.options.Alpha {
				found++
			}
			if c.ctx.Err() != nil {
				break
			}
		}
		return float64(found) / float64(draws)
	}
	p := &Power{AtDelta: power(c.options.Delta, draws), Draws: draws}
	low, high := 0.0, mean
	if power(high, draws/4) < 1-c.options.Beta {
		return p, true
	}
	for range 9 {
		if middle := (low + high) / 2; power(middle, draws/4) >= 1-c.options.Beta {
			high = middle
		} else {
			low = middle
		}
	}
	p.MDE = new(high)
	return p, true
}

// stratifiedChance is the probability of a decision with n's numbers of trials at e's rates, from recordings
// that are drawn.
func (c *comparer) stratifiedChance(e, n evidence) (float64, bool) {
	o := c.options
	used, mismatch, err := stats.SharesUsed(n.Strata, nil, o.Delta)
	if err != nil || used < 1 || mismatch > 0 {
		return 0, false
	}
	if o.shortens() && n.size() > mostDrawnTrials {
		return normalChance(e, n, o), true
	}
	within, err := stats.StratifiedNonInferiorityRegion(c.ctx, n.Baseline.Trials, n.Candidate.Trials, o.Delta, o.Beta)
	if err != nil {
		return 0, false
	}
	c.drew = true
	random := rand.New(rand.NewPCG(o.Seed, 2))
	decided := 0
	for range chanceDraws {
		t := draw(random, e.Strata, n.Strata, func(i int) float64 { return e.Strata[i].Candidate.Rate() })
		if within.Contains(t.Baseline.Passes, t.Candidate.Passes) {
			decided++
			continue
		}
		if r, err := c.test.P(c.ctx, t); err == nil && r.P <= o.Alpha {
			decided++
		}
		if c.ctx.Err() != nil {
			return 0, false
		}
	}
	return float64(decided) / chanceDraws, true
}
