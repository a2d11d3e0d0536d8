package compare

import (
	"cmp"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// mostExamples is how many scenarios have an example. Chosen: more than a person reads.
const mostExamples = 50

// example is a scenario that passed less often, by how much, and the places of a trial of each side; -1 is none.
type example struct {
	scenario            string
	fall                float64
	baseline, candidate int
}

// addExamples gives each scenario that passed less often a trial of each side, those that fell most first: one that
// passed on the baseline's and one that failed on the candidate's. Where trials are pairs, those that flipped are
// examples already.
func (c *comparer) addExamples(result *Result) {
	many := c.baseline.Len()+c.candidate.Len() > recording.MostTrials
	if result.Pairs != nil || many || c.baseline.Counted() || c.candidate.Counted() {
		return
	}
	for _, x := range c.examples() {
		e := Flip{Scenario: x.scenario, To: trial.Fail.String()}
		if x.baseline >= 0 {
			o := c.baseline.At(x.baseline)
			e.BaselineOutput, e.BaselineSteps = (*redact.Secrets)(nil).Text(o.Output), c.baseline.Steps(x.baseline)
			if o.Index.Known {
				e.Trial = new(o.Index.Value)
			}
		}
		if x.candidate >= 0 {
			o := c.candidate.At(x.candidate)
			e.CandidateOutput, e.CandidateSteps = (*redact.Secrets)(nil).Text(o.Output), c.candidate.Steps(x.candidate)
			if o.Index.Known {
				e.CandidateTrial = new(o.Index.Value)
			}
		}
		result.Examples = append(result.Examples, e)
	}
}

// examples are the scenarios that fell, with the first trial of the candidate that failed and the first of the baseline
// that passed: one of the same input before others.
func (c *comparer) examples() []*example {
	shown := c.scorings[0]
	var list []*example
	for i := range c.rows {
		row := c.row(i)
		before, after := scored(row[0], shown.baseline), scored(row[1], shown.candidate)
		if before.Trials > 0 && after.Trials > 0 && before.Rate() > after.Rate() {
			list = append(list, &example{row[0].Scenario, before.Rate() - after.Rate(), -1, -1})
		}
	}
	slices.SortStableFunc(list, func(a, b *example) int { return cmp.Compare(b.fall, a.fall) })
	list = list[:min(len(list), mostExamples)]
	byName := map[string]*example{}
	for _, x := range list {
		byName[x.scenario] = x
	}
	for place := range c.candidate.Places() {
		x := byName[c.candidate.ScenarioName(place)]
		passed, counts := shown.candidate.Passed(c.candidate.Outcome(place))
		if x != nil && x.candidate < 0 && counts && !passed {
			x.candidate = place
		}
	}
	matched := map[*example]bool{}
	for place := range c.baseline.Places() {
		x := byName[c.baseline.ScenarioName(place)]
		passed, _ := shown.baseline.Passed(c.baseline.Outcome(place))
		if x == nil || !passed || matched[x] {
			continue
		}
		same := x.candidate >= 0 && c.baseline.At(place).Input == c.candidate.At(x.candidate).Input
		if same || x.baseline < 0 {
			x.baseline, matched[x] = place, same
		}
	}
	return list
}
