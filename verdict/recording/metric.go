package recording

import (
	"math"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/enum"
)

// MetricName identifies a metric of a trial.
type MetricName uint8

const (
	CostMetric MetricName = iota
	TokensMetric
	TurnsMetric
	ToolCallsMetric
	ToolErrorsMetric
	DurationMetric
	Metrics
)

var metricNames = enum.Names{"cost_usd", "tokens", "turns", "tool_calls", "tool_errors", "duration_s"}

var metricUnits = enum.Names{"USD", "tokens", "turns", "calls", "errors", "s"}

// String returns the metric's name in JSON, such as "cost_usd".
func (m MetricName) String() string { return metricNames.Of(uint8(m)) }

// Unit returns the metric's unit.
func (m MetricName) Unit() string { return metricUnits.Of(uint8(m)) }

// MarshalText writes the metric's name.
func (m MetricName) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads a metric's name.
func (m *MetricName) UnmarshalText(text []byte) error {
	return verdict.UnmarshalName(metricNames, "metric", text, m)
}

// metricSeries are the metrics that some trial tells.
func (r *Recording) metricSeries() map[string]trial.Series {
	all := map[string]trial.Series{}
	for name := range Metrics {
		var s trial.Series
		for i := range r.Observations {
			known := trial.Optional[float64]{}
			if x := r.Observations[i].Metrics[name]; !math.IsNaN(x) {
				known = trial.Some(x)
			}
			s = append(s, known)
		}
		if s = s.Anything(); s != nil {
			all[name.String()] = s
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Known returns the known values of a metric.
func (r *Recording) Known(name MetricName) []float64 {
	var values []float64
	for i := range r.Observations {
		if x := r.Observations[i].Metrics[name]; !math.IsNaN(x) {
			values = append(values, x)
		}
	}
	return values
}
