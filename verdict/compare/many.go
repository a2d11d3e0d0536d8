package compare

import (
	"github.com/tribunal-dev/tribunal/internal/spread"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// What is computed in another way where there are many trials. All of it looks at numbers of trials, or at
// what only makes a p-value larger, so that levels hold as they do for few. The numbers are chosen: each keeps its part
// of a comparison of a million trials a side below about a second.
//
// Of more trials than a result lists, which is the edition veryMany, so that a billion are judged in seconds:
//   - "not worse by delta" of two sides without strata, and of a scenario, is searched in the exact interval of the
//     baseline's rate, whose error is part of the p-value ([stats.NonInferiorityOfMany]);
//   - of a scenario with some hundred trials "worse" is as above for some thousand, and with some thousand it is
//     Fisher's p, as Boschloo's is of billions that decide;
//   - where differing changes would be drawn for long they go by cumulants ([stats.HeterogeneityByCumulants]).
const (
	mostDrawnTrials = 2000 // of both sides, for which the power of the stratified test is drawn
	mostGroupsDrawn = 2000 // for which the test of differing changes draws tables
	// Trials of both sides of a scenario up to which Boschloo's p is always computed. Beyond, it is where Fisher's, which
	// is never below it and then close to it, is at most this many times alpha.
	mostBoschloo   = 2000
	boschlooWithin = 3

	// Of very many: see above. The first is in place of mostBoschloo, which is from where on it is Fisher's.
	leastSpared = 200
	// trials of both sides of a scenario up to which "not worse by delta" is searched over all rates
	mostOfAScenario = 1000
	mostDecided     = 2_000_000 // trials of both sides up to which Boschloo's test of all trials is computed
)

// spared reports whether a test of all trials is left out of what is shown: one that takes long with so many trials,
// and does not decide.
func (c *comparer) spared(test stats.Test) bool {
	exact := test == stats.BoschlooTest || test.Stratified()
	return exact && test != c.test && c.options.shortens() && c.baseline.Len()+c.candidate.Len() > mostEnumerated
}

// worseInScenario is the p-value against "the candidate is worse" of one scenario.
func (c *comparer) worseInScenario(b, k stats.Counts) (float64, error) {
	trials, spared := b.Trials+k.Trials, mostBoschloo
	if c.options.ofVeryMany() {
		spared = leastSpared
	}
	if c.options.shortens() && trials > spared {
		p, err := stats.FisherLess(b, k)
		if err != nil || p > boschlooWithin*c.options.Alpha || c.options.ofVeryMany() && trials > mostBoschloo {
			return p, err
		}
	}
	return stats.Boschloo(c.ctx, b, k)
}

// boschloo is Boschloo's test of all trials. Of billions p is Fisher's, which is never below it.
func (c *comparer) boschloo(e evidence) (stats.TestResult, error) {
	if c.options.ofVeryMany() && e.size() > mostDecided {
		return stats.FisherTest.P(c.ctx, e.Table)
	}
	return stats.BoschlooTest.P(c.ctx, e.Table)
}

// showsWithin reports whether a scenario is shown not to be worse by delta.
func (c *comparer) showsWithin(b, k stats.Counts) (bool, error) {
	o := c.options
	if o.ofVeryMany() && b.Trials+k.Trials > mostOfAScenario {
		return stats.ShowsNonInferiorityOfMany(c.ctx, b, k, o.Delta, o.Beta)
	}
	return stats.ShowsNonInferiority(c.ctx, b, k, o.Delta, o.Beta)
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
	switch {
	case trials > recording.MostTrials:
		return veryMany
	case trials > mostDrawnTrials:
		return shortOfMany
	}
	return pairsOfScenarios
}

// testScenarios tests each scenario by itself, on all processors. Scenarios of the same counts are tested once.
func (c *comparer) testScenarios() []scenarioTest {
	tests := make([]scenarioTest, len(c.rows))
	if c.saved != nil {
		for i := range tests {
			tests[i] = c.testScenario(i, c.row(i), nil)
		}
		return tests
	}
	layouts := c.layout.byName()
	alike := make([]int32, len(c.rows)) // the first one of the same counts
	var first []int32
	known := map[[6]int]int32{}
	for i := range c.rows {
		row := c.row(i)
		alike[i] = int32(i)
		if !layouts[row[0].Scenario].within() {
			key := [6]int{row[0].Passes, row[0].Fails, row[0].Errors, row[1].Passes, row[1].Fails, row[1].Errors}
			if at, there := known[key]; there {
				alike[i] = at
				continue
			}
			known[key] = int32(i)
		}
		first = append(first, int32(i))
	}
	spread.Over(len(first), func(at int) {
		i := int(first[at])
		row := c.row(i)
		tests[i] = c.testScenario(i, row, layouts[row[0].Scenario])
	})
	for i, at := range alike {
		tests[i] = tests[at]
	}
	return tests
}
