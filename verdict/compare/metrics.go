package compare

import (
	"context"
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
			P:         1,
		}
		// P stays 1 where the test cannot be computed: the metric is listed all the same, and
		// counts in Holm's correction.
		if test, err := sample.MannWhitney(baseline, candidate); err == nil && !math.IsNaN(test.PTwoSided) {
			m.P = test.PTwoSided
		}
		m.Difference = meanChange(m, o)
		var differences []float64
		if c.paired {
			differences = p.differences(name)
		}
		// The p-value is that of a test of ranks, and the interval that of the means: money is
		// spent in means, while ranks are not led by a few very long trials.
		m.Difference.resample(c.ctx, baseline, candidate, differences, o)
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

// differences returns the candidate's value minus the baseline's of every pair, or
// nil if a known value has no known partner: the mean of the differences would
// then not be the difference of the means.
func (p *pairing) differences(name recording.MetricName) []float64 {
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

// meanChange is the difference of the means without its interval, which resample adds.
func meanChange(m Metric, o Options) MeanChange {
	change := MeanChange{
		Value: m.Candidate.Mean - m.Baseline.Mean,
		Level: 1 - o.Alpha,
		Seed:  o.Seed,
	}
	if m.Baseline.Mean != 0 {
		change.Ratio = new(m.Candidate.Mean / m.Baseline.Mean)
	}
	return change
}

// resample sets the bootstrap interval: of the paired differences where there are
// any, else of the two samples. Without spread or with single values there is none.
func (c *MeanChange) resample(ctx context.Context, baseline, candidate, differences []float64, o Options) {
	c.Method, c.Resample = "bca-bootstrap", DefaultResamples
	options := sample.BootstrapOptions{Alpha: o.Alpha, Resamples: DefaultResamples, Seed: o.Seed}
	var interval stats.Interval
	var err error
	if differences != nil {
		c.ByPairs = true
		interval, err = sample.BootstrapPairedMeanDifference(ctx, differences, options)
	} else {
		interval, err = sample.BootstrapMeanDifference(ctx, baseline, candidate, options)
	}
	if err == nil {
		c.Low, c.High = new(interval.Low), new(interval.High)
	}
}
