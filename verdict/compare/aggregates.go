package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Aggregates are what a result holds of trials that are too many for their metrics, or to be listed at all: with the
// counts of the scenarios they are all that the comparison is computed from, but for medians and for metrics of so few
// values that these were permuted.
type Aggregates struct {
	Baseline  SideAggregates `json:"baseline"`  // of its trials
	Candidate SideAggregates `json:"candidate"` // of its trials
	// The metrics that trials on both sides tell, by their names.
	Metrics map[recording.MetricName]*MetricAggregates `json:"metrics,omitempty"`
	// What tests of a rise that is allowed look at, by the name of the metric; see [MetricRise].
	Limits map[recording.MetricName]*sample.Aggregates `json:"limits,omitempty"`
	// Inputs are the counts of inputs by scenario, in the order of the scenarios, where trials were compared by input and
	// are not listed.
	Inputs []ScenarioInputs `json:"inputs,omitempty"`
	// InputsOmitted says that there are too many kinds of inputs for that.
	InputsOmitted bool `json:"inputs_omitted,omitempty"`
}

// SideAggregates are those of one side's trials.
type SideAggregates struct {
	Cost *CostAggregates `json:"cost,omitempty"` // nil where none is known
}

// CostAggregates are what trials cost; see [verdict.Cost].
type CostAggregates struct {
	Known     int     `json:"known"`               // trials whose cost is known
	Passes    int     `json:"passes"`              // of these
	Estimated int     `json:"estimated,omitempty"` // of the known, those that are estimates
	AtMost    int     `json:"at_most,omitempty"`   // of the estimates, those that are upper bounds
	TotalUSD  float64 `json:"total_usd"`           // of the known
}

// MetricAggregates are those of a metric of both sides.
type MetricAggregates struct {
	Baseline  sample.Moments `json:"baseline"`           // of the known values
	Candidate sample.Moments `json:"candidate"`          // of the known values
	Strata    int            `json:"strata,omitempty"`   // see [Metric]
	ByPairs   bool           `json:"by_pairs,omitempty"` // see [MeanChange]
	// Test is what the test looks at; nil where the values were so few that it permuted them.
	Test *sample.Aggregates `json:"test,omitempty"`
}

// ScenarioInputs are the inputs of one scenario by the counts of their trials.
type ScenarioInputs struct {
	Scenario string `json:"scenario"` // name
	// Seven numbers for each kind: passes, fails and errors of the baseline, those of the candidate, and how many
	// inputs have these.
	Kinds trial.Series `json:"kinds"`
}

// kindNumbers is how many numbers there are of a kind.
const kindNumbers = 7

// How much of inputs is held. Chosen: as text that many kinds take some 150 kB, and judging again so many inputs some
// hundred megabytes.
const (
	mostKinds  = 10_000
	mostInputs = 5_000_000
	mostOfKind = 1 << 28 // trials of one outcome: a sum of a few of them fits everywhere
)

// savedParts is what a saved result holds in place of trials.
type savedParts struct {
	*Aggregates
	metrics []Metric   // as they were saved: medians and what was permuted are in nothing else
	pairs   *FlipTable // with the lists of pairs, where trials are not listed
	listed  bool       // the trials are, without their metrics
	taken   []string   // paths of what was taken as it is
}

// take notes that something was taken as it is.
func (h *savedParts) take(path string) {
	if !slices.Contains(h.taken, path) {
		h.taken = append(h.taken, path)
	}
}

// aggregate starts the aggregates of trials that are not listed with their metrics; nil of others.
func (c *comparer) aggregate(listed *Trials) *Aggregates {
	counts := c.baseline.Counted() && c.candidate.Counted()
	if counts || listed != nil && !listed.NoMetrics {
		return nil
	}
	a := &Aggregates{
		Baseline: SideAggregates{costAggregates(c.tallies[0])}, Candidate: SideAggregates{costAggregates(c.tallies[1])},
	}
	if listed == nil && c.like.byInput {
		a.Inputs = c.like.inputs()
		a.InputsOmitted = a.Inputs == nil
	}
	return a
}

func costAggregates(tallies []verdict.Tally) *CostAggregates {
	c := verdict.Pool("", tallies).Cost
	if c.Known == 0 {
		return nil
	}
	return &CostAggregates{c.Known, c.Passes, c.Estimated, c.AtMost, c.TotalUSD}
}

// putCosts gives tallies of trials whose costs are not listed those that are held, all of them beside the first
// scenario: what they come to is the same.
func (h *savedParts) putCosts(tallies [2][]verdict.Tally) error {
	for side, aggregates := range []SideAggregates{h.Baseline, h.Candidate} {
		path := [2]string{"aggregates.baseline.cost", "aggregates.candidate.cost"}[side]
		a, all := aggregates.Cost, verdict.Pool("", tallies[side])
		if a == nil || len(tallies[side]) == 0 {
			continue
		}
		trials := all.Passes + all.Fails + all.Errors
		fits := a.Known > 0 && a.Known <= trials && a.Passes >= max(0, a.Known-all.Fails-all.Errors) &&
			a.Passes <= min(a.Known, all.Passes) && a.AtMost >= 0 && a.AtMost <= a.Estimated && a.Estimated <= a.Known &&
			a.TotalUSD >= 0 && a.TotalUSD <= trial.MaxAmount*float64(a.Known)
		if !fits {
			return &verdict.DifferenceError{
				Path: path, Have: fmt.Sprintf("%+v", *a), Want: fmt.Sprintf("that of %s", prose.Count(trials, "trial")),
			}
		}
		cost := &tallies[side][0].Cost
		cost.Known, cost.Passes, cost.Estimated, cost.AtMost, cost.TotalUSD = a.Known, a.Passes, a.Estimated, a.AtMost,
			a.TotalUSD
	}
	return nil
}

// inputs counts inputs by the counts of their trials; nil where there are too many kinds, or inputs.
func (g *groups) inputs() []ScenarioInputs {
	if len(g.scenario) > mostInputs {
		return nil
	}
	kinds := make([]map[[2]outcomes]int, len(g.scenarios))
	all := 0
	for kind, scenario := range g.scenario {
		if kinds[scenario] == nil {
			kinds[scenario] = map[[2]outcomes]int{}
		}
		counts := g.outcomes(uint32(kind))
		kinds[scenario][counts]++
		if kinds[scenario][counts] == 1 {
			if all++; all > mostKinds {
				return nil
			}
		}
	}
	list := make([]ScenarioInputs, len(g.scenarios))
	for i, name := range g.scenarios {
		list[i].Scenario = name
		for _, counts := range slices.SortedFunc(maps.Keys(kinds[i]), compareKinds) {
			for _, t := range counts {
				for _, n := range []int{t.passes, t.fails, t.errors} {
					list[i].Kinds = append(list[i].Kinds, trial.Some(float64(n)))
				}
			}
			list[i].Kinds = append(list[i].Kinds, trial.Some(float64(kinds[i][counts])))
		}
	}
	return list
}

func compareKinds(a, b [2]outcomes) int {
	for side := range a {
		if order := cmp.Or(cmp.Compare(a[side].passes, b[side].passes), cmp.Compare(a[side].fails, b[side].fails),
			cmp.Compare(a[side].errors, b[side].errors)); order != 0 {
			return order
		}
	}
	return 0
}

// groups are those of the inputs that are held, or else of the counts of scenarios. The inputs are compared with these:
// a document may claim anything.
func (h *savedParts) groups(baseline, candidate *recording.Recording, tallies [2][]verdict.Tally) (*groups, error) {
	if len(h.Inputs) == 0 {
		return groupBoth(baseline, candidate), nil
	}
	g := &groups{sides: [2]*recording.Recording{baseline, candidate}, byInput: true}
	counted := [2]map[string]verdict.Tally{{}, {}}
	for side, list := range tallies {
		for _, t := range list {
			counted[side][t.Scenario] = t
		}
	}
	seen := map[string]bool{}
	for i, s := range h.Inputs {
		path := fmt.Sprintf("aggregates.inputs[%d]", i)
		if len(s.Kinds)%kindNumbers != 0 || seen[s.Scenario] {
			return nil, &verdict.DifferenceError{Path: path, Have: prose.Count(len(s.Kinds), "number"),
				Want: fmt.Sprintf("%d for each kind of input, of each scenario once", kindNumbers)}
		}
		seen[s.Scenario] = true
		g.scenarios = append(g.scenarios, s.Scenario)
		var sums [2][3]int64
		for at := 0; at < len(s.Kinds); at += kindNumbers {
			kind, times, ok := readKind(s.Kinds[at : at+kindNumbers])
			if !ok || len(g.scenario)+times > mostInputs {
				return nil, &verdict.DifferenceError{Path: path, Have: fmt.Sprintf("kind %d", at/kindNumbers),
					Want: "counts of inputs"}
			}
			for side, t := range kind {
				for outcome, n := range [3]int{t.passes, t.fails, t.errors} {
					sums[side][outcome] += int64(n) * int64(times)
				}
			}
			for range times {
				g.put(uint32(i), kind)
			}
		}
		for side, sum := range sums {
			want := counted[side][s.Scenario]
			if len(tallies[side]) == 1 && len(h.Inputs) == 1 {
				want = tallies[side][0] // a single scenario has no list, and so no name
			}
			if all := [3]int64{int64(want.Passes), int64(want.Fails), int64(want.Errors)}; sum != all {
				return nil, &verdict.DifferenceError{Path: path,
					Have: fmt.Sprintf("of %d trials that pass, fail and end in an error", sum),
					Want: fmt.Sprintf("those of the scenario, %d", all)}
			}
		}
	}
	return g, nil
}

// readKind reads a kind; false for numbers that are no counts, or of no trial.
func readKind(numbers trial.Series) (kind [2]outcomes, times int, ok bool) {
	var counts [kindNumbers]int
	for i := range numbers {
		n, ok := numbers.Whole(i, mostOfKind)
		if !ok {
			return kind, 0, false
		}
		counts[i] = int(n)
	}
	kind = [2]outcomes{{counts[0], counts[1], counts[2]}, {counts[3], counts[4], counts[5]}}
	times = counts[6]
	return kind, times, times > 0 && times <= mostInputs && kind[0].trials()+kind[1].trials() > 0
}

// metric is a metric from what is held of it, without what follows from all metrics.
func (h *savedParts) metric(name recording.MetricName, a *MetricAggregates, trials [2]int, o Options) (Metric, error) {
	m := Metric{Name: name, Unit: name.Unit(), Strata: a.Strata, Test: MeansTest, P: 1}
	path := "aggregates.metrics." + name.String()
	for side, moments := range []sample.Moments{a.Baseline, a.Candidate} {
		if err := moments.Validate(); err != nil || moments.N < 1 || moments.N > trials[side] {
			return m, &verdict.DifferenceError{Path: path, Have: fmt.Sprint(moments.N),
				Want: "values of so many trials or fewer"}
		}
	}
	m.Baseline, m.Candidate = summaryOf(a.Baseline, trials[0]), summaryOf(a.Candidate, trials[1])
	at := slices.IndexFunc(h.metrics, func(m Metric) bool { return m.Name == name })
	if at < 0 {
		return m, &verdict.DifferenceError{Path: path, Have: "there", Want: "no metric that is not listed"}
	}
	saved := h.metrics[at]
	m.Baseline.Median, m.Candidate.Median = saved.Baseline.Median, saved.Candidate.Median
	h.take("metrics.baseline.median")
	h.take("metrics.candidate.median")
	d := &m.Difference
	d.Method, d.Level, d.ByPairs = MeansTest, 1-o.Alpha, a.ByPairs
	if a.Test == nil {
		m.P, m.Draws = saved.P, saved.Draws
		if !(m.P >= 0 && m.P <= 1) {
			return m, &verdict.DifferenceError{Path: "metrics.p", Have: fmt.Sprint(m.P), Want: "a p-value"}
		}
		d.Value, d.Low, d.High = saved.Difference.Value, saved.Difference.Low, saved.Difference.High
		for _, part := range []string{"p", "draws", "difference"} {
			h.take("metrics." + part)
		}
		d.addRatio(m.Baseline.Mean, m.Candidate.Mean)
		return m, nil
	}
	r, err := a.Test.Compare(o.Alpha)
	if err != nil {
		return m, &verdict.DifferenceError{Path: path + ".test", Have: err.Error(), Want: "aggregates of values"}
	}
	m.take(r, nil)
	return m, nil
}

func summaryOf(m sample.Moments, trials int) Summary {
	return Summary{Known: m.N, Trials: trials, Mean: m.Mean(), Total: m.Sum}
}

// listsOf are the pairs of a saved table that flipped, of a comparison whose pairs are counted again.
func (h *savedParts) listsOf(f *FlipTable) error {
	if h.pairs == nil {
		return nil
	}
	var regressed, fixed int
	for _, flip := range h.pairs.Flips {
		if flip.To == trial.Fail.String() {
			regressed++
		} else {
			fixed++
		}
	}
	for _, list := range []struct {
		name      string
		have, all int
	}{{"regressed", regressed, f.Regressed}, {"fixed", fixed, f.Fixed}} {
		if want := min(list.all, mostFlips); list.have != want {
			return &verdict.DifferenceError{Path: "pairs.flips", Have: fmt.Sprintf("%s that %s", prose.Count(list.have, "pair"),
				list.name),
				Want: fmt.Sprint(want)}
		}
	}
	f.Flips = h.pairs.Flips
	f.Omitted = f.Regressed + f.Fixed - len(f.Flips)
	return nil
}
