package recording

import (
	"iter"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/trial"
)

// MetricName identifies a metric of a trial. The constants index Observation.Metrics, and
// their order is that in which results list them.
type MetricName uint8

const (
	CostMetric MetricName = iota
	TokensMetric
	TurnsMetric
	ToolCallsMetric
	ToolErrorsMetric
	DurationMetric
	// How many there are; not a metric.
	metricCount
)

var metricNames = enum.Of[MetricName]("metric", "cost_usd", "tokens", "turns", "tool_calls", "tool_errors",
	"duration_s")

// metricUnits are for a reader, by MetricName.
var metricUnits = [metricCount]string{"USD", "tokens", "turns", "calls", "errors", "s"}

// String returns the metric's name in JSON, such as "cost_usd".
func (m MetricName) String() string { return metricNames.String(m) }

// Unit returns the metric's unit.
func (m MetricName) Unit() string { return metricUnits[min(m, metricCount-1)] }

// WithUnit is an amount of the metric as a sentence has it: "$0.02", "1.5 s", and a number of tokens or calls as it is.
func (m MetricName) WithUnit(amount string) string {
	switch m {
	case CostMetric:
		return "$" + amount
	case DurationMetric:
		return amount + " s"
	}
	return amount
}

// MarshalText writes the metric's name.
func (m MetricName) MarshalText() ([]byte, error) { return metricNames.MarshalText(m) }

// UnmarshalText reads a metric's name.
func (m *MetricName) UnmarshalText(text []byte) error {
	return metricNames.UnmarshalText(text, m)
}

// AllMetrics returns the names of the metrics, in their order.
func AllMetrics() iter.Seq[MetricName] { return metricNames.All() }

// metricSeries are the metrics that some trial tells; nil where none tells any.
func (r *Recording) metricSeries() map[string]trial.Series {
	var all map[string]trial.Series
	for name := range metricCount {
		s := make(trial.Series, 0, r.trials)
		for i, x := range r.Values(name) {
			known := trial.Optional[float64]{}
			if !math.IsNaN(x) {
				known = trial.Some(x)
			}
			for range r.table.countOf(i) {
				s = append(s, known)
			}
		}
		// A metric that no trial tells has no series.
		if s = s.Anything(); s == nil {
			continue
		}
		if all == nil {
			all = map[string]trial.Series{}
		}
		all[name.String()] = s
	}
	return all
}

// AppendKnown appends the known values of a metric to a list.
func (r *Recording) AppendKnown(list []float64, name MetricName) []float64 {
	if !r.Tells(name) {
		return list
	}
	list = slices.Grow(list, r.table.told[name])
	for _, x := range r.Values(name) {
		if !math.IsNaN(x) {
			list = append(list, x)
		}
	}
	return list
}
