package sprt

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// FixedDesign is the classical test with a fixed number of trials: Fail at so many
// passes or fewer, Pass above.
type FixedDesign struct {
	Trials    int    // always so many
	MostFails int    // most failures that still pass
	FailAt    int    // most passes that still fail: Trials - MostFails - 1
	Errors    Errors // exact
}

// FixedSample returns the smallest fixed number of trials with both exact errors
// within their targets, and false if more than 20,000 would be needed.
func (h Hypotheses) FixedSample() (FixedDesign, bool) {
	if h.Validate() != nil {
		return FixedDesign{}, false
	}
	// The most passes that still fail: as many as alpha allows. With one trial more they are as many or one more.
	fail := -1
	for n := 1; n <= mostTrials; n++ {
		upper := dist.Binomial{N: n, P: h.Threshold}
		lower := dist.Binomial{N: n, P: h.Lower()}
		for upper.CDF(fail+1) <= h.Alpha {
			fail++
		}
		errors := Errors{Beta: lower.Survival(fail)}
		if !errors.Within(h) {
			continue
		}
		if errors.Alpha = upper.CDF(fail); errors.Within(h) {
			return FixedDesign{Trials: n, MostFails: n - fail - 1, FailAt: fail, Errors: errors}, true
		}
	}
	return FixedDesign{}, false
}

// Bounds are what no valid test can go below.
type Bounds struct {
	// Pass is the fewest trials after which any test may pass: with fewer straight
	// passes a false Pass is more likely than beta.
	Pass int
	// Fail is the fewest trials after which any test may fail: with fewer straight
	// failures a false Fail is more likely than alpha.
	Fail int
	// UpperTrials bounds the expected trials at the threshold from below (Wald 1947,
	// section A.3; Wald and Wolfowitz 1948): the information that the errors take, over
	// what a trial gives.
	UpperTrials float64
	// LowerTrials bounds them at the lower rate.
	LowerTrials float64
}

// Bounds returns the bounds of the hypotheses, which must be valid.
func (h Hypotheses) Bounds() Bounds {
	// The mean log-likelihood ratio that a trial gives at p, against q, and that a test with
	// the errors a and b must gather at least: Kullback and Leibler's divergence of two
	// Bernoulli distributions in both cases.
	information := func(p, q float64) float64 { return p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q)) }
	errors := func(a, b float64) float64 { return (1-a)*math.Log((1-a)/b) + a*math.Log(a/(1-b)) }
	return Bounds{
		Pass:        fewest(h.Beta, h.Lower()),
		Fail:        fewest(h.Alpha, 1-h.Threshold),
		UpperTrials: errors(h.Alpha, h.Beta) / information(h.Threshold, h.Lower()),
		LowerTrials: errors(h.Beta, h.Alpha) / information(h.Lower(), h.Threshold),
	}
}

// fewest returns the smallest n with rate^n <= error.
func fewest(errorRate, rate float64) int {
	n := int(math.Ceil(math.Log(errorRate)/math.Log(rate) - 1e-9))
	return max(n, 1)
}

// InfeasibleError says that no test can decide within the trials, and from which
// number on one can.
type InfeasibleError struct {
	Hypotheses Hypotheses // of the test
	MaxTrials  int        // within which it was to decide
	Problem    string     // which verdict is out of reach, and why
	Nearest    int        // smallest MaxTrials at which both verdicts are reachable; 0 if unknown
}

// ExitCode is that of a question that cannot be asked.
func (e *InfeasibleError) ExitCode() int { return exit.Usage }

func (e *InfeasibleError) Error() string {
	text := fmt.Sprintf("no test within %s: %s", prose.Count(e.MaxTrials, "trial"), e.Problem)
	if e.Nearest > 0 {
		text += fmt.Sprintf("; the least is max-trials %d", e.Nearest)
	}
	return text
}

// checkReachable refuses a limit within which a verdict is out of reach.
func checkReachable(h Hypotheses, trials int) error {
	bounds := h.Bounds()
	nearest := max(bounds.Pass, bounds.Fail)
	switch {
	case trials < bounds.Pass:
		problem := fmt.Sprintf("a Pass takes at least %d straight passes, "+
			"or a false Pass would be more frequent than beta %v", bounds.Pass, h.Beta)
		return &InfeasibleError{h, trials, problem, nearest}
	case trials < bounds.Fail:
		problem := fmt.Sprintf("a Fail takes at least %d straight failures, "+
			"or a false Fail would be more frequent than alpha %v", bounds.Fail, h.Alpha)
		return &InfeasibleError{h, trials, problem, nearest}
	}
	return nil
}
