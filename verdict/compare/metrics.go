package compare

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// addMetrics lists what both recordings carry; see [comparer.compareMetrics].
func (c *comparer) addMetrics(result *Result) {
	metrics := c.ahead.metrics.of()
	result.Metrics = metrics.list
	c.drew = c.drew || metrics.drew
	if metrics.failed != nil {
		c.failed = metrics.failed
	}
	if a := result.Aggregates; a != nil && len(metrics.aggregates) > 0 {
		a.Metrics = metrics.aggregates
	}
}

// comparedMetrics are the metrics of a comparison, what they were computed from, and whether random numbers were drawn
// for them.
type comparedMetrics struct {
	list       []Metric
	aggregates map[recording.MetricName]*MetricAggregates
	drew       bool
	failed     error // what a saved result holds cannot be
}

// compareMetrics compares what both recordings carry: all trials whose value is known,
// whatever their outcome, since a failed trial costs too. It looks at what the steps of judge leave as it is.
func (c *comparer) compareMetrics() (found comparedMetrics) {
	p, o := c.pairing, c.options
	var groups *valueGroups
	var known []float64 // its memory is used for all of them
	sums := c.sums()
	if sums == nil && o.held == nil {
		groups = c.like.groupValues()
	}
	found.list, found.aggregates = []Metric{}, map[recording.MetricName]*MetricAggregates{}
	var ps []float64
	for name := range recording.AllMetrics() {
		// A metric that one side does not record cannot be compared, and is not listed.
		if !c.told(name) {
			continue
		}
		if c.ctx.Err() != nil {
			return found
		}
		m := Metric{Name: name, Unit: name.Unit()}
		switch {
		case o.held != nil:
			m, found.failed = o.held.metric(name, o.held.Metrics[name], [2]int{p.baseline.Len(), p.candidate.Len()}, o)
			if found.failed != nil {
				return found
			}
		case sums != nil:
			m.ofSums(p.baseline, p.candidate, sums.metric(name), o)
		default:
			var squares [2]float64
			m.Baseline, squares[0] = summarize(p.baseline, name, &known)
			m.Candidate, squares[1] = summarize(p.candidate, name, &known)
			test := m.compare(groups.values(name, nil), o)
			found.aggregates[name] = aggregatesOf(&m, squares, test)
		}
		found.drew = found.drew || m.Draws > 0
		found.list = append(found.list, m)
		ps = append(ps, m.P)
	}
	adjusted, err := multiplicity.Adjust(multiplicity.Holm, ps)
	if err != nil {
		return found
	}
	for i := range found.list {
		m := &found.list[i]
		m.PAdjusted = adjusted[i]
		m.Changed = adjusted[i] <= o.Alpha
	}
	return found
}

// valueGroups are the groups of like trials of both sides within which values are compared: those of a kind that both
// sides tried, and of each scenario all that one side alone tried.
type valueGroups struct {
	*groups
	group  []uint32 // of each kind, in the order in which groups come
	all    int
	strata *sample.Strata // of the metric that was asked for last
}

// groupValues finds the groups.
func (g *groups) groupValues() *valueGroups {
	v := &valueGroups{groups: g, group: make([]uint32, len(g.scenario))}
	rest := make([]uint32, len(g.scenarios)) // the group and 1; 0 is none
	for kind, scenario := range g.scenario {
		switch shared := g.shared(uint32(kind)); {
		case !shared && rest[scenario] > 0:
			v.group[kind] = rest[scenario] - 1
			continue
		case !shared:
			rest[scenario] = uint32(v.all) + 1
		}
		v.group[kind] = uint32(v.all)
		v.all++
	}
	return v
}

// values are the known values of a metric by group, each of a side as a function makes it. They are valid until the
// next ones are asked for.
func (g *valueGroups) values(name recording.MetricName, change func(side int, x float64) float64) *sample.Strata {
	if g.strata == nil {
		g.strata = sample.NewStrata(g.all)
	}
	strata := g.strata
	strata.Clear()
	for side, r := range g.sides {
		for i, x := range r.Values(name) {
			if !math.IsNaN(x) {
				strata.Expect(side, int(g.group[g.kind[side][i]]))
			}
		}
		strata.Begin(side)
		for i, x := range r.Values(name) {
			if !math.IsNaN(x) {
				if change != nil {
					x = change(side, x)
				}
				strata.Add(side, int(g.group[g.kind[side][i]]), x)
			}
		}
	}
	return strata
}

// told reports whether trials on both sides tell a metric.
func (c *comparer) told(name recording.MetricName) bool {
	if h := c.options.held; h != nil {
		return h.Metrics[name] != nil
	}
	return c.baseline.Told(name) > 0 && c.candidate.Told(name) > 0
}

// aggregatesOf are what a metric is computed from.
func aggregatesOf(m *Metric, squares [2]float64, test *sample.Aggregates) *MetricAggregates {
	return &MetricAggregates{
		Baseline:  sample.Moments{N: m.Baseline.Known, Sum: m.Baseline.Total, Squares: squares[0]},
		Candidate: sample.Moments{N: m.Candidate.Known, Sum: m.Candidate.Total, Squares: squares[1]},
		Strata:    m.Strata, ByPairs: m.Difference.ByPairs, Test: test,
	}
}

// compare compares the means within groups of like trials: money is spent in means. It returns what the test looked
// at where the values were too many to be permuted.
func (m *Metric) compare(strata *sample.Strata, o Options) *sample.Aggregates {
	d := &m.Difference
	m.Test, m.P = MeansTest, 1
	d.Method, d.Level, d.ByPairs = MeansTest, 1-o.Alpha, true
	for i := range strata.Len() {
		if s := strata.At(i); len(s.Baseline) > 0 && len(s.Candidate) > 0 {
			m.Strata++
			d.ByPairs = d.ByPairs && len(s.Baseline)+len(s.Candidate) == 2
		}
	}
	d.ByPairs = d.ByPairs && m.Strata > 0
	r, err := sample.CompareMeansWithin(strata, o.Alpha, o.Seed)
	m.take(r, err)
	return r.Aggregates
}

// take takes what the test found. P is 1 where it cannot be computed: the metric is listed all the same, and counts in
// Holm's correction.
func (m *Metric) take(r sample.MeansResult, err error) {
	d := &m.Difference
	if err == nil {
		m.P, m.Draws = r.P, r.Draws
	}
	// Where no group has trials of both sides, all that is left is the difference of the means.
	if d.Value = r.Difference; math.IsNaN(d.Value) {
		d.Value = m.Candidate.Mean - m.Baseline.Mean
	}
	d.addRatio(m.Baseline.Mean, m.Candidate.Mean)
	if i := r.Interval; i != nil {
		d.Low, d.High = new(i.Low), new(i.High)
	}
}

// addRatio sets the change as a share of the baseline's mean. Groups of another mix than the trials may differ by more
// than all of that mean, of which it is no share.
func (d *MeanChange) addRatio(before, after float64) {
	if r := 1 + d.Value/before; before != 0 && (r >= 0 || before < 0 || after < 0) {
		d.Ratio = &r
	}
}

// summarize describes the known values, and adds up their squares. They are added up in rising order, so that no sum
// depends on the order of the trials. The memory of the buffer is used, and what was made of it is left there.
func summarize(r *recording.Recording, name recording.MetricName, buffer *[]float64) (s Summary, squares float64) {
	sorted := r.AppendKnown((*buffer)[:0], name)
	*buffer = sorted
	slices.Sort(sorted)
	n := len(sorted)
	total := sample.Sum(sorted)
	s = Summary{
		Known: n, Trials: r.Len(),
		Mean:   total / float64(n),
		Median: new((sorted[(n-1)/2] + sorted[n/2]) / 2),
		Total:  total,
	}
	for i, x := range sorted {
		sorted[i] = x * x
	}
	return s, sample.Sum(sorted)
}
