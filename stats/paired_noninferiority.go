package stats

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// PairedNonInferiority is the exact unconditional test, for paired trials, of
// H0: the candidate's rate is lower than the baseline's by delta or more, against
// H1: it is not. Tables are ordered by Tango's (1998) score statistic; the p-value
// is the largest probability over the mending rate, which H0 leaves open, of a
// table at least as extreme (Hsueh, Liu and Chen 2001).
//
// It needs 0 < delta < 1. The returned p bounds the exact maximum from above, by
// at most a relative 1e-6 or an absolute 1e-7. The end of the context ends it with its
// cause.
func PairedNonInferiority(ctx context.Context, p Pairs, delta float64) (float64, error) {
	if err := p.Validate(); err != nil {
		return math.NaN(), err
	}
	if p.Total() == 0 {
		return math.NaN(), argument.Wrong("pairs", 0, "must be at least 1")
	}
	if err := argument.OpenUnit("delta", delta); err != nil {
		return math.NaN(), err
	}
	event := newPairedEvent(p.Total(), delta)
	event.orderUpTo(event.ordering(p.Broke, p.Mended))
	_, bound, err := maximum(ctx, event)
	if err != nil {
		return math.NaN(), err
	}
	return bound, nil
}

// pairedEvent is an event on the flip tables of n pairs: among the discordant
// pairs, at most cut[discordant] broke. As a nuisance family it is seen as a
// function of the mending rate x; pairs break at rate x+delta.
type pairedEvent struct {
	pairs  int
	delta  float64
	cut    []int
	next   float64 // the smallest ordering value outside the event
	masses *binomialMasses
}

// newPairedEvent returns the event before its cuts are set.
func newPairedEvent(pairs int, delta float64) *pairedEvent {
	return &pairedEvent{pairs: pairs, delta: delta, cut: make([]int, pairs+1), masses: newBinomialMasses(pairs)}
}

// ordering returns minus the score statistic: small values speak against H0.
func (e *pairedEvent) ordering(broke, mended int) float64 {
	return -tangoScore(broke, mended, e.pairs, -e.delta)
}

// orderUpTo sets the event to the tables whose ordering is at most the limit. One
// more discordant pair never lowers the cut.
func (e *pairedEvent) orderUpTo(limit float64) {
	e.next = math.Inf(1)
	limit += tie * math.Abs(limit)
	cut := -1
	for discordant := range e.cut {
		for cut < discordant {
			value := e.ordering(cut+1, discordant-cut-1)
			if value > limit {
				e.next = math.Min(e.next, value)
				break
			}
			cut++
		}
		e.cut[discordant] = cut
	}
}

// ceiling is 1: no sufficient statistic is known.
func (e *pairedEvent) ceiling() float64 { return 1 }

// box lets pairs break at their lowest rate and mend at their highest.
func (e *pairedEvent) box(low, high float64) float64 {
	if low+e.delta+high >= 1 {
		return 1
	}
	return e.chance(low+e.delta, high)
}

// parameter takes equal steps of the arcsine of the root of the share of the largest
// mending rate, (1-delta)/2.
func (e *pairedEvent) parameter(t float64) float64 {
	x := math.Sin(t * math.Pi / 2)
	return x * x * (1 - e.delta) / 2
}

// probability sums over the numbers of discordant pairs; the slope follows from the score
// of the three cells, which move with x at the rates 1, 1 and -2.
func (e *pairedEvent) probability(x float64) (value, slope float64) {
	breaks := x + e.delta
	concordant := (1 - e.delta) - 2*x
	e.each(breaks, x, concordant, func(discordant int, weight, below, broken float64) {
		m := float64(discordant)
		value += weight * below
		slope += weight * ((m*below-broken)/x + broken/breaks - 2*(float64(e.pairs)-m)/concordant*below)
	})
	return value, slope
}

// chance returns the probability of the event at the given rates.
func (e *pairedEvent) chance(breaks, mends float64) float64 {
	value := 0.0
	e.each(breaks, mends, 1-breaks-mends, func(_ int, weight, below, _ float64) {
		value += weight * below
	})
	return min(max(value, 0), 1)
}

// each visits the numbers of discordant pairs with their probability, the
// probability that at most cut of them broke, and the mean of the broken ones over
// that event. From one number to the next both follow by Pascal's recurrence.
func (e *pairedEvent) each(
	breaks, mends, concordant float64, visit func(discordant int, weight, below, broken float64),
) {
	e.masses.fill(breaks+mends, concordant)
	share, rest := breaks/(breaks+mends), mends/(breaks+mends)
	if breaks+mends == 0 {
		share, rest = 0, 1 // no pair is discordant; the split of none does not matter
	}
	var coin pascal
	for m := e.masses.low; m <= e.masses.high; m++ {
		cut := e.cut[m]
		if cut < 0 {
			continue
		}
		coin.advance(m, cut, share, rest)
		below := coin.below
		broken := share * (float64(m)*below - float64(m-cut)*coin.mass)
		visit(m, e.masses.mass[m], below, math.Max(broken, 0))
	}
}

// pascal holds P(X <= cut) and P(X = cut) for X ~ Binomial(n, p), and moves to
// the next n without summing again.
type pascal struct {
	n, cut      int
	below, mass float64
	started     bool
}

// refresh bounds the rounding that the recurrence gathers.
const refresh = 64

// advance moves to n trials and the cut: it goes on from n-1 where the cut rose by 0 or 1,
// and sums anew where it did not, and now and then.
func (c *pascal) advance(n, cut int, p, q float64) {
	if !c.started || n != c.n+1 || cut < c.cut || cut > c.cut+1 || n%refresh == 0 || c.mass == 0 {
		b := dist.Binomial{N: n, P: p}
		*c = pascal{n: n, cut: cut, below: b.CDF(cut), mass: b.Prob(cut), started: true}
		return
	}
	c.below = math.Max(c.below-p*c.mass, 0)
	if n-c.cut > 0 {
		c.mass *= float64(n) * q / float64(n-c.cut)
	}
	c.n = n
	if cut == c.cut+1 {
		c.mass *= float64(n-c.cut) / float64(cut) * p / q
		c.below = math.Min(c.below+c.mass, 1)
		c.cut = cut
	}
}

// distance is half the Fisher-Rao distance of two multinomial distributions of n pairs:
// 2 √n asin of half the chord between the roots of their cells.
func (e *pairedEvent) distance(x, y float64) float64 {
	chord := 0.0
	for _, pair := range [][2]float64{{x, y}, {x + e.delta, y + e.delta}, {1 - e.delta - 2*x, 1 - e.delta - 2*y}} {
		d := math.Sqrt(math.Max(pair[0], 0)) - math.Sqrt(math.Max(pair[1], 0))
		chord += d * d
	}
	return math.Sqrt(float64(e.pairs)) * 2 * math.Asin(math.Min(math.Sqrt(chord)/2, 1))
}

// information is n Σ (dp/dx)²/p over the three cells, each at its smallest probability in
// the interval.
func (e *pairedEvent) information(low, high float64) float64 {
	concordant := 1 - e.delta - 2*high
	if low <= 0 || concordant <= 0 {
		return math.Inf(1)
	}
	return float64(e.pairs) * (1/low + 1/(low+e.delta) + 4/concordant)
}
