package stratified

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/sprt"
)

// Characteristics are what a design does at some rates, by simulation.
type Characteristics struct {
	Pass, Fail, Inconclusive float64
	Trials                   float64 // of all sides, on average
	Most                     int     // the most trials that a repetition took
	TrialsError              float64 // standard error of Trials
}

// Simulate runs a design so many times, at least 2, on agents with these pass rates by scenario, with random numbers of
// the seed. Against a baseline those of the baseline come second; a stored one is recorded anew each time, and its
// trials are not counted.
func (d *Design) Simulate(
	ctx context.Context, candidate, baseline []float64, repetitions int, seed uint64,
) (Characteristics, error) {
	var c Characteristics
	squares := 0.0
	_, cut := d.mean.(*sumRule) // a round may be cut short
	for n := range repetitions {
		if err := context.Cause(ctx); err != nil {
			return c, err
		}
		random := seeded.Stream(seed, uint64(n))
		letter := func(rate float64) string {
			if random.Float64() < rate {
				return "P"
			}
			return "F"
		}
		e := Evidence{Candidate: make([]string, len(candidate)), Baseline: make([]string, len(baseline))}
		if d.question.Sides == Stored {
			for i, rate := range baseline {
				for range d.question.MaxRounds * d.question.Weight(i) {
					e.Baseline[i] += letter(rate)
				}
			}
		}
		trials := 0
		for {
			result, err := d.Judge(e)
			if err != nil {
				return c, err
			}
			if result.Outcome != sprt.Undecided {
				c.add(result.Outcome, trials)
				squares += float64(trials) * float64(trials)
				break
			}
			next := result.Next
			if result.Mean != sprt.Undecided || cut {
				next = next[:1]
			}
			for _, i := range next {
				e.Candidate[i] += letter(candidate[i])
				trials++
				if d.question.Sides.Paired() {
					e.Baseline[i] += letter(baseline[i])
					trials++
				}
			}
		}
	}
	runs := float64(repetitions)
	c.Pass, c.Fail, c.Inconclusive, c.Trials = c.Pass/runs, c.Fail/runs, c.Inconclusive/runs, c.Trials/runs
	c.TrialsError = math.Sqrt(max(squares/runs-c.Trials*c.Trials, 0) / runs)
	return c, nil
}

// add counts a repetition.
func (c *Characteristics) add(o sprt.Outcome, trials int) {
	switch o {
	case sprt.Pass:
		c.Pass++
	case sprt.Fail:
		c.Fail++
	default:
		c.Inconclusive++
	}
	c.Trials += float64(trials)
	c.Most = max(c.Most, trials)
}
