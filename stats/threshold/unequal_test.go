package threshold

import (
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
)

// Every way to give some trials the rate 0, some 1, and the rest one rate between: by
// Hoeffding's corollary 2.1 the largest probability is among them.
func worstByEnumeration(n, least int, m float64) float64 {
	largest := 0.0
	for never := range n {
		for always := 0; always+never < n; always++ {
			rest := n - never - always
			rate := (m - float64(always)) / float64(rest)
			if rate < 0 || rate > 1 {
				continue
			}
			p := 0.0
			for k := max(least-always, 0); k <= rest; k++ {
				p += refdata.ExactBinomial(rest, k, rate)
			}
			largest = math.Max(largest, p)
		}
	}
	return largest
}

func TestUnequalRatesAgainstEnumeration(t *testing.T) {
	for _, n := range []int{1, 2, 5, 8, 11, 15, 18} {
		for _, mean := range []float64{.03, .2, .23, .5, .71, .9, .99} {
			for least := 0; least <= n; least++ {
				m := float64(n) * mean
				want := worstByEnumeration(n, least, m)
				if float64(least) <= m {
					want = 1 // the least number of passes for certain, and more by chance
				}
				name := fmt.Sprintf("n %d, mean %v, at least %d", n, mean, least)
				refdata.Near(t, name, atLeast(n, least, mean), want, 1e-9)
				refdata.Near(t, name+", failures", AtMost(n, n-least, 1-mean), want, 1e-9)
			}
		}
	}
	if atLeast(5, 6, .5) != 0 || AtMost(5, -1, .5) != 0 {
		t.Error("more than all, or fewer than none")
	}
}

// Fourteen scenarios that always pass and one at 0.85 have a mean of 0.99, and one
// failure of 15 fails: 0.15, where fifteen at 0.99 give 1 - 0.99^15 = 0.1399.
func TestRiskOfUnequalScenarios(t *testing.T) {
	risks, err := wilsonRule(0.99).Risks(15)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Near(t, "false fail", risks.FalseFail, 0.15, 1e-12)
	// At 30 trials two failures are needed, a trial and more above 0.3: equal rates.
	rule := Rule{Method: stats.ClopperPearsonInterval, Alpha: 0.05, Threshold: 0.9}
	risks, err = rule.Risks(30)
	if err != nil {
		t.Fatal(err)
	}
	c, err := rule.Cutoffs(30)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for k := 0; k <= c.Fail; k++ {
		want += refdata.ExactBinomial(30, k, 0.9)
	}
	refdata.Near(t, "false fail, equal rates", risks.FalseFail, want, 1e-12)
}
