package compare

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// addMetrics compares what both recordings carry: all trials whose value is known,
// whatever their outcome, since a failed trial costs too.
func (c *comparer) addMetrics(result *Result) {
	p, o := c.pairing, c.options
	groups := groupTrials(p.baseline, p.candidate)
	sums := c.sums()
	list := []Metric{}
	var ps []float64
	for name := range recording.AllMetrics() {
		// A metric that one side does not record cannot be compared, and is not listed.
		if p.baseline.Told(name) == 0 || p.candidate.Told(name) == 0 {
			continue
		}
		if c.ctx.Err() != nil {
			return
		}
		m := Metric{Name: name, Unit: name.Unit()}
		if sums != nil {
			m.ofSums(p.baseline, p.candidate, sums.metric(name), o)
		} else {
			m.Baseline = summarize(p.baseline.Known(name), p.baseline.Len())
			m.Candidate = summarize(p.candidate.Known(name), p.candidate.Len())
			m.compare(groups.values(name), o)
		}
		c.drew = c.drew || m.Draws > 0
		list = append(list, m)
		ps = append(ps, m.P)
	}
	result.Metrics = list
	adjusted, err := multiplicity.Adjust(multiplicity.Holm, ps)
	if err != nil {
		return
	}
	for i := range list {
		list[i].PAdjusted = adjusted[i]
		list[i].Changed = adjusted[i] <= o.Alpha
	}
}

// trialGroups are the groups of like trials of both sides: those of a scenario, and within it of
// an input that both sides tried.
type trialGroups struct {
	sides [2]*recording.Recording
	of    [2][]int // group of each trial
	all   int
}

// groupTrials groups the trials in the order in which scenarios and inputs appear. Inputs count
// where all trials of both sides have one; those that one side alone tried are one group.
func groupTrials(baseline, candidate *recording.Recording) trialGroups {
	g := trialGroups{sides: [2]*recording.Recording{baseline, candidate}}
	byInput := baseline.HasInputs() && candidate.HasInputs()
	var tried [2]map[pairKey]bool
	for side, r := range g.sides {
		tried[side] = map[pairKey]bool{}
		for _, o := range r.Observations() {
			tried[side][pairKey{o.Scenario, o.Input}] = true
		}
	}
	known := map[pairKey]int{}
	for side, r := range g.sides {
		for _, o := range r.Observations() {
			key := pairKey{o.Scenario, o.Input}
			if !byInput || !tried[0][key] || !tried[1][key] {
				key.input = 0
			}
			at, there := known[key]
			if !there {
				at = g.all
				known[key] = at
				g.all++
			}
			g.of[side] = append(g.of[side], at)
		}
	}
	return g
}

// values are the known values of a metric by group.
func (g trialGroups) values(name recording.MetricName) []sample.Stratum {
	strata := make([]sample.Stratum, g.all)
	for side, r := range g.sides {
		for i, o := range r.Observations() {
			s, x := &strata[g.of[side][i]], o.Metrics[name]
			switch {
			case math.IsNaN(x):
			case side == 0:
				s.Baseline = append(s.Baseline, x)
			default:
				s.Candidate = append(s.Candidate, x)
			}
		}
	}
	return strata
}

// compare compares the means within groups of like trials: money is spent in means.
func (m *Metric) compare(strata []sample.Stratum, o Options) {
	d := &m.Difference
	m.Test, m.P = MeansTest, 1
	d.Method, d.Level, d.ByPairs = MeansTest, 1-o.Alpha, true
	for _, s := range strata {
		if len(s.Baseline) > 0 && len(s.Candidate) > 0 {
			m.Strata++
			d.ByPairs = d.ByPairs && len(s.Baseline)+len(s.Candidate) == 2
		}
	}
	d.ByPairs = d.ByPairs && m.Strata > 0
	// P is 1 where the test cannot be computed: the metric is listed all the same, and counts in
	// Holm's correction.
	r, err := sample.CompareMeans(strata, o.Alpha, o.Seed)
	if err == nil {
		m.P, m.Draws = r.P, r.Draws
	}
	// Where no group has trials of both sides, all that is left is the difference of the means.
	if d.Value = r.Difference; math.IsNaN(d.Value) {
		d.Value = m.Candidate.Mean - m.Baseline.Mean
	}
	if m.Baseline.Mean != 0 {
		d.Ratio = new(1 + d.Value/m.Baseline.Mean)
	}
	if i := r.Interval; i != nil {
		d.Low, d.High = new(i.Low), new(i.High)
	}
}

// summarize describes the known values. They are added up in rising order, so that the
// total does not depend on the order of the trials.
func summarize(values []float64, trials int) Summary {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	total := sample.Sum(sorted)
	return Summary{
		Known: n, Trials: trials,
		Mean:   total / float64(n),
		Median: new((sorted[(n-1)/2] + sorted[n/2]) / 2),
		Total:  total,
	}
}
