package baseline

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
	"github.com/tribunal-dev/tribunal/sprt"
)

// walk calls stop for every point at which boundaries end a test: the trials, the
// failures, the logarithm of the number of sequences of trials that end there, and the
// outcome.
//
// It carries the share of all sequences to a point that have not stopped before: with
// w(0,0) = 1, w(n,f) = (n-f)/n · w(n-1,f) + f/n · w(n-1,f-1) over the points that go on.
// Shares lie in [0,1] and nothing is subtracted, so nothing cancels.
func walk(b sprt.Boundaries, stop func(n, f int, logPaths float64, o sprt.Outcome)) {
	// going[f] is the share w(n,f); low and high are the fewest and the most failures of a point that goes
	// on.
	going := make([]float64, b.MaxTrials()+2)
	going[0] = 1
	low, high := 0, 0
	for n := 1; n <= b.MaxTrials() && low <= high; n++ {
		inverse := 1 / float64(n)
		going[high+1] = 0
		// In place, from many failures to few, so that w(n-1,f-1) is still there.
		for f := high + 1; f > low; f-- {
			going[f] = (float64(n-f)*going[f] + float64(f)*going[f-1]) * inverse
		}
		going[low] *= float64(n-low) * inverse
		high++
		pass, fail := b.PassAtOrBelow[n-1], b.FailAtOrAbove[n-1]
		// At the last trial every point is an end: Pass, Fail, or neither.
		if n == b.MaxTrials() {
			for f := low; f <= high; f++ {
				if going[f] > 0 {
					stop(n, f, math.Log(going[f])+logChoose(n, f), outcomeOf(f, pass, fail))
				}
			}
			return
		}
		for ; low <= high && low <= pass; low++ {
			if going[low] > 0 {
				stop(n, low, math.Log(going[low])+logChoose(n, low), sprt.Pass)
			}
		}
		// Points that fail are a run at the upper end. They are found first and reported from few failures
		// to many.
		last := high
		for ; last >= low && last >= fail; last-- {
		}
		for f := last + 1; f <= high; f++ {
			if going[f] > 0 {
				stop(n, f, math.Log(going[f])+logChoose(n, f), sprt.Fail)
			}
			going[f] = 0
		}
		high = last
	}
}

// outcomeOf is the outcome at the last trial, where the limits may leave points between them.
func outcomeOf(failures, pass, fail int) sprt.Outcome {
	switch {
	case failures <= pass:
		return sprt.Pass
	case failures >= fail:
		return sprt.Fail
	}
	return sprt.Inconclusive
}

// times is n·x, and 0 where n is, also of a logarithm of 0.
func times(n int, x float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n) * x
}

// logChoose is the logarithm of the binomial coefficient.
func logChoose(n, k int) float64 { return special.LogChoose(float64(n), float64(k)) }

// logSum is log(e^x + e^y).
func logSum(x, y float64) float64 {
	if x < y {
		x, y = y, x
	}
	return x + math.Log1p(math.Exp(y-x))
}
