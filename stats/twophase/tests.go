package twophase

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
)

// Method is how a sample is judged.
type Method uint8

// The methods.
const (
	// Certified holds whatever the judge is worth: the largest probability of the region over all judges.
	Certified Method = iota
	// Calibrated takes the judge to be what the sample says it most likely is, if the rate is the one in question.
	Calibrated
)

// Above returns the p-value of H0: the true rate is at most p, strictly between 0 and 1. The region is that of the
// samples whose signed root of the profile likelihood ratio is as large as that of s or larger.
//
// The error is an [stats.ArgumentError], or the cause of the context's end.
func (m Method) Above(ctx context.Context, s Sample, p float64) (float64, error) {
	if err := s.Validate(); err != nil {
		return 1, err
	}
	if !(p > 0 && p < 1) {
		return 1, &stats.ArgumentError{Argument: "rate", Value: p, Problem: "must lie strictly between 0 and 1"}
	}
	return m.above(ctx, s.planned(), p)
}

// Below returns the p-value of H0: the true rate is at least p. It is that of [Method.Above] with pass and fail of
// the labels exchanged.
func (m Method) Below(ctx context.Context, s Sample, p float64) (float64, error) {
	return m.Above(ctx, s.mirrored(), 1-p)
}

func (m Method) above(ctx context.Context, s Sample, p float64) (float64, error) {
	observed := countsOf(s.Judged, s.Passed, s.OfPassed.Trials, s.OfPassed.Passes, s.OfFailed.Trials, s.OfFailed.Passes)
	root, judge := observed.signedRoot(p, cells{0.5, 0.5})
	if root <= 0 {
		return 1, nil // nothing speaks for a higher rate
	}
	if m == Calibrated {
		share := judge.judgePasses(p)
		first, last := reach(s.Judged, share, share)
		r, err := regionOf(ctx, s, p, root, judge, first, last)
		if err != nil {
			return 1, err
		}
		return r.probability(judge), nil
	}
	shares, err := stats.ClopperPearson(stats.Counts{Passes: s.Passed, Trials: s.Judged}, set)
	if err != nil {
		return 1, err
	}
	first, last := reach(s.Judged, shares.Low, shares.High)
	r, err := regionOf(ctx, s, p, root, judge, first, last)
	if err != nil {
		return 1, err
	}
	return math.Min(1, r.largest(shares)+set), nil
}

// set is the error of the interval of the judge's share of passes, within which the largest probability is looked for:
// what is added to the p-value for it (Berger and Boos 1994, JASA 89:1012). It is chosen.
const set = 1e-4

// reach is the range of numbers of passes of the judge beyond which there is less than 1e-8, where the judge passes a
// share between low and high.
func reach(judged int, low, high float64) (first, last int) {
	const tail = 5e-9
	below := func(p float64, k int) bool { return dist.Binomial{N: judged, P: p}.CDF(k) < tail }
	above := func(p float64, k int) bool { return dist.Binomial{N: judged, P: p}.Survival(k-1) < tail }
	first, last = int(math.Floor(low*float64(judged))), int(math.Ceil(high*float64(judged)))
	for first > 0 && !below(low, first-1) {
		first--
	}
	for last < judged && !above(high, last+1) {
		last++
	}
	return max(first, 0), min(last, judged)
}

// Steps of the grid over judges, for each of which the probability of a region is computed, and rounds in which the
// best are looked at closer. They are chosen. What lies between the points is not bounded.
const (
	shareSteps  = 6
	valueSteps  = 48
	closerLooks = 24
)

// largest is the largest probability of a region over all judges whose share of passes lies within limits. Judges are
// scanned on a grid that is even in the arcsine of the root, and the neighbourhood of the best is searched.
func (r *region) largest(shares stats.Interval) float64 {
	at := func(u, v float64) float64 { return r.probability(judgeOf(r.p, shares.Low+u*shares.Width(), v)) }
	best, bu, bv := 0.0, 0.0, 0.0
	try := func(u, v float64) {
		u, v = math.Min(math.Max(u, 0), 1), math.Min(math.Max(v, 0), 1)
		if x := at(u, v); x > best {
			best, bu, bv = x, u, v
		}
	}
	for i := range shareSteps + 1 {
		for j := range valueSteps + 1 {
			try(float64(i)/shareSteps, float64(j)/valueSteps)
		}
	}
	du, dv := 0.5/shareSteps, 0.5/valueSteps
	for range closerLooks {
		before, u, v := best, bu, bv
		try(u+du, v)
		try(u-du, v)
		try(u, v+dv)
		try(u, v-dv)
		if best == before {
			du, dv = du/2, dv/2
		}
	}
	return best
}

// judgeOf is the judge that passes a share m of trials whose true rate is p, by v from 0 to 1 over all that are
// possible: even in the arcsine of the root of the share of true passes among what it passes.
func judgeOf(p, m, v float64) cells {
	if m <= 0 || m >= 1 {
		return cells{m, m} // it passes nothing or everything
	}
	low, high := math.Max(0, (p-(1-m))/m), math.Min(1, p/m)
	angle := func(x float64) float64 { return math.Asin(math.Sqrt(x)) }
	root := math.Sin(angle(low) + v*(angle(high)-angle(low)))
	a := math.Min(math.Max(root*root, low), high)
	return cells{sensitivity: math.Min(m*a/p, 1), alarm: math.Min(m*(1-a)/(1-p), 1)}
}
