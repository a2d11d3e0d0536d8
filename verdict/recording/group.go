package recording

import (
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Group is what is known of the trials of one scenario, or of one input of it, where they were counted elsewhere,
// as by a query of a database.
type Group struct {
	Scenario string `json:"scenario"`        // name
	Input    string `json:"input,omitempty"` // names the input; empty where trials are not counted by input
	Passes   int    `json:"passes"`          // trials that passed
	Fails    int    `json:"fails"`           // trials that failed
	Errors   int    `json:"errors"`          // trials without a verdict
	// Of the passes, those whose cost is known.
	PaidPasses int `json:"cost_usd_passes,omitempty"`
	// Of the metrics, those that some trial tells.
	Metrics map[MetricName]sample.Moments `json:"metrics,omitempty"`
	// Of further measures of behaviour, by name.
	Columns map[string]sample.Moments `json:"columns,omitempty"`
}

// Trials is how many there are.
func (g *Group) Trials() int { return g.Passes + g.Fails + g.Errors }

// Tally are the counts, with the cost.
func (g *Group) Tally() verdict.Tally {
	t := verdict.Tally{
		Scenario: g.Scenario, Passes: g.Passes, Fails: g.Fails, Errors: g.Errors,
		Cost: verdict.Cost{Trials: g.Trials()},
	}
	if m := g.Metrics[CostMetric]; m.N > 0 {
		t.Cost.Known, t.Cost.Passes, t.Cost.TotalUSD = m.N, g.PaidPasses, m.Sum
	}
	return t
}

// Plus adds further trials of the same scenario and input.
func (g *Group) Plus(more *Group) {
	g.Passes += more.Passes
	g.Fails += more.Fails
	g.Errors += more.Errors
	g.PaidPasses += more.PaidPasses
	for name, m := range more.Metrics {
		if g.Metrics == nil {
			g.Metrics = map[MetricName]sample.Moments{}
		}
		g.Metrics[name] = g.Metrics[name].Plus(m)
	}
	for name, m := range more.Columns {
		if g.Columns == nil {
			g.Columns = map[string]sample.Moments{}
		}
		g.Columns[name] = g.Columns[name].Plus(m)
	}
}

// MostColumns bounds the further measures of behaviour of a group. Chosen: a fingerprint seldom has more.
const MostColumns = 200

// Validate returns a [verdict.DifferenceError] for numbers that no trials have. Its path is that of a member of
// the group.
func (g *Group) Validate() error {
	t := g.Tally()
	if err := t.Validate(); err != nil {
		return &verdict.DifferenceError{Path: "passes", Have: fmt.Sprintf("%d, %d and %d", g.Passes, g.Fails, g.Errors),
			Want: "passes, fails and errors that are not negative, and no more in all than statistics take"}
	}
	if g.Scenario == "" {
		return &verdict.DifferenceError{Path: "scenario", Have: `""`, Want: "the name of one"}
	}
	if len(g.Columns) > MostColumns {
		return &verdict.DifferenceError{Path: "columns", Have: fmt.Sprint(len(g.Columns)),
			Want: fmt.Sprintf("at most %d", MostColumns)}
	}
	// An amount is no more than that of a trial may be, and none is below 0; of columns only the number is bounded.
	for name, m := range g.Metrics {
		most := trial.MaxAmount * float64(max(m.N, 1))
		if name == TokensMetric {
			most = 2 * float64(trial.MaxTokens) * float64(max(m.N, 1))
		}
		if err := m.Validate(); err != nil || m.Sum < 0 || m.Sum > most || m.N > g.Trials() || m.N == 0 {
			return g.unlike("metrics."+name.String(), m)
		}
	}
	for name, m := range g.Columns {
		if err := m.Validate(); err != nil || math.Abs(m.Sum) > trial.MaxAmount*float64(max(m.N, 1)) ||
			m.N > g.Trials() || m.N == 0 {
			return g.unlike("columns."+name, m)
		}
	}
	cost := g.Metrics[CostMetric]
	if least := max(0, cost.N-g.Fails-g.Errors); g.PaidPasses < least || g.PaidPasses > min(g.Passes, cost.N) {
		return &verdict.DifferenceError{Path: "cost_usd_passes", Have: fmt.Sprint(g.PaidPasses),
			Want: fmt.Sprintf("from %d to %d", least, min(g.Passes, cost.N))}
	}
	return nil
}

// unlike says that no trials of the group have such sums.
func (g *Group) unlike(path string, m sample.Moments) error {
	return &verdict.DifferenceError{
		Path: path, Have: fmt.Sprintf("n %d, sum %v, sum of squares %v", m.N, m.Sum, m.Squares),
		Want: fmt.Sprintf("those of at most %d values that are not negative", g.Trials()),
	}
}

// groupKey tells groups apart.
type groupKey struct{ scenario, input string }

// OfGroups returns a recording that holds counts and sums of groups of trials. Groups of the same scenario and
// input are added up. Which trial has which outcome is not known, but where a group has one trial alone: it has a
// partner where the other side's group has one trial too. An error is a [verdict.DifferenceError] of a group,
// whose path begins with its place in the list, such as "[3].passes".
func OfGroups(name string, groups []Group) (*Recording, error) {
	r := &Recording{Name: name, counted: true, groups: []Group{}}
	at := map[groupKey]int{}
	for i := range groups {
		g := groups[i]
		if err := g.Validate(); err != nil {
			return nil, placed(err, i)
		}
		key := groupKey{g.Scenario, g.Input}
		if k, known := at[key]; known {
			r.groups[k].Plus(&g)
			if err := r.groups[k].Validate(); err != nil {
				return nil, placed(err, i)
			}
			continue
		}
		at[key] = len(r.groups)
		g.Metrics, g.Columns = maps.Clone(g.Metrics), maps.Clone(g.Columns)
		r.groups = append(r.groups, g)
	}
	for i := range r.groups {
		g := &r.groups[i]
		input := uint64(0)
		if g.Input != "" {
			input = max(maphash.String(inputSeed, g.Input), 1)
		}
		for _, o := range []struct {
			outcome trial.Outcome
			trials  int
		}{{trial.Pass, g.Passes}, {trial.Fail, g.Fails}, {trial.Error, g.Errors}} {
			if o.trials > 0 {
				r.observe(Observation{
					Scenario: g.Scenario, Input: input, Outcome: o.outcome, Metrics: unknownMetrics(), Count: o.trials,
				})
			}
		}
	}
	return r, nil
}

// placed puts the place of a group before a path.
func placed(err error, i int) error {
	d := err.(*verdict.DifferenceError)
	return &verdict.DifferenceError{Path: fmt.Sprintf("[%d].%s", i, d.Path), Have: d.Have, Want: d.Want}
}

// Groups are those of [OfGroups], those of the same scenario and input added up; nil of other recordings. It is not a
// copy.
func (r *Recording) Groups() []Group { return r.groups }

// Told is how many trials tell a metric, on whatever way the recording knows it.
func (r *Recording) Told(name MetricName) int {
	if r.groups == nil {
		return r.table.told[name]
	}
	return r.Moments(name).N
}

// Moments are those of a metric over all groups; zero of other recordings.
func (r *Recording) Moments(name MetricName) (sum sample.Moments) {
	for i := range r.groups {
		sum = sum.Plus(r.groups[i].Metrics[name])
	}
	return sum
}

// Columns are the names of the further measures of behaviour that some group tells, sorted.
func (r *Recording) Columns() []string {
	names := map[string]bool{}
	for i := range r.groups {
		for name := range r.groups[i].Columns {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
