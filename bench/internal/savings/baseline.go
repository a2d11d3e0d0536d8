package savings

import (
	"context"
	"errors"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// averagedBaseline is Wald's test against a stored baseline, averaged over everything
// that a baseline of a system at the threshold may be.
//
// The test is another one for each baseline, as its threshold follows from what the baseline passed.
// What it does at a rate is the mean over baselines, by their probability.
type averagedBaseline struct {
	// probabilities of the baselines, in the order of their passes; they sum to nearly 1
	weights  []float64
	lattices []*sprt.Lattice // nil: the baseline is not ready, and nothing is tried
}

// negligibleBaseline is the probability of the baselines on either side that are left
// out.
//
// Chosen: it changes no digit that is printed, and leaves out most of the 1001 baselines.
const negligibleBaseline = 1e-10

func newAveragedBaseline(h sprt.Hypotheses) (*averagedBaseline, error) {
	a := new(averagedBaseline)
	b := dist.Binomial{N: baselineTrials, P: h.Threshold}
	for passes := range baselineTrials + 1 {
		if b.CDF(passes) < negligibleBaseline || b.Survival(passes-1) < negligibleBaseline {
			continue
		}
		var lattice *sprt.Lattice
		baseline, err := sprt.FromBaseline(stats.Counts{Passes: passes, Trials: baselineTrials}, h.Delta, h.Alpha,
			h.Beta, sprt.DefaultGamma)
		var early *sprt.NotReadyError
		switch {
		// Wald's test has no upper limit; beyond baselineFar trials it counts as undecided.
		case err == nil:
			design, err := sprt.Wald(baseline.Hypotheses, baselineFar)
			if err != nil {
				return nil, err
			}
			if lattice, err = design.Boundaries.Lattice(); err != nil {
				return nil, err
			}
		// A baseline that is not ready is one of the outcomes, any other error is not.
		case !errors.As(err, &early):
			return nil, err
		}
		a.weights, a.lattices = append(a.weights, b.Prob(passes)), append(a.lattices, lattice)
	}
	return a, nil
}

// at is the mean performance at a true rate of the candidate.
func (a *averagedBaseline) at(_ context.Context, p float64) (performance, error) {
	d := performance{Characteristics: sprt.Characteristics{P: p}}
	ends := make([]float64, baselineFar+1)
	for i, lattice := range a.lattices {
		w := a.weights[i]
		if lattice == nil {
			d.Inconclusive += w
			ends[0] += w
			continue
		}
		c := lattice.At(p)
		d.Pass += w * c.Pass
		d.Fail += w * c.Fail
		d.Inconclusive += w * c.Inconclusive
		d.ExpectedTrials += w * c.ExpectedTrials
		for n, share := range lattice.StoppingTime(p) {
			ends[n] += w * share
		}
	}
	// The quantile of the mixture: quantiles of its parts cannot be averaged.
	for sum := ends[0]; sum < .95 && d.trials95 < baselineFar; sum += ends[d.trials95] {
		d.trials95++
	}
	return d, nil
}
