package compare

import (
	"math"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Priors are what was thought of both pass rates before the trials.
type Priors struct {
	Baseline, Candidate stats.BetaPrior // the zero value is uniform
	Source              string          // of the baseline's, such as a file of earlier trials; "" where they were given
}

// Posterior is what Beta priors and the trials together say of the drop from the baseline's pass rate to the
// candidate's, both taken as independent. It is a degree of belief under these priors: it stands beside the
// verdict, and decides it by [BayesRule] alone.
type Posterior struct {
	Baseline  BetaRate `json:"baseline"`         // of its pass rate
	Candidate BetaRate `json:"candidate"`        // of its pass rate
	Source    string   `json:"source,omitempty"` // of the baseline's prior; absent where it was given

	Mean     float64          `json:"mean"`     // of the drop, baseline minus candidate, from -1 to 1
	Interval verdict.Interval `json:"interval"` // of the drop, with equal tails
	Dropped  float64          `json:"p_drop"`   // probability that the candidate's rate is lower, from 0 to 1
	Beyond   float64          `json:"p_beyond"` // probability that it is lower by more than delta, from 0 to 1
	Bins     Bins             `json:"bins"`     // the distribution, to draw
}

// BetaRate is the distribution of a pass rate, Beta(A, B) after the trials and Beta(PriorA, PriorB) before.
type BetaRate struct {
	PriorA float64 `json:"prior_a"` // what passes weighed before any trial
	PriorB float64 `json:"prior_b"` // what failures weighed
	A      float64 `json:"a"`       // PriorA and the passes
	B      float64 `json:"b"`       // PriorB and the failures
}

// Bins are equal parts of a range of drops.
type Bins struct {
	Low    float64   `json:"low"`    // of the range
	High   float64   `json:"high"`   // of the range
	Shares []float64 `json:"shares"` // probability of each part, from the lowest drop; a little less than 1 in all
}

// EqualTails is the method of the interval of a [Posterior].
const EqualTails = "equal-tailed"

// posteriorBins is how many parts are drawn. Chosen: as many columns have room beside their labels in 80.
const posteriorBins = 60

// addPosterior adds the posterior where priors are given.
func (c *comparer) addPosterior(result *Result) {
	priors := c.options.Priors
	if priors == nil {
		return
	}
	shown := c.scorings[0]
	b, k := c.baseline.Counts(shown.baseline), c.candidate.Counts(shown.candidate)
	drop, err := stats.PosteriorDrop(b, k, priors.Baseline, priors.Candidate)
	if err != nil {
		return // validate has refused such priors
	}
	tail := c.options.Alpha / 2
	result.Posterior = &Posterior{
		Baseline: betaRate(b, priors.Baseline), Candidate: betaRate(k, priors.Candidate), Source: priors.Source,
		Mean: drop.Mean(), Dropped: drop.Above(0), Beyond: drop.Above(c.options.Delta),
		Interval: verdict.Interval{
			Method: EqualTails, Level: 1 - c.options.Alpha, Low: drop.Quantile(tail), High: drop.Quantile(1 - tail),
		},
		Bins: binsOf(drop, c.options.Delta),
	}
}

func betaRate(counts stats.Counts, prior stats.BetaPrior) BetaRate {
	if prior == (stats.BetaPrior{}) {
		prior = stats.BetaPrior{A: 1, B: 1}
	}
	return BetaRate{
		PriorA: prior.A, PriorB: prior.B,
		A: prior.A + float64(counts.Passes), B: prior.B + float64(counts.Fails()),
	}
}

// binsOf cuts the range that holds all but a thousandth into parts. No drop and one of delta are in it, unless that
// would leave the distribution a small part of it.
func binsOf(drop stats.RateDrop, delta float64) Bins {
	low, high := drop.Quantile(0.0005), drop.Quantile(0.9995)
	for _, mark := range []float64{0, delta} {
		if from, to := min(low, mark), max(high, mark); to-from <= 4*(high-low) {
			low, high = from, to
		}
	}
	// In whole hundredths, or in finer ones of a narrow range.
	step := math.Pow(10, math.Floor(math.Log10(high-low))-1)
	bins := Bins{
		Low:    math.Max(-1, math.Floor(low/step)*step+0),
		High:   math.Min(1, math.Ceil(high/step)*step+0),
		Shares: make([]float64, posteriorBins),
	}
	above := drop.Above(bins.Low)
	for i := range bins.Shares {
		next := drop.Above(bins.Low + (bins.High-bins.Low)*float64(i+1)/posteriorBins)
		bins.Shares[i] = math.Max(0, above-next)
		above = next
	}
	return bins
}

// priors are those of a saved result; nil where it has none.
func (p *Posterior) priors() *Priors {
	if p == nil {
		return nil
	}
	return &Priors{
		Baseline:  stats.BetaPrior{A: p.Baseline.PriorA, B: p.Baseline.PriorB},
		Candidate: stats.BetaPrior{A: p.Candidate.PriorA, B: p.Candidate.PriorB},
		Source:    p.Source,
	}
}
