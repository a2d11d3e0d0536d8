package special

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// A rule of 32 nodes integrates every power up to the 63rd exactly.
func TestLegendre32IntegratesPowers(t *testing.T) {
	for power := 0; power <= 62; power += 2 {
		sum := 0.0
		for _, p := range legendre32 {
			sum += 2 * p.weight * math.Pow(p.node, float64(power))
		}
		refdata.Close(t, "integral of an even power", sum, 2/float64(power+1), 1e-14)
	}
}
