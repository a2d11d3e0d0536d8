package stats

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
	"github.com/tribunal-dev/tribunal/stats/dist"
)

// ClusteredRate returns the interval, at two-sided level 1-alpha, of the pass rate
// over new scenarios like these, of which clusters holds the counts: trials of one
// scenario are alike, so that the scenarios are the sample, not the trials. The
// estimate is the rate of all trials together, its standard error is
// cluster-robust (Miller 2024, "Adding Error Bars to Evals", equation 4, with the
// factor G/(G-1) of a ratio estimate, Cochran 1977, chapter 2, for G scenarios),
// and t has G-1 degrees of freedom. The interval is cut to 0..1.
//
// It assumes that the scenarios are a random sample of those meant. With fewer than
// ten, and where nearly all agree, it covers less than its level. Where the spread
// between scenarios is 0, which is no proof that there is none, the interval is
// Wilson's for one trial a scenario: no spread could be larger.
//
// Scenarios without trials are left out; fewer than two others give an
// [ArgumentError], as do counts that are not valid.
func ClusteredRate(clusters []Counts, alpha float64) (Interval, error) {
	trials, err := checkClusters(clusters, alpha, 2)
	if err != nil {
		return Interval{}, err
	}
	return clusteredInterval(clusters, alpha,
		func(c Counts) float64 { return float64(c.Trials) / float64(trials) }), nil
}

// ClusteredMeanRate is [ClusteredRate] for the mean of the scenarios' own rates, in
// which each scenario counts the same, however many trials it had.
func ClusteredMeanRate(clusters []Counts, alpha float64) (Interval, error) {
	if _, err := checkClusters(clusters, alpha, 2); err != nil {
		return Interval{}, err
	}
	weight := 1 / float64(scenariosWithTrials(clusters))
	return clusteredInterval(clusters, alpha, func(Counts) float64 { return weight }), nil
}

// StratifiedRate returns the interval, at two-sided level 1-alpha, of the pass rate
// of this fixed suite, of which clusters holds the counts of each scenario: how far
// the rate of all trials together would move if the same scenarios ran again, as
// often as now. Differences between scenarios do not add to that variance (Cochran
// 1977, chapter 5), so that the interval is never wider than Wilson's.
//
// It is Wilson's interval for the effective number of trials, p(1-p) over the
// stratified variance (Dean & Pagano 2015, Journal of Survey Statistics and
// Methodology 3:484). Scenarios with a single trial have no variance of their own
// and are collapsed into one stratum, which on average widens it (Cochran 1977,
// chapter 5A). Where every scenario always passes or always fails, the variance
// cannot be estimated, and the interval is Wilson's for all trials.
//
// Scenarios without trials are left out; at least one other is needed.
func StratifiedRate(clusters []Counts, alpha float64) (Interval, error) {
	if _, err := checkClusters(clusters, alpha, 1); err != nil {
		return Interval{}, err
	}
	var pooled, single Counts
	var variance special.Accumulator // of the number of passes
	for _, c := range clusters {
		pooled.Passes += c.Passes
		pooled.Trials += c.Trials
		if c.Trials == 1 {
			single.Passes += c.Passes
			single.Trials++
			continue
		}
		variance.Add(varianceOfPasses(c))
	}
	if single.Trials == 1 {
		variance.Add(0.25) // the largest variance of one trial
	}
	variance.Add(varianceOfPasses(single))

	n := float64(pooled.Trials)
	p := pooled.Rate()
	effective := n
	if v := variance.Sum() / n / n; v > 0 {
		effective = math.Max(n, p*(1-p)/v)
	}
	z := dist.NormalUpperQuantile(alpha / 2)
	return wilsonOf(p*effective, (1-p)*effective, z).including(p), nil
}

// varianceOfPasses returns the unbiased estimate of the variance of the number of
// passes, n²/(n-1) p(1-p), and 0 where one trial or none tells nothing.
func varianceOfPasses(c Counts) float64 {
	if c.Trials < 2 {
		return 0
	}
	return float64(c.Passes) * float64(c.Fails()) / float64(c.Trials-1)
}

// clusteredInterval is the t interval of the weighted mean of the scenarios' rates;
// the weights add up to 1.
func clusteredInterval(clusters []Counts, alpha float64, weight func(Counts) float64) Interval {
	var mean special.Accumulator
	for _, c := range clusters {
		if c.Trials > 0 {
			mean.Add(weight(c) * c.Rate())
		}
	}
	p := clamp(mean.Sum(), 0, 1)
	scenarios := float64(scenariosWithTrials(clusters))
	var squares special.Accumulator
	for _, c := range clusters {
		if c.Trials > 0 {
			residual := weight(c) * (c.Rate() - p)
			squares.Add(residual * residual)
		}
	}
	standardError := math.Sqrt(squares.Sum() * scenarios / (scenarios - 1))
	if standardError < 1e-12 { // nothing but rounding
		return wilsonOf(p*scenarios, (1-p)*scenarios, dist.NormalUpperQuantile(alpha/2)).including(p)
	}
	reach := dist.StudentTUpperQuantile(alpha/2, scenarios-1) * standardError
	return Interval{Low: math.Max(0, p-reach), High: math.Min(1, p+reach)}
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
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return 0, err
	}
	for i, c := range clusters {
		if err := c.Validate(); err != nil {
			return 0, fmt.Errorf("scenario %d: %w", i, err)
		}
		if c.Trials > MaxTrials-trials {
			all := fmt.Sprintf("%d+%d", trials, c.Trials)
			return 0, argumentError("trials", all, "of all scenarios are more than can be handled")
		}
		trials += c.Trials
	}
	if n := scenariosWithTrials(clusters); n < least {
		return 0, argumentError("scenarios", n, fmt.Sprintf("must be at least %d", least))
	}
	return trials, nil
}
