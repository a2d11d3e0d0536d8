package intraclass

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tribunal-dev/tribunal/stats"
)

// betaGroups draws groups whose outcomes have a correlation.
func betaGroups(random *rand.Rand, groups, trials int, rate, rho float64) []stats.Counts {
	list := make([]stats.Counts, groups)
	for i := range list {
		p := rate
		if rho > 0 {
			both := (1 - rho) / rho
			p = distuv.Beta{Alpha: rate * both, Beta: (1 - rate) * both, Src: random}.Rand()
		}
		list[i].Trials = trials
		for range trials {
			if random.Float64() < p {
				list[i].Passes++
			}
		}
	}
	return list
}
