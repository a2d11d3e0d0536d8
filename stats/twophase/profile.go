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
// likelihood is concave in the two rates of the judge, so that Newton's method with steps that are halved until they
// climb finds the maximum from anywhere (Boyd and Vandenberghe 2004, section 9.5).
func (k counts) constrained(p float64, start cells) (cells, float64) {
	at := cells{inside(start.sensitivity), inside(start.alarm)}
	for range 200 {
		ds, dt, decrement := k.newton(p, at)
		if !(decrement > 1e-18) {
			break
		}
		at = k.climb(p, at, ds, dt, decrement)
	}
	return at, k.logLikelihood(p, at)
}

// newton is the step of Newton's method at a judge, and the square of its length in the metric of the curvature: about
// twice what the logarithm of the likelihood has left to climb.
func (k counts) newton(p float64, at cells) (ds, dt, decrement float64) {
	q := 1 - p
	s, t := at.sensitivity, at.alarm
	m := p*s + q*t
	ofM, ofW := 1/m, 1/(1-m)
	ofS, ofNoS, ofT, ofNoT := 1/s, 1/(1-s), 1/t, 1/(1-t)
	// Slopes and curvatures of each logarithm.
	gs, gt := (k.pp+barrier)*ofS-(k.fp+barrier)*ofNoS, (k.pf+barrier)*ofT-(k.ff+barrier)*ofNoT
	hs := (k.pp+barrier)*ofS*ofS + (k.fp+barrier)*ofNoS*ofNoS
	ht := (k.pf+barrier)*ofT*ofT + (k.ff+barrier)*ofNoT*ofNoT
	gm, hm := k.up*ofM-k.uf*ofW, k.up*ofM*ofM+k.uf*ofW*ofW
	gs, gt = gs+p*gm, gt+q*gm
	hs, ht = hs+p*p*hm, ht+q*q*hm
	cross := p * q * hm
	determinant := hs*ht - cross*cross
	ds, dt = (ht*gs-cross*gt)/determinant, (hs*gt-cross*gs)/determinant
	return ds, dt, gs*ds + gt*dt
}

// climb goes a step, or a part of it that is a climb: near the top one that follows from its length (Nesterov and
// Nemirovskii 1994, section 2.2), and else one that is tried.
func (k counts) climb(p float64, at cells, ds, dt, decrement float64) cells {
	step := 1.0
	if decrement > 0.1 {
		step = 1 / (1 + math.Sqrt(decrement))
	}
	if decrement > 4 {
		step = k.tried(p, at, ds, dt, decrement)
	}
	step = within(at.sensitivity, ds, within(at.alarm, dt, step))
	return cells{at.sensitivity + step*ds, at.alarm + step*dt}
}

// tried is a part of a step that climbs as it should.
func (k counts) tried(p float64, at cells, ds, dt, decrement float64) float64 {
	value := func(c cells) float64 {
		return k.logLikelihood(p, c) + barrier*math.Log(c.sensitivity*(1-c.sensitivity)*c.alarm*(1-c.alarm))
	}
	here, step := value(at), within(at.sensitivity, ds, within(at.alarm, dt, 1))
	for step > 1e-9 && !(value(cells{at.sensitivity + step*ds, at.alarm + step*dt}) >= here+1e-4*step*decrement) {
		step /= 2
	}
	return step
}

// slack bounds how much larger than at a judge the logarithm of the likelihood is anywhere: a concave function lies
// below its tangent plane, whose largest value is at a corner.
func (k counts) slack(p float64, c cells) float64 {
	m := c.judgePasses(p)
	slope := func(n, x float64) float64 {
		if n == 0 {
			return 0
		}
		return n / x
	}
	passes, fails := slope(k.up, m), slope(k.uf, 1-m)
	ofPasses := math.Max(passes+slope(k.pp, p*c.sensitivity), fails+slope(k.fp, p*(1-c.sensitivity)))
	ofFails := math.Max(passes+slope(k.pf, (1-p)*c.alarm), fails+slope(k.ff, (1-p)*(1-c.alarm)))
	return math.Max(0, p*ofPasses+(1-p)*ofFails-(k.pp+k.pf+k.fp+k.ff+k.up+k.uf))
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

// rates are those at which the likelihood is largest: one, unless a kind of judged trials has no label.
func (k counts) rates() (low, high float64) {
	passed, failed := k.pp+k.pf+k.up, k.fp+k.ff+k.uf
	add := func(share, yes, no float64) {
		if n := yes + no; n > 0 {
			low, high = low+share*yes/n, high+share*yes/n
		} else {
			high += share
		}
	}
	add(passed/(passed+failed), k.pp, k.pf)
	add(failed/(passed+failed), k.fp, k.ff)
	return low, high
}

// near is a judge at a rate below that of the counts, with the same predictive values but for a factor.
func (k counts) near(p float64) cells {
	share := func(yes, no float64) float64 { return inside((yes + 0.1) / (yes + no + 0.2)) }
	m := share(k.pp+k.pf+k.up, k.fp+k.ff+k.uf)
	a, b := share(k.pp, k.pf), share(k.fp, k.ff)
	a *= math.Min(1, p/(m*a+(1-m)*b))
	return cells{m * a / p, math.Min(1, m*(1-a)/(1-p))}
}

// loss is how much larger the logarithm of the likelihood is at its maximum over all rates than at a judge and the
// rate p.
func (k counts) loss(p float64, c cells) float64 {
	m := c.judgePasses(p)
	passed, failed := k.pp+k.pf+k.up, k.fp+k.ff+k.uf
	ofPassed, ofFailed := k.pp+k.pf, k.fp+k.ff
	all := passed + failed
	return over(passed, all*m) + over(failed, all*(1-m)) +
		over(k.pp, ofPassed*p*c.sensitivity/m) + over(k.pf, ofPassed*(1-p)*c.alarm/m) +
		over(k.fp, ofFailed*p*(1-c.sensitivity)/(1-m)) + over(k.ff, ofFailed*(1-p)*(1-c.alarm)/(1-m))
}

// over is n·log(n/x), and 0 where n is.
func over(n, x float64) float64 {
	if n == 0 {
		return 0
	}
	return n * math.Log(n/x)
}

// xlog is n·log(x), and 0 where n is.
func xlog(n, x float64) float64 {
	if n == 0 {
		return 0
	}
	return n * math.Log(x)
}
