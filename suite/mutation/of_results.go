package mutation

import (
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/wire/fault"
)

// resultSites are tools whose results have a fault.
func resultSites(kind fault.Kind) func(*view) []site {
	return func(v *view) (sites []site) {
		for _, t := range v.Tools {
			name := t.Name()
			if name == "" {
				continue
			}
			sites = append(sites, site{
				Site: Site{Tool: name, Text: "its results"}, identity: name,
				change: func(c Configuration, _ *rand.Rand) Configuration {
					c.Results = append(slices.Clone(c.Results), fault.Fault{Kind: kind, Tool: name})
					return c
				},
			})
		}
		return sites
	}
}
