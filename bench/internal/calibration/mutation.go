package calibration

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
)

// calibrateMutation enumerates what becomes of mutants: of one that changes nothing, how often it is killed, over what
// the original's trials come to and all ends of its tests; and of planted drops, how often they are missed. It is
// AgentAssay's experiment E3 on agents whose rates are known. The rows without a promise are the rule of others, which
// kills a mutant where most of several runs of the suite fail.
func calibrateMutation(c *calibrator) error {
	levels := mutants.Levels{Alpha: .05, Beta: .1, Delta: .3}
	rates, tests := []float64{.8, .95}, 3
	if !c.short {
		rates, tests = []float64{.5, .8, .9, .95, .99}, 7
	}
	// By block of tests, which have equal designs: P(no kill by one test) at each rate.
	spared := map[float64][]float64{}
	for place := range tests {
		alpha := levels.OfTest(place, 1)
		if spared[alpha] != nil {
			continue
		}
		b, err := c.mutantTest(baseline.Question{Delta: levels.Delta, Alpha: alpha, Beta: levels.Beta}, 150, rates)
		if err != nil {
			return err
		}
		spared[alpha] = b
	}
	for i, p := range rates {
		none := 1.0
		for place := range tests {
			none *= spared[levels.OfTest(place, 1)][i]
			if n := place + 1; n == 1 || n == tests {
				c.exact("killed", fmt.Sprintf("%d tests, rate %v, drop %v", n, p, levels.Delta), falseAlarm, 1-none,
					atMost(levels.Alpha))
			}
		}
	}
	// A run of 20 cases at .95 each passes where all of them do.
	fails := 1 - math.Pow(.95, 20)
	c.exact("most of 3 runs", "20 cases, rate 0.95", falseAlarm, majority(3, fails), unpromised(levels.Alpha))
	c.exact("most of 9 runs", "20 cases, rate 0.95", falseAlarm, majority(9, fails), unpromised(levels.Alpha))
	return c.plantedDrops()
}

// mutantTest is the chance that a test spares a mutant which passes at the rate of the original, at each rate.
func (c *calibrator) mutantTest(q baseline.Question, trials int, rates []float64) ([]float64, error) {
	sample, err := baseline.Fixed(trials)
	if err != nil {
		return nil, err
	}
	chain, err := baseline.NewChain(q, sample, baseline.Options{})
	if err != nil {
		return nil, err
	}
	boundaries := make([]sprt.Boundaries, trials+1)
	for failures := range trials + 1 {
		likely := false
		for _, p := range rates {
			likely = likely || binomialMasses(trials, p)[trials-failures] > 1e-9
		}
		o := baseline.Outcome{Trials: trials, Failures: failures}
		if !likely {
			continue
		}
		plan, err := chain.Against(c.ctx, o)
		if c.ctx.Err() != nil {
			return nil, c.ctx.Err()
		}
		if err != nil {
			continue // there is no test after such a baseline, and no kill
		}
		if b, ok := plan.Family.Boundaries(o); ok {
			boundaries[failures] = b
		}
	}
	spared := make([]float64, len(rates))
	err = bench.Repeat(c.ctx, len(rates), func(i int) error {
		mass := binomialMasses(trials, rates[i])
		killed := 0.0
		for failures, b := range boundaries {
			if m := mass[trials-failures]; b.MaxTrials() > 0 && m > 1e-9 {
				_, fail, _ := ends(b, rates[i])
				killed += m * fail
			}
		}
		spared[i] = 1 - killed
		return nil
	})
	return spared, err
}

// majority is the chance that more than half of n runs fail.
func majority(n int, p float64) float64 {
	mass := binomialMasses(n, p)
	return sumWhere(mass, func(k int) bool { return 2*k > n })
}

// plantedDrops are faults of a known size, with 100 trials of the original at .95 and one test: those of the figures
// that are asked of the method.
func (c *calibrator) plantedDrops() error {
	alpha := mutants.Levels{Alpha: .05}.OfTest(0, 1)
	q := baseline.Question{Delta: .1, Alpha: alpha, Beta: .2, Guard: .9}
	sample, err := baseline.Fixed(100)
	if err != nil {
		return err
	}
	plan, err := baseline.Against(c.ctx, q, sample, baseline.Outcome{Trials: 100, Failures: 5}, baseline.Options{})
	if err != nil {
		return err
	}
	mass := binomialMasses(100, .95)
	for _, drop := range []struct{ rate, missed float64 }{{.75, .1}, {.85, .2}} {
		killed := 0.0
		for failures := range 101 {
			if b, ok := plan.Family.Boundaries(baseline.Outcome{Trials: 100, Failures: failures}); ok {
				_, fail, _ := ends(b, drop.rate)
				killed += mass[100-failures] * fail
			}
		}
		c.exact("planted", fmt.Sprintf("0.95 to %v, 100 trials, guard 0.9", drop.rate), missed, 1-killed, atMost(drop.missed))
	}
	return nil
}
