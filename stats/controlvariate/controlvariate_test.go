package controlvariate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestSplitAgainstASearch compares the closed form with a search over the numbers of trials.
func TestSplitAgainstASearch(t *testing.T) {
	for _, rho := range []float64{-0.9, -0.3, 0, 0.2, 0.5, 0.57, 0.58, 0.8, 0.9, 0.99} {
		for _, price := range []float64{0.001, 0.01, 0.1, 0.5, 0.9, 1, 3} {
			a, err := Split(rho, price)
			if err != nil {
				t.Fatal(err)
			}
			best, at := math.Inf(1), 0.0
			for ratio := 1.0; ratio < 1e4; ratio *= 1.001 {
				if x := (1 - rho*rho + rho*rho/ratio) * (1 + price*ratio); x < best-1e-12 {
					best, at = x, ratio
				}
			}
			near(t, "cost", a.Cost/best, 1, 1e-5)
			// Without pairs a trial of the target costs 1 and has a variance of 1.
			if a.Pays != (best < 1-1e-9) {
				t.Errorf("rho %v price %v: pays %v, the best is %v", rho, price, a.Pays, best)
			}
			if a.Pays != (math.Abs(rho) > a.Least) {
				t.Errorf("rho %v price %v: pays %v above %v", rho, price, a.Pays, a.Least)
			}
			if !a.Pays {
				continue
			}
			near(t, "ratio", a.Proxies/at, 1, 0.01)
			near(t, "variance", (1-rho*rho)/a.Target+rho*rho/a.Proxy, 0.01, 1e-12)
			near(t, "cost of the trials", (a.Target+price*a.Proxy)/100, a.Cost, 1e-12)
		}
	}
}

// TestEquation48IsNoBound has the paper's examples, and what the best split costs there.
func TestEquation48IsNoBound(t *testing.T) {
	for _, c := range []struct{ rho, price, claimed, converged, cost float64 }{
		{0.8, 0.1, 0.424, 0.036, math.Pow(0.6+0.8*math.Sqrt(0.1), 2)},
		{0.9, 0.1, 0.271, 0.019, math.Pow(math.Sqrt(0.19)+0.9*math.Sqrt(0.1), 2)},
		{0.5, 0.1, 0.775, 0.075, math.Pow(math.Sqrt(0.75)+0.5*math.Sqrt(0.1), 2)},
	} {
		a, err := Split(c.rho, c.price)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "Equation 48", a.Claimed, c.claimed, 1e-12)
		near(t, "Equation 54", a.Converged, c.converged, 1e-12)
		near(t, "cost", a.Cost, c.cost, 1e-12)
		if a.Pays != (c.rho > 0.575) {
			t.Errorf("rho %v: pays %v", c.rho, a.Pays)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	for _, c := range [][2]float64{{1.1, 0.1}, {math.NaN(), 0.1}, {0.5, 0}, {0.5, math.NaN()}, {0.5, math.Inf(1)}} {
		if _, err := Split(c[0], c[1]); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
	if a, err := Split(1, 0.1); err != nil || !a.Pays || a.Proxies != 0 || math.Abs(a.Cost-0.1) > 1e-12 {
		t.Errorf("a proxy that says all: %+v, %v", a, err)
	}
}

// TestCorrelationIsPhi compares one stratum with the φ of its table, and two with Pearson's ρ of deviations.
func TestCorrelationIsPhi(t *testing.T) {
	s := Sample{BothPass: 20, TargetOnly: 5, ProxyOnly: 3, BothFail: 12}
	rho, interval, known, err := Correlation([]Sample{s}, 0.05)
	phi := (20.0*12 - 5*3) / math.Sqrt(25*15*23*17)
	near(t, "phi", rho, phi, 1e-12)
	if err != nil || !known || !interval.Contains(rho) {
		t.Errorf("%v %v %v", interval, known, err)
	}
	// A scenario that both always pass and one that both always fail say nothing.
	flat := []Sample{{BothPass: 20}, {BothFail: 20}, s}
	again, _, _, err := Correlation(flat, 0.05)
	near(t, "with scenarios that never vary", again, phi, 1e-12)
	if err != nil {
		t.Error(err)
	}
	if _, _, known, _ := Correlation(flat[:2], 0.05); known {
		t.Error("known although nothing varies")
	}
	if _, _, _, err := Correlation(flat, 0); err == nil {
		t.Error("alpha 0 is taken")
	}
}

// TestCorrelationCovers goes through all tables of 40 pairs.
func TestCorrelationCovers(t *testing.T) {
	const n = 40
	for _, c := range []struct{ target, proxy, rho float64 }{
		{0.5, 0.5, 0.6}, {0.8, 0.7, 0.5}, {0.9, 0.8, 0.3}, {0.7, 0.7, 0.85},
	} {
		both := c.target*c.proxy + c.rho*math.Sqrt(c.target*(1-c.target)*c.proxy*(1-c.proxy))
		p := []float64{both, c.target - both, c.proxy - both, 1 - c.target - c.proxy + both}
		covered, all := 0.0, 0.0
		for a := range n + 1 {
			for b := range n + 1 - a {
				for d := range n + 1 - a - b {
					rest := n - a - b - d
					_, interval, known, err := Correlation([]Sample{{a, b, d, rest, 0, 0}}, 0.05)
					if err != nil {
						t.Fatal(err)
					}
					if !known {
						continue
					}
					log := lgamma(n) - lgamma(a) - lgamma(b) - lgamma(d) - lgamma(rest)
					for i, k := range []int{a, b, d, rest} {
						log += float64(k) * math.Log(p[i])
					}
					chance := math.Exp(log)
					all += chance
					if interval.Contains(c.rho) {
						covered += chance
					}
				}
			}
		}
		t.Logf("rates %v and %v, rho %v: covers in %.4f", c.target, c.proxy, c.rho, covered/all)
		if covered/all < 0.89 || covered/all > 0.96 {
			t.Errorf("rates %v and %v, rho %v: covers in %v", c.target, c.proxy, c.rho, covered/all)
		}
	}
}

// lgamma is log n!.
func lgamma(n int) float64 {
	x, _ := math.Lgamma(float64(n + 1))
	return x
}

// TestDifferenceByHand computes both means and variances from the outcomes one by one.
func TestDifferenceByHand(t *testing.T) {
	strata := []Stratum{{
		Baseline:  Sample{6, 2, 1, 3, 30, 20},
		Candidate: Sample{4, 1, 2, 4, 25, 9},
	}, {
		Baseline:  Sample{3, 0, 1, 2, 0, 0},
		Candidate: Sample{2, 2, 1, 3, 4, 3},
	}}
	d, err := differenceOf(strata)
	if err != nil {
		t.Fatal(err)
	}
	// The coefficient is the slope of a regression on the proxy with a constant for each stratum.
	var sxy, sxx float64
	for _, s := range strata {
		y, x, _ := listed(s.Baseline)
		y2, x2, _ := listed(s.Candidate)
		y, x = append(y, y2...), append(x, x2...)
		for i := range y {
			sxy += (y[i] - mean1(y)) * (x[i] - mean1(x))
			sxx += (x[i] - mean1(x)) * (x[i] - mean1(x))
		}
	}
	near(t, "coefficient", d.coefficient, sxy/sxx, 1e-12)
	var difference, variance, weights float64
	for _, s := range strata {
		nb, nc := float64(s.Baseline.Pairs()), float64(s.Candidate.Pairs())
		weights += nb * nc / (nb + nc)
	}
	for _, s := range strata {
		nb, nc := float64(s.Baseline.Pairs()), float64(s.Candidate.Pairs())
		w := nb * nc / (nb + nc) / weights
		for i, side := range []Sample{s.Baseline, s.Candidate} {
			y, x, others := listed(side)
			all := append(append([]float64{}, x...), others...)
			estimate := mean1(y) + d.coefficient*(mean1(all)-mean1(x))
			difference += w * float64(2*i-1) * estimate
			lambda := d.coefficient * float64(len(others)) / float64(len(all))
			z := make([]float64, len(y))
			for k := range y {
				z[k] = y[k] - lambda*x[k]
			}
			variance += w * w * square(z) / float64(len(z))
			if len(others) > 0 {
				variance += w * w * lambda * lambda * square(all) / float64(len(others))
			}
		}
	}
	corrected, alone, proxy := d.estimates()
	near(t, "difference", corrected.difference, difference, 1e-12)
	near(t, "variance", corrected.variance, variance, 1e-12)
	near(t, "proxy, second stratum", proxy.difference,
		d.strata[0].weight*(15.0/36-27.0/42)+d.strata[1].weight*(6.0/12-4.0/6), 1e-12)
	near(t, "target", alone.difference, d.strata[0].weight*(5.0/11-8.0/12)+d.strata[1].weight*(4.0/8-3.0/6), 1e-12)
}

func listed(s Sample) (y, x, others []float64) {
	put := func(n int, a, b float64) {
		for range n {
			y, x = append(y, a), append(x, b)
		}
	}
	put(s.BothPass, 1, 1)
	put(s.TargetOnly, 1, 0)
	put(s.ProxyOnly, 0, 1)
	put(s.BothFail, 0, 0)
	for i := range s.Further {
		others = append(others, float64(count(i < s.FurtherPasses)))
	}
	return y, x, others
}

func mean1(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func square(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += (v - mean1(x)) * (v - mean1(x))
	}
	return sum / float64(len(x)-1)
}

// TestRelabelingsAreAllAlike compares the drawn p-value with that over all ways to relabel.
func TestRelabelingsAreAllAlike(t *testing.T) {
	strata := []Stratum{{
		Baseline:  Sample{3, 1, 0, 1, 4, 3},
		Candidate: Sample{1, 0, 1, 3, 3, 1},
	}}
	d, err := differenceOf(strata)
	if err != nil {
		t.Fatal(err)
	}
	observed, _, _ := d.estimates()
	l := d.strata[0]
	ways, atMost := 0, 0
	for pairs := range 1 << len(l.pairs) {
		for others := range 1 << len(l.others) {
			b := sums{}
			for i, fell := range l.pairs {
				if pairs>>i&1 == 1 {
					b.pairs++
					b.target += int(fell & 1)
					b.proxy += int(fell >> 1)
					b.both += int(fell & (fell >> 1))
				}
			}
			for i, pass := range l.others {
				if others>>i&1 == 1 {
					b.others++
					b.passes += int(pass)
				}
			}
			if b.pairs != 5 || b.others != 4 {
				continue
			}
			w := l.whole
			d.strata[0].sides = [2]sums{b, {w.pairs - b.pairs, w.target - b.target, w.proxy - b.proxy, w.both - b.both,
				w.others - b.others, w.passes - b.passes}}
			e, _, _ := d.estimates()
			ways++
			atMost += count(e.statistic() <= observed.statistic()+tie)
		}
	}
	if ways != 252*35 {
		t.Fatalf("%d ways", ways)
	}
	r, err := Compare(t.Context(), strata, Options{Delta: 0.1, Alpha: 0.05, Seed: 3, Draws: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	want := float64(atMost) / float64(ways)
	near(t, "p", r.Worse, want, 4*math.Sqrt(want*(1-want)/20_000))
	if r.Within != nil {
		t.Error("a drop is ruled out by five trials")
	}
}

func TestCompareRefuses(t *testing.T) {
	ok := Sample{BothPass: 1, BothFail: 1}
	for _, strata := range [][]Stratum{nil, {{ok, Sample{BothPass: 1}}}} {
		if _, err := Compare(t.Context(), strata, Options{Delta: 0.1, Alpha: 0.05}); !errors.Is(err, ErrTooFewPairs) {
			t.Error(err)
		}
	}
	for _, o := range []Options{
		{Alpha: 0.05}, {Delta: 0.1}, {Delta: 0.1, Alpha: math.NaN()}, {Delta: 0.1, Alpha: 0.05, Draws: -1},
	} {
		if _, err := Compare(t.Context(), []Stratum{{ok, ok}}, o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	for _, s := range []Sample{{BothPass: -1}, {BothPass: 2, Further: 1, FurtherPasses: 2}} {
		if _, err := Compare(t.Context(), []Stratum{{ok, s}}, Options{Delta: 0.1, Alpha: 0.05}); err == nil {
			t.Errorf("%+v is taken", s)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Compare(stopped, []Stratum{{ok, ok}}, Options{Delta: 0.1, Alpha: 0.05}); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
}

// drawn draws the trials of a side: pairs whose outcomes have these rates and this correlation, and further ones.
func drawn(random *rand.Rand, target, proxy, rho float64, pairs, others int) (s Sample) {
	both := target*proxy + rho*math.Sqrt(target*(1-target)*proxy*(1-proxy))
	for range pairs {
		switch u := random.Float64(); {
		case u < both:
			s.BothPass++
		case u < target:
			s.TargetOnly++
		case u < target+proxy-both:
			s.ProxyOnly++
		default:
			s.BothFail++
		}
	}
	s.Further = others
	for range others {
		s.FurtherPasses += count(random.Float64() < proxy)
	}
	return s
}

// TestOnlyTheProxyChanged counts how often a drop is seen of a target that did not change: the test keeps its level,
// and the combinations of the paper do not.
func TestOnlyTheProxyChanged(t *testing.T) {
	const alpha, runs, pairs, others = 0.05, 2000, 60, 120
	for _, c := range []struct {
		name               string
		target, proxy, now float64
		rho                float64
		most               float64 // share of false Fails of the test
	}{
		{"nothing changed", 0.8, 0.75, 0.75, 0.5, 0.066},
		{"the proxy dropped", 0.8, 0.75, 0.65, 0.5, 0.066},
		{"the proxy rose", 0.8, 0.75, 0.85, 0.5, 0.066},
		{"it dropped a lot", 0.9, 0.8, 0.5, 0.3, 0.066},
	} {
		random := rand.New(rand.NewPCG(17, 4))
		var test, stouffer, fisher, levels [2]float64
		for i := range runs {
			s := []Stratum{{
				drawn(random, c.target, c.proxy, c.rho, pairs, others),
				drawn(random, c.target, c.now, c.rho, pairs, others),
			}}
			r, err := Compare(t.Context(), s, Options{Delta: 0.1, Alpha: alpha, Seed: uint64(i), Draws: 199})
			if err != nil {
				t.Fatal(err)
			}
			test[0] += float64(count(r.Worse <= alpha))
			for k, rates := range []*[2]float64{&stouffer, &fisher} {
				p, err := Combination(k).P(c.rho, r.Alone.Worse, r.Proxy.Worse)
				if err != nil {
					t.Fatal(err)
				}
				rates[0] += float64(count(p <= alpha))
			}
		}
		shift := (c.proxy - c.now) / math.Sqrt((c.proxy*(1-c.proxy)+c.now*(1-c.now))/(pairs+others))
		for k := range levels {
			level, err := Combination(k).Level(c.rho, c.rho*math.Sqrt(float64(pairs)/(pairs+others)), shift, alpha)
			if err != nil {
				t.Fatal(err)
			}
			levels[k] = level
		}
		t.Logf("%s: test %.4f, stouffer %.4f (computed %.4f), fisher %.4f (%.4f)", c.name, test[0]/runs, stouffer[0]/runs,
			levels[0], fisher[0]/runs, levels[1])
		if test[0]/runs > c.most {
			t.Errorf("%s: the test says so in %v", c.name, test[0]/runs)
		}
		near(t, c.name+": stouffer", levels[0], stouffer[0]/runs, 0.04)
		near(t, c.name+": fisher", levels[1], fisher[0]/runs, 0.04)
	}
}

// TestLevelOfIndependentParts has closed forms: the sum of normals for Stouffer, and of -2 log p, which is χ² with 2
// degrees of freedom where all weight is on one p-value, for Fisher.
func TestLevelOfIndependentParts(t *testing.T) {
	for _, rho := range []float64{0, 0.3, 0.5, 0.9, 1} {
		for _, overlap := range []float64{-0.3, 0, 0.4} {
			for _, shift := range []float64{0, 1, 2.5} {
				level, err := Stouffer.Level(rho, overlap, shift, 0.05)
				if err != nil {
					t.Fatal(err)
				}
				w, v := rho, 1-rho
				z := dist.NormalUpperQuantile(0.05)*math.Hypot(w, v) - w*shift
				near(t, "stouffer", level, dist.NormalSurvival(z/math.Sqrt(w*w+v*v+2*w*v*overlap)), 2e-3)
			}
		}
	}
	for _, rho := range []float64{0, 1} {
		level, err := Fisher.Level(rho, 0, 0, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		// χ² with 4 degrees of freedom has its upper 5 % above 9.487729.
		near(t, "fisher", level, math.Exp(-9.487729/2), 2e-3)
	}
	p, err := Fisher.P(0.5, 0.01, 0.04)
	near(t, "Equation 47", p, dist.ChiSquaredSurvival(-math.Log(0.01*0.04), 4), 1e-12)
	if err != nil {
		t.Error(err)
	}
	for _, c := range [][3]float64{{2, 0.1, 0.1}, {0.5, -1, 0.1}, {0.5, 0.1, math.NaN()}} {
		if _, err := Fisher.P(c[0], c[1], c[2]); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
	for _, c := range [][4]float64{{2, 0, 0, 0.05}, {0, 2, 0, 0.05}, {0, 0, math.Inf(1), 0.05}, {0, 0, 0, 1}} {
		if _, err := Stouffer.Level(c[0], c[1], c[2], c[3]); err == nil {
			t.Errorf("%v is taken", c)
		}
	}
}

// TestDropOfDelta counts how often a drop of delta is ruled out that is there, and how often the interval holds it.
func TestDropOfDelta(t *testing.T) {
	const beta, pairs, others = 0.1, 80, 160
	runs := thorough.Draws(200, 1500)
	for _, c := range []struct {
		name                              string
		target, now, proxy, proxyNow, rho float64
	}{
		{"both dropped", 0.75, 0.65, 0.7, 0.6, 0.6},
		{"the target dropped", 0.85, 0.75, 0.8, 0.8, 0.4},
		{"near the passes that it takes", 0.9, 0.8, 0.8, 0.7, 0.4},
	} {
		random := rand.New(rand.NewPCG(23, 5))
		ruledOut, held := 0.0, 0.0
		for i := range runs {
			s := []Stratum{{
				drawn(random, c.target, c.proxy, c.rho, pairs, others),
				drawn(random, c.now, c.proxyNow, c.rho, pairs, others),
			}}
			r, err := Compare(t.Context(), s, Options{Delta: 0.1, Alpha: 0.05, Seed: uint64(i), Draws: 199})
			if err != nil {
				t.Fatal(err)
			}
			ruledOut += float64(count(r.Within != nil && *r.Within <= beta))
			held += float64(count(r.Interval.Contains(-0.1)))
		}
		t.Logf("%s: ruled out in %.4f, held in %.4f", c.name, ruledOut/float64(runs), held/float64(runs))
		// Three standard errors of the simulation.
		if ruledOut/float64(runs) > beta+3*math.Sqrt(beta*(1-beta)/float64(runs)) {
			t.Errorf("%s: ruled out in %v", c.name, ruledOut/float64(runs))
		}
		if held/float64(runs) < 0.95-3*math.Sqrt(0.95*0.05/float64(runs)) {
			t.Errorf("%s: held in %v", c.name, held/float64(runs))
		}
	}
}
