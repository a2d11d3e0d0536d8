package controlvariate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
)

// Stratum is what was tried of one scenario.
type Stratum struct {
	Baseline  Sample `json:"baseline"`
	Candidate Sample `json:"candidate"`
}

// Options say what is asked of two sides.
type Options struct {
	Delta float64 // the drop that is to be ruled out, above 0
	Alpha float64 // the interval is at two-sided level 1-alpha
	Seed  uint64  // of the relabelings
	// Draws is how many relabelings are drawn; 0 means 9,999, or 999 of more than 20,000 trials.
	Draws int
}

// Result is the outcome of [Compare].
type Result struct {
	Difference    float64        `json:"difference"`  // of the target's pass rates, candidate less baseline
	StandardError float64        `json:"error"`       // of the difference
	Interval      stats.Interval `json:"interval"`    // of the difference
	Coefficient   float64        `json:"coefficient"` // by which the proxy corrects the target
	// Worse is the p-value against "the target's rate did not drop".
	Worse float64 `json:"p_worse"`
	// Within is the p-value against "it dropped by delta or more"; nil where a side has fewer than ten passes or
	// ten failures of the target, of which no such test is to be trusted.
	Within *float64 `json:"p_within_delta"`
	// Alone is the difference of the target's own trials.
	Alone PlainDifference `json:"target_alone"`
	// Proxy is the same of all trials of the proxy: it may have changed while the target did not.
	Proxy PlainDifference `json:"proxy_alone"`
	// Overlap is the correlation that the target's and the proxy's difference have, from that of the outcomes and the
	// share of the proxy's trials that are in pairs.
	Overlap float64 `json:"overlap"`
	Draws   int     `json:"draws"` // relabelings
}

// PlainDifference is a difference without a correction.
type PlainDifference struct {
	Difference    float64 `json:"difference"` // candidate less baseline
	StandardError float64 `json:"error"`
	Worse         float64 `json:"p_worse"` // against "its rate did not drop", by the normal distribution
}

// least is the passes and failures of the target that a side must have for a drop to be ruled out. It is chosen.
const least = 10

// Compare estimates the difference of the target's pass rates from pairs and further trials of the proxy on both sides,
// and tests it. The difference is the mean of those of the strata with Cochran's weights. The coefficient is the
// covariance of the outcomes of pairs over the variance of the proxy's, within strata over both sides, so that a
// relabeling does not change it.
//
// The test draws relabelings within strata, of pairs and of further trials apart, and compares the difference over its
// standard error with theirs. Where neither the target nor the proxy changed it is exact. Where only the proxy changed
// the sides are not exchangeable; as the statistic is studentized its level is then kept for many trials (Janssen 1997,
// Statistics & Probability Letters 36:9; Chung and Romano 2013, Annals of Statistics 41:484), as are those of Within
// and of the interval.
func Compare(ctx context.Context, strata []Stratum, o Options) (Result, error) {
	if err := o.validate(); err != nil {
		return Result{}, err
	}
	d, err := differenceOf(strata)
	if err != nil {
		return Result{}, err
	}
	r := Result{Coefficient: d.coefficient, Draws: o.Draws}
	if r.Draws == 0 {
		r.Draws = 9999
		if d.trials > 20_000 {
			r.Draws = 999
		}
	}
	corrected, alone, proxy := d.estimates()
	r.Difference, r.StandardError = corrected.difference, corrected.standardError()
	r.Alone, r.Proxy = alone.plain(), proxy.plain()
	r.Overlap = d.overlap()
	worse := corrected.statistic()
	within := estimate{corrected.difference + o.Delta, corrected.variance}.statistic()
	// The observed labels are one of the ways, too.
	below, above := 1, 1
	random := rand.New(rand.NewPCG(o.Seed, 0x70726f7879))
	drawn := make([]float64, 0, r.Draws)
	for i := range r.Draws {
		if i%64 == 0 && ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		d.relabel(random)
		relabeled, _, _ := d.estimates()
		t := relabeled.statistic()
		drawn = append(drawn, t)
		below += count(t <= worse+tie)
		above += count(t >= within-tie)
	}
	r.Worse = float64(below) / float64(r.Draws+1)
	if d.enough {
		r.Within = new(float64(above) / float64(r.Draws+1))
	}
	r.Interval = intervalOf(corrected, drawn, o.Alpha)
	return r, nil
}

// tie is the rounding within which two statistics are the same.
const tie = 1e-9

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// intervalOf turns the quantiles of the relabelings' statistics into limits, held within the differences that there
// are.
func intervalOf(e estimate, drawn []float64, alpha float64) stats.Interval {
	slices.Sort(drawn)
	n := len(drawn)
	// So many of n+1 may lie beyond a limit.
	beyond := int(alpha / 2 * float64(n+1))
	limits := stats.Interval{Low: -1, High: 1}
	if beyond < 1 {
		return limits
	}
	high, low := drawn[n-beyond], drawn[beyond-1]
	if math.IsInf(high, 0) || math.IsInf(low, 0) {
		return limits
	}
	limits.Low = math.Max(-1, math.Min(e.difference, e.difference-high*e.standardError()))
	limits.High = math.Min(1, math.Max(e.difference, e.difference-low*e.standardError()))
	return limits
}

func (o Options) validate() error {
	switch {
	case !(o.Delta > 0 && o.Delta < 1):
		return &stats.ArgumentError{Argument: "delta", Value: o.Delta, Problem: "must lie strictly between 0 and 1"}
	case !(o.Alpha > 0 && o.Alpha < 1):
		return &stats.ArgumentError{Argument: "alpha", Value: o.Alpha, Problem: "must lie strictly between 0 and 1"}
	case o.Draws < 0 || o.Draws > 1_000_000:
		return &stats.ArgumentError{Argument: "draws", Value: o.Draws, Problem: "must lie between 0 and a million"}
	}
	return nil
}
