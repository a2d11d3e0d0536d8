package controlvariate

import (
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
)

// difference holds the trials of both sides, as they are labeled at the moment.
type difference struct {
	strata      []labeledStratum
	coefficient float64
	trials      int  // of target and proxy, both sides
	enough      bool // passes and failures of the target on each side
}

// labeledStratum is one stratum.
type labeledStratum struct {
	sides  [2]sums // baseline, candidate
	whole  sums    // both
	weight float64
	pairs  []uint8 // how each pair fell: bit 0 is set where the target passes, bit 1 where the proxy does
	others []uint8 // further trials of the proxy: 1 is a pass
}

// sums are counts over the pairs and further trials of a side.
type sums struct{ pairs, target, proxy, both, others, passes int }

func (s Sample) sums() sums {
	return sums{pairs: s.Pairs(), target: s.BothPass + s.TargetOnly, proxy: s.BothPass + s.ProxyOnly, both: s.BothPass,
		others: s.Further, passes: s.FurtherPasses}
}

// differenceOf checks the trials and prepares them.
func differenceOf(strata []Stratum) (*difference, error) {
	d := &difference{}
	var covariance, variance float64
	var targets [2]stats.Counts
	for _, s := range strata {
		for i, side := range []Sample{s.Baseline, s.Candidate} {
			if err := side.validate(); err != nil {
				return nil, err
			}
			if side.Pairs() < 2 {
				return nil, ErrTooFewPairs
			}
			targets[i].Passes += side.Target().Passes
			targets[i].Trials += side.Target().Trials
			d.trials += side.Target().Trials + side.Proxy().Trials
		}
		l := labeledOf(s)
		n, y, x := float64(l.whole.pairs), float64(l.whole.target), float64(l.whole.proxy)
		covariance += float64(l.whole.both) - x*y/n
		variance += x - x*x/n
		d.strata = append(d.strata, l)
	}
	if len(strata) == 0 {
		return nil, ErrTooFewPairs
	}
	total := 0.0
	for _, l := range d.strata {
		total += l.weight
	}
	for i := range d.strata {
		d.strata[i].weight /= total
	}
	if variance > 0 {
		d.coefficient = covariance / variance
	}
	d.enough = true
	for _, t := range targets {
		d.enough = d.enough && t.Passes >= least && t.Fails() >= least
	}
	return d, nil
}

// labeledOf lists the trials of a stratum.
func labeledOf(s Stratum) labeledStratum {
	l := labeledStratum{sides: [2]sums{s.Baseline.sums(), s.Candidate.sums()}}
	var both Sample
	both.Add(s.Baseline)
	both.Add(s.Candidate)
	l.whole = both.sums()
	b, c := float64(s.Baseline.Pairs()), float64(s.Candidate.Pairs())
	l.weight = b * c / (b + c)
	repeat := func(to []uint8, value uint8, n int) []uint8 {
		for range n {
			to = append(to, value)
		}
		return to
	}
	l.pairs = repeat(repeat(repeat(repeat(nil, 3, both.BothPass), 1, both.TargetOnly), 2, both.ProxyOnly), 0,
		both.BothFail)
	l.others = repeat(repeat(nil, 1, both.FurtherPasses), 0, both.Further-both.FurtherPasses)
	return l
}

// relabel draws which trials are the baseline's, as many as there were.
func (d *difference) relabel(random *rand.Rand) {
	for i := range d.strata {
		l := &d.strata[i]
		b := sums{pairs: l.sides[0].pairs, others: l.sides[0].others}
		for at := range b.pairs {
			other := at + random.IntN(len(l.pairs)-at)
			l.pairs[at], l.pairs[other] = l.pairs[other], l.pairs[at]
			fell := int(l.pairs[at])
			b.target += fell & 1
			b.proxy += fell >> 1
			b.both += fell & 1 & (fell >> 1)
		}
		for at := range b.others {
			other := at + random.IntN(len(l.others)-at)
			l.others[at], l.others[other] = l.others[other], l.others[at]
			b.passes += int(l.others[at])
		}
		w := l.whole
		l.sides = [2]sums{b, {w.pairs - b.pairs, w.target - b.target, w.proxy - b.proxy, w.both - b.both,
			w.others - b.others, w.passes - b.passes}}
	}
}

// estimates are the corrected difference, that of the target's trials alone, and that of all the proxy's.
func (d *difference) estimates() (corrected, alone, proxy estimate) {
	for _, l := range d.strata {
		for i, s := range l.sides {
			sign := 2*i - 1
			corrected.add(l.weight, sign, s.corrected(d.coefficient))
			alone.add(l.weight, sign, s.corrected(0))
			proxy.add(l.weight, sign, s.ofProxy())
		}
	}
	return corrected, alone, proxy
}

// mean is an estimate of a rate on one side of a stratum, and its variance.
type mean struct{ value, variance float64 }

// estimate is a difference with its variance.
type estimate struct{ difference, variance float64 }

// add takes in a side of a stratum; the sign of the baseline is -1.
func (e *estimate) add(weight float64, sign int, m mean) {
	e.difference += float64(sign) * weight * m.value
	e.variance += weight * weight * m.variance
}

func (e estimate) standardError() float64 { return math.Sqrt(e.variance) }

// plain is the difference with its p-value by the normal distribution.
func (e estimate) plain() PlainDifference {
	return PlainDifference{e.difference, e.standardError(), dist.NormalCDF(e.statistic())}
}

// statistic is the studentized difference; infinite where it has no error and is not 0.
func (e estimate) statistic() float64 {
	// Sums over a few hundred strata leave such a rest.
	if math.Abs(e.difference) < 1e-12 {
		return 0
	}
	return e.difference / e.standardError()
}

// corrected is the target's mean, corrected by the proxy, and its variance. With m trials of the proxy, N of them
// further ones, the estimate ȳ + β(x̄_all - x̄_pairs) is the mean of y - λx over the pairs and of λx over the others,
// with λ = βN/m: two independent means.
func (s sums) corrected(coefficient float64) mean {
	n, others := float64(s.pairs), float64(s.others)
	lambda := coefficient * others / (n + others)
	y, x, both := float64(s.target), float64(s.proxy), float64(s.both)
	sum := y - lambda*x
	squares := y + lambda*lambda*x - 2*lambda*both
	m := mean{sum / n, math.Max(0, squares-sum*sum/n) / (n - 1) / n}
	if others > 0 {
		m.value += lambda * float64(s.passes) / others
		// All trials of the proxy tell how far one varies.
		m.variance += lambda * lambda * s.proxyVariance() / others
	}
	return m
}

// ofProxy is the mean of all trials of the proxy, and its variance.
func (s sums) ofProxy() mean {
	m := float64(s.pairs + s.others)
	return mean{float64(s.proxy+s.passes) / m, s.proxyVariance() / m}
}

// proxyVariance is that of one trial of the proxy.
func (s sums) proxyVariance() float64 {
	m, x := float64(s.pairs+s.others), float64(s.proxy+s.passes)
	return x * (m - x) / m / (m - 1)
}

// overlap is the correlation of the target's and the proxy's difference: within each side their covariance is that of a
// pair over the number of the proxy's trials.
func (d *difference) overlap() float64 {
	covariance := 0.0
	_, alone, proxy := d.estimates()
	for _, l := range d.strata {
		for _, s := range l.sides {
			n := float64(s.pairs)
			sampleCovariance := (float64(s.both) - float64(s.target)*float64(s.proxy)/n) / (n - 1)
			covariance += l.weight * l.weight * sampleCovariance / (n + float64(s.others))
		}
	}
	if alone.variance <= 0 || proxy.variance <= 0 {
		return 0
	}
	return math.Max(-1, math.Min(1, covariance/math.Sqrt(alone.variance*proxy.variance)))
}
