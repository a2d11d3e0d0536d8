package compare

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
)

// addScenarios compares the two sides scenario by scenario, where there are
// several.
func (c *comparer) addScenarios(result *Result) {
	if len(c.rows) < 2 {
		return
	}
	tests := c.testScenarios()
	ps := make([]float64, len(c.rows))
	for i := range ps {
		ps[i] = tests[i].worse
	}
	// Holm's bounds the chance of any false "worse"; Benjamini and Hochberg's the expected
	// share of them in a list to look through. Both are shown, and the option decides.
	holm, err := multiplicity.Adjust(multiplicity.Holm, ps)
	if err != nil {
		return
	}
	bh, err := multiplicity.Adjust(multiplicity.BenjaminiHochberg, ps)
	if err != nil {
		return
	}
	corrected, err := multiplicity.Adjust(c.options.Correction, ps)
	if err != nil {
		return
	}
	alpha := c.scenarioAlpha()
	taken := c.options.taken
	if len(taken) != len(c.rows) {
		taken = nil
	}
	if result.Family != nil {
		result.Family.Scenarios = alpha
	}
	result.Scenarios = make([]Scenario, 0, len(c.rows))
	for i := range c.rows {
		row := c.row(i)
		s := Scenario{
			Name:     row[0].Scenario,
			Baseline: c.passed(row[0]), Candidate: c.passed(row[1]),
			P: ps[i], PHolm: holm[i], PBH: bh[i],
			Verdict: tests[i].verdict(corrected[i], alpha),
		}
		if taken != nil {
			s.Verdict = taken[i].Verdict
		}
		result.Scenarios = append(result.Scenarios, s)
	}
}

// passed is what is shown of a scenario, with errors counted as the policy says.
func (c *comparer) passed(t verdict.Tally) PassCounts {
	counts := t.Counts(c.options.Errors)
	return PassCounts{counts.Passes, counts.Trials, t.Errors}
}

// scenarioTest holds what the tests of one scenario say over all ways of scoring errors: the largest p-value of
// "worse", and whether all of them, or any, show at beta that it is not worse by delta.
type scenarioTest struct {
	worse                float64
	allWithin, anyWithin bool
}

func (c *comparer) testScenario(i int, row [2]verdict.Tally, l *scenarioLayout) scenarioTest {
	// Non-inferiority is not saved for single scenarios, so their verdicts cannot be
	// recomputed, and takeExactTests has them skipped.
	if c.saved != nil {
		return scenarioTest{worse: c.saved.Scenarios[i].P}
	}
	t := scenarioTest{allWithin: true}
	for _, s := range c.scorings {
		worse, err, within, errWithin := c.scenarioPs(row, l, s)
		if err != nil || errWithin != nil {
			// A side without trials: nothing is shown, but the scenario is counted in the
			// correction.
			return scenarioTest{worse: 1}
		}
		t.worse = math.Max(t.worse, worse)
		t.allWithin = t.allWithin && within
		t.anyWithin = t.anyWithin || within
	}
	return t
}

// scenarioPs are what the tests of one scenario say: of all its trials, or within its inputs where there are
// several.
func (c *comparer) scenarioPs(
	row [2]verdict.Tally, l *scenarioLayout, s errorScores,
) (worse float64, err error, within bool, errWithin error) {
	if l.within() {
		strata, clusters := l.strata(s)
		exact, err := stats.ClusteredExact(c.ctx, strata, clusters)
		within, errWithin := c.withinInScenario(strata, clusters, trialsIn(row))
		return exact.PLess, err, within, errWithin
	}
	b, k := scored(row[0], s.baseline), scored(row[1], s.candidate)
	worse, err = c.worseInScenario(b, k)
	within, errWithin = c.showsWithin(b, k)
	return worse, err, within, errWithin
}

// verdict applies the margin rule with a corrected p-value on the Fail side.
func (t scenarioTest) verdict(corrected, alpha float64) verdict.Verdict {
	switch {
	case t.allWithin:
		return verdict.Pass
	// Where some way of scoring errors would pass, a Fail would not hold for all.
	case corrected <= alpha && !t.anyWithin:
		return verdict.Fail
	}
	return verdict.Inconclusive
}

// decideByScenario lets every scenario hold. The p-values are corrected on the Fail side,
// since one false Fail fails the whole; a Pass needs all scenarios, and no correction.
func (c *comparer) decideByScenario(result *Result) {
	var verdicts []verdict.Verdict
	byVerdict := map[verdict.Verdict][]string{}
	for i, s := range result.Scenarios {
		if c.ignored(i) {
			continue
		}
		verdicts = append(verdicts, s.Verdict)
		byVerdict[s.Verdict] = append(byVerdict[s.Verdict], s.Name)
	}
	if len(verdicts) == 0 {
		result.Reasons = append(result.Reasons, verdict.CodeNoTrials.Reason("no scenario was tried on both sides"))
		return
	}
	result.Verdict = verdict.Combine(verdicts)
	if failed := byVerdict[verdict.Fail]; len(failed) > 0 {
		result.Reasons = append(result.Reasons, verdict.CodeScenariosFail.Reason("%s worse%s: %s",
			phrase.AreScenarios(len(failed)), beside(c.options.Correction), phrase.Names(failed)))
	}
	if open := byVerdict[verdict.Inconclusive]; len(open) > 0 {
		result.Reasons = append(result.Reasons, verdict.CodeScenariosOpen.Reason("%s undecided: %s",
			phrase.AreScenarios(len(open)), phrase.Names(open)))
	}
	if result.Verdict == verdict.Pass {
		result.Reasons = append(result.Reasons,
			verdict.CodeScenariosPass.Reason("not worse: a drop of %s or more is ruled out in each of %d scenarios",
				phrase.Points(c.options.Delta), len(verdicts)))
	}
}

// worseScenarios names the scenarios whose corrected p-value is at most alpha.
// It is told as a warning where the pooled trials decide: a scenario may be worse in a
// suite that is not.
func (c *comparer) worseScenarios(result *Result) []string {
	var names []string
	for _, s := range result.Scenarios {
		p := s.P
		switch c.options.Correction {
		case multiplicity.Holm:
			p = s.PHolm
		case multiplicity.BenjaminiHochberg:
			p = s.PBH
		}
		if p <= result.ScenarioAlpha() {
			names = append(names, s.Name)
		}
	}
	return names
}

// failedScenarios names the scenarios that are worse after correction, and not shown to be so by less than delta.
func failedScenarios(result *Result) (names []string) {
	for _, s := range result.Scenarios {
		if s.Verdict == verdict.Fail {
			names = append(names, s.Name)
		}
	}
	return names
}

// beside says that scenarios are worse although there are several, where that is corrected for.
func beside(c multiplicity.Correction) string {
	if c == multiplicity.NoCorrection {
		return " (each by itself)"
	}
	return fmt.Sprintf(", corrected for the number of scenarios (%s)", c)
}
