package verdict

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/oracle"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// JudgeRun computes the result of a run from its evidence. Each test is judged in
// launch order, and a trial without an outcome both ways; see [sprt.RobustTest].
func JudgeRun(e RunEvidence) (*RunResult, error) {
	r := &RunResult{
		Schema: RunSchema, Suite: e.Suite, Digest: e.Digest, Seed: e.Seed, Version: e.Version, Finished: e.Finished,
		Warnings: []Warning{}, Tests: []RunTest{}, Spent: e.Spent, StoppedBy: e.StoppedBy, Budget: e.Budget,
	}
	var cost Cost
	for _, t := range e.Tests {
		judged, err := judgeRunTest(t, e)
		if err != nil {
			return nil, fmt.Errorf("test %q: %w", t.Name, err)
		}
		r.Tests = append(r.Tests, judged)
		cost = cost.plus(t.cost())
	}
	r.reliability(cost)
	r.decide()
	r.addTrials(e)
	if r.TrialsOmitted > 0 {
		r.addMeasures(e)
	}
	r.Distributions = distributions(e)
	var err error
	r.Characteristics, err = e.characteristics()
	return r, err
}

// cost adds up all trials of the test, overrun too: they were paid for.
func (t TestEvidence) cost() (c Cost) {
	for _, x := range t.Trials {
		if x.Trial == nil {
			continue
		}
		c.Trials++
		if !x.CostUSD.Known {
			continue
		}
		c.Known++
		c.TotalUSD += x.CostUSD.Value
		if x.Trial.Outcome == trial.Pass {
			c.Passes++
		}
	}
	return c
}

// reliability adds cost per success, and pass^k where every test has ended.
func (r *RunResult) reliability(cost Cost) {
	r.Reliability.PassHatK = map[string]float64{}
	if cost.Known > 0 {
		r.Reliability.Cost = &CostView{KnownTrials: cost.Known, Trials: cost.Trials, TotalUSD: cost.TotalUSD}
		r.Reliability.CostPerSuccess = cost.perSuccess()
	}
	r.Warnings = append(r.Warnings, costWarning(r.Reliability.Cost)...)
	for k := 1; k <= MaxK && len(r.Tests) > 0; k++ {
		key, sum := strconv.Itoa(k), 0.0
		for _, t := range r.Tests {
			hat, known := t.PassHatK[key]
			if !known {
				return
			}
			sum += hat
		}
		r.Reliability.PassHatK[key] = sum / float64(len(r.Tests))
	}
}

// perSuccess is the cost over the passes whose cost is known; nil if there is none.
func (c Cost) perSuccess() *float64 {
	if c.Known == 0 || c.Passes == 0 {
		return nil
	}
	return pointer(c.TotalUSD / float64(c.Passes))
}

func judgeRunTest(t TestEvidence, e RunEvidence) (RunTest, error) {
	h := t.Design.Hypotheses
	exact, err := t.Design.Errors()
	if err != nil {
		return RunTest{}, err
	}
	r := RunTest{
		Name: t.Name, Threshold: h.Threshold, Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta,
		Warnings: []Warning{}, Limits: []RunLimit{}, Failures: []RunFailure{},
		Design: SequentialDesign{
			Kind: t.Design.Kind.String(), MaxTrials: t.Design.Boundaries.MaxTrials(), Alpha: exact.Alpha, Beta: exact.Beta,
			Digest: t.Design.Digest(), Boundaries: planBoundaries(t.Design.Boundaries),
		},
	}
	test, err := sprt.NewRobustTest(t.Design)
	if err != nil {
		return RunTest{}, err
	}
	for i, x := range t.Trials {
		if x.Trial == nil {
			continue
		}
		if err := test.Observe(i, x.Trial.Outcome); err != nil {
			return RunTest{}, err
		}
	}
	r.count(t, test)
	r.Verdict, r.Reasons = runVerdict(test, e)
	r.warn(exact, h)
	r.CostPerSuccess = t.cost().perSuccess()
	return r, r.estimate(test)
}

// mostFailures is how many trials that did not pass are listed with their reasons.
const mostFailures = 20

// count counts the judged trials, and lists what is to be said of them.
func (r *RunTest) count(t TestEvidence, test *sprt.RobustTest) {
	r.Trials, r.Fails, r.Errors = test.Trials(), test.Failures(), test.Errors()
	r.Passes = r.Trials - r.Fails - r.Errors
	if known := r.Passes + r.Fails; known > 0 {
		r.Rate = pointer(float64(r.Passes) / float64(known))
	}
	members := map[string]*RunMember{}
	if len(t.Scenarios) > 1 {
		r.Members = make([]RunMember, len(t.Scenarios))
		for i, name := range t.Scenarios {
			r.Members[i].Name = name
			members[name] = &r.Members[i]
		}
	}
	limits := limitTable{}
	var outcomes strings.Builder
	for i, x := range t.Trials {
		if x.Trial == nil {
			outcomes.WriteByte('.')
			continue
		}
		outcomes.WriteByte(outcomeMark(x.Trial.Outcome))
		if i >= r.Trials {
			r.Overrun++
			continue
		}
		if m := members[x.Scenario]; m != nil {
			m.add(x.Trial.Outcome)
		}
		judgement, _ := oracle.Recorded(x.Trial)
		limits.add(judgement.Limits)
		if x.Trial.Outcome != trial.Pass && len(r.Failures) < mostFailures {
			r.Failures = append(r.Failures, RunFailure{x.Scenario, x.Number, x.Trial.Outcome.String(), failureText(x.Trial, judgement)})
		}
	}
	if !test.Decided() {
		r.Overrun = 0 // what ended beyond a gap may still be judged
	}
	r.Outcomes = outcomes.String()
	r.Limits = limits.list()
}

func (m *RunMember) add(o trial.Outcome) {
	switch o {
	case trial.Pass:
		m.Passes++
	case trial.Fail:
		m.Fails++
	default:
		m.Errors++
	}
}

func failureText(t *trial.Trial, j oracle.Judgement) string {
	switch {
	case j.Text != "":
		return j.Text
	case t.Error != nil && t.Error.Message != "":
		return prose.Excerpt(t.Error.Message)
	}
	return ""
}

// limitTable gathers limits by their names, in the order in which they come.
type limitTable []RunLimit

func (table *limitTable) add(results []oracle.LimitResult) {
	for _, result := range results {
		l := table.of(result.Name)
		l.Max = max(l.Max, result.Max) // pooled scenarios may have limits of their own
		switch {
		case !result.Actual.Known:
			l.Unknown++
			continue
		case result.Outcome == trial.Fail:
			l.Failures++
		}
		if l.Worst == nil || result.Actual.Value > *l.Worst {
			l.Worst = pointer(result.Actual.Value)
		}
	}
}

func (table *limitTable) of(name string) *RunLimit {
	for i := range *table {
		if (*table)[i].Name == name {
			return &(*table)[i]
		}
	}
	*table = append(*table, RunLimit{Name: name})
	return &(*table)[len(*table)-1]
}

func (table limitTable) list() []RunLimit { return append([]RunLimit{}, table...) }

// estimate adds the estimates after the stop, those of the test that decided.
func (r *RunTest) estimate(test *sprt.RobustTest) error {
	r.PassHatK = map[string]float64{}
	deciding := test.Deciding()
	if !test.Decided() || test.Errors() > 0 && test.Outcome() == sprt.Inconclusive {
		return nil
	}
	const alpha = 0.05
	e, err := test.Design().Boundaries.Estimate(deciding.Trials(), deciding.Failures(), alpha)
	if err != nil {
		return err
	}
	for k := 1; k <= MaxK; k++ {
		hat, err := test.Design().Boundaries.PassHatK(deciding.Trials(), deciding.Failures(), k)
		if err != nil {
			break // the test can end before k trials
		}
		r.PassHatK[strconv.Itoa(k)] = hat
	}
	r.Estimate = &SequentialEstimate{e.MedianUnbiased, e.Unbiased, e.Naive, e.Level, e.Interval.Low, e.Interval.High, "stage-wise"}
	if fixed, ok := test.Design().Hypotheses.FixedSample(); ok {
		r.Savings = &SavingsView{FixedTrials: fixed.Trials, Trials: r.Trials}
	}
	return nil
}

func (r *RunTest) warn(exact sprt.Errors, h sprt.Hypotheses) {
	if r.Errors > 0 {
		r.Warnings = append(r.Warnings, warning(WarnErrors, "%s ended in an error and count as %s", plural(r.Errors, "trial"), errorsCountAs(RobustErrors)))
	}
	for _, l := range r.Limits {
		if l.Unknown > 0 {
			r.Warnings = append(r.Warnings, warning(WarnLimitUnknown, "%s: %s did not tell what the limit bounds", l.Name, plural(l.Unknown, "trial")))
		}
	}
	if !exact.Within(h) {
		r.Warnings = append(r.Warnings, warning(WarnErrorsExceed,
			"the design's exact errors, alpha %s and beta %s, exceed their targets", percent(exact.Alpha), percent(exact.Beta)))
	}
}

// decide gives the suite the verdict of its tests together: Fail if one failed, Pass
// if all passed.
func (r *RunResult) decide() {
	names := map[Verdict][]string{}
	keeps := 1.0 // the chance of no false Fail, if all rates are at their thresholds
	for _, t := range r.Tests {
		names[t.Verdict] = append(names[t.Verdict], t.Name)
		keeps *= 1 - t.Design.Alpha
	}
	several := len(r.Tests) > 1
	switch failed, open := names[Fail], names[Inconclusive]; {
	case len(r.Tests) == 0:
		r.Reasons = []Reason{reason(CodeNoTrials, "nothing was tested")}
	case !several:
		r.Verdict, r.Reasons = r.Tests[0].Verdict, r.Tests[0].Reasons
	case len(failed) > 0:
		r.Verdict, r.Reasons = Fail, []Reason{reason(CodeTestsFail, "%d of %d scenarios fail: %s", len(failed), len(r.Tests), listed(failed))}
	case len(open) > 0:
		r.Reasons = []Reason{reason(CodeTestsOpen, "%d of %d scenarios are inconclusive: %s", len(open), len(r.Tests), listed(open))}
	default:
		r.Verdict, r.Reasons = Pass, []Reason{reason(CodeTestsPass, "all %d scenarios pass", len(r.Tests))}
	}
	if several && math.Abs(1-keeps) > 1e-12 {
		r.Warnings = append(r.Warnings, warning(WarnFamily,
			"each scenario has its own false Fail; that one of %d fails falsely has a chance of at most %s, if all their rates are at the threshold", len(r.Tests), percent(1-keeps)))
	}
	r.ExitCode = r.Verdict.ExitCode()
}

// listed names the first of many.
func listed(names []string) string {
	const most = 8
	text := make([]string, 0, most+1)
	for i, name := range names {
		if i == most {
			text = append(text, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		text = append(text, prose.Excerpt(name))
	}
	return strings.Join(text, ", ")
}

// runVerdict says how a test ended, and why.
func runVerdict(test *sprt.RobustTest, e RunEvidence) (Verdict, []Reason) {
	n, failures := plural(test.Trials(), "trial"), plural(test.Failures(), "failure")
	if test.Errors() > 0 {
		failures += " and " + plural(test.Errors(), "error")
	}
	b := test.Design().Boundaries
	deciding := test.Deciding().Trials()
	switch test.Outcome() {
	case sprt.Pass:
		return Pass, []Reason{reason(CodePassBoundary, "after %s with %s the Pass boundary is reached: %d or fewer pass here", n, failures, b.PassAtOrBelow[deciding-1])}
	case sprt.Fail:
		return Fail, []Reason{reason(CodeFailBoundary, "after %s with %s the Fail boundary is reached: %d or more fail here", n, failures, b.FailAtOrAbove[deciding-1])}
	case sprt.Inconclusive:
		if test.ErrorsMatter() {
			return Inconclusive, []Reason{reason(CodeErrorsMatter, "after %s with %s the errors decide: see to their cause and run again", n, failures)}
		}
		return Inconclusive, []Reason{reason(CodeTrialsUsedUp, "all %s are used up with %s, between the boundaries", n, failures)}
	}
	return Inconclusive, notEnded(test, e, failures)
}

// notEnded says why a test has no end. What could not have become a Pass says so:
// nothing may turn it into one.
func notEnded(test *sprt.RobustTest, e RunEvidence, failures string) []Reason {
	cause := string(e.StoppedBy)
	if e.Budget != "" {
		cause = "the " + e.Budget + " budget"
	}
	stopped := reason(CodeNotEnded, "the run was stopped (%s) after %s with %s, before the test ended", cause, plural(test.Trials(), "judged trial"), failures)
	least := planBoundaries(test.Design().Boundaries).StraightPasses()
	switch {
	case test.Trials() == 0:
		return []Reason{stopped, reason(CodeNoTrials, "no trial was judged")}
	case test.Trials() < least:
		return []Reason{stopped, reason(CodePassUnreachable, "no outcome of %s could pass: it takes at least %d, all passing", plural(test.Trials(), "trial"), least)}
	}
	return []Reason{stopped}
}
