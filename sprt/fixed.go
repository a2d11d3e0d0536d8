package sprt

import (
	"fmt"
	"sort"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Fixed returns the test that looks once, after exactly so many trials: Pass with few
// enough failures that beta holds, Fail with many enough that alpha does, and
// Inconclusive between. Where the trials are more than both need, the boundary lies in
// the middle and nothing is Inconclusive. It returns an [InfeasibleError] where one of
// the two verdicts could not be reached.
func Fixed(h Hypotheses, trials int) (Design, error) {
	if err := h.Validate(); err != nil {
		return Design{}, err
	}
	if err := checkMaxTrials(trials); err != nil {
		return Design{}, err
	}
	upper := dist.Binomial{N: trials, P: h.Threshold}
	lower := dist.Binomial{N: trials, P: h.Lower()}
	// The fewest passes that are unlikely enough at the lower rate, as failures; then the fewest failures
	// that are unlikely enough at the threshold.
	pass := trials - sort.Search(trials+1, func(passes int) bool { return lower.Survival(passes-1) <= h.Beta })
	fail := sort.Search(trials+1, func(failures int) bool { return upper.CDF(trials-failures) <= h.Alpha })
	if pass < 0 || fail > trials {
		bounds := h.Bounds()
		problem := fmt.Sprintf("%s of %d would not be enough to pass", prose.Count(trials, "pass"), trials)
		if pass >= 0 {
			problem = fmt.Sprintf("%s of %d would not be enough to fail", prose.Count(trials, "failure"), trials)
		}
		return Design{}, &InfeasibleError{
			Hypotheses: h, MaxTrials: trials, Problem: problem, Nearest: max(bounds.Pass, bounds.Fail),
		}
	}
	// Both limits overlap: any boundary between them keeps both errors, and the middle leaves some of each.
	if pass >= fail {
		pass = (fail - 1 + pass) / 2
		fail = pass + 1
	}
	b := open(trials)
	b.PassAtOrBelow[trials-1] = pass
	b.FailAtOrAbove[trials-1] = fail
	return Design{FixedKind, h, b}, nil
}
