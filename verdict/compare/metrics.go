package compare

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// addMetrics compares what both recordings carry: all trials whose value is known,
// whatever their outcome, since a failed trial costs too.
func (c *comparer) addMetrics(result *Result) {
	p, o := c.pairing, c.options
	groups := groupTrials(p.baseline, p.candidate)
	list := []Metric{}
	var ps []float64
	for name := range recording.AllMetrics() {
		baseline, candidate := p.baseline.Known(name), p.candidate.Known(name)
		// A metric that one side does not record cannot be compared, and is not listed.
		if len(baseline) == 0 || len(candidate) == 0 {
			continue
		}
		if c.ctx.Err() != nil {
			return
		}
		m := Metric{
			Name: name, Unit: name.Unit(),
			Baseline:  summarize(baseline, p.baseline.Len()),
			Candidate: summarize(candidate, p.candidate.Len()),
		}
		// Money is spent in means, while ranks are not led by a few very long trials.
		if differences := c.differences(name); differences != nil {
			m.comparePairs(differences, o)
		} else {
			m.compareStrata(groups.values(name), o)
		}
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

// differences returns the candidate's value minus the baseline's of every pair, or nil where the
// trials are not paired or a known value has no known partner: the mean of the differences would
// then not be the difference of the means.
func (c *comparer) differences(name recording.MetricName) []float64 {
	p := c.pairing
	if !c.paired {
		return nil
	}
	var list []float64
	for _, m := range p.matches {
		before := p.baseline.Observations()[m.baseline].Metrics[name]
		after := p.candidate.Observations()[m.candidate].Metrics[name]
		if math.IsNaN(before) && math.IsNaN(after) {
			continue
		}
		if math.IsNaN(before) || math.IsNaN(after) {
			return nil
		}
		list = append(list, after-before)
	}
	if len(list) != len(p.baseline.Known(name)) || len(list) != len(p.candidate.Known(name)) {
		return nil
	}
	return list
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

// comparePairs compares within pairs.
func (m *Metric) comparePairs(differences []float64, o Options) {
	m.Test, m.Strata = SignedRankTest, len(differences)
	// P is 1 where the test cannot be computed: the metric is listed all the same, and counts in
	// Holm's correction.
	m.P = 1
	if p, _, err := sample.SignedRanks(differences); err == nil {
		m.P = p
	}
	m.Difference.Value, m.Difference.ByPairs = sample.Mean(differences), true
	var interval stats.Interval
	err := sample.ErrTooFew
	if len(differences) >= sample.FewestTrials {
		interval, err = sample.MeanInterval(differences, o.Alpha)
	}
	m.complete(interval, err, o)
}

// compareStrata compares within groups of like trials.
func (m *Metric) compareStrata(strata []sample.Stratum, o Options) {
	m.Test, m.P = RankTest, 1
	for _, s := range strata {
		if len(s.Baseline) > 0 && len(s.Candidate) > 0 {
			m.Strata++
		}
	}
	if p, _, err := sample.StratifiedRanks(strata); err == nil {
		m.P = p
	}
	value, interval, err := sample.StratifiedMeanDifference(strata, o.Alpha)
	// Where no group has trials of both sides, all that is left is the difference of the means.
	if m.Difference.Value = value; math.IsNaN(value) {
		m.Difference.Value = m.Candidate.Mean - m.Baseline.Mean
	}
	m.complete(interval, err, o)
}

// complete sets what follows from the difference and its interval, of which there is none after
// an error.
func (m *Metric) complete(interval stats.Interval, err error, o Options) {
	d := &m.Difference
	d.Method, d.Level = skewedMean, 1-o.Alpha
	if m.Baseline.Mean != 0 {
		d.Ratio = new(1 + d.Value/m.Baseline.Mean)
	}
	if err == nil {
		d.Low, d.High = new(interval.Low), new(interval.High)
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
		Median: (sorted[(n-1)/2] + sorted[n/2]) / 2,
		Total:  total,
	}
}
