package verdict

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
)

// evidence is open where there is nothing to decide from.
func (g *GateResult) evidence(run *RunResult) {
	const name = "evidence"
	judged, outcomes := 0, 0
	for _, t := range run.Tests {
		judged += t.Trials
		outcomes += t.Passes + t.Fails
	}
	switch {
	case len(run.Tests) == 0:
		g.rule(name, "", RuleOpen, CodeGateEvidence, "nothing was tested")
	case judged == 0:
		g.rule(name, "", RuleOpen, CodeGateEvidence, "no trial was judged")
	case outcomes == 0:
		g.rule(name, "", RuleOpen, CodeGateEvidence, "every trial ended in an error")
	default:
		g.rule(name, "", RuleHolds, CodeGateEvidence, "%s with an outcome, of %s", plural(outcomes, "trial"), plural(len(run.Tests), "scenario"))
	}
}

// verdicts takes the verdicts of the scenarios together. A Fail counts where it holds
// beside those of all scenarios; one that does not is open. Passes need no correction:
// all of them must hold.
func (g *GateResult) verdicts(run *RunResult, o GateOptions) error {
	const name = "suite-verdict"
	p := make([]float64, len(run.Tests))
	for i := range run.Tests {
		p[i] = 1
		if run.Tests[i].Verdict == Fail {
			low, _, err := run.Tests[i].tails(run.Tests[i].Threshold)
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
		case t.Verdict == Pass:
			g.rule(name, t.Name, RuleHolds, CodeGateVerdict, "pass: %s", reasonsLine(t.Reasons))
		case t.Verdict == Fail && adjusted[i] <= t.Alpha:
			g.rule(name, t.Name, RuleBroken, CodeGateVerdict, "fail: %s", reasonsLine(t.Reasons)).P = pointer(adjusted[i])
		case t.Verdict == Fail:
			g.rule(name, t.Name, RuleOpen, CodeGateVerdict, "fails by itself, but not beside %d scenarios (p %s after %s correction): %s",
				len(run.Tests), significant(adjusted[i]), o.Correction, reasonsLine(t.Reasons)).P = pointer(adjusted[i])
		default:
			g.rule(name, t.Name, RuleOpen, CodeGateVerdict, "inconclusive: %s", reasonsLine(t.Reasons))
		}
	}
	return nil
}

func reasonsLine(reasons []Reason) string {
	if len(reasons) == 0 {
		return "no reason is given"
	}
	return reasons[0].Text
}

// limits shows what was broken; a trial that broke a limit has failed already.
func (g *GateResult) limits(run *RunResult) {
	for _, t := range run.Tests {
		for _, l := range t.Limits {
			if l.Failures > 0 {
				g.rule("limit", t.Name, RuleNoted, CodeGateLimits, "%s %s was broken by %s, each of which failed for it", l.Name, number(l.Max), plural(l.Failures, "trial"))
			}
		}
	}
}

// floors tests the pass rates that scenarios must reach. As with verdicts, a floor is
// missed where that holds beside those of all scenarios, and reached by itself.
func (g *GateResult) floors(run *RunResult, o GateOptions) error {
	var tests []floorTest
	var missed []float64
	for i := range run.Tests {
		f := floorTest{test: &run.Tests[i], floor: o.floor(&run.Tests[i])}
		if f.floor.Rate > 0 && !f.floor.Point && f.test.Estimate != nil {
			var err error
			if f.low, f.high, err = f.test.tails(f.floor.Rate); err != nil {
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
type floorTest struct {
	test      *RunTest
	floor     Floor
	low, high float64 // against "at least the floor", and against "at most"
	place     int     // among the floors that are tested
}

// floor is the higher bar of a scenario, its own or that of all. Of scenarios that are
// pooled the highest holds for all of them.
func (o GateOptions) floor(t *RunTest) Floor {
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

func (g *GateResult) allTrials(t *RunTest) {
	const name = "all-trials"
	switch {
	case t.Fails > 0:
		g.rule(name, t.Name, RuleBroken, CodeGateAllTrials, "%d of %s failed, and all must pass", t.Fails, plural(t.Trials, "trial"))
	case t.Errors > 0 || t.Trials == 0:
		g.rule(name, t.Name, RuleOpen, CodeGateAllTrials, "%s of %d ended in an error, and all must pass", plural(t.Errors, "trial"), t.Trials)
	default:
		g.rule(name, t.Name, RuleHolds, CodeGateAllTrials, "all %s passed", plural(t.Trials, "trial"))
	}
}

// floor judges one floor: broken where a rate at the floor would have come to so low an
// end with a chance of at most alpha, beside all others; reached where a rate below it
// would have come to so high an end with a chance of at most beta.
func (g *GateResult) floor(f floorTest, adjusted []float64, o GateOptions) {
	t, bar := f.test, number(f.floor.Rate)
	tell := func(outcome RuleWord, format string, values ...any) *GateRule {
		return g.rule("floor", t.Name, outcome, CodeGateFloor, format, values...)
	}
	switch {
	case t.Rate == nil || t.Estimate == nil && !f.floor.Point:
		tell(RuleOpen, "the floor %s cannot be tested: the test has not ended", bar)
	case f.floor.Point:
		outcome := RuleHolds
		if *t.Rate < f.floor.Rate {
			outcome = RuleBroken
		}
		tell(outcome, "the observed rate is %s, the floor %s (compared as it is, without a test)", rate(*t.Rate), bar)
	case adjusted[f.place] <= o.Alpha:
		p := adjusted[f.place]
		tell(RuleBroken, "the pass rate is below the floor %s (p %s, at most alpha %s)", bar, significant(p), number(o.Alpha)).P = pointer(p)
	case f.low <= o.Alpha:
		p := adjusted[f.place]
		tell(RuleOpen, "the pass rate is below the floor %s by itself, but not beside %d floors (p %s after %s correction)", bar, len(adjusted), significant(p), o.Correction).P = pointer(p)
	case f.high <= o.Beta:
		tell(RuleHolds, "the pass rate reaches the floor %s (p %s, at most beta %s)", bar, significant(f.high), number(o.Beta)).P = pointer(f.high)
	default:
		tell(RuleOpen, "%d of %s passed, which neither reaches nor misses the floor %s for sure: %s, or compare the observed rate with point: true", t.Passes, plural(t.Trials, "trial"), bar, wayToShow(f.floor.Rate, o.Beta))
	}
}

// wayToShow says what it takes to show a rate: trials that one below it passes all of
// with a chance of at most beta.
func wayToShow(rate, beta float64) string {
	if rate == 1 {
		return "no number of trials shows it, so ask for all_trials"
	}
	straight := int(math.Ceil(math.Log(beta) / math.Log(rate)))
	return fmt.Sprintf("it takes %d trials at the least, as many as a test does whose threshold less delta is %s", straight, number(rate))
}

// tails are the p-values of the end of a test at a rate: against "at least the rate",
// with errors as passes, and against "at most the rate", with errors as failures.
func (t *RunTest) tails(rate float64) (low, high float64, err error) {
	test, err := t.replay()
	if err != nil {
		return 0, 0, err
	}
	b := test.Design().Boundaries
	optimist, pessimist := test.Sides()
	low, high = 1, 1
	if optimist.Decided() {
		if low, _, err = b.Tails(optimist.Trials(), optimist.Failures(), rate); err != nil {
			return 0, 0, err
		}
	}
	if pessimist.Decided() {
		if _, high, err = b.Tails(pessimist.Trials(), pessimist.Failures(), rate); err != nil {
			return 0, 0, err
		}
	}
	return low, high, nil
}

// replay judges the outcomes of a saved test again.
func (t *RunTest) replay() (*sprt.RobustTest, error) {
	e, err := t.evidence(0)
	if err != nil {
		return nil, err
	}
	test, err := sprt.NewRobustTest(e.Design)
	if err != nil {
		return nil, err
	}
	for i, x := range e.Trials {
		if x.Trial == nil || test.Decided() {
			continue
		}
		if err := test.Observe(i, x.Trial.Outcome); err != nil {
			return nil, err
		}
	}
	return test, nil
}

// behaviour blocks where it was asked for and changed.
func (g *GateResult) behaviour(o GateOptions) {
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
	r := b.reason()
	g.rule("behaviour", "", outcome, CodeGateBehaviour, "%s", r.Text).P = pointer(b.P)
}

// coverage is open where it is below its minimum, or not measured.
func (g *GateResult) coverage(o GateOptions) {
	const name = "coverage"
	c := o.Coverage
	switch {
	case o.Minimum == nil && c != nil && c.Overall != nil:
		g.rule(name, "", RuleNoted, CodeGateCoverage, "overall coverage %s; no minimum is set", rate(*c.Overall))
	case o.Minimum == nil:
	case c == nil || c.Overall == nil:
		g.rule(name, "", RuleOpen, CodeGateCoverage, "coverage is not measured, and at least %s is needed", number(*o.Minimum))
	case *c.Overall < *o.Minimum:
		advice := ""
		if c.Advice != "" {
			advice = "; " + c.Advice
		}
		g.rule(name, "", RuleOpen, CodeGateCoverage, "overall coverage %s is below the minimum %s; the weakest dimension is %s%s", rate(*c.Overall), number(*o.Minimum), c.Weakest, advice)
	default:
		g.rule(name, "", RuleHolds, CodeGateCoverage, "overall coverage %s, at least %s is needed", rate(*c.Overall), number(*o.Minimum))
	}
}
