package gate

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// Question is what a suite asks of one pass rate. A result that is no run of the suite has to answer it: what it does
// not answer is open.
type Question struct {
	Name      string   `json:"name"`                // of the test
	Scenarios []string `json:"scenarios"`           // whose trials it is about
	Variant   string   `json:"variant,omitempty"`   // of the agent; "" where there are none
	Threshold float64  `json:"threshold,omitempty"` // pass rate, from 0 to 1; 0 is none
	Delta     float64  `json:"delta"`               // the smallest shortfall, or drop, that matters
	Alpha     float64  `json:"alpha"`               // bounds the chance of a false Fail, from 0 to 1
	Beta      float64  `json:"beta"`                // bounds the chance of a false Pass, from 0 to 1
	Against   bool     `json:"against,omitempty"`   // it is against a baseline too
	Judged    bool     `json:"judged,omitempty"`    // the suite's evaluators and limits say what passes
	Joint     bool     `json:"joint,omitempty"`     // it is about the mean, and about any scenario that collapsed
}

// has reports whether it is about a scenario.
func (q Question) has(scenario string) bool { return slices.Contains(q.Scenarios, scenario) }

// answers is open where the trials of a result need not be those that the suite asks about. A run of the suite has
// been compared with it part by part, and has no questions.
func (g *Result) answers(s *subject, o Options) {
	if len(o.Questions) == 0 {
		return
	}
	const name = ruleEvidence
	named := func(is func(Question) bool) (names []string) {
		for _, q := range o.Questions {
			if is(q) {
				names = append(names, q.Name)
			}
		}
		return names
	}
	if judged := named(func(q Question) bool { return q.Judged }); len(judged) > 0 {
		g.rule(name, "", RuleOpen, "the suite's evaluators and limits judge the trials of %s, and what judged those "+
			"of the result is not known: decide over the recording itself", prose.Some(judged, mostScenarios))
	}
	if variants := named(func(q Question) bool { return q.Variant != "" }); len(variants) > 0 {
		g.rule(name, "", RuleOpen, "the suite requires %s, and of which variant the trials are is not known",
			prose.Some(variants, mostScenarios))
	}
	if against := named(func(q Question) bool { return q.Against }); len(against) > 0 {
		g.rule(ruleBaseline, "", RuleOpen,
			"the suite tests %s against a baseline, and the result does not say that it did",
			prose.Some(against, mostScenarios))
	}
	var strange []string
	for _, t := range s.tests {
		for _, scenario := range t.scenarios {
			if !slices.Contains(o.Scenarios, scenario) && !slices.Contains(strange, scenario) {
				strange = append(strange, scenario)
			}
		}
	}
	if len(strange) > 0 {
		g.rule(name, "", RuleOpen, "the suite does not have %s", prose.Some(strange, mostScenarios))
	}
}

// unasked is open for each threshold of the suite of whose scenarios there are trials, and which no verdict is on.
func (g *Result) unasked(s *subject, o Options) {
	for _, q := range o.Questions {
		matches := func(t testedRate) bool {
			return slices.ContainsFunc(t.scenarios, q.has)
		}
		if q.Threshold > 0 && slices.ContainsFunc(s.tests, matches) &&
			!slices.ContainsFunc(s.tests, func(t testedRate) bool { return t.threshold > 0 && matches(t) }) {
			g.rule(ruleVerdict, q.Name, RuleOpen, "the suite requires %s, and the result tests no pass rate",
				phrase.Percent(q.Threshold))
		}
	}
}

// short says why a verdict is not that which the suite asks for, although it may be right; "" where it is, and
// where there are no questions.
func (o Options) short(t *testedRate) (string, error) {
	if len(o.Questions) == 0 || t.verdict == verdict.Inconclusive {
		return "", nil
	}
	if t.scores {
		return "the suite requires a pass rate, and this is a mean of scores", nil
	}
	var asked []Question // about its scenarios
	for _, q := range o.Questions {
		if slices.ContainsFunc(t.scenarios, q.has) {
			asked = append(asked, q)
		}
	}
	if len(asked) == 0 {
		return "the suite does not test it", nil
	}
	if t.errored > 0 && t.policy != verdict.RobustErrors &&
		(t.verdict == verdict.Fail || t.policy == verdict.ExcludeErrors) {
		return fmt.Sprintf("%s %s, and the suite requires what holds however they would have ended",
			prose.Count(t.errored, "error"), map[verdict.ErrorPolicy]string{verdict.ExcludeErrors: "left out",
				verdict.FailErrors: "counted as failures"}[t.policy]), nil
	}
	if t.verdict == verdict.Fail {
		return t.shortFail(asked)
	}
	return t.shortPass(asked)
}

// shortPass says why a Pass does not show what is asked: at least the suite's threshold, of each rate by itself, and a
// rate that is too low ruled out at the suite's beta.
func (t *testedRate) shortPass(asked []Question) (string, error) {
	if len(asked) > 1 {
		return fmt.Sprintf("the suite tests %s each for itself, and their trials are pooled",
			prose.Count(len(asked), "scenario")), nil
	}
	q := asked[0]
	if q.Joint && len(t.scenarios) > 1 {
		return "the suite tests whether any scenario has collapsed too, which pooled trials do not show", nil
	}
	if q.Threshold == 0 {
		return "", nil
	}
	if t.threshold < q.Threshold {
		return fmt.Sprintf("the suite requires %s, and the verdict %s", phrase.Percent(q.Threshold),
			phrase.Percent(t.threshold)), nil
	}
	if t.uneven {
		return "the suite tries its scenarios equally often, and the trials of the result are unlike numbers of them",
			nil
	}
	lower := sprt.Hypotheses{Threshold: q.Threshold, Delta: q.Delta}.Lower()
	_, high, err := t.pValues(lower)
	if err != nil || high <= q.Beta {
		return "", err
	}
	return fmt.Sprintf("too few trials to rule out a rate of %s or less as the suite requires (p %s, beta %s)",
		phrase.Percent(lower), phrase.Significant(high), phrase.Number(q.Beta)), nil
}

// shortFail says why a Fail does not show that the suite's threshold is missed. Of rates that are pooled one is below
// the least of their thresholds where the pool is.
func (t *testedRate) shortFail(asked []Question) (string, error) {
	q := slices.MinFunc(asked, func(a, b Question) int {
		switch {
		case a.Threshold < b.Threshold:
			return -1
		case a.Threshold > b.Threshold:
			return 1
		}
		return 0
	})
	if len(t.scenarios) < len(q.Scenarios) {
		return fmt.Sprintf("the suite tests %s together", prose.Count(len(q.Scenarios), "scenario")), nil
	}
	if q.Threshold == 0 || t.threshold > q.Threshold {
		required := "no pass rate"
		if q.Threshold > 0 {
			required = phrase.Percent(q.Threshold)
		}
		return fmt.Sprintf("the suite requires %s, and the verdict %s", required, phrase.Percent(t.threshold)), nil
	}
	low, _, err := t.pValues(q.Threshold)
	if err != nil || low <= q.Alpha {
		return "", err
	}
	return fmt.Sprintf("too few trials to show a rate below %s as the suite requires (p %s, alpha %s)",
		phrase.Percent(q.Threshold), phrase.Significant(low), phrase.Number(q.Alpha)), nil
}

// shortComparison says why the Pass of a comparison is less than what is asked; "" where it is not.
func (o Options) shortComparison(c *compare.Result) string {
	if o.Edition >= fifthEdition && c.SameTrials() {
		return "the trials of both sides are the same ones, so that nothing was compared"
	}
	if len(o.Questions) == 0 || c.Verdict != verdict.Pass {
		return ""
	}
	switch weak := o.weaker(c.Delta, c.Beta); {
	case weak != "":
		return weak
	case !c.Promises():
		return "the suite requires a beta, and by its rule the comparison keeps none"
	case c.By == verdict.BySuite && len(c.Scenarios) > 1 && o.Questions[0].Joint:
		return "the suite tests whether any scenario has collapsed too, and this is of all together"
	case c.By == verdict.BySuite && len(c.Scenarios) > 1 && len(o.Questions) > 1:
		return "the suite tests each scenario for itself, and this is of all together"
	}
	return ""
}

// shortSequence says why the Pass of a recording that was judged trial by trial against a baseline is less than what is
// asked; "" where it is not.
func (o Options) shortSequence(r *sequential.Result) string {
	switch {
	case len(o.Questions) == 0 || r.Verdict != verdict.Pass:
		return ""
	case r.Recording == nil || len(r.Recording.Scenarios) > 1:
		return "the suite tests its scenarios, and this is of all trials together"
	}
	return o.weaker(r.Delta, r.Beta)
}

// weaker says why a smaller drop, or a smaller beta, is asked for than a Pass is by; "" where none is.
func (o Options) weaker(delta, beta float64) string {
	switch {
	case delta > o.Delta:
		return fmt.Sprintf("the suite tests a drop of %s", phrase.Points(o.Delta))
	case beta > o.Beta:
		return fmt.Sprintf("the suite requires a beta of %s, and this is by one of %s", phrase.Number(o.Beta),
			phrase.Number(beta))
	}
	return ""
}

// shortEnds is shortComparison of runs that stopped.
func (o Options) shortEnds(c *compare.Ends) string {
	switch {
	case c.Baseline == c.Candidate:
		return "both sides are the same run, so that nothing was compared"
	case len(o.Questions) == 0 || c.Verdict != verdict.Pass:
		return ""
	case c.Suite != nil && len(c.Scenarios) > 1 && !o.Questions[0].Joint && len(o.Questions) > 1:
		return "the suite tests each scenario for itself, and this is of all together"
	}
	return o.weaker(c.Delta, c.Beta)
}
