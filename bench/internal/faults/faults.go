package faults

import (
	"cmp"
	"context"
	"slices"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/bench-faults/v1"

// Options say how much is measured.
type Options struct {
	Short bool   // fewer agents
	Long  bool   // ten times as many; Short is not set then
	Seed  uint64 // of all that is simulated
	// Progress, if not nil, is told which of so many parts is next.
	Progress func(done, all int, part string)
}

// Result says how coverage goes with the faults that are found.
type Result struct {
	Schema string `json:"schema"`         // [Schema]
	Short  bool   `json:"short"`          // as in [Options]
	Long   bool   `json:"long,omitempty"` // as in [Options]
	Seed   uint64 `json:"seed"`           // as in [Options]
	Agents int    `json:"agents"`         // with faults of their own
	Suites int    `json:"suites"`         // of each agent
	Faults int    `json:"faults"`         // planted in each agent, half of them at what coverage counts
	Rows   []Row  `json:"rows"`
}

// Row is one way to be thorough, and which faults count.
type Row struct {
	Design string `json:"design"` // size: more trials; breadth: as many of more tools, limits and models
	// Faults are all, those at what coverage counts (seen), or the others (unseen).
	Faults string     `json:"faults"`
	Found  [3]float64 `json:"found"` // mean number of distinct faults, by thirds of the suites of an agent by coverage
	Rho    float64    `json:"rho"`   // Spearman's correlation of coverage with faults found, the mean over agents
	Low    float64    `json:"low"`   // of its 95 % interval
	High   float64    `json:"high"`
	P      float64    `json:"p"` // of no correlation, one-sided, by permutation
	// The same with the coverage of another suite of the agent in place of its own.
	ShuffledRho float64 `json:"shuffled_rho"`
	ShuffledP   float64 `json:"shuffled_p"`
}

// Chosen: p-values have three digits.
const (
	suites       = 36
	permutations = 1999
)

// Measure draws agents and their suites, and correlates. It returns the context's error where that ends.
func Measure(ctx context.Context, o Options) (*Result, error) {
	agents := 20
	switch {
	case o.Short:
		agents = 6
	case o.Long:
		agents = 200
	}
	r := &Result{
		Schema: Schema, Short: o.Short, Long: o.Long, Seed: o.Seed, Agents: agents, Suites: suites, Faults: 2 * faultsASide,
	}
	for d, design := range designs {
		if o.Progress != nil {
			o.Progress(d, len(designs), design.text)
		}
		all := make([][]measurement, agents)
		err := bench.Repeat(ctx, agents, func(i int) error {
			// Both designs are of the same agents.
			a := newAgent(seeded.Stream(o.Seed, uint64(i)))
			random := seeded.Stream(o.Seed+1, uint64(d*agents+i))
			for s := range suites {
				m, err := a.run(design.tasks(a, random, s, suites))
				if err != nil {
					return err
				}
				all[i] = append(all[i], m)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for k, kind := range []struct {
			name  string
			found func(measurement) float64
		}{
			{"all", func(m measurement) float64 { return m.seen + m.unseen }},
			{"seen", func(m measurement) float64 { return m.seen }},
			{"unseen", func(m measurement) float64 { return m.unseen }},
		} {
			random := seeded.Stream(o.Seed+2, uint64(3*d+k))
			list := make([]pairs, agents)
			for i := range all {
				for _, m := range all[i] {
					list[i].x = append(list[i].x, m.coverage)
					list[i].y = append(list[i].y, kind.found(m))
				}
			}
			row := Row{Design: design.name, Faults: kind.name, Found: thirds(list), Rho: meanRho(list)}
			row.Low, row.High = interval(list)
			row.P = pValue(list, permutations, random)
			other := shuffled(list, random)
			row.ShuffledRho, row.ShuffledP = meanRho(other), pValue(other, permutations, random)
			r.Rows = append(r.Rows, row)
		}
	}
	return r, ctx.Err()
}

// thirds are the mean faults found of the thirds of the suites of each agent, by coverage.
func thirds(list []pairs) (mean [3]float64) {
	for _, p := range list {
		order := make([]int, len(p.x))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p.x[i], p.x[j]) })
		size := len(order) / 3
		for third := range 3 {
			for _, i := range order[third*size : (third+1)*size] {
				mean[third] += p.y[i] / float64(size*len(list))
			}
		}
	}
	return mean
}
