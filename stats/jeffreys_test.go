package stats

import (
	"fmt"
	"testing"
)

// SciPy 1.10.1: beta.ppf([.025, .975], k+.5, n-k+.5), with the endpoint rule.
func TestJeffreysAgainstSciPy(t *testing.T) {
	for _, test := range []struct {
		c    Counts
		want string
	}{
		{Counts{0, 7}, "0.000 0.292"},
		{Counts{1, 7}, "0.016 0.501"},
		{Counts{3, 10}, "0.093 0.606"},
		{Counts{0, 10}, "0.000 0.217"},
	} {
		got, err := Jeffreys(test.c, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("%.3f %.3f", got.Low, got.High); text != test.want {
			t.Errorf("%v: got %s, want %s", test.c, text, test.want)
		}
	}
}

// The equal-tailed posterior interval lies within Clopper-Pearson's, whose limits
// are quantiles of the posteriors with half a pass and half a failure moved.
func TestJeffreysLiesWithinClopperPearson(t *testing.T) {
	for n := 1; n <= 40; n++ {
		for k := range n + 1 {
			inner, err := Jeffreys(Counts{k, n}, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			outer, err := ClopperPearson(Counts{k, n}, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			if inner.Low < outer.Low || inner.High > outer.High {
				t.Errorf("%d/%d: %v is not within %v", k, n, inner, outer)
			}
		}
	}
}
