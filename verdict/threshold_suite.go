package verdict

import (
	"fmt"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/dist"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
)

// Scope answers two questions that one pass rate does not tell apart: how well
// does the system do on exactly these scenarios, and how well would it do on new
// scenarios like these.
type Scope struct {
	Scenarios    int       `json:"scenarios"`
	ThisSuite    *Interval `json:"this_suite"`    // stratified variance
	NewScenarios *Interval `json:"new_scenarios"` // clustered standard error, t with scenarios-1 degrees of freedom
}

// fewScenarios is where a clustered standard error becomes unreliable.
const fewScenarios = 10

// judgeSuite sets the verdict of several scenarios.
func (j thresholdJudge) judgeSuite(result *ThresholdResult, tallies []Tally) {
	suite := j.judge(pool("suite", tallies))
	suite.Scope = j.scope(tallies)
	result.Suite = &suite
	j.correct(result.Scenarios, tallies)
	if result.By == ByScenario {
		j.judgeByScenario(result, tallies)
		return
	}
	result.Verdict, result.Reasons = suite.Verdict, suite.Reasons
	if below := named(result.Scenarios, func(v RateVerdict) bool {
		return v.Interval != nil && v.Interval.High < j.rule.Threshold
	}); len(below) > 0 {
		result.Warnings = append(result.Warnings, warning(WarnScenariosBelow,
			"the own interval of %s lies below the threshold: %s", plural(len(below), "scenario"), list(below)))
	}
	if n := len(tallies); n < fewScenarios {
		result.Warnings = append(result.Warnings, warning(WarnFewScenarios,
			"with %d scenarios, what is said of new scenarios like these is rough; it takes about %d", n, fewScenarios))
	}
}

// correct sets the exact p-value of each scenario against "below the threshold",
// alone and after Holm's correction.
func (j thresholdJudge) correct(scenarios []RateVerdict, tallies []Tally) {
	var judged []int
	var ps []float64
	for i, t := range tallies {
		if scenarios[i].Trials > 0 {
			judged = append(judged, i)
			ps = append(ps, j.pBelow(t))
		}
	}
	adjusted, err := multiplicity.Adjust(multiplicity.Holm, ps)
	if err != nil {
		return
	}
	for k, i := range judged {
		scenarios[i].PBelow = pointer(ps[k])
		scenarios[i].PBelowHolm = pointer(adjusted[k])
	}
}

// pBelow is the largest p-value over all ways of scoring the errors.
func (j thresholdJudge) pBelow(t Tally) float64 {
	largest := 0.0
	for _, c := range t.scorings(j.errors) {
		largest = math.Max(largest, dist.Binomial{N: c.Trials, P: j.rule.Threshold}.CDF(c.Passes))
	}
	return largest
}

// judgeByScenario lets every scenario hold. Fail needs the exact p-value to be at
// most alpha after Holm's correction, since one false Fail would fail the suite:
// so the chance of that is at most alpha, however many scenarios there are. Pass
// needs no correction, since all must pass.
func (j thresholdJudge) judgeByScenario(result *ThresholdResult, tallies []Tally) {
	var verdicts []Verdict
	for i := range result.Scenarios {
		v := &result.Scenarios[i]
		if v.Verdict == Fail && *v.PBelowHolm > j.rule.Alpha {
			v.Verdict = Inconclusive
			v.Reasons = []Reason{reason(CodeCorrected,
				"its own interval lies below the threshold, but among %d scenarios that happens by chance too often (exact p %s after Holm's correction, alpha %s)",
				len(tallies), significant(*v.PBelowHolm), number(j.rule.Alpha))}
			if more, ok := j.rule.MoreTrials(tallies[i].counts(j.errors), decisionChance); ok {
				v.MoreTrials = &MoreTrials{Trials: more.Trials, Chance: more.Chance}
			}
		}
		verdicts = append(verdicts, v.Verdict)
	}
	result.Verdict = combine(verdicts)
	is := func(want Verdict) []string {
		return named(result.Scenarios, func(v RateVerdict) bool { return v.Verdict == want })
	}
	failed, open := is(Fail), is(Inconclusive)
	if len(failed) > 0 {
		result.Reasons = append(result.Reasons, reason(CodeScenariosFail, "%s below the threshold after Holm's correction: %s", areScenarios(len(failed)), list(failed)))
	}
	if len(open) > 0 {
		result.Reasons = append(result.Reasons, reason(CodeScenariosOpen, "%s undecided: %s", areScenarios(len(open)), list(open)))
	}
	if result.Verdict == Pass {
		result.Reasons = append(result.Reasons, reason(CodeScenariosPass, "every one of %d scenarios passes", len(verdicts)))
	}
}

func (j thresholdJudge) scope(tallies []Tally) *Scope {
	var clusters []stats.Counts
	for _, t := range tallies {
		if c := t.counts(j.errors); c.Trials > 0 {
			clusters = append(clusters, c)
		}
	}
	scope := &Scope{Scenarios: len(clusters)}
	if interval, err := stats.StratifiedRate(clusters, j.rule.Alpha); err == nil {
		scope.ThisSuite = &Interval{"stratified", 1 - j.rule.Alpha, interval.Low, interval.High}
	}
	if interval, err := stats.ClusteredRate(clusters, j.rule.Alpha); err == nil {
		scope.NewScenarios = &Interval{"clustered-t", 1 - j.rule.Alpha, interval.Low, interval.High}
	}
	return scope
}

func named(scenarios []RateVerdict, holds func(RateVerdict) bool) []string {
	var list []string
	for _, v := range scenarios {
		if holds(v) {
			list = append(list, v.Name)
		}
	}
	return list
}

func areScenarios(n int) string {
	if n == 1 {
		return "1 scenario is"
	}
	return fmt.Sprintf("%d scenarios are", n)
}

// list names at most five.
func list(names []string) string {
	const most = 5
	quoted := make([]string, 0, most)
	for _, name := range names[:min(most, len(names))] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
