package verdict

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// Distribution describes the known values of a quantity over all trials of a run
// that ended, whatever their outcome.
type Distribution struct {
	Name   MetricName        `json:"name"`
	Unit   string            `json:"unit"`
	Known  int               `json:"known"`
	Trials int               `json:"trials"`
	Min    float64           `json:"min"`
	Median float64           `json:"median"`
	Mean   float64           `json:"mean"`
	Q95    float64           `json:"q95"` // the smallest value that 95 % of the values do not exceed
	Max    float64           `json:"max"`
	Bins   []DistributionBin `json:"bins"` // of equal width; one where all values are equal
}

// DistributionBin counts the values from Low up to High, and those at the end of the
// last bin.
type DistributionBin struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Count int     `json:"count"`
}

const distributionBins = 24

// distributions describes cost, tokens and duration, where they are known.
func distributions(e RunEvidence) []Distribution {
	values := map[MetricName][]float64{}
	ended := 0
	add := func(name MetricName, x float64, known bool) {
		if known && !math.IsNaN(x) && !math.IsInf(x, 0) {
			values[name] = append(values[name], x)
		}
	}
	for _, t := range e.Tests {
		for _, x := range t.Trials {
			if x.Trial == nil {
				continue
			}
			ended++
			add(CostMetric, x.CostUSD.Value, x.CostUSD.Known)
			add(DurationMetric, x.Trial.DurationSeconds.Value, x.Trial.DurationSeconds.Known)
			in, out := x.Trial.InputTokens, x.Trial.OutputTokens
			add(TokensMetric, float64(in.Value)+float64(out.Value), in.Known && out.Known)
		}
	}
	list := []Distribution{}
	for _, name := range []MetricName{CostMetric, TokensMetric, DurationMetric} {
		if len(values[name]) > 0 {
			list = append(list, describe(name, values[name], ended))
		}
	}
	return list
}

func describe(name MetricName, values []float64, trials int) Distribution {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	low, high := sorted[0], sorted[n-1]
	d := Distribution{
		Name: name, Unit: name.Unit(), Known: n, Trials: trials, Min: low, Max: high,
		Median: sorted[(n-1)/2]/2 + sorted[n/2]/2, Mean: sample.Sum(sorted) / float64(n), Q95: sorted[(95*n+99)/100-1],
	}
	bins := distributionBins
	width := (high - low) / float64(bins)
	if !(width > 0) || math.IsInf(width, 0) {
		d.Bins = []DistributionBin{{low, high, n}}
		return d
	}
	for i := range bins {
		d.Bins = append(d.Bins, DistributionBin{Low: low + float64(i)*width, High: low + float64(i+1)*width})
	}
	d.Bins[bins-1].High = high
	for _, x := range sorted {
		d.Bins[min(int((x-low)/width), bins-1)].Count++
	}
	return d
}

// DesignCurve is the operating characteristic of a design that tests of a run have:
// what it does at each pass rate, exactly.
type DesignCurve struct {
	Digest string      `json:"digest"`
	Points []PlanPoint `json:"points"`
}

// How many designs are described, and at how many rates.
const (
	mostCurves = 8
	curveRates = 41
)

// characteristics describes the designs of the tests, each once.
func (e RunEvidence) characteristics() ([]DesignCurve, error) {
	curves := []DesignCurve{}
	seen := map[string]bool{}
	for _, t := range e.Tests {
		digest := t.Design.Digest()
		if seen[digest] || len(curves) == mostCurves {
			continue
		}
		seen[digest] = true
		points, err := operatingPoints(t.Design)
		if err != nil {
			return nil, err
		}
		curves = append(curves, DesignCurve{digest, points})
	}
	return curves, nil
}

func operatingPoints(d sprt.Design) ([]PlanPoint, error) {
	lattice, err := d.Boundaries.Lattice()
	if err != nil {
		return nil, err
	}
	h := d.Hypotheses
	low := math.Max(h.Lower()-curvesBelow*h.Delta, 0)
	points := make([]PlanPoint, curveRates)
	for i := range points {
		share := float64(i) / (curveRates - 1)
		p := math.Min(low*(1-share)+share, 1)
		c := lattice.At(p)
		points[i] = PlanPoint{p, c.Pass, c.Fail, c.Inconclusive, c.ExpectedTrials, lattice.Quantile(p, 0.95)}
	}
	return points, nil
}
