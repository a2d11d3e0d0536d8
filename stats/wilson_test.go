package stats

import (
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// Cases that a reader can check with any calculator for Wilson's interval.
func TestWilsonGolden(t *testing.T) {
	for _, test := range []struct {
		c    Counts
		want string
	}{
		{Counts{45, 50}, "[0.7864, 0.9565]"},
		{Counts{90, 100}, "[0.8256, 0.9448]"},
		{Counts{180, 200}, "[0.8506, 0.9343]"},
		{Counts{81, 263}, "[0.2553, 0.3662]"}, // Newcombe 1998, Stat Med 17:857, Table I, method 3
		{Counts{15, 148}, "[0.0624, 0.1605]"},
		{Counts{0, 20}, "[0.0000, 0.1611]"},
		{Counts{1, 29}, "[0.0061, 0.1718]"},
	} {
		got, err := Wilson(test.c, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("[%.4f, %.4f]", got.Low, got.High); text != test.want {
			t.Errorf("%v: got %s, want %s", test.c, text, test.want)
		}
	}
}

// At the limits the score statistic is ±z: the definition of the interval.
func TestWilsonInvertsTheScoreTest(t *testing.T) {
	z := dist.NormalUpperQuantile(0.025)
	for n := 1; n <= 12; n++ {
		for k := range n + 1 {
			got, err := Wilson(Counts{k, n}, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			statistic := func(p float64) float64 {
				return (float64(k)/float64(n) - p) / math.Sqrt(p*(1-p)/float64(n))
			}
			if k > 0 {
				refdata.Close(t, "z at the low limit", statistic(got.Low), z, 1e-12)
			}
			if k < n {
				refdata.Close(t, "z at the high limit", statistic(got.High), -z, 1e-12)
			}
		}
	}
}

func ExampleWilson() {
	interval, err := Wilson(Counts{Passes: 45, Trials: 50}, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f to %.4f\n", interval.Low, interval.High)
	// Output: 0.7864 to 0.9565
}
