package gate

import (
	"fmt"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/phrase"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// evidence is open where there is nothing to decide from. Without it, a run without tests
// or without outcomes would break no rule.
func (g *Result) evidence(run *runs.Result) {
	const name = ruleEvidence
	judged, outcomes := 0, 0
	for _, t := range run.Tests {
		judged += t.Trials
		outcomes += t.Passes + t.Fails
	}
	switch {
	case len(run.Tests) == 0:
		g.rule(name, "", RuleOpen, "nothing was tested")
	case judged == 0:
		g.rule(name, "", RuleOpen, "no trial was judged")
	case outcomes == 0:
		g.rule(name, "", RuleOpen, "every trial ended in an error")
	default:
		g.rule(name, "", RuleHolds, "%s with an outcome, of %s", prose.Count(outcomes, "trial"),
			prose.Count(len(run.Tests), "scenario"))
	}
}

// verdicts takes the verdicts of the scenarios together. A Fail counts where it holds
// beside those of all scenarios; one that does not is open. Passes need no correction:
// all of them must hold.
func (g *Result) verdicts(run *runs.Result, o Options) error {
	const name = ruleVerdict
	// The p-value of a test that failed is that against "at least the threshold"; of the others
	// 1, since they claim no failure and yet count among the chances of one.
	p := make([]float64, len(run.Tests))
	for i := range run.Tests {
		p[i] = 1
		if run.Tests[i].Verdict == verdict.Fail {
			low, _, err := run.Tests[i].Tails(run.Tests[i].Threshold)
			if err != nil {
				return err
			}
			p[i] = low
		}
	}
	adjusted, err := multiplicity.Adjust(o.Correction, p)
	if err != nil {
		return err
	}
	for i, t := range run.Tests {
		switch {
		case t.Verdict == verdict.Pass:
			g.rule(name, t.Name, RuleHolds, "pass: %s", reasonsLine(t.Reasons))
		case t.Verdict == verdict.Fail && adjusted[i] <= t.Alpha:
			g.rule(name, t.Name, RuleBroken, "fail: %s", reasonsLine(t.Reasons)).P = new(adjusted[i])
		case t.Verdict == verdict.Fail:
			g.rule(name, t.Name, RuleOpen,
				"fails by itself, but not beside %d scenarios (p %s after %s correction): %s",
				len(run.Tests), phrase.Significant(adjusted[i]), o.Correction,
				reasonsLine(t.Reasons)).P = new(adjusted[i])
		default:
			g.rule(name, t.Name, RuleOpen, "inconclusive: %s", reasonsLine(t.Reasons))
		}
	}
	return nil
}

// reasonsLine is the most important reason of a verdict.
func reasonsLine(reasons []verdict.Reason) string {
	if len(reasons) == 0 {
		return "no reason is given"
	}
	return reasons[0].Text
}

// limits shows what was broken; a trial that broke a limit has failed already, so that the
// rule decides nothing: it would count the same trials twice.
func (g *Result) limits(run *runs.Result) {
	for _, t := range run.Tests {
		for _, l := range t.Limits {
			if l.Failures > 0 {
				g.rule(ruleLimit, t.Name, RuleNoted, "%s %s was broken by %s, each of which failed for it",
					l.Name, phrase.Number(l.Max), prose.Count(l.Failures, "trial"))
			}
		}
	}
}

// floors tests the pass rates that scenarios must reach. As with verdicts, a floor is
// missed where that holds beside those of all scenarios, and reached by itself.
func (g *Result) floors(run *runs.Result, o Options) error {
	var tests []floorTest
	var missed []float64
	for i := range run.Tests {
		f := floorTest{test: &run.Tests[i], floor: o.floor(&run.Tests[i])}
		// Only floors that are tested, of tests that ended, take part in the correction.
		if f.floor.Rate > 0 && !f.floor.Point && f.test.Estimate != nil {
			var err error
			if f.low, f.high, err = f.test.Tails(f.floor.Rate); err != nil {
				return err
			}
			f.place = len(missed)
			missed = append(missed, f.low)
		}
		tests = append(tests, f)
	}
	adjusted, err := multiplicity.Adjust(o.Correction, missed)
	if err != nil {
		return err
	}
	for _, f := range tests {
		if f.floor.AllTrials {
			g.allTrials(f.test)
		}
		if f.floor.Rate > 0 {
			g.floor(f, adjusted, o)
		}
	}
	return nil
}

// floorTest is the floor of a test, with the p-values of its end at that rate.
// The p-values and the place are 0 where the floor is not tested.
type floorTest struct {
	test      *runs.Test
	floor     Floor
	low, high float64 // against "at least the floor", and against "at most"
	place     int     // among the floors that are tested
}

// floor is the higher bar of a scenario, its own or that of all. Of scenarios that are
// pooled the highest holds for all of them.
func (o Options) floor(t *runs.Test) Floor {
	names := []string{t.Name}
	for _, m := range t.Members {
		names = append(names, m.Name)
	}
	highest := o.Floor
	for _, name := range names {
		own := o.Floors[name]
		if own.Rate > highest.Rate {
			highest.Rate, highest.Point = own.Rate, own.Point
		}
		highest.AllTrials = highest.AllTrials || own.AllTrials
	}
	return highest
}

// allTrials asks for a count, not for a rate: one failure breaks it, and an error leaves it
// open, since the trial might have passed.
func (g *Result) allTrials(t *runs.Test) {
	const name = ruleAllTrials
	switch {
	case t.Fails > 0:
		g.rule(name, t.Name, RuleBroken, "%d of %s failed, and all must pass", t.Fails, prose.Count(t.Trials, "trial"))
	case t.Errors > 0 || t.Trials == 0:
		g.rule(name, t.Name, RuleOpen, "%s of %d ended in an error, and all must pass", prose.Count(t.Errors,
			"trial"), t.Trials)
	default:
		g.rule(name, t.Name, RuleHolds, "all %s passed", prose.Count(t.Trials, "trial"))
	}
}

// floor judges one floor: broken where a rate at the floor would have come to so low an
// end with a chance of at most alpha, beside all others; reached where a rate below it
// would have come to so high an end with a chance of at most beta.
func (g *Result) floor(f floorTest, adjusted []float64, o Options) {
	t, bar := f.test, phrase.Number(f.floor.Rate)
	tell := func(outcome RuleWord, format string, values ...any) *Rule {
		return g.rule(ruleFloor, t.Name, outcome, format, values...)
	}
	switch {
	// The order of the cases matters: further down, the floor was tested and has a place.
	case t.Rate == nil || t.Estimate == nil && !f.floor.Point:
		tell(RuleOpen, "the floor %s cannot be tested: the test has not ended", bar)
	case f.floor.Point:
		outcome := RuleHolds
		if *t.Rate < f.floor.Rate {
			outcome = RuleBroken
		}
		tell(outcome, "the observed rate is %s, the floor %s (compared as it is, without a test)",
			phrase.Rate(*t.Rate), bar)
	case adjusted[f.place] <= o.Alpha:
		p := adjusted[f.place]
		tell(RuleBroken, "the pass rate is below the floor %s (p %s, at most alpha %s)", bar,
			phrase.Significant(p), phrase.Number(o.Alpha)).P = new(p)
	// Missed by itself; the correction for all floors took it back.
	case f.low <= o.Alpha:
		p := adjusted[f.place]
		tell(RuleOpen,
			"the pass rate is below the floor %s by itself, but not beside %d floors (p %s after %s correction)",
			bar, len(adjusted), phrase.Significant(p), o.Correction).P = new(p)
	case f.high <= o.Beta:
		tell(RuleHolds, "the pass rate reaches the floor %s (p %s, at most beta %s)", bar,
			phrase.Significant(f.high), phrase.Number(o.Beta)).P = new(f.high)
	default:
		tell(RuleOpen,
			"%d of %s passed, which neither reaches nor misses the floor %s for sure: %s, or compare the "+
				"observed rate with point: true",
			t.Passes, prose.Count(t.Trials, "trial"), bar, wayToShow(f.floor.Rate, o.Beta))
	}
}

// wayToShow says what it takes to show a rate: trials that one below it passes all of
// with a chance of at most beta.
func wayToShow(rate, beta float64) string {
	// A rate just below 1 passes any number of trials nearly as often: no test tells them
	// apart.
	if rate == 1 {
		return "no number of trials shows it, so ask for all_trials"
	}
	// rate^n <= beta.
	straight := int(math.Ceil(math.Log(beta) / math.Log(rate)))
	return fmt.Sprintf("it takes %d trials at the least, as many as a test does whose threshold less delta is %s",
		straight, phrase.Number(rate))
}

// behaviour blocks where it was asked for and changed, and is open where it could not be
// tested.
func (g *Result) behaviour(o Options) {
	b := o.Behaviour
	if b == nil {
		return
	}
	outcome := RuleHolds
	switch {
	case b.Changed:
		outcome = RuleBroken
	case !b.Tested:
		outcome = RuleOpen
	}
	r := b.Reason()
	g.rule(ruleBehaviour, "", outcome, "%s", r.Text).P = new(b.P)
}

// coverage is open where it is below its minimum, or not measured: too little of it says
// nothing bad of the agent, but that the run shows less than was asked for. Without a
// minimum it is noted.
func (g *Result) coverage(o Options) {
	const name = ruleCoverage
	c := o.Coverage
	switch {
	case o.Minimum == nil && c != nil && c.Overall != nil:
		of := ""
		if missing := len(unmeasured(c)); o.Edition > FirstEdition && missing > 0 {
			of = fmt.Sprintf(" of %d of %d dimensions", asked(c)-missing, asked(c))
		}
		g.rule(name, "", RuleNoted, "overall coverage %s%s; no minimum is set", phrase.Rate(*c.Overall), of)
	case o.Minimum == nil:
	case c == nil || c.Overall == nil:
		g.rule(name, "", RuleOpen, "coverage is not measured, and at least %s is needed", phrase.Number(*o.Minimum))
	case *c.Overall < *o.Minimum:
		advice := ""
		if c.Advice != "" {
			advice = "; " + c.Advice
		}
		g.rule(name, "", RuleOpen, "overall coverage %s is below the minimum %s; the weakest dimension is %s%s",
			phrase.Rate(*c.Overall), phrase.Number(*o.Minimum), c.Weakest, advice)
	case o.Edition > FirstEdition && len(unmeasured(c)) > 0:
		missing := unmeasured(c)
		g.rule(name, "", RuleOpen,
			"overall coverage %s is of %d of %d dimensions, and does not show the minimum %s; not measured: %s; "+
				"declare what they are measured against, or give them a weight of 0",
			phrase.Rate(*c.Overall), asked(c)-len(missing), asked(c), phrase.Number(*o.Minimum),
			strings.Join(missing, ", "))
	default:
		g.rule(name, "", RuleHolds, "overall coverage %s, at least %s is needed", phrase.Rate(*c.Overall),
			phrase.Number(*o.Minimum))
	}
}

// unmeasured are the dimensions that weigh and were not measured, with the reasons. The
// overall coverage is that of the others.
func unmeasured(c *coverage.Result) (list []string) {
	for _, m := range c.Dimensions {
		if m.Weight > 0 && m.Value == nil {
			list = append(list, fmt.Sprintf("%s (%s)", m.Dimension, m.Reason))
		}
	}
	return list
}

// asked is how many dimensions weigh.
func asked(c *coverage.Result) (n int) {
	for _, m := range c.Dimensions {
		if m.Weight > 0 {
			n++
		}
	}
	return n
}
