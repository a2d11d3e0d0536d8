package twophase

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
)

// sampleOf makes a sample of numbers.
func sampleOf(judged, passed, truePassed, ofPassed, trueFailed, ofFailed int) Sample {
	return Sample{
		Judged: judged, Passed: passed,
		OfPassed: stats.Counts{Passes: truePassed, Trials: ofPassed},
		OfFailed: stats.Counts{Passes: trueFailed, Trials: ofFailed},
	}
}

// The maximum under the constraint is at least that of a fine grid over judges, and is that of a judge.
func TestConstrainedMaximum(t *testing.T) {
	for _, s := range []Sample{
		sampleOf(550, 475, 39, 40, 3, 10), sampleOf(60, 60, 12, 12, 0, 0), sampleOf(60, 0, 0, 0, 2, 12),
		sampleOf(40, 30, 8, 8, 0, 4), sampleOf(40, 30, 0, 8, 4, 4), sampleOf(1000, 500, 50, 100, 50, 100),
		sampleOf(20_000, 17_000, 700, 800, 30, 200),
	} {
		k := countsOf(s.Judged, s.Passed, s.OfPassed.Trials, s.OfPassed.Passes, s.OfFailed.Trials, s.OfFailed.Passes)
		for _, p := range []float64{.02, .3, .5, .8, .95, .99} {
			at, got := k.constrained(p, cells{.5, .5})
			if math.Abs(k.logLikelihood(p, at)-got) > 1e-12 {
				t.Errorf("%+v at %v: %v is not that of %+v", s, p, got, at)
			}
			best := math.Inf(-1)
			const steps = 400
			for i := range steps + 1 {
				for j := range steps + 1 {
					if l := k.logLikelihood(p, cells{float64(i) / steps, float64(j) / steps}); l > best {
						best = l
					}
				}
			}
			if !(got >= best-1e-6) {
				t.Errorf("%+v at %v: %v, and a grid has %v", s, p, got, best)
			}
			free := k.unconstrained()
			if !(got <= free+1e-9) {
				t.Errorf("%+v at %v: %v is above the free maximum %v", s, p, got, free)
			}
		}
	}
}

// At the estimate the constraint costs nothing.
func TestRootIsZeroAtTheEstimate(t *testing.T) {
	s := sampleOf(550, 475, 39, 40, 3, 10)
	if want := 475./550*39/40 + 75./550*3/10; math.Abs(s.Rate()-want) > 1e-15 {
		t.Errorf("the rate is %v, not %v", s.Rate(), want)
	}
	k := countsOf(550, 475, 40, 39, 10, 3)
	if z := k.signedRoot(s.Rate()); math.Abs(z) > 1e-3 {
		t.Errorf("the root is %v", z)
	}
}

// Where the judge passed everything and every trial has a label, the root is that of a binomial likelihood.
func TestRootOfLabelsAlone(t *testing.T) {
	k := countsOf(30, 30, 30, 27, 0, 0)
	p := .8
	want := math.Sqrt(2 * (27*math.Log(.9/p) + 3*math.Log(.1/(1-p))))
	if z := k.signedRoot(p); math.Abs(z-want) > 1e-4 {
		t.Errorf("the root is %v, not %v", z, want)
	}
}

// The region holds the samples whose root is as large, one by one.
func TestRegionIsThatOfAllSamples(t *testing.T) {
	for _, s := range []Sample{
		sampleOf(14, 10, 5, 6, 1, 2), sampleOf(12, 6, 3, 3, 2, 4), sampleOf(30, 22, 9, 10, 1, 3),
		sampleOf(10, 10, 4, 4, 0, 0),
		sampleOf(16, 9, 9, 9, 3, 7), sampleOf(40, 31, 3, 4, 0, 1),
		sampleOf(200, 160, 11, 12, 1, 3),
	} {
		p := s.Rate() * .8
		e, judge, higher := edgeOf(s.planned(), p)
		if !higher {
			t.Fatalf("%+v: nothing speaks for more than %v", s, p)
		}
		r, err := e.region(t.Context(), judge, 0, s.Judged, func(n int) (int, int) { return 0, n })
		if err != nil {
			t.Fatal(err)
		}
		want := enumerated(s, p)
		for _, c := range []cells{{.9, .2}, {.5, .5}, {1, 0}, {.7, .9}, judge} {
			x := newChances(r, s.Judged)
			at := x.point(c.judgement(p))
			got, all := x.at(at), x.looked(at)
			if math.Abs(got.chance-want(c)) > 1e-12 || math.Abs(all-1) > 1e-12 {
				t.Errorf("%+v, %+v: %v of %v, and one by one %v", s, c, got, all, want(c))
			}
		}
	}
}

// claims is the exact chance that the p-value of rates up to p is alpha at most, by enumeration of all samples.
func claims(t *testing.T, m Method, judged, labels int, p, alpha float64, judge cells) (chance float64) {
	t.Helper()
	share := judge.judgePasses(p)
	a, b := judge.predictive(p)
	for x := range judged + 1 {
		mass := dist.Binomial{N: judged, P: share}.Prob(x)
		if mass < 1e-4 {
			continue
		}
		n1, n0 := Allocate(labels, judged, x)
		for y1 := range n1 + 1 {
			for y0 := range n0 + 1 {
				s := sampleOf(judged, x, y1, n1, y0, n0)
				if s.Rate() <= p {
					continue // the p-value is 1
				}
				q, err := m.Above(context.Background(), s, p)
				if err != nil {
					t.Fatal(err)
				}
				if q <= alpha {
					chance += mass * dist.Binomial{N: n1, P: a}.Prob(y1) * dist.Binomial{N: n0, P: b}.Prob(y0)
				}
			}
		}
	}
	return chance
}

// A certified claim is false with alpha at most, whatever the judge is worth: also one that is worse than a coin.
func TestCertifiedHoldsForEveryJudge(t *testing.T) {
	for _, judge := range []cells{{.9, .1}, {.5, .5}, {.2, .9}, {1, 1}, {.99, .6}} {
		for _, p := range []float64{.6, .9} {
			if got := claims(t, Certified, 24, 10, p, .05, judge); !(got <= .05+1e-9) {
				t.Errorf("judge %+v at %v: false claims in %v", judge, p, got)
			}
		}
	}
}

// Where every label passes, and the judge passed everything, the claim is that of the labels: p to the power of n.
func TestCertifiedOfLabelsThatAllPass(t *testing.T) {
	got, err := Certified.Above(t.Context(), sampleOf(400, 400, 30, 30, 0, 0), .9)
	if err != nil || got < math.Pow(.9, 30) || got > math.Pow(.9, 30)+2*set {
		t.Errorf("%v, %v; the labels alone have %v", got, err, math.Pow(.9, 30))
	}
}

// No interval has the width 0, at any edge; the estimate is within, and a certified one holds the calibrated one or
// nearly so.
func TestIntervals(t *testing.T) {
	for _, s := range []Sample{
		sampleOf(200, 200, 30, 30, 0, 0), sampleOf(200, 0, 0, 0, 0, 30), sampleOf(200, 0, 0, 0, 30, 30),
		sampleOf(200, 180, 24, 24, 0, 6), sampleOf(200, 180, 24, 24, 6, 6), sampleOf(30, 27, 24, 24, 0, 3),
		sampleOf(200, 100, 0, 15, 0, 15), sampleOf(200, 100, 12, 15, 4, 15), sampleOf(2, 1, 1, 1, 0, 1),
	} {
		for _, m := range []Method{Certified, Calibrated} {
			i, err := m.Interval(t.Context(), s, .1)
			if err != nil || !(i.Low < i.High) || !i.Contains(s.Rate()) || i.Low < 0 || i.High > 1 {
				t.Errorf("method %d of %+v: %+v, %v", m, s, i, err)
			}
		}
	}
}

// Pass and fail of the labels exchanged exchange the limits.
func TestMirroredIntervals(t *testing.T) {
	s := sampleOf(120, 100, 20, 22, 2, 6)
	i, err := Calibrated.Interval(t.Context(), s, .1)
	if err != nil {
		t.Fatal(err)
	}
	j, err := Calibrated.Interval(t.Context(), s.mirrored(), .1)
	if err != nil || math.Abs(i.Low-(1-j.High)) > 1e-9 || math.Abs(i.High-(1-j.Low)) > 1e-9 {
		t.Errorf("%+v and %+v, %v", i, j, err)
	}
}

// Labels are divided without loss, and no kind of trials that is there stays without one.
func TestAllocate(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		judged := 1 + random.IntN(300)
		passed, labels := random.IntN(judged+1), 1+random.IntN(320)
		n1, n0 := Allocate(labels, judged, passed)
		if n1+n0 != min(labels, judged) || n1 > passed || n0 > judged-passed || n1 < 0 || n0 < 0 {
			t.Fatalf("%d of %d with %d passes: %d and %d", labels, judged, passed, n1, n0)
		}
		if labels >= 5 && (n1 == 0 && passed > 0 || n0 == 0 && passed < judged) {
			t.Fatalf("%d of %d with %d passes: %d and %d leave out a kind", labels, judged, passed, n1, n0)
		}
	}
	if n1, n0 := Allocate(50, 550, 475); n1 != 40 || n0 != 10 {
		t.Errorf("%d and %d", n1, n0)
	}
}

// Tenenbein's estimate of shares that are exact gives back the judge that they were made with.
func TestWorth(t *testing.T) {
	// 1000 trials, 800 pass truly; the judge passes 760 of them and 20 of the 200 others.
	s := sampleOf(1000, 780, 760, 780, 40, 220)
	j, err := s.Worth(.05)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		got  Share
		want float64
	}{
		"sensitivity": {j.Sensitivity, .95}, "specificity": {j.Specificity, .9},
		"PPV": {j.PPV, 760. / 780}, "NPV": {j.NPV, 180. / 220},
	} {
		if !c.got.Known || math.Abs(c.got.Value-c.want) > 1e-12 || !c.got.Interval.Contains(c.want) {
			t.Errorf("%s: %+v, not %v", name, c.got, c.want)
		}
	}
	// No failures: nothing is known of specificity, and it could be anything.
	j, err = sampleOf(100, 100, 20, 20, 0, 0).Worth(.05)
	if err != nil || j.Specificity.Known || j.NPV.Known || j.NPV.Interval != (stats.Interval{High: 1}) {
		t.Errorf("%+v, %v", j, err)
	}
}

func TestRefused(t *testing.T) {
	for name, s := range map[string]Sample{
		"nothing": {}, "more passes than trials": sampleOf(10, 11, 1, 2, 0, 0), "more labels than passes": sampleOf(10, 2, 1,
			3, 0, 1),
		"a kind without labels": sampleOf(10, 8, 3, 4, 0, 0), "no labels": sampleOf(10, 10, 0, 0, 0, 0),
		"impossible labels": sampleOf(10, 8, 5, 4, 0, 1), "too many": sampleOf(MostJudged+1, 1, 1, 1, 1, 1),
	} {
		if err := s.Validate(); err == nil {
			t.Errorf("%s is accepted", name)
		}
		if p, err := Certified.Above(t.Context(), s, .5); err == nil || p != 1 {
			t.Errorf("%s: p %v, %v", name, p, err)
		}
	}
	s := sampleOf(20, 15, 4, 5, 1, 5)
	for _, p := range []float64{0, 1, -1, math.NaN()} {
		if _, err := Calibrated.Above(t.Context(), s, p); err == nil {
			t.Errorf("the rate %v is accepted", p)
		}
		if _, err := Calibrated.Interval(t.Context(), s, p); err == nil {
			t.Errorf("alpha %v is accepted", p)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Calibrated.Interval(ended, s, .05); err == nil {
		t.Error("a context that ended is no error")
	}
}

// More labels with the same shares make the interval shorter.
func TestWithMoreLabels(t *testing.T) {
	s := sampleOf(500, 430, 38, 40, 2, 10)
	more := s.With(50)
	if more.Labels() != 100 || more.OfPassed.Passes != 76 || more.OfFailed.Passes != 4 {
		t.Errorf("%+v", more)
	}
	if all := s.With(10_000); all.Labels() != 500 {
		t.Errorf("%d labels of 500", all.Labels())
	}
}
