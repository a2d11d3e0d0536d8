package twophase

import (
	"context"
	"math"

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
	return m.pValue(ctx, s, p, func(float64, float64) bool { return false })
}

// pValue is that of H0: the true rate is at most p. A certified one is proved until what is known of it is enough.
func (m Method) pValue(
	ctx context.Context, s Sample, p float64, enough func(found, bound float64) bool,
) (float64, error) {
	e, judge, higher := edgeOf(s, p)
	if !higher {
		return 1, nil
	}
	if m == Calibrated {
		x, err := e.at(ctx, judge, judge.judgement(p))
		if err != nil {
			return 1, err
		}
		j := x.point(judge.judgement(p))
		return math.Min(1, x.at(j).chance+math.Max(0, 1-x.looked(j))), nil
	}
	x, err := e.search(ctx, judge)
	if err != nil {
		return 1, err
	}
	return x.run(ctx, enough)
}

// at has the chance of the samples within the edge at a judgement and near it, but for those that have next to none
// there. The search for the edge begins at a judge.
func (e edge) at(ctx context.Context, judge cells, j judgement) (*chances, error) {
	m, b := j[0].share(), j[2].share()
	first, last := reach(e.sample.Judged, m, m, beyond/2)
	r, err := e.region(ctx, judge, first, last, func(n int) (int, int) { return reach(n, b, b, beyond*1e-6) })
	return newChances(r, e.sample.Judged), err
}

// search begins to look for the largest chance of the samples within the edge.
func (e edge) search(ctx context.Context, judge cells) (*search, error) {
	shares, err := e.sample.shares()
	if err != nil {
		return nil, err
	}
	r, err := e.whole(ctx, judge, shares)
	if err != nil {
		return nil, err
	}
	x := newSearch(r, e.sample, e.p, shares)
	if x.try(judge.judgement(e.p)); e.sample.Labels() == e.sample.Judged {
		x.open = nil // all judges are alike: what counts is how many trials truly pass
	}
	return x, nil
}

// whole is the region of all samples within the edge.
func (e edge) whole(ctx context.Context, judge cells, shares stats.Interval) (*region, error) {
	first, last := reach(e.sample.Judged, shares.Low, shares.High, 0.45*beyond)
	return e.region(ctx, judge, first, last, func(n int) (int, int) { return 0, n })
}

// shares are those of passes of the judge among which the largest chance is looked for.
func (s Sample) shares() (stats.Interval, error) {
	return stats.ClopperPearson(stats.Counts{Passes: s.Passed, Trials: s.Judged}, set)
}

// set is the error of the interval of the judge's share of passes, within which the largest probability is looked for:
// what is added to the p-value for it (Berger and Boos 1994, JASA 89:1012). It is chosen.
const set = 1e-4

// place is a judge at no rate in particular: its share of passes, and where the share of true passes among those lies,
// from 0 to 1 over all that are possible, even in the arcsine of its root.
type place struct {
	passes   logit
	ofPassed float64
}

// possible are the smallest and the largest angle.
func (x place) possible(p float64) (low, high float64) {
	m := x.passes.share()
	angle := func(share float64) float64 { return math.Asin(math.Sqrt(share)) }
	return angle(math.Max(0, (p-(1-m))/m)), angle(math.Min(1, p/m))
}

func placeOf(p float64, j judgement) place {
	x := place{passes: j[0]}
	low, high := x.possible(p)
	x.ofPassed = (math.Asin(math.Sqrt(j[1].share())) - low) / (high - low)
	return x
}

// at is the judge at the rate p.
func (x place) at(p float64) judgement {
	low, high := x.possible(p)
	m, root := x.passes.share(), math.Sin(low+x.ofPassed*(high-low))
	a := root * root
	return judgementOf(m, a, (p-m*a)/(1-m))
}
