package betting

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
)

// Boundaries are those of a pass rate that is looked at after each of so many trials, from 1 to 20,000: Pass where it
// is shown to be above the threshold, and Fail where it is shown to be below, each at the error alpha. From them
// [sprt.Boundaries.Lattice] computes how many trials it takes. It returns a [sprt.HypothesesError] for other numbers.
func Boundaries(threshold, alpha float64, trials int) (sprt.Boundaries, error) {
	for _, part := range []struct {
		name string
		x    float64
	}{{"threshold", threshold}, {"alpha", alpha}} {
		if !(part.x > 0 && part.x < 1) {
			return sprt.Boundaries{}, &sprt.HypothesesError{Field: part.name, Value: part.x,
				Problem: "must lie strictly between 0 and 1"}
		}
	}
	b, err := sprt.NewBoundaries(trials)
	if err != nil {
		return b, err
	}
	enough := -math.Log(alpha)
	pass, fail := -1, 1 // with one trial more as many failures still pass, and as few still do not fail
	for n := 1; n <= trials; n++ {
		for pass < n && Above(Outcomes(n-pass-1, pass+1), threshold) >= enough {
			pass++
		}
		for fail = max(fail, pass+1); fail <= n && Below(Outcomes(n-fail, fail), threshold) < enough; {
			fail++
		}
		b.PassAtOrBelow[n-1] = pass
		if fail <= n {
			b.FailAtOrAbove[n-1] = fail
		}
	}
	return b, nil
}
