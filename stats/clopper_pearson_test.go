package stats

import (
	"fmt"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// The expected limits solve the binomial tail equations with 30 digits (mpmath
// 1.2.1, the tail summed term by term, findroot in the log-odds).
func TestClopperPearsonAgainstMpmath(t *testing.T) {
	for _, test := range []struct {
		passes, trials   int
		alpha, low, high float64
	}{
		{3, 1000000, 0.05, 6.1867255019064e-7, 8.76724778814522e-6},
		{900000, 1000000, 0.05, 0.899410351812574, 0.900587330133962},
		{500123, 1000000, 0.01, 0.498834587262467, 0.50141141156678},
		{999990, 1000000, 0.05, 0.999981609721109, 0.999995204601222},
		{45, 50, 0.05, 0.781864633565798, 0.966724906410978},
		{20, 20000, 0.1, 0.000662827805020463, 0.001452771714772},
	} {
		got, err := ClopperPearson(Counts{test.passes, test.trials}, test.alpha)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("%d/%d ", test.passes, test.trials)
		refdata.Close(t, name+"low", got.Low, test.low, 1e-12)
		refdata.Close(t, name+"high", got.High, test.high, 1e-12)
	}
}

// The limits are where a binomial tail is alpha/2; the tail is another formula. The
// tolerance is that of rounding a rate next to 1 to a float64.
func TestClopperPearsonInvertsTheBinomialTest(t *testing.T) {
	const alpha = 0.05
	for _, n := range []int{1, 2, 9, 40, 301, 5000, 1_000_000} {
		for _, k := range []int{0, 1, 2, n / 3, n / 2, n - 3, n - 1, n} {
			if k < 0 || k > n {
				continue
			}
			got, err := ClopperPearson(Counts{k, n}, alpha)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%d/%d ", k, n)
			if k > 0 {
				refdata.Close(t, name+"P(X >= k) at the low limit", dist.Binomial{N: n, P: got.Low}.Survival(k-1), alpha/2, 1e-8)
			}
			if k < n {
				refdata.Close(t, name+"P(X <= k) at the high limit", dist.Binomial{N: n, P: got.High}.CDF(k), alpha/2, 1e-8)
			}
		}
	}
}

// The coverage, by enumeration of all outcomes, is never below the level.
func TestClopperPearsonCovers(t *testing.T) {
	for _, n := range []int{1, 5, 23} {
		intervals := make([]Interval, n+1)
		for k := range intervals {
			var err error
			if intervals[k], err = ClopperPearson(Counts{k, n}, 0.1); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 1001 {
			p := float64(i) / 1000
			covered := 0.0
			for k, interval := range intervals {
				if interval.Contains(p) {
					covered += dist.Binomial{N: n, P: p}.Prob(k)
				}
			}
			if covered < 0.9-1e-12 {
				t.Errorf("n = %d, p = %v: covered with probability %v", n, p, covered)
			}
		}
	}
}

func ExampleClopperPearson() {
	interval, err := ClopperPearson(Counts{Passes: 45, Trials: 50}, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f to %.4f\n", interval.Low, interval.High)
	// Output: 0.7819 to 0.9667
}
