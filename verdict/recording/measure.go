package recording

import "github.com/tribunal-dev/tribunal/trial"

// Measure reads the metrics of a trial, by [MetricName], as [Recording.Add] does; NaN is one that it does not tell.
func Measure(t *trial.Trial) [metricCount]float64 { return measure(t) }
