package compare

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// What is computed in another way where there are many trials. All of it looks at numbers of trials, or at
// what only makes a p-value larger, so that levels hold as they do for few. The numbers are chosen: each keeps its part
// of a comparison of a million trials a side below about a second.
const (
	mostDrawnTrials = 2000 // of both sides, for which the power of the stratified test is drawn
	mostGroupsDrawn = 2000 // for which the test of differing changes draws tables
	// Trials of both sides of a scenario up to which Boschloo's p is always computed. Beyond, it is where Fisher's, which
	// is never below it and then close to it, is at most this many times alpha.
	mostBoschloo   = 2000
	boschlooWithin = 3
)

// spared reports whether a test of all trials is left out of what is shown: one that takes long with so many trials,
// and does not decide.
func (c *comparer) spared(test stats.Test) bool {
	exact := test == stats.BoschlooTest || test.Stratified()
	return exact && test != c.test && c.options.shortens() && c.baseline.Len()+c.candidate.Len() > mostEnumerated
}

// worseInScenario is the p-value against "the candidate is worse" of one scenario.
func (c *comparer) worseInScenario(b, k stats.Counts) (float64, error) {
	if c.options.shortens() && b.Trials+k.Trials > mostBoschloo {
		if p, err := stats.FisherLess(b, k); err != nil || p > boschlooWithin*c.options.Alpha {
			return p, err
		}
	}
	return stats.Boschloo(c.ctx, b, k)
}

// withinInScenario reports whether a scenario of so many trials is shown not to be worse by delta within its inputs.
func (c *comparer) withinInScenario(strata []stats.Stratum, clusters []stats.ClusterStratum, trials int) (bool, error) {
	if c.options.shortens() && trials > mostBoschloo {
		return stats.ShowsStratifiedNonInferiority(c.ctx, strata, clusters, c.options.Delta, c.options.Beta)
	}
	margin, err := stats.StratifiedNonInferiority(c.ctx, strata, clusters, c.options.Delta)
	return margin.P <= c.options.Beta, err
}

// trialsIn is the number of trials of both sides in a scenario.
func trialsIn(row [2]verdict.Tally) (n int) {
	for _, t := range row {
		n += t.Passes + t.Fails + t.Errors
	}
	return n
}

// editionOf is the edition of a comparison of so many trials: that of few computes nothing in another way.
func editionOf(trials int) int {
	if trials > mostDrawnTrials {
		return shortOfMany
	}
	return pairsOfScenarios
}

// testScenarios tests each scenario by itself, on all processors. Scenarios of the same counts are tested once.
func (c *comparer) testScenarios(rows [][2]verdict.Tally) []scenarioTest {
	tests := make([]scenarioTest, len(rows))
	if c.saved != nil {
		for i := range rows {
			tests[i] = c.testScenario(i, rows[i], nil)
		}
		return tests
	}
	layouts := c.layout.byName()
	of := make([]int, len(rows)) // the first one of the same counts
	var first []int
	known := map[[6]int]int{}
	for i, row := range rows {
		of[i] = i
		if !layouts[row[0].Scenario].within() {
			key := [6]int{row[0].Passes, row[0].Fails, row[0].Errors, row[1].Passes, row[1].Fails, row[1].Errors}
			if at, there := known[key]; there {
				of[i] = at
				continue
			}
			known[key] = i
		}
		first = append(first, i)
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(first)) {
		all.Go(func() {
			for at := int(next.Add(1)) - 1; at < len(first); at = int(next.Add(1)) - 1 {
				i := first[at]
				tests[i] = c.testScenario(i, rows[i], layouts[rows[i][0].Scenario])
			}
		})
	}
	all.Wait()
	for i, at := range of {
		tests[i] = tests[at]
	}
	return tests
}
