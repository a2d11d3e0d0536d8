package gate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/collapse"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// evidence is open where there is nothing to decide from. Without it, a result without tests
// or without outcomes would break no rule.
func (g *Result) evidence(s *subject, o Options) {
	const name = ruleEvidence
	judged, outcomes, scenarios := 0, 0, 0
	for _, t := range s.tests {
		if t.joint && !t.scores {
			continue // its scenarios are counted
		}
		scenarios++
		judged += t.trials
		outcomes += t.passes + t.fails
	}
	switch {
	case len(s.tests) == 0:
		g.rule(name, "", RuleOpen, "nothing was tested")
	case judged == 0:
		g.rule(name, "", RuleOpen, "no trial was judged")
	case outcomes == 0:
		g.rule(name, "", RuleOpen, "every trial ended in an error")
	default:
		g.rule(name, "", RuleHolds, "%s with an outcome, of %s", prose.Count(outcomes, "trial"),
			prose.Count(scenarios, "scenario"))
	}
	var leftOut []string
	if s.run != nil && s.run.Selection != nil {
		leftOut = s.run.Selection.LeftOut
		for _, scenario := range leftOut {
			g.rule(name, scenario, RuleOpen, "it was not run: %s", s.run.Selection)
		}
	}
	if s.run != nil && s.run.Missing == runs.MissingOpen && o.Edition >= seventhEdition {
		for _, scenario := range s.run.Gone {
			g.rule(name, scenario, RuleOpen, "the baseline has it, and it was not run")
		}
	}
	for _, scenario := range o.Scenarios {
		switch {
		case s.has(scenario), slices.Contains(leftOut, scenario):
		case s.run != nil:
			g.rule(name, scenario, RuleOpen, "the suite has it, it was not run, and the result does not say why")
		default:
			g.rule(name, scenario, RuleOpen, "it is not among the scenarios of the result")
		}
	}
}

// has reports whether a scenario is among those that were tried.
func (s *subject) has(scenario string) bool {
	if s.run != nil {
		return slices.Contains(s.run.Ran(), scenario)
	}
	return slices.ContainsFunc(s.tests, func(t testedRate) bool { return slices.Contains(t.scenarios, scenario) })
}

// verdicts takes the verdicts of the scenarios together. A Fail counts where it holds
// beside those of all scenarios; one that does not is open. Passes need no correction:
// all of them must hold. A rate that was held to no threshold has no verdict to take.
func (g *Result) verdicts(s *subject, o Options) error {
	const name = ruleVerdict
	var tests []testedRate
	for _, t := range s.tests {
		switch {
		case t.threshold > 0:
			tests = append(tests, t)
		case t.undecided:
			g.rule(name, t.name, RuleOpen, "its trials were recorded, and nothing was decided")
		}
	}
	// The p-value of a test that failed is that against "at least the threshold"; of the others
	// 1, since they claim no failure and yet count among the chances of one.
	p := make([]float64, len(tests))
	for i, t := range tests {
		p[i] = 1
		if t.verdict == verdict.Fail {
			low, _, err := t.pValues(t.threshold)
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
	for i, t := range tests {
		short, err := o.short(&t)
		if err != nil {
			return err
		}
		switch {
		case short != "":
			g.rule(name, t.name, RuleOpen, "%s, and not as the suite requires: %s: %s", t.verdict, short,
				reasonsLine(t.reasons))
		case t.history:
			g.rule(name, t.name, RuleOpen, "%s, by a test that counts a history as evidence and does not keep its errors: %s",
				t.verdict, reasonsLine(t.reasons))
		case t.verdict == verdict.Pass:
			g.rule(name, t.name, RuleHolds, "pass%s: %s", t.alone(), reasonsLine(t.reasons))
		// Beside no other a Fail is what it is: an interval may say so where the exact test is not
		// quite at alpha.
		case t.verdict == verdict.Fail && (adjusted[i] <= t.alpha || s.run == nil && len(tests) == 1):
			g.rule(name, t.name, RuleBroken, "fail%s: %s", t.alone(), reasonsLine(t.reasons)).P = new(adjusted[i])
		case t.verdict == verdict.Fail:
			g.rule(name, t.name, RuleOpen,
				"fails alone, but among %d scenarios a few do by chance, so a person should review it (p %s after %s "+
					"correction): %s",
				len(tests), phrase.Significant(adjusted[i]), o.Correction, reasonsLine(t.reasons)).P = new(adjusted[i])
		default:
			g.rule(name, t.name, RuleOpen, "undecided%s: %s", t.alone(), reasonsLine(t.reasons))
		}
	}
	g.unasked(s, o)
	return nil
}

// beyond asks whether trials that ended after a Pass contradict it, by all trials of the run: a recording may go on
// long after a test had stopped.
func (g *Result) beyond(ctx context.Context, s *subject, o Options) error {
	if s.run == nil || o.Edition < seventhEdition {
		return nil
	}
	later := map[string]bool{} // variants
	for i := range s.run.Tests {
		if t := &s.run.Tests[i]; t.Overrun > 0 {
			later[t.Variant] = true
		}
	}
	if len(later) == 0 {
		return nil
	}
	outcomes := map[string]map[string]int{} // of the listed trials of each test
	for i := range s.run.Trials {
		if x := &s.run.Trials[i]; !x.Baseline {
			if outcomes[x.Test] == nil {
				outcomes[x.Test] = map[string]int{}
			}
			outcomes[x.Test][x.Outcome]++
		}
	}
	tallies := map[string][]verdict.Tally{}
	for i := range s.run.Tests {
		t := &s.run.Tests[i]
		ended := outcomes[t.Name]
		x := verdict.Tally{Scenario: t.Name, Passes: ended["pass"], Fails: ended["fail"]}
		if x.Passes+x.Fails+ended["error"] < t.Trials+t.Overrun {
			return nil // those that did not pass come first, and the others had no room
		}
		tallies[t.Variant] = append(tallies[t.Variant], x)
		if t.Threshold == 0 || t.Overrun == 0 || t.Standing != "" || t.Verdict != verdict.Pass {
			continue
		}
		if err := g.contradicted(ctx, t.Name, []verdict.Tally{x}, t.Threshold, t.Alpha); err != nil {
			return err
		}
	}
	for i := range s.run.SuiteTests {
		if t := &s.run.SuiteTests[i]; t.Baseline == nil && later[t.Variant] && t.Verdict == verdict.Pass {
			q := t.Question
			if err := g.contradicted(ctx, t.Variant, tallies[t.Variant], q.Threshold, q.Alpha); err != nil {
				return err
			}
		}
	}
	return nil
}

// contradicted opens the evidence where all trials fail a threshold, or a scenario has collapsed.
func (g *Result) contradicted(ctx context.Context, name string, all []verdict.Tally, threshold, alpha float64) error {
	r, err := verdict.JudgeThreshold(ctx, all, verdict.ThresholdOptions{Threshold: threshold, Alpha: alpha})
	if err != nil {
		return err
	}
	const text = "trials after the decision contradict it: of all trials %s"
	if r.Verdict == verdict.Fail {
		g.rule(ruleEvidence, name, RuleOpen, text, reasonsLine(r.Reasons))
		return nil
	}
	r, err = verdict.JudgeThreshold(ctx, all, verdict.ThresholdOptions{Threshold: collapse.Rate(threshold), Alpha: alpha})
	if err != nil {
		return err
	}
	for i := range r.Scenarios {
		if x := &r.Scenarios[i]; x.PBelowHolm != nil && *x.PBelowHolm <= alpha {
			g.rule(ruleEvidence, x.Name, RuleOpen, text, phrase.Share(x.Passes, x.Trials))
		}
	}
	return nil
}

// alone says that a verdict is against the threshold alone, where one against the baseline makes another of both.
func (t *testedRate) alone() string {
	if t.both == nil || *t.both == t.verdict {
		return ""
	}
	return fmt.Sprintf(" against the threshold alone (%s with the test against the baseline)", *t.both)
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
func (g *Result) limits(s *subject) {
	if s.run == nil {
		return
	}
	for _, t := range s.run.Tests {
		for _, l := range t.Limits {
			switch {
			case l.Failures > 0 && l.Severity != "":
				g.rule(ruleLimit, t.Name, RuleNoted, "%s %s was broken by %s, and only warns",
					l.Name, phrase.Number(l.Max), prose.Count(l.Failures, "trial"))
			case l.Failures > 0:
				g.rule(ruleLimit, t.Name, RuleNoted, "%s %s was broken by %s, each of which failed for it",
					l.Name, phrase.Number(l.Max), prose.Count(l.Failures, "trial"))
			}
		}
	}
}

// floors tests the pass rates that scenarios must reach. As with verdicts, a floor is
// missed where that holds beside those of all scenarios, and reached by itself.
func (g *Result) floors(s *subject, o Options) error {
	var tests []floorTest
	var missed []float64
	for i := range s.tests {
		if s.tests[i].joint {
			continue
		}
		f := floorTest{test: &s.tests[i], floor: o.floor(&s.tests[i])}
		// Only floors that are tested, of tests that ended, take part in the correction.
		if f.floor.Rate > 0 && !f.floor.Point && f.test.ended {
			var err error
			if f.low, f.high, err = f.test.pValues(f.floor.Rate); err != nil {
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
	test      *testedRate
	floor     Floor
	low, high float64 // against "at least the floor", and against "at most"
	place     int     // among the floors that are tested
}

// floor is the higher bar of a scenario, its own or that of all. Of scenarios that are
// pooled the highest holds for all of them.
func (o Options) floor(t *testedRate) Floor {
	highest := o.Floor
	for _, name := range t.scenarios {
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
func (g *Result) allTrials(t *testedRate) {
	const name = ruleAllTrials
	switch {
	case t.fails > 0:
		g.rule(name, t.name, RuleBroken, "%d of %s failed, and all must pass", t.fails, prose.Count(t.trials, "trial"))
	case t.errors > 0 || t.trials == 0:
		g.rule(name, t.name, RuleOpen, "%s of %d ended in an error, and all must pass", prose.Count(t.errors,
			"trial"), t.trials)
	default:
		g.rule(name, t.name, RuleHolds, "%s passed", prose.Form(t.trials, "the only trial",
			fmt.Sprintf("all %d trials", t.trials)))
	}
}

// floor judges one floor: broken where a rate at the floor would have come to so low an
// end with a chance of at most alpha, beside all others; reached where a rate below it
// would have come to so high an end with a chance of at most beta.
func (g *Result) floor(f floorTest, adjusted []float64, o Options) {
	t, bar := f.test, phrase.Percent(f.floor.Rate)
	seen := cmp.Or(t.seen, phrase.Seen(t.passes, t.fails, t.errors))
	tell := func(outcome RuleWord, format string, values ...any) *Rule {
		return g.rule(ruleFloor, t.name, outcome, format, values...)
	}
	switch {
	// The order of the cases matters: further down, the floor was tested and has a place.
	case t.rate == nil || !t.ended && !f.floor.Point:
		tell(RuleOpen, "whether the rate reaches the minimum of %s cannot be tested: %s", bar,
			cmp.Or(t.untested, "the test has not ended"))
	case f.floor.Point:
		outcome := RuleHolds
		if *t.rate < f.floor.Rate {
			outcome = RuleBroken
		}
		word := "at or above"
		if outcome == RuleBroken {
			word = "below"
		}
		if t.errors > 0 {
			seen += ": " + phrase.Percent(*t.rate) + " without the errors"
		}
		tell(outcome, "%s: %s the minimum of %s (compared as it is, without a test)", seen, word, bar)
	case adjusted[f.place] <= o.Alpha:
		p := adjusted[f.place]
		tell(RuleBroken, "%s: below the minimum of %s (p %s, alpha %s)", seen, bar, phrase.Significant(p),
			phrase.Number(o.Alpha)).P = new(p)
	// Missed by itself; the correction for all floors took it back.
	case f.low <= o.Alpha:
		p := adjusted[f.place]
		tell(RuleOpen,
			"%s: below the minimum of %s, but among %d minimums a few are missed by chance, so a person should review it (p "+
				"%s after "+
				"%s correction)",
			seen, bar, len(adjusted), phrase.Significant(p), o.Correction).P = new(p)
	case f.high <= o.Beta:
		tell(RuleHolds, "%s: enough to rule out a rate below the minimum of %s (p %s, beta %s)", seen, bar,
			phrase.Significant(f.high), phrase.Number(o.Beta)).P = new(f.high)
	default:
		tell(RuleOpen,
			"%s: too few trials to tell whether the rate reaches the minimum of %s; %s, or compare the observed rate with "+
				"point: true",
			seen, bar, wayToShow(f.floor.Rate, o.Beta))
	}
}

// wayToShow says what it takes to show a rate: trials that one below it passes all of
// with a chance of at most beta.
func wayToShow(rate, beta float64) string {
	// A rate just below 1 passes any number of trials nearly as often: no test tells them
	// apart.
	if rate == 1 {
		return "no number of trials shows that, so ask for all_trials"
	}
	// rate^n <= beta.
	straight := int(math.Ceil(math.Log(beta) / math.Log(rate)))
	return fmt.Sprintf("a test whose threshold less delta is %s takes as many as that needs (%d or more)",
		phrase.Percent(rate), straight)
}

// behaviour blocks where it was asked for and changed, holds where a shift that matters is
// excluded, and is open where neither is shown.
func (g *Result) behaviour(o Options) {
	b := o.Behaviour
	if b == nil {
		if o.AsksBehaviour {
			g.rule(ruleBehaviour, "", RuleOpen,
				"the suite requires it, and it was not compared: the trials themselves are not there")
		}
		return
	}
	outcome := RuleHolds
	switch {
	case b.Changed:
		outcome = RuleBroken
	case !b.Same():
		outcome = RuleOpen
	}
	r := b.Reason()
	g.rule(ruleBehaviour, "", outcome, "%s", r.Text).P = new(b.P)
}
