package mutation

import (
	"math/rand/v2"
	"strconv"

	"github.com/tribunal-dev/tribunal/trial"
)

// modelSites are models that stand in.
func modelSites(v *view, others []string) (sites []site) {
	if v.Model == "" {
		return nil
	}
	for _, other := range others {
		sites = append(sites, site{
			Site: Site{Text: short(v.Model) + " becomes " + short(other)}, identity: other,
			change: func(c Configuration, _ *rand.Rand) Configuration {
				c.Model = other
				return c
			},
		})
	}
	return sites
}

// swapSites are the models of the same tier.
func swapSites(v *view) []site { return modelSites(v, v.Models.SameTier) }

// versionSites are the older models.
func versionSites(v *view) []site { return modelSites(v, v.Models.Older) }

// temperatureSites is the temperature, where it is known.
func temperatureSites(v *view) []site {
	if !v.Temperature.Known {
		return nil
	}
	to := 1.0
	if v.Temperature.Value >= 0.5 {
		to = 0
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	return []site{{
		Site:     Site{Text: "temperature " + number(v.Temperature.Value) + " becomes " + number(to)},
		identity: "temperature",
		change: func(c Configuration, _ *rand.Rand) Configuration {
			c.Temperature = trial.Some(to)
			return c
		},
	}}
}
