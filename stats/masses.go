package stats

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
)

// binomialMasses computes all probabilities of Binomial(n, p) at once, many
// times for the same n: outwards from the mode by the ratio of neighbours.
//
// A p-value that is a maximum over a common rate asks for all masses at hundreds of rates: only the odds
// change between them, so a mass costs one product.
type binomialMasses struct {
	n        int
	first    int       // of the passes that the lists are of, at index 0; 0 where they are of all
	up, down []float64 // up[k] = P(k+1)/P(k) · q/p; down[k] = P(k)/P(k+1) · p/q
	mass     []float64 // filled for k in [low, high]
	low      int       // the fewest passes that count
	high     int       // the most
	floor    float64   // probabilities below this share of the largest are left out
}

// massFloor leaves out what cannot change a sum in float64. A float64 has 16 digits: even a thousand masses
// below it do not show in a sum.
const massFloor = 1e-19

// newBinomialMasses computes what does not depend on p: the ratios of neighbours but for
// the odds.
func newBinomialMasses(n int) *binomialMasses { return newBinomialWindow(n, window{0, n}) }

// newBinomialWindow is newBinomialMasses for rates at which all passes that count are in a window.
func newBinomialWindow(n int, w window) *binomialMasses {
	m := &binomialMasses{n: n, first: w.first, floor: massFloor}
	values := w.last - w.first
	buffer := make([]float64, 3*values+1)
	m.up, m.down, m.mass = buffer[:values], buffer[values:2*values], buffer[2*values:]
	for i := range values {
		k := w.first + i
		m.up[i] = float64(n-k) / float64(k+1)
		m.down[i] = float64(k+1) / float64(n-k)
	}
	return m
}

// window is a range of counts, with both ends.
type window struct{ first, last int }

func (w window) size() int { return w.last - w.first + 1 }

// windowLogLoss is the logarithm of the probability beyond a window at either end, at most. It is far below massFloor
// of the largest mass, which no binomial distribution of a billion trials has below 1e-5.
const windowLogLoss = 60.0

// windowOf holds the counts that so many trials have at rates from low to high, but for a probability that is no
// number.
func windowOf(n int, low, high float64) window { return windowFor(n, low, high, windowLogLoss) }

// windowFor holds them but for a probability of at most exp(-loss) at either end, by Bernstein's inequality: also of
// trials of unlike rates that have such a mean.
func windowFor(n int, low, high, loss float64) window {
	reach := func(rate float64) float64 {
		return loss/3 + math.Sqrt(loss*loss/9+2*loss*float64(n)*rate*(1-rate)) + 2
	}
	low, high = min(max(low, 0), 1), min(max(high, 0), 1)
	first, last := float64(n)*low-reach(low), float64(n)*high+reach(high)
	return window{int(math.Max(math.Floor(first), 0)), int(math.Min(math.Ceil(last), float64(n)))}
}

// fill computes the masses at p, with q = 1-p given apart, and sets low and high.
func (m *binomialMasses) fill(p, q float64) {
	switch {
	// At rates of 0 and 1 all mass is at one end; the logarithm would be -Inf.
	case p <= 0:
		m.low, m.high, m.mass[0] = 0, 0, 1
		return
	case q <= 0:
		m.low, m.high, m.mass[m.n-m.first] = m.n, m.n, 1
		return
	}
	// From the mode outwards masses fall, so the first that is negligible ends its side.
	mode := min(int(float64(m.n+1)*p), m.n)
	top := math.Exp(special.LogBinomialMass(mode, m.n, p, q))
	least := top * m.floor
	m.mass[mode-m.first] = top
	m.low, m.high = mode, mode
	odds := p / q
	for x := top; m.high < m.n; {
		x *= m.up[m.high-m.first] * odds
		if x < least {
			break
		}
		m.high++
		m.mass[m.high-m.first] = x
	}
	odds = q / p
	for x := top; m.low > 0; {
		x *= m.down[m.low-1-m.first] * odds
		if x < least {
			break
		}
		m.low--
		m.mass[m.low-m.first] = x
	}
}
