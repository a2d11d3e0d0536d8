package sprt

import (
	"math"

	"github.com/tribunal-dev/tribunal/stats"
)

// DensityRatio returns Wald's test with the warm start of AgentAssay, Definition
// 7.8: the log-likelihood ratio starts at the logarithm of the ratio of the
// posterior densities, after a history from a uniform prior, at the lower rate and
// at the threshold. The history thereby counts as evidence on today's system, so
// the exact errors depend on whether it still holds and can be far above their
// targets: [Design.Errors] tells. [History] is the warm start that keeps them.
//
// A start beyond a boundary ends the test at the first trial, whatever it gives.
func DensityRatio(h Hypotheses, history stats.Counts, maxTrials int) (Design, error) {
	if err := history.Validate(); err != nil {
		return Design{}, err
	}
	d, err := Wald(h, maxTrials)
	if err != nil {
		return Design{}, err
	}
	passes, fails := float64(history.Passes), float64(history.Fails())
	start := passes*math.Log(h.Lower()/h.Threshold) + fails*math.Log((1-h.Lower())/(1-h.Threshold))
	d.Kind = DensityRatioKind
	d.Boundaries = waldBoundaries(h, maxTrials, start)
	return d, nil
}
