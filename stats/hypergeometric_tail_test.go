package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestUrnTailFollowsTheDistribution(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		draws := rapid.IntRange(1, 300).Draw(t, "draws")
		rest := rapid.IntRange(1, 300).Draw(t, "rest")
		limit := rapid.Float64Range(1e-12, 0.5).Draw(t, "limit")
		d := newDiagonals(rest, draws)
		d.orderByFisher(limit)
		for s, cut := range d.cut {
			h := d.given(s)
			want := h.CDF(cut)
			if math.Abs(d.level[s]-want) > 1e-11*want {
				t.Fatalf("total %d, cut %d: %v, want %v", s, cut, d.level[s], want)
			}
			if d.level[s] > limit*(1+1e-9) || cut < h.Most() && h.CDF(cut+1) <= limit*(1-1e-9) {
				t.Fatalf("total %d: cut %d is not the last within %v", s, cut, limit)
			}
		}
	})
}
