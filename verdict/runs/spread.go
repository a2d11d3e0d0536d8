package runs

import (
	"context"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/sample"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Distribution describes the known values of a quantity over all trials of a run
// that ended, whatever their outcome.
type Distribution struct {
	Name   recording.MetricName `json:"name"`   // of the metric
	Unit   string               `json:"unit"`   // of all figures but the counts
	Known  int                  `json:"known"`  // trials whose value is known
	Trials int                  `json:"trials"` // that ended
	Min    float64              `json:"min"`    // of the known values
	Median float64              `json:"median"` // of the known values
	Mean   float64              `json:"mean"`   // of the known values
	Q95    float64              `json:"q95"`    // the smallest value that 95 % of the values do not exceed
	Max    float64              `json:"max"`    // of the known values
	Bins   []Bin                `json:"bins"`   // of equal width; one where all values are equal
}

// Bin counts the values from Low up to High, and those at the end of the
// last bin.
type Bin struct {
	Low   float64 `json:"low"`   // inclusive
	High  float64 `json:"high"`  // exclusive, but for the last bin
	Count int     `json:"count"` // values
}

// distributionBins is chosen: enough for a shape, and few enough for a line of text.
const distributionBins = 24

// distributions describes cost, tokens and duration, where they are known, of all trials
// that ended, overrun too: they took what they took.
func distributions(e Evidence) []Distribution {
	values := map[recording.MetricName][]float64{}
	ended := 0
	// An infinite value would leave nothing of the mean and the bins.
	add := func(name recording.MetricName, x float64, known bool) {
		if known && !math.IsNaN(x) && !math.IsInf(x, 0) {
			values[name] = append(values[name], x)
		}
	}
	for _, t := range e.Tests {
		for _, x := range t.all {
			if x.Trial == nil {
				continue
			}
			ended++
			add(recording.CostMetric, x.CostUSD.Value, x.CostUSD.Known)
			add(recording.DurationMetric, x.Trial.DurationSeconds.Value, x.Trial.DurationSeconds.Known)
			in, out := x.Trial.InputTokens, x.Trial.OutputTokens
			add(recording.TokensMetric, float64(in.Value)+float64(out.Value), in.Known && out.Known)
		}
	}
	list := []Distribution{}
	for _, name := range []recording.MetricName{recording.CostMetric, recording.TokensMetric,
		recording.DurationMetric} {
		if len(values[name]) > 0 {
			list = append(list, describe(name, values[name], ended))
		}
	}
	return list
}

// describe summarises at least one value. The quantile is the smallest value that 95 % of
// them do not exceed: of n sorted values the one numbered ceil(0.95 n), from 1.
func describe(name recording.MetricName, values []float64, trials int) Distribution {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	low, high := sorted[0], sorted[n-1]
	// Each half before the sum, so that the median of huge values does not overflow.
	d := Distribution{
		Name: name, Unit: name.Unit(), Known: n, Trials: trials, Min: low, Max: high,
		Median: sorted[(n-1)/2]/2 + sorted[n/2]/2, Mean: sample.Sum(sorted) / float64(n), Q95: sorted[(95*n+99)/100-1],
	}
	bins := distributionBins
	width := (high - low) / float64(bins)
	// All values are equal, or so far apart that their distance overflows.
	if !(width > 0) || math.IsInf(width, 0) {
		d.Bins = []Bin{{low, high, n}}
		return d
	}
	for i := range bins {
		d.Bins = append(d.Bins, Bin{Low: low + float64(i)*width, High: low + float64(i+1)*width})
	}
	// Rounding may leave the last limit beside the largest value, which belongs to that bin.
	d.Bins[bins-1].High = high
	for _, x := range sorted {
		d.Bins[min(int((x-low)/width), bins-1)].Count++
	}
	return d
}

// How many designs a result describes, each with a curve; the number is chosen. Tests with
// the same hypotheses mostly share a design, so few runs have more.
const (
	mostCurves = 8
)

// characteristics describes the designs of the tests, each once.
func (e Evidence) characteristics(ctx context.Context) ([]design.Curve, error) {
	curves := []design.Curve{}
	seen := map[string]bool{}
	for _, t := range e.Tests {
		// A recording has no characteristics, nor has a test without a design.
		if t.Design.Boundaries.MaxTrials() == 0 || t.Design.Kind == sprt.RecordingKind {
			continue
		}
		digest := t.Design.Digest()
		if seen[digest] || len(curves) == mostCurves {
			continue
		}
		seen[digest] = true
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		points, err := design.Characteristics(t.Design)
		if err != nil {
			return nil, err
		}
		curves = append(curves, design.Curve{Digest: digest, Points: points})
	}
	return curves, nil
}
