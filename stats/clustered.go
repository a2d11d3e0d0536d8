package stats

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/argument"
)

// ClusteredRate returns the interval, at two-sided level 1-alpha, of the pass rate
// over new scenarios like these, of which clusters holds the counts: trials of one
// scenario are alike, so that the scenarios are the sample, not the trials. It is
// [BoundedMean] of the scenarios' own rates, in which each counts the same, however
// many trials it had: a mean over draws between 0 and 1, of whose distribution nothing
// is assumed. Where scenarios agree it stays wide all the same, as a kind of
// scenario that is unlike all of them may not have been drawn: with ten that always
// pass it is 0.69 to 1.
//
// It assumes that the scenarios are a random sample of those meant, and that the
// number of trials of each was fixed before.
//
// Scenarios without trials are left out; fewer than two others give an
// [ArgumentError], as do counts that are not valid.
func ClusteredRate(clusters []Counts, alpha float64) (Interval, error) {
	if _, err := checkClusters(clusters, alpha, 2); err != nil {
		return Interval{}, err
	}
	var rates []float64
	for _, c := range clusters {
		if c.Trials > 0 {
			rates = append(rates, c.Rate())
		}
	}
	return BoundedMean(rates, 0, 1, alpha)
}

// SuiteRate returns the interval, at two-sided level 1-alpha, of the pass rate of this
// fixed suite, of which clusters holds the counts of each scenario: how far the rate of
// all trials together would move if the same scenarios ran again, as often as now. It
// is [ClopperPearson] of all trials. With unlike rates of the scenarios the number of
// passes spreads less than with one rate (Hoeffding 1956): differences between scenarios
// never make it miss more often, but for its limits at a single pass or failure, whose
// error is at most -ln(1-alpha/2) instead of alpha/2. An interval from the estimated
// variance within scenarios would be shorter, and misses up to twice its alpha.
//
// Scenarios without trials are left out; at least one other is needed.
func SuiteRate(clusters []Counts, alpha float64) (Interval, error) {
	if _, err := checkClusters(clusters, alpha, 1); err != nil {
		return Interval{}, err
	}
	var pooled Counts
	for _, c := range clusters {
		pooled.Passes += c.Passes
		pooled.Trials += c.Trials
	}
	return ClopperPearson(pooled, alpha)
}

// scenariosWithTrials counts the scenarios that say anything at all.
func scenariosWithTrials(clusters []Counts) (n int) {
	for _, c := range clusters {
		if c.Trials > 0 {
			n++
		}
	}
	return n
}

// checkClusters checks the counts, naming the scenario by its index, and returns
// the number of all trials.
func checkClusters(clusters []Counts, alpha float64, least int) (trials int, err error) {
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return 0, err
	}
	for i, c := range clusters {
		if err := c.Validate(); err != nil {
			return 0, fmt.Errorf("scenario %d: %w", i, err)
		}
		if c.Trials > MaxTrials-trials {
			all := fmt.Sprintf("%d+%d", trials, c.Trials)
			return 0, argument.Wrong("trials", all, "of all scenarios are more than can be handled")
		}
		trials += c.Trials
	}
	if n := scenariosWithTrials(clusters); n < least {
		return 0, argument.Wrong("scenarios", n, fmt.Sprintf("must be at least %d", least))
	}
	return trials, nil
}
