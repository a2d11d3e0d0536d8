package stats

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// Brown, Cai & DasGupta (2001) show that the interval always contains Wilson's.
func TestAgrestiCoullContainsWilson(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		c := drawCounts(t, "", 100_000)
		alpha := rapid.Float64Range(1e-9, 0.9).Draw(t, "alpha")
		inner, err := Wilson(c, alpha)
		if err != nil {
			t.Fatal(err)
		}
		outer, err := AgrestiCoull(c, alpha)
		if err != nil {
			t.Fatal(err)
		}
		if outer.Low > inner.Low+1e-14 || outer.High < inner.High-1e-14 {
			t.Fatalf("%v of %v does not contain %v", outer, c, inner)
		}
	})
}
