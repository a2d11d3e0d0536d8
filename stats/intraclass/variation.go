package intraclass

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
)

// Variation says how alike the trials of a scenario are, and what more would tell of the pass rate over new scenarios
// like these. Results keep it with the counts that it is computed from again.
type Variation struct {
	Groups    []Group `json:"groups"` // what it is computed from
	Scenarios int     `json:"scenarios"`
	Trials    int     `json:"trials"` // that passed or failed
	Rate      float64 `json:"rate"`   // of all of them together
	// Correlation is that of [Correlation], and Low and High its interval by a bootstrap over scenarios
	// at two-sided level Level; null where they are not known.
	Correlation *float64 `json:"correlation"`
	Low         *float64 `json:"low"`
	High        *float64 `json:"high"`
	Level       float64  `json:"level"`
	Seed        uint64   `json:"seed"` // of the bootstrap
	// StandardError of the rate as one of new scenarios; null where the correlation is not known.
	StandardError *float64 `json:"standard_error"`
	// Of ten more scenarios with as many trials each as these have in the mean, and of ten more trials of each scenario.
	MoreScenarios *Projection `json:"more_scenarios"`
	MoreTrials    *Projection `json:"more_trials"`
}

// Group is scenarios whose trials come to the same.
type Group struct {
	Passes    int `json:"passes"`
	Trials    int `json:"trials"`
	Scenarios int `json:"scenarios"`
}

// Projection is what more trials would come to.
type Projection struct {
	Trials        int     `json:"trials"`         // that are added in all
	StandardError float64 `json:"standard_error"` // of the rate then
}

// mostScenarios bounds the scenarios whose trials are looked at: a bootstrap is over all of them.
const mostScenarios = 1 << 16

// moreOf is how many scenarios, or trials of each, are added.
const moreOf = 10

// GroupsOf are the groups of scenarios, of whose trials the counts are; nil without trials, and of too many scenarios.
func GroupsOf(scenarios []stats.Counts) []Group {
	count := map[Group]int{}
	for _, c := range scenarios {
		if c.Trials > 0 {
			count[Group{Passes: c.Passes, Trials: c.Trials}]++
		}
	}
	if len(count) == 0 || len(scenarios) > mostScenarios {
		return nil
	}
	groups := make([]Group, 0, len(count))
	for g, n := range count {
		g.Scenarios = n
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Trials, b.Trials), cmp.Compare(a.Passes, b.Passes))
	})
	return groups
}

// Of computes it from groups of scenarios, with an interval at two-sided level 1-alpha; nil where there are none.
func Of(groups []Group, alpha float64, seed uint64) *Variation {
	if len(groups) == 0 {
		return nil
	}
	v := &Variation{Groups: groups, Level: 1 - alpha, Seed: seed}
	var counts []stats.Counts
	var sizes []int
	passes := 0
	for _, g := range groups {
		for range g.Scenarios {
			counts = append(counts, stats.Counts{Passes: g.Passes, Trials: g.Trials})
			sizes = append(sizes, g.Trials)
			v.Trials += g.Trials
			passes += g.Passes
		}
	}
	v.Scenarios = len(counts)
	v.Rate = float64(passes) / float64(v.Trials)
	rho, known := Correlation(counts)
	if !known {
		return v
	}
	v.Correlation = &rho
	if i, known := Interval(counts, alpha, seed); known {
		v.Low, v.High = &i.Low, &i.High
	}
	v.StandardError = new(StandardError(v.Rate, rho, sizes))
	each := max(1, (v.Trials+v.Scenarios/2)/v.Scenarios)
	wider, longer := slices.Clone(sizes), slices.Clone(sizes)
	for range moreOf {
		wider = append(wider, each)
	}
	for i := range longer {
		longer[i] += moreOf
	}
	v.MoreScenarios = &Projection{moreOf * each, StandardError(v.Rate, rho, wider)}
	v.MoreTrials = &Projection{moreOf * v.Scenarios, StandardError(v.Rate, rho, longer)}
	return v
}

// Problem says what of it cannot be, so that it could not be computed again; "" if all can. One that is nil has none.
func (v *Variation) Problem() string {
	if v == nil {
		return ""
	}
	scenarios, trials := 0, 0
	for i, g := range v.Groups {
		if g.Passes < 0 || g.Trials < 1 || g.Passes > g.Trials || g.Scenarios < 1 || g.Scenarios > mostScenarios-scenarios ||
			g.Trials > (stats.MaxTrials-trials)/g.Scenarios {
			return fmt.Sprintf("variation.groups[%d] has counts that cannot be", i)
		}
		scenarios += g.Scenarios
		trials += g.Trials * g.Scenarios
	}
	if scenarios == 0 {
		return "variation.groups is empty"
	}
	return ""
}
