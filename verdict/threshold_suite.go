package verdict

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict/internal/collapse"
)

// Scope answers two questions that one pass rate does not tell apart: how well
// does the system do on exactly these scenarios, and how well would it do on new
// scenarios like these.
type Scope struct {
	Scenarios int       `json:"scenarios"`  // how many there are
	ThisSuite *Interval `json:"this_suite"` // exact, of all trials; see [stats.SuiteRate]
	// Of the mean of the scenarios' own rates; nil with one scenario. See [stats.ClusteredRate].
	NewScenarios *Interval `json:"new_scenarios"`
}

// fewScenarios is where the interval for new scenarios becomes of use: with fewer it is wider
// than 0.3 even where all agree. Chosen.
const fewScenarios = 10

// judgeSuite sets the verdict of several scenarios. Both groupings show the pooled rate and
// every scenario; By says which of them decides.
func (j thresholdJudge) judgeSuite(result *ThresholdResult, tallies []Tally) {
	suite := j.judge(Pool("suite", tallies))
	// Intervals of a fixed number of trials say nothing of rates that were looked at on the way.
	if !j.anytime() {
		suite.Scope = j.scope(tallies)
	}
	result.Suite = &suite
	j.correct(result.Scenarios, tallies)
	if result.By == ByScenario {
		suite.Risk = j.riskByScenario(result.Scenarios)
		j.judgeByScenario(result, tallies)
		return
	}
	result.Verdict, result.Reasons = suite.Verdict, suite.Reasons
	// A pooled rate that passes may hide a scenario that does not.
	collapsed := j.collapsed(result, tallies)
	if below := named(result.Scenarios, func(v RateVerdict) bool {
		return v.Interval != nil && v.Interval.High < j.rule.Threshold && !slices.Contains(collapsed, v.Name)
	}); len(below) > 0 {
		result.Warnings = append(result.Warnings,
			warnScenariosBelow.Warning("%s below the %s you require by %s: %s", phrase.AreScenarios(len(below)),
				phrase.Percent(j.rule.Threshold), prose.Form(len(below), "itself", "themselves"), phrase.Names(below)))
	}
	if n := len(tallies); n < fewScenarios {
		result.Warnings = append(result.Warnings,
			warnFewScenarios.Warning(
				"with %d scenarios little can be said of new scenarios like these; even %d leave an interval of about 30 "+
					"points", n, fewScenarios))
	}
}

// collapsed leaves a Pass of all trials together open where scenarios are shown to have collapsed, and names these.
// Results of earlier versions passed.
func (j thresholdJudge) collapsed(result *ThresholdResult, tallies []Tally) (names []string) {
	if result.Verdict != Pass || !j.collapses {
		return nil
	}
	judged, _, adjusted := j.psBelow(result.Scenarios, tallies, collapse.Rate(j.rule.Threshold))
	for k, i := range judged {
		if adjusted[k] <= j.rule.Alpha {
			names = append(names, result.Scenarios[i].Name)
		}
	}
	if len(names) > 0 {
		result.Verdict = Inconclusive
		text := collapse.Text(names, j.rule.Threshold, "all trials together")
		result.Reasons = append([]Reason{CodeScenariosFail.Reason("%s", text)}, result.Reasons...)
	}
	return names
}

// correct sets the exact p-value of each scenario against "below the threshold",
// alone and after Holm's correction.
func (j thresholdJudge) correct(scenarios []RateVerdict, tallies []Tally) {
	judged, ps, adjusted := j.psBelow(scenarios, tallies, j.rule.Threshold)
	for k, i := range judged {
		scenarios[i].PBelow = new(ps[k])
		scenarios[i].PBelowHolm = new(adjusted[k])
	}
}

// psBelow are the p-values of pBelow of the scenarios with trials, by their places, alone and after Holm's correction:
// others have none, and do not count in it. There are none where one of them is no p-value.
func (j thresholdJudge) psBelow(
	scenarios []RateVerdict, tallies []Tally, rate float64,
) (places []int, ps, adjusted []float64) {
	for i, t := range tallies {
		if scenarios[i].Trials > 0 {
			places = append(places, i)
			ps = append(ps, j.pBelow(t, rate))
		}
	}
	adjusted, err := multiplicity.Adjust(multiplicity.Holm, ps)
	if err != nil {
		return nil, nil, nil
	}
	return places, ps, adjusted
}

// pBelow is the exact p-value of H0 "the pass rate is at least rate": the probability of so few passes or fewer at
// that rate. With errors it is the largest over all ways of scoring them, so that what it shows holds for each.
func (j thresholdJudge) pBelow(t Tally, rate float64) float64 {
	largest := 0.0
	for _, c := range t.scorings(j.errors) {
		largest = math.Max(largest, j.pBelowOf(c, rate))
	}
	return largest
}

// pBelowOf is pBelow of counts, which have no errors.
func (j thresholdJudge) pBelowOf(c stats.Counts, rate float64) float64 {
	if j.anytime() {
		return j.anytimeP(c, rate)
	}
	return dist.Binomial{N: c.Trials, P: rate}.CDF(c.Passes)
}

// holmFactors returns what Holm's correction multiplies the p-value of a scenario by that is to be rejected after all
// others that are: the number of those that are not, with it. It is 0, no correction, in results of versions without.
func (j thresholdJudge) holmFactors(scenarios []RateVerdict) func(scenario int) int {
	usual := 0 // that of scenarios that are not rejected, once it is known
	return func(scenario int) (factor int) {
		rejected := *scenarios[scenario].PBelowHolm <= j.rule.Alpha
		switch {
		case !j.corrects:
			return 0
		case usual > 0 && !rejected:
			return usual
		}
		ps := []float64{1} // its own
		for i, v := range scenarios {
			if i != scenario && v.PBelow != nil {
				ps = append(ps, *v.PBelow)
			}
		}
		adjusted, _ := multiplicity.Adjust(multiplicity.Holm, ps) // correct has been through it without an error
		for _, p := range adjusted {
			if p > j.rule.Alpha {
				factor++
			}
		}
		if !rejected {
			usual = factor
		}
		return factor
	}
}

// judgeByScenario lets every scenario hold. Fail needs the exact p-value to be at
// most alpha after Holm's correction, since one false Fail would fail the suite:
// so the chance of that is at most alpha, however many scenarios there are. Pass
// needs no correction, since all must pass.
func (j thresholdJudge) judgeByScenario(result *ThresholdResult, tallies []Tally) {
	var verdicts []Verdict
	factor := j.holmFactors(result.Scenarios)
	for i := range result.Scenarios {
		v := &result.Scenarios[i]
		reopened := v.Verdict == Fail && *v.PBelowHolm > j.rule.Alpha
		if reopened {
			v.Verdict = Inconclusive
			v.Reasons = []Reason{CodeCorrected.Reason(
				"%s: below the %s you require, but among %d scenarios a few are by chance, so a person should review it "+
					"(exact p %s after Holm's correction, alpha %s)",
				phrase.Share(v.Passes, v.Trials)+j.errors.omitted(v.Errors), phrase.Percent(j.rule.Threshold), len(tallies),
				phrase.Significant(*v.PBelowHolm), phrase.Number(j.rule.Alpha))}
		}
		if reopened || v.MoreTrials != nil {
			v.MoreTrials = j.moreTrials(corrected{tallies[i].Counts(j.errors), factor(i)})
		}
		verdicts = append(verdicts, v.Verdict)
	}
	result.Verdict = Combine(verdicts)
	is := func(want Verdict) []string {
		return named(result.Scenarios, func(v RateVerdict) bool { return v.Verdict == want })
	}
	failed, open := is(Fail), is(Inconclusive)
	if len(failed) > 0 {
		result.Reasons = append(result.Reasons,
			CodeScenariosFail.Reason("%s below the %s you require, corrected for the number of scenarios (holm): %s",
				phrase.AreScenarios(len(failed)), phrase.Percent(j.rule.Threshold), phrase.Names(failed)))
	}
	if len(open) > 0 {
		result.Reasons = append(result.Reasons, CodeScenariosOpen.Reason("%s undecided: %s",
			phrase.AreScenarios(len(open)), phrase.Names(open)))
	}
	// Both are right: they have an alpha each.
	if result.Verdict != Fail && result.Suite.Verdict == Fail {
		result.Warnings = append(result.Warnings, warnMeanBelow.Warning(
			"all scenarios together are below the %s you require, so some scenario is; a Fail names the scenario, and "+
				"the trials do not tell which", phrase.Percent(j.rule.Threshold)))
	}
	if result.Verdict == Pass {
		result.Reasons = append(result.Reasons,
			CodeScenariosPass.Reason("each of %d scenarios is at or above the %s you require",
				len(verdicts), phrase.Percent(j.rule.Threshold)))
	}
}

// scope gives the two intervals of the suite's rate; see [Scope]. Either is nil where there
// are too few scenarios with trials for it.
func (j thresholdJudge) scope(tallies []Tally) *Scope {
	var clusters []stats.Counts
	for _, t := range tallies {
		if c := t.Counts(j.errors); c.Trials > 0 {
			clusters = append(clusters, c)
		}
	}
	scope := &Scope{Scenarios: len(clusters)}
	if interval, err := stats.SuiteRate(clusters, j.rule.Alpha); err == nil {
		scope.ThisSuite = &Interval{"clopper-pearson", 1 - j.rule.Alpha, interval.Low, interval.High}
	}
	if interval, err := stats.ClusteredRate(clusters, j.rule.Alpha); err == nil {
		scope.NewScenarios = &Interval{"bounded-mean", 1 - j.rule.Alpha, interval.Low, interval.High}
	}
	return scope
}

// named lists the names of the scenarios for which something holds.
func named(scenarios []RateVerdict, holds func(RateVerdict) bool) []string {
	var list []string
	for _, v := range scenarios {
		if holds(v) {
			list = append(list, v.Name)
		}
	}
	return list
}
