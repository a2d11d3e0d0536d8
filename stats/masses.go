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
func newBinomialMasses(n int) *binomialMasses {
	m := &binomialMasses{n: n, floor: massFloor}
	buffer := make([]float64, 3*n+1)
	m.up, m.down, m.mass = buffer[:n], buffer[n:2*n], buffer[2*n:]
	for k := range n {
		m.up[k] = float64(n-k) / float64(k+1)
		m.down[k] = float64(k+1) / float64(n-k)
	}
	return m
}

// fill computes the masses at p, with q = 1-p given apart, and sets low and high.
func (m *binomialMasses) fill(p, q float64) {
	switch {
	// At rates of 0 and 1 all mass is at one end; the logarithm would be -Inf.
	case p <= 0:
		m.low, m.high, m.mass[0] = 0, 0, 1
		return
	case q <= 0:
		m.low, m.high, m.mass[m.n] = m.n, m.n, 1
		return
	}
	// From the mode outwards masses fall, so the first that is negligible ends its side.
	mode := min(int(float64(m.n+1)*p), m.n)
	top := math.Exp(special.LogBinomialMass(mode, m.n, p, q))
	least := top * m.floor
	m.mass[mode] = top
	m.low, m.high = mode, mode
	odds := p / q
	for x := top; m.high < m.n; {
		x *= m.up[m.high] * odds
		if x < least {
			break
		}
		m.high++
		m.mass[m.high] = x
	}
	odds = q / p
	for x := top; m.low > 0; {
		x *= m.down[m.low-1] * odds
		if x < least {
			break
		}
		m.low--
		m.mass[m.low] = x
	}
}
