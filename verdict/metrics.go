package verdict

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// compareMetrics compares what both recordings carry: all trials whose value is
// known, whatever their outcome, since a failed trial costs too.
func compareMetrics(p *pairing, paired bool, o CompareOptions) []Metric {
	list := []Metric{}
	var ps []float64
	for name := range metricCount {
		baseline, candidate := p.baseline.known(name), p.candidate.known(name)
		if len(baseline) == 0 || len(candidate) == 0 {
			continue
		}
		m := Metric{
			Name: name, Unit: name.Unit(),
			Baseline:  summarize(baseline, p.baseline.Len()),
			Candidate: summarize(candidate, p.candidate.Len()),
			P:         1,
		}
		if test, err := sample.MannWhitney(baseline, candidate); err == nil && !math.IsNaN(test.PTwoSided) {
			m.P = test.PTwoSided
		}
		m.Difference = meanChange(m, o)
		var differences []float64
		if paired {
			differences = p.differences(name)
		}
		m.Difference.resample(baseline, candidate, differences, o)
		list = append(list, m)
		ps = append(ps, m.P)
	}
	adjusted, err := multiplicity.Adjust(multiplicity.Holm, ps)
	if err != nil {
		return list
	}
	for i := range list {
		list[i].PAdjusted = adjusted[i]
		list[i].Changed = adjusted[i] <= o.Alpha
	}
	return list
}

// known returns the known values of a metric.
func (r *Recording) known(name MetricName) []float64 {
	var values []float64
	for i := range r.observations {
		if x := r.observations[i].metrics[name]; !math.IsNaN(x) {
			values = append(values, x)
		}
	}
	return values
}

// differences returns the candidate's value minus the baseline's of every pair, or
// nil if a known value has no known partner: the mean of the differences would
// then not be the difference of the means.
func (p *pairing) differences(name MetricName) []float64 {
	var list []float64
	for _, m := range p.matches {
		before := p.baseline.observations[m.baseline].metrics[name]
		after := p.candidate.observations[m.candidate].metrics[name]
		if math.IsNaN(before) && math.IsNaN(after) {
			continue
		}
		if math.IsNaN(before) || math.IsNaN(after) {
			return nil
		}
		list = append(list, after-before)
	}
	if len(list) != len(p.baseline.known(name)) || len(list) != len(p.candidate.known(name)) {
		return nil
	}
	return list
}

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

func meanChange(m Metric, o CompareOptions) MeanChange {
	change := MeanChange{
		Value: m.Candidate.Mean - m.Baseline.Mean,
		Level: 1 - o.Alpha,
		Seed:  o.Seed,
	}
	if m.Baseline.Mean != 0 {
		change.Ratio = pointer(m.Candidate.Mean / m.Baseline.Mean)
	}
	return change
}

// resample sets the bootstrap interval: of the paired differences where there are
// any, else of the two samples. Without spread or with single values there is none.
func (c *MeanChange) resample(baseline, candidate, differences []float64, o CompareOptions) {
	c.Method, c.Resample = "bca-bootstrap", DefaultResamples
	options := sample.BootstrapOptions{Alpha: o.Alpha, Resamples: DefaultResamples, Seed: o.Seed}
	var interval stats.Interval
	var err error
	if differences != nil {
		c.ByPairs = true
		interval, err = sample.BootstrapPairedMeanDifference(differences, options)
	} else {
		interval, err = sample.BootstrapMeanDifference(baseline, candidate, options)
	}
	if err == nil {
		c.Low, c.High = pointer(interval.Low), pointer(interval.High)
	}
}
