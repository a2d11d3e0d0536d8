package verdict

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
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
	adjusted, err := stats.Adjust(o.Correction, p)
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

// floors tests the pass rates that scenarios must reach.
func (g *GateResult) floors(run *RunResult, o GateOptions) error {
	for i := range run.Tests {
		t := &run.Tests[i]
		floor := o.floor(t)
		if floor.AllTrials {
			g.allTrials(t)
		}
		if floor.Rate == 0 {
			continue
		}
		if err := g.floor(t, floor, o); err != nil {
			return err
		}
	}
	return nil
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

// floor tests one floor: broken where a rate at the floor would have come to so low an
// end with a chance of at most alpha, reached where a rate below it would have come to
// so high an end with a chance of at most beta.
func (g *GateResult) floor(t *RunTest, floor Floor, o GateOptions) error {
	const name = "floor"
	if t.Rate == nil || t.Estimate == nil && !floor.Point {
		g.rule(name, t.Name, RuleOpen, CodeGateFloor, "the floor %s cannot be tested: the test has not ended", number(floor.Rate))
		return nil
	}
	if floor.Point {
		outcome := RuleHolds
		if *t.Rate < floor.Rate {
			outcome = RuleBroken
		}
		g.rule(name, t.Name, outcome, CodeGateFloor, "the observed rate is %s, the floor %s (compared as it is, without a test)", rate(*t.Rate), number(floor.Rate))
		return nil
	}
	low, high, err := t.tails(floor.Rate)
	if err != nil {
		return err
	}
	switch {
	case low <= o.Alpha:
		g.rule(name, t.Name, RuleBroken, CodeGateFloor, "the pass rate is below the floor %s (p %s, at most alpha %s)", number(floor.Rate), significant(low), number(o.Alpha)).P = pointer(low)
	case high <= o.Beta:
		g.rule(name, t.Name, RuleHolds, CodeGateFloor, "the pass rate reaches the floor %s (p %s, at most beta %s)", number(floor.Rate), significant(high), number(o.Beta)).P = pointer(high)
	default:
		g.rule(name, t.Name, RuleOpen, CodeGateFloor, "%d of %s passed, which neither reaches nor misses the floor %s for sure: %s, or compare the observed rate with point: true", t.Passes, plural(t.Trials, "trial"), number(floor.Rate), wayToShow(floor.Rate, o.Beta))
	}
	return nil
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
		if err := test.Observe(i, sprt.MarkOf(x.Trial.Outcome)); err != nil {
			return nil, err
		}
	}
	return test, nil
}

// regression compares with a saved run. Another suite, other scenarios or too old a
// run is not comparable, which is never a regression.
func (g *GateResult) regression(run *RunResult, o GateOptions) error {
	const name = "regression"
	b := o.Baseline
	if b == nil {
		return nil
	}
	g.Baseline = &GateBaseline{File: b.File, Tests: []GateBaselineTest{}}
	if why := b.incomparable(run, o.Now); why != "" {
		g.Baseline.Why = why
		g.rule("baseline", "", RuleOpen, CodeGateBaseline, "the baseline %s is not comparable: %s", b.File, why)
		return nil
	}
	g.Baseline.Comparable, g.Baseline.Finished = true, b.Result.Finished
	for i := range run.Tests {
		t := &run.Tests[i]
		at := slices.IndexFunc(b.Result.Tests, func(x RunTest) bool { return x.Name == t.Name })
		compared, err := compareTests(&b.Result.Tests[at], t, o)
		if err != nil {
			return err
		}
		if compared == nil {
			g.rule(name, t.Name, RuleOpen, CodeGateRegression, "cannot be compared with the baseline: one of the tests has not ended")
			continue
		}
		g.Baseline.Tests = append(g.Baseline.Tests, *compared)
		rates := fmt.Sprintf("%s -> %s", rate(compared.BaselineRate), rate(compared.CandidateRate))
		switch {
		case compared.Verdict == Fail:
			g.rule(name, t.Name, RuleBroken, CodeGateRegression, "worse than the baseline (%s): its rate is at most %s, the baseline's at least %s", rates, rate(compared.CandidateHigh), rate(compared.BaselineLow))
		case compared.Verdict == Pass:
			g.rule(name, t.Name, RuleHolds, CodeGateRegression, "not worse than the baseline by %s (%s)", number(o.Delta), rates)
		case b.Strict:
			g.rule(name, t.Name, RuleOpen, CodeGateRegression, "a drop of %s from the baseline is neither shown nor excluded (%s)", number(o.Delta), rates)
		default:
			g.rule(name, t.Name, RuleNoted, CodeGateRegression, "no regression is shown (%s); a drop of %s is not excluded", rates, number(o.Delta))
		}
	}
	return nil
}

func (b *BaselineRun) incomparable(run *RunResult, now time.Time) string {
	switch {
	case b.Err != nil:
		return b.Err.Error()
	case b.Result == nil:
		return "it could not be read"
	case b.Result.Suite != run.Suite:
		return fmt.Sprintf("it is of the suite %q", b.Result.Suite)
	case b.Result.Digest != run.Digest && !sameTests(b.Result, run):
		return "it has other scenarios, or tests them otherwise"
	case b.Result.Digest != run.Digest:
		return "its suite was another: the agent, the judges or the scenarios changed (digest)"
	case !sameTests(b.Result, run):
		return "it has other scenarios"
	}
	if b.MaxAge > 0 {
		finished, err := time.Parse(time.RFC3339, b.Result.Finished)
		if err != nil {
			return "it does not say when it was made, and a largest age is set"
		}
		if age := now.Sub(finished); age > b.MaxAge {
			return fmt.Sprintf("it is %v old, and may be %v", age.Round(time.Hour), b.MaxAge)
		}
	}
	return ""
}

func sameTests(a, b *RunResult) bool {
	return slices.EqualFunc(a.Tests, b.Tests, func(x, y RunTest) bool { return x.Name == y.Name })
}

// compareTests compares two tests that have ended, by exact one-sided limits of both
// rates: half of the error each. Nil says that one has not ended.
func compareTests(baseline, candidate *RunTest, o GateOptions) (*GateBaselineTest, error) {
	if baseline.Estimate == nil || candidate.Estimate == nil {
		return nil, nil
	}
	before, err := baseline.replay()
	if err != nil {
		return nil, err
	}
	after, err := candidate.replay()
	if err != nil {
		return nil, err
	}
	limits := func(t *sprt.Test, level float64) (stats.Interval, error) {
		e, err := t.Design().Boundaries.Estimate(t.Trials(), t.Failures(), level)
		return e.Interval, err
	}
	// Whatever the errors would have been: the baseline at its worst for a Fail, the
	// candidate at its best, and the other way round for a Pass.
	beforeBest, beforeWorst := before.Sides()
	afterBest, afterWorst := after.Sides()
	c := &GateBaselineTest{Name: candidate.Name, BaselineRate: *baseline.Rate, CandidateRate: *candidate.Rate}
	for _, side := range []struct {
		baseline, candidate *sprt.Test
		level               float64 // of both limits together, one-sided
		use                 func(b, c stats.Interval)
	}{
		{beforeWorst, afterBest, o.Alpha, func(b, k stats.Interval) {
			c.BaselineLow, c.CandidateHigh = b.Low, k.High
			if k.High < b.Low {
				c.Verdict = Fail
			}
		}},
		{beforeBest, afterWorst, o.Beta, func(b, k stats.Interval) {
			if k.Low > b.High-o.Delta && c.Verdict != Fail {
				c.Verdict = Pass
			}
		}},
	} {
		if !side.baseline.Decided() || !side.candidate.Decided() {
			continue
		}
		b, err := limits(side.baseline, side.level) // two-sided at level is one-sided at half of it
		if err != nil {
			return nil, err
		}
		k, err := limits(side.candidate, side.level)
		if err != nil {
			return nil, err
		}
		side.use(b, k)
	}
	return c, nil
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
