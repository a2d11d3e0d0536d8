package twophase

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
)

// largestOf looks for the largest value of a function of judges at the rate p on a grid of shares of passes, within
// limits, and of predictive values, and on finer ones around the best points.
func largestOf(chance func(cells) float64, p float64, shares stats.Interval, steps int) float64 {
	best, bestU, bestV := 0.0, 0.0, 0.0
	low, high, from, to := 0.0, 1.0, 0.0, 1.0
	for range 5 {
		for i := range steps + 1 {
			for j := range steps + 1 {
				u, v := low+(high-low)*float64(i)/float64(steps), from+(to-from)*float64(j)/float64(steps)
				m := shares.Low + u*shares.Width()
				least, most := math.Max(0, (p-(1-m))/m), math.Min(1, p/m)
				a := least + (most-least)*v
				c := cells{math.Min(1, m*a/p), math.Min(1, m*(1-a)/(1-p))}
				if x := chance(c); x > best {
					best, bestU, bestV = x, u, v
				}
			}
		}
		du, dv := 2*(high-low)/float64(steps), 2*(to-from)/float64(steps)
		low, high = math.Max(0, bestU-du), math.Min(1, bestU+du)
		from, to = math.Max(0, bestV-dv), math.Min(1, bestV+dv)
	}
	return best
}

// The p-value is that of the judge of a dense grid for which the samples that say as much, one by one, are likeliest:
// no less, and more by what is allowed at most.
func TestCertifiedIsTheLargestOverAllJudges(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for range thorough.Draws(12, 60) {
		judged := 4 + random.IntN(9)
		passed := 1 + random.IntN(judged-1)
		n1, n0 := Allocate(3+random.IntN(4), judged, passed)
		if n1 == 0 || n0 == 0 {
			continue
		}
		s := sampleOf(judged, passed, random.IntN(n1+1), n1, random.IntN(n0+1), n0)
		p := s.Rate() * (0.5 + 0.45*random.Float64())
		if p == 0 {
			continue
		}
		got, err := Certified.Above(t.Context(), s, p)
		if err != nil {
			t.Fatal(err)
		}
		shares, err := s.shares()
		if err != nil {
			t.Fatal(err)
		}
		want := largestOf(enumerated(s, p), p, shares, thorough.Draws(60, 320)) + set
		if over := got - math.Min(1, want); over < 0 || over > proofTolerance*want+3*beyond {
			t.Errorf("%+v at %v: %v, and %v one by one", s, p, got, want)
		}
	}
}

// The largest is that of a judge who is always right, which a search on a grid missed: it had a p-value of .2434.
func TestCertifiedFindsThePerfectJudge(t *testing.T) {
	s := sampleOf(60, 11, 6, 10, 7, 40)
	const p = 0.20855346599006758
	got, err := Certified.Above(t.Context(), s, p)
	if want := enumerated(s, p)(cells{1, 0}) + set; err != nil || got < want || got > want*1.001 || want < 0.258 {
		t.Errorf("%v, %v; that judge has %v", got, err, want)
	}
}

// No judge in a box has a larger chance than its bound.
func TestBoundsOfBoxes(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 2))
	for _, s := range []Sample{
		sampleOf(30, 20, 9, 10, 1, 4), sampleOf(60, 45, 20, 22, 3, 8), sampleOf(40, 40, 9, 9, 0, 0),
		sampleOf(200, 100, 20, 25, 6, 25), sampleOf(20, 3, 2, 2, 8, 9),
	} {
		p := s.Rate() * 0.85
		e, judge, _ := edgeOf(s.planned(), p)
		x, err := e.search(t.Context(), judge)
		if err != nil {
			t.Fatal(err)
		}
		inside := 0
		for range thorough.Draws(2000, 20_000) {
			// A box around a judge at the rate, of any size.
			m := x.passes[0] + logit(random.Float64())*(min(x.passes[1], 20)-x.passes[0])
			j := place{m, random.Float64()}.at(p)
			low, high := j, j
			for axis := range j {
				size := math.Exp(8*random.Float64() - 6)
				low[axis] -= logit(size * random.Float64())
				high[axis] += logit(size * random.Float64())
			}
			x.open, x.best = nil, peak{}
			x.add(low, high)
			if len(x.open) != 1 {
				t.Fatalf("%+v: no judge at the rate %v is in %v to %v, where %v is", s, p, low, high, j)
			}
			for range 10 {
				other := place{
					low[0] + logit(random.Float64())*(high[0]-low[0]), placeOf(p, j).ofPassed + 0.1*random.NormFloat64(),
				}
				if other.ofPassed < 0 || other.ofPassed > 1 {
					continue
				}
				at := other.at(p)
				if at[1] < low[1] || at[1] > high[1] || at[2] < low[2] || at[2] > high[2] {
					continue
				}
				inside++
				if got := math.Log(x.at(x.point(at)).chance + floor); got > x.open[0].bound+1e-9 {
					t.Fatalf("%+v at %v: %v at %v, and the bound of %v to %v is %v", s, p, got, at, low, high,
						x.open[0].bound)
				}
			}
		}
		if inside < 100 {
			t.Errorf("%+v: %d judges in boxes", s, inside)
		}
	}
}

// Where every trial has a label, the judge does not matter: the p-value is that of the binomial test.
func TestAllTrialsLabelled(t *testing.T) {
	got, err := Certified.Above(t.Context(), sampleOf(60, 40, 30, 40, 5, 20), 0.45)
	want := dist.Binomial{N: 60, P: 0.45}.Survival(34) + set
	if err != nil || got < want || got > want+3*beyond {
		t.Errorf("%v, %v, not %v", got, err, want)
	}
}

// The lower limit is a rate that is proved to be too low, and a little above it one is not.
func TestLimitsAreProved(t *testing.T) {
	for _, s := range []Sample{
		sampleOf(60, 45, 20, 22, 3, 8), sampleOf(400, 380, 32, 32, 8, 8), sampleOf(20, 9, 6, 6, 5, 7),
		sampleOf(550, 475, 39, 40, 3, 10), sampleOf(40, 36, 14, 14, 0, 4),
	} {
		i, err := Certified.Interval(t.Context(), s, 0.1)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			p    float64
			test func(Method) float64
			too  bool
		}{
			{i.Low, func(m Method) float64 { q, _ := m.Above(t.Context(), s, i.Low); return q }, true},
			{i.Low, func(m Method) float64 { q, _ := m.Above(t.Context(), s, i.Low+3e-5); return q }, false},
			{i.High, func(m Method) float64 { q, _ := m.Below(t.Context(), s, i.High); return q }, true},
			{i.High, func(m Method) float64 { q, _ := m.Below(t.Context(), s, i.High-3e-5); return q }, false},
		} {
			if q := c.test(Certified); c.p > 0 && c.p < 1 && q <= 0.05 != c.too {
				t.Errorf("%+v, limit %v: p %v, and %v is wanted", s, c.p, q, c.too)
			}
		}
	}
}

// The interval covers the true rate with 1-alpha at least, whatever the judge is worth, by all samples.
func TestCertifiedIntervalsCover(t *testing.T) {
	const judged, labels, alpha = 10, 5, 0.2
	intervals := map[[3]int]stats.Interval{}
	for x := range judged + 1 {
		n1, n0 := Allocate(labels, judged, x)
		for y1 := range n1 + 1 {
			for y0 := range n0 + 1 {
				i, err := Certified.Interval(t.Context(), sampleOf(judged, x, y1, n1, y0, n0), alpha)
				if err != nil {
					t.Fatal(err)
				}
				intervals[[3]int{x, y1, y0}] = i
			}
		}
	}
	least := 1.0
	for _, p := range []float64{0.05, 0.2, 0.35, 0.5, 0.7, 0.8, 0.9, 0.97} {
		for _, c := range []cells{{1, 0}, {0.9, 0.1}, {0.5, 0.5}, {0.1, 0.9}, {0, 1}, {0.95, 0.6}, {0.6, 0.05},
			{1, 1}, {0, 0}} {
			a, b := c.predictive(p)
			covered := 0.0
			for k, i := range intervals {
				if n1, n0 := Allocate(labels, judged, k[0]); i.Contains(p) {
					covered += dist.Binomial{N: judged, P: c.judgePasses(p)}.Prob(k[0]) *
						dist.Binomial{N: n1, P: a}.Prob(k[1]) * dist.Binomial{N: n0, P: b}.Prob(k[2])
				}
			}
			if least = math.Min(least, covered); covered < 1-alpha {
				t.Errorf("rate %v, judge %+v: covered with %v", p, c, covered)
			}
		}
	}
	if least > 0.95 {
		t.Errorf("all are covered with %v", least)
	}
}

func BenchmarkCertified(b *testing.B) {
	for name, s := range map[string]Sample{
		"40 and 10 of 550":   sampleOf(550, 475, 39, 40, 3, 10),
		"22 and 8 of 60":     sampleOf(60, 45, 20, 22, 3, 8),
		"50 and 50 of 200":   sampleOf(200, 100, 45, 50, 10, 50),
		"160 and 40 of 2000": sampleOf(2000, 1700, 150, 160, 10, 40),
		"all pass of 400":    sampleOf(400, 380, 32, 32, 8, 8),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Certified.Interval(b.Context(), s, 0.05); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
