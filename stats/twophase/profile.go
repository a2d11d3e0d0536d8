package twophase

import "math"

// cells are the probabilities of a trial: q[j][t], by whether the judge passes it and whether it truly passes.
type cells struct {
	sensitivity float64 // of the judge: the share of true passes that it passes
	alarm       float64 // the share of true failures that it passes
}

// judgePasses is the share of trials that the judge passes, where the true rate is p.
func (c cells) judgePasses(p float64) float64 { return p*c.sensitivity + (1-p)*c.alarm }

// predictive values at a true rate: the shares of true passes among what the judge passes, and among what it fails.
func (c cells) predictive(p float64) (ofPassed, ofFailed float64) {
	m := c.judgePasses(p)
	if m > 0 {
		ofPassed = math.Min(p*c.sensitivity/m, 1)
	}
	if m < 1 {
		ofFailed = math.Min(p*(1-c.sensitivity)/(1-m), 1)
	}
	return ofPassed, ofFailed
}

// counts are what the likelihood is made of: labelled trials by the judge's verdict and the label, and the others by
// the judge's verdict.
type counts struct {
	pp, pf float64 // the judge passed; labelled pass, fail
	fp, ff float64 // the judge failed
	up, uf float64 // without a label
}

func countsOf(judged, passed, ofPassed, truePassed, ofFailed, trueFailed int) counts {
	return counts{
		pp: float64(truePassed), pf: float64(ofPassed - truePassed),
		fp: float64(trueFailed), ff: float64(ofFailed - trueFailed),
		up: float64(passed - ofPassed), uf: float64(judged - passed - ofFailed),
	}
}

// barrier keeps the maximum off the edge, where a logarithm has no derivative. It is chosen: what it adds to the
// logarithm of the likelihood is below 1e-7.
const barrier = 1e-9

// constrained maximizes the likelihood among judges at the true rate p, strictly between 0 and 1. The logarithm of the
// likelihood is concave in the two rates of the judge, and a sum of logarithms of linear forms, for which Newton's
// method with steps damped by its own decrement always converges (Nesterov and Nemirovskii 1994, section 2.2).
func (k counts) constrained(p float64, start cells) (cells, float64) {
	q := 1 - p
	s, t := inside(start.sensitivity), inside(start.alarm)
	for range 100 {
		m := p*s + q*t
		w := 1 - m
		// Slopes and curvatures of each logarithm.
		gs := (k.pp+barrier)/s - (k.fp+barrier)/(1-s)
		gt := (k.pf+barrier)/t - (k.ff+barrier)/(1-t)
		hs := (k.pp+barrier)/(s*s) + (k.fp+barrier)/((1-s)*(1-s))
		ht := (k.pf+barrier)/(t*t) + (k.ff+barrier)/((1-t)*(1-t))
		gm, hm := k.up/m-k.uf/w, k.up/(m*m)+k.uf/(w*w)
		gs, gt = gs+p*gm, gt+q*gm
		hs, ht = hs+p*p*hm, ht+q*q*hm
		cross := p * q * hm
		determinant := hs*ht - cross*cross
		ds, dt := (ht*gs-cross*gt)/determinant, (hs*gt-cross*gs)/determinant
		decrement := gs*ds + gt*dt
		if !(decrement > 1e-12) {
			break
		}
		step := 1.0
		if decrement > 0.1 {
			step = 1 / (1 + math.Sqrt(decrement))
		}
		step = within(s, ds, within(t, dt, step))
		s, t = s+step*ds, t+step*dt
	}
	return cells{s, t}, k.logLikelihood(p, cells{s, t})
}

// inside moves a probability off 0 and 1.
func inside(x float64) float64 {
	if !(x > 1e-6) {
		return 1e-6
	}
	return math.Min(x, 1-1e-6)
}

// within shortens a step so that nine tenths of the way to the edge are left at most.
func within(x, dx, step float64) float64 {
	switch {
	case x+step*dx >= 1:
		return 0.9 * (1 - x) / dx
	case x+step*dx <= 0:
		return -0.9 * x / dx
	}
	return step
}

// logLikelihood of the counts, up to a constant that depends on them alone.
func (k counts) logLikelihood(p float64, c cells) float64 {
	m := c.judgePasses(p)
	return xlog(k.pp, p*c.sensitivity) + xlog(k.pf, (1-p)*c.alarm) +
		xlog(k.fp, p*(1-c.sensitivity)) + xlog(k.ff, (1-p)*(1-c.alarm)) +
		xlog(k.up, m) + xlog(k.uf, 1-m)
}

// unconstrained is the largest logarithm of the likelihood at any rate, and the rates at which it is reached: one,
// unless a kind of judged trials has no label.
func (k counts) unconstrained() (logLikelihood, low, high float64) {
	passed, failed := k.pp+k.pf+k.up, k.fp+k.ff+k.uf
	all := passed + failed
	l := xlog(passed, passed/all) + xlog(failed, failed/all)
	add := func(share, yes, no float64) {
		switch n := yes + no; {
		case n > 0:
			l += xlog(yes, yes/n) + xlog(no, no/n)
			low, high = low+share*yes/n, high+share*yes/n
		default:
			high += share
		}
	}
	add(passed/all, k.pp, k.pf)
	add(failed/all, k.fp, k.ff)
	return l, low, high
}

// signedRoot is the signed root of the likelihood ratio of the rate p against any: large where the counts say that
// the true rate is above. The second is the most likely judge at the rate p.
func (k counts) signedRoot(p float64, start cells) (float64, cells) {
	best, low, high := k.unconstrained()
	at, l := k.constrained(p, start)
	root := math.Sqrt(math.Max(0, 2*(best-l)))
	switch {
	case low > p:
		return root, at
	case high < p:
		return -root, at
	}
	return 0, at
}

// xlog is n·log(x), and 0 where n is.
func xlog(n, x float64) float64 {
	if n == 0 {
		return 0
	}
	return n * math.Log(x)
}
