package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// about is the headline beside the verdict.
func (c *comparisonPage) about() string {
	r := c.result
	if r.Baseline.Rate == nil || r.Candidate.Rate == nil {
		return "no trials to compare"
	}
	rates := fmt.Sprintf("pass rate %s -> %s: ", rate(*r.Baseline.Rate), rate(*r.Candidate.Rate))
	switch {
	case r.By == verdict.ByScenario && len(r.Scenarios) > 0:
		return rates + c.aboutScenarios()
	case r.Verdict == verdict.Fail:
		return rates + "the candidate is worse"
	case r.Verdict == verdict.Pass && hasReason(r.Reasons, compare.CodeWorseWithinDelta):
		return rates + fmt.Sprintf("worse, but by less than %s", given(r.Delta))
	case r.Verdict == verdict.Pass:
		return rates + fmt.Sprintf("the candidate is not worse by %s or more", given(r.Delta))
	case hasReason(r.Reasons, verdict.CodeErrorsMatter):
		return rates + "undecided because of errors"
	}
	return rates + fmt.Sprintf("neither worse nor within %s is shown", given(r.Delta))
}

func (c *comparisonPage) aboutScenarios() string {
	counts := map[verdict.Verdict]int{}
	for _, s := range c.result.Scenarios {
		counts[s.Verdict]++
	}
	all := len(c.result.Scenarios)
	switch c.result.Verdict {
	case verdict.Fail:
		return fmt.Sprintf("%d of %d scenarios %s worse", counts[verdict.Fail], all, singular(counts[verdict.Fail], "is", "are"))
	case verdict.Pass:
		return fmt.Sprintf("none of %d scenarios is worse by %s or more", all, given(c.result.Delta))
	}
	return fmt.Sprintf("%d of %d scenarios %s undecided", counts[verdict.Inconclusive], all, singular(counts[verdict.Inconclusive], "is", "are"))
}

// sentence says what was decided, on what evidence, and what it would take.
func (c *comparisonPage) sentence() string {
	r := c.result
	text := capitalised(r.Verdict) + ": "
	if r.Baseline.Trials > 0 && r.Candidate.Trials > 0 {
		text += fmt.Sprintf("the baseline passed %s and the candidate %d of %d", ofTrials(r.Baseline.Passes, r.Baseline.Trials), r.Candidate.Passes, r.Candidate.Trials)
		if f := r.Pairs; f != nil {
			text += fmt.Sprintf(" (of %s %d broke, %d mended)", plural(f.Pairs, "pair"), f.Broke, f.Mended)
		}
		text += "; "
	}
	text += reasonsText(r.Reasons)
	if r.Verdict == verdict.Inconclusive {
		text += c.wouldTake()
	}
	return text + "."
}

// wouldTake says what would decide. Where the result does not say, nothing is
// promised.
func (c *comparisonPage) wouldTake() string {
	m := c.result.MoreTrials
	switch {
	case m != nil && m.Baseline == m.Candidate:
		return fmt.Sprintf("; a new comparison of %s a side would decide with a chance of %s, if the observed rates are the true ones",
			plural(m.Baseline, "trial"), chance(m.Chance))
	case m != nil:
		return fmt.Sprintf("; a new comparison of %s of the baseline and %d of the candidate would decide with a chance of %s, if the observed rates are the true ones",
			plural(m.Baseline, "trial"), m.Candidate, chance(m.Chance))
	case hasReason(c.result.Reasons, verdict.CodeNoTrials):
		return "; it takes trials that end in a pass or a failure"
	case hasReason(c.result.Reasons, verdict.CodeErrorsMatter):
		return "" // the reason says it
	case c.result.Rule == compare.MarginRule && c.result.By == verdict.BySuite:
		return "; no reasonable number of trials would decide, if the observed rates are the true ones"
	}
	return "; it takes more trials"
}
