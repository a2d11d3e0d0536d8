package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict"
)

// about is the headline beside the verdict.
func (t *thresholdPage) about() string {
	threshold := given(t.result.Threshold)
	if t.result.By == verdict.ByScenario && t.result.Suite != nil {
		return t.aboutScenarios(threshold)
	}
	v := t.deciding()
	if v == nil {
		return "there is nothing to judge against the threshold " + threshold
	}
	passed := fmt.Sprintf("%s passed", ofTrials(v.Passes, v.Trials))
	switch {
	case v.Trials == 0:
		return fmt.Sprintf("no trial to judge against the threshold %s", threshold)
	case t.result.Verdict == verdict.Pass:
		return fmt.Sprintf("%s: the threshold %s is met", passed, threshold)
	case t.result.Verdict == verdict.Fail:
		return fmt.Sprintf("%s: the threshold %s is missed", passed, threshold)
	}
	return fmt.Sprintf("%s: the threshold %s may or may not be met", passed, threshold)
}

func (t *thresholdPage) aboutScenarios(threshold string) string {
	counts := map[verdict.Verdict]int{}
	for _, v := range t.result.Scenarios {
		counts[v.Verdict]++
	}
	all := len(t.result.Scenarios)
	switch t.result.Verdict {
	case verdict.Pass:
		return fmt.Sprintf("each of %d scenarios meets the threshold %s", all, threshold)
	case verdict.Fail:
		return fmt.Sprintf("%d of %d scenarios %s the threshold %s", counts[verdict.Fail], all, singular(counts[verdict.Fail], "misses", "miss"), threshold)
	}
	return fmt.Sprintf("%d of %d scenarios may or may not meet the threshold %s", counts[verdict.Inconclusive], all, threshold)
}

// details are the interval, the errors and the risks of the deciding rate.
func (t *thresholdPage) details() {
	v := t.deciding()
	if v == nil {
		return
	}
	if v.Interval != nil {
		t.labelled("interval", fmt.Sprintf("%s, %s %s", rateLimits(v.Interval), level(v.Interval.Level), v.Interval.Method))
	}
	t.errors(v.Errors, t.result.Warnings, t.result.Errors)
	if v.Risk != nil {
		t.labelled("risk", fmt.Sprintf("false Pass at most %s, false Fail at most %s (exact)", chance(v.Risk.FalsePass), chance(v.Risk.FalseFail)))
	}
}

// scope says what the rate is of these scenarios, and of new ones.
func (t *thresholdPage) scope() {
	if t.result.Suite == nil || t.result.Suite.Scope == nil {
		return
	}
	var parts []string
	s := t.result.Suite.Scope
	if s.ThisSuite != nil {
		parts = append(parts, fmt.Sprintf("this suite %s", rateLimits(s.ThisSuite)))
	}
	if s.NewScenarios != nil {
		parts = append(parts, fmt.Sprintf("new scenarios %s", rateLimits(s.NewScenarios)))
	}
	t.labelled("scope", strings.Join(parts, ", "))
}

// sentence says what was decided, on what evidence, and what it would take.
func (t *thresholdPage) sentence() string {
	text := capitalised(t.result.Verdict) + ": "
	if v := t.deciding(); v != nil && v.Trials > 0 {
		text += fmt.Sprintf("%s passed, and ", ofTrials(v.Passes, v.Trials))
	}
	text += reasonsText(t.result.Reasons)
	if t.result.Verdict == verdict.Inconclusive {
		text += "; " + t.wouldTake()
	}
	return text + "."
}

// wouldTake says what would decide.
func (t *thresholdPage) wouldTake() string {
	open := t.open()
	most, beyond := 0, 0
	chanceOf := ""
	for _, v := range open {
		if v.MoreTrials == nil {
			beyond++
		} else if v.MoreTrials.Trials > most {
			most, chanceOf = v.MoreTrials.Trials, chance(v.MoreTrials.Chance)
		}
	}
	each := ""
	if len(open) > 1 {
		each = " of a scenario"
	}
	switch {
	case most == 0 && hasReason(t.result.Reasons, verdict.CodeNoTrials):
		return "it takes trials that end in a pass or a failure"
	case most == 0 && hasReason(t.result.Reasons, verdict.CodeErrorsMatter):
		return "it takes those trials again, without the errors"
	case most == 0:
		return "no reasonable number of further trials would decide, if the observed rate is the true one"
	case beyond > 0:
		return fmt.Sprintf("up to %s%s would decide with a chance of %s each, if the observed rates are the true ones, but for %d no reasonable number would",
			plural(most, "more trial"), each, chanceOf, beyond)
	case len(open) > 1:
		return fmt.Sprintf("up to %s%s would decide with a chance of %s each, if the observed rates are the true ones",
			plural(most, "more trial"), each, chanceOf)
	}
	return fmt.Sprintf("%s would decide with a chance of %s, if the observed rate is the true one", plural(most, "more trial"), chanceOf)
}

// open are the rates that must still be decided.
func (t *thresholdPage) open() []*verdict.RateVerdict {
	if t.result.By != verdict.ByScenario || t.result.Suite == nil {
		if v := t.deciding(); v != nil {
			return []*verdict.RateVerdict{v}
		}
		return nil
	}
	var open []*verdict.RateVerdict
	for i := range t.result.Scenarios {
		if v := &t.result.Scenarios[i]; v.Verdict == verdict.Inconclusive {
			open = append(open, v)
		}
	}
	return open
}
