package gate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/twophase"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/mean"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// subject is what is decided over: of a result of any kind what the rules look at.
type subject struct {
	name     string // of the suite, or of the kind of result
	warnings []verdict.Warning
	tests    []testedRate
	run      *runs.Result    // nil where it is of another kind
	compared *compare.Result // nil where it is of another kind
	ended    *compare.Ends   // likewise
	sequence *sequential.Result
}

// testedRate is one pass rate: that of a scenario, or of several that are pooled.
type testedRate struct {
	name      string
	scenarios []string // that it is of; none where they are not known
	verdict   verdict.Verdict
	reasons   []verdict.Reason
	// Where it is beside a test against a baseline, which is judged by a rule of its own: the verdict of both.
	both      *verdict.Verdict
	threshold float64 // that the verdict is on; 0 is none
	alpha     float64 // of all tests that share it
	passes    int     // among the judged trials, as fails and errors
	fails     int
	errors    int
	trials    int      // judged
	rate      *float64 // nil where nothing passed or failed
	ended     bool     // more trials would not belong to it
	untested  string   // why no minimum is tested; "": it has not ended
	undecided bool     // its trials were recorded, and nothing was asked of them
	policy    verdict.ErrorPolicy
	errored   int    // trials that ended in an error, however they count
	uneven    bool   // of several scenarios, which were not tried equally often
	joint     bool   // one question about several scenarios, each of which has its own floors
	scores    bool   // the rate is a mean of scores, and no pass rate
	history   bool   // its test counts a history as evidence, and keeps no errors
	seen      string // what came of it, where that is no share of trials; "" is the share
	// tails are the exact p-values of where it ended: against "at least the rate", with errors
	// as what is best, and against "at most", with errors as what is worst.
	tails func(rate float64) (low, high float64, err error)
}

// pValues are the tails at a rate. Sums of many terms may come out a rounding above 1.
func (t *testedRate) pValues(rate float64) (low, high float64, err error) {
	low, high, err = t.tails(rate)
	return min(low, 1), min(high, 1), err
}

// subjectOf returns what is decided over; an error for what no gate can decide over.
func subjectOf(result verdict.Result, e Edition) (*subject, error) {
	switch r := result.(type) {
	case *runs.Result:
		return subjectOfRun(r)
	case *verdict.ThresholdResult:
		return subjectOfRates(r), nil
	case *sequential.Result:
		return subjectOfSequence(r), nil
	case *compare.Result:
		return subjectOfComparison(r, e), nil
	case *compare.Ends:
		return subjectOfEnds(r), nil
	case *mean.Result:
		return subjectOfScores(r), nil
	}
	return nil, fmt.Errorf("a gate cannot decide over %T", result)
}

func subjectOfRun(r *runs.Result) (*subject, error) {
	s := &subject{name: r.Suite, warnings: r.Warnings, run: r}
	for i := range r.SuiteTests {
		if t := &r.SuiteTests[i]; t.Baseline == nil {
			s.tests = append(s.tests, subjectOfSuite(r, t))
		}
	}
	for i := range r.Tests {
		t := &r.Tests[i]
		x := testedRate{
			name: t.Name, scenarios: []string{scenarioOf(t)}, verdict: t.Verdict, reasons: t.Reasons, threshold: t.Threshold,
			alpha: t.Together(t.Alpha), passes: t.Passes, fails: t.Fails, errors: t.Errors, trials: t.Trials, rate: t.Rate,
			ended: t.Estimate != nil, tails: t.Tails, undecided: t.Threshold == 0 && t.Regression == nil && t.Standing == "",
			history: t.Design.Kind == sprt.DensityRatioKind.String(),
		}
		for _, m := range t.Members {
			x.scenarios = append(x.scenarios, m.Name)
		}
		// The verdict is that of both tests; the one against the baseline has a rule of its own.
		if t.Regression != nil && t.Threshold > 0 {
			var err error
			x.both = &t.Verdict
			if x.verdict, x.reasons, err = againstThreshold(t); err != nil {
				return nil, err
			}
		}
		s.tests = append(s.tests, x)
	}
	return s, nil
}

// subjectOfSuite is one question about all scenarios, against a threshold.
func subjectOfSuite(r *runs.Result, t *runs.SuiteTest) testedRate {
	x := testedRate{
		name: cmp.Or(t.Variant, r.Suite), verdict: t.Verdict, reasons: t.Reasons, threshold: t.Question.Threshold,
		alpha: t.Question.Alpha * float64(max(t.Shared, 1)), passes: t.Counted.Passes, fails: t.Counted.Fails,
		errors: t.Counted.Errors, trials: t.Counted.Trials, rate: t.Counted.Rate, joint: true,
	}
	// Of all the ways in which it fails falsely the chances are no more together.
	x.tails = func(float64) (low, high float64, err error) { return t.Promise.FalseFail, 1, nil }
	return x
}

// scenarioOf is the name of the scenario of a test of one: the test of a variant has that in its
// own, and floors and tasks know the scenario.
func scenarioOf(t *runs.Test) string {
	if t.Variant == "" {
		return t.Name
	}
	return strings.TrimSuffix(t.Name, suite.TestName("", t.Variant))
}

// againstThreshold is the part of a test that does not ask for the baseline: where it stood
// when the last trial was judged.
func againstThreshold(t *runs.Test) (verdict.Verdict, []verdict.Reason, error) {
	test, err := t.Replay()
	if err != nil || test == nil {
		return verdict.Inconclusive, nil, err
	}
	h := test.Design().Hypotheses
	stand := design.Stand{
		Trials: test.Trials(), Failures: test.Failures(), Errors: test.Errors(), Threshold: h.Threshold,
		LowerRate: h.Lower(),
	}
	switch test.Outcome() {
	case sprt.Pass:
		return verdict.Pass, []verdict.Reason{stand.Ended(sprt.Pass)}, nil
	case sprt.Fail:
		return verdict.Fail, []verdict.Reason{stand.Ended(sprt.Fail)}, nil
	}
	return verdict.Inconclusive, []verdict.Reason{design.CodeTrialsUsedUp.Reason(
		"%s: neither a rate of %s nor one of %s is ruled out", stand.Seen(), phrase.Percent(h.Threshold),
		phrase.Percent(h.Lower()))}, nil
}

// subjectOfRates is that of a verdict on recorded trials, whose number does not depend on
// what they came to. Where the pooled rate decides it is the only one.
func subjectOfRates(r *verdict.ThresholdResult) *subject {
	s := &subject{name: "verdict", warnings: r.Warnings}
	if r.Labels != nil {
		s.tests = []testedRate{subjectOfLabels(r)}
		return s
	}
	rates := r.Scenarios
	if r.Suite != nil && r.By == verdict.BySuite {
		pooled := *r.Suite // what it says may be withdrawn by a scenario
		pooled.Verdict, pooled.Reasons = r.Verdict, r.Reasons
		rates = []verdict.RateVerdict{pooled}
	}
	for _, v := range rates {
		x := counted(v.Name, v.Passes, v.Trials, v.Errors, r.Errors)
		x.verdict, x.reasons, x.threshold, x.alpha = v.Verdict, v.Reasons, r.Threshold, r.Alpha
		if len(rates) == 1 {
			x.scenarios = nil // the pool has a name of its own
			for _, member := range r.Scenarios {
				x.scenarios = append(x.scenarios, member.Name)
			}
			x.uneven = uneven(r.Scenarios)
		}
		s.tests = append(s.tests, x)
	}
	return s
}

// uneven reports whether scenarios were tried more often than others, by more than the round that was under way.
func uneven(scenarios []verdict.RateVerdict) bool {
	least, most := math.MaxInt, 0
	for _, v := range scenarios {
		n := v.Trials + v.Errors
		least, most = min(least, n), max(most, n)
	}
	return len(scenarios) > 1 && most-least > 1
}

// subjectOfLabels is the certified rate of a verdict by labels. What counts as an outcome is a label.
func subjectOfLabels(r *verdict.ThresholdResult) testedRate {
	l := r.Labels
	x := testedRate{
		name: "all, by labels", verdict: r.Verdict, reasons: r.Reasons, threshold: r.Threshold, alpha: r.Alpha,
		passes: l.OfPassed.Passes + l.OfFailed.Passes, trials: l.OfPassed.Labels + l.OfFailed.Labels, rate: &l.Rate,
		ended: true,
	}
	x.fails = x.trials - x.passes
	x.seen = fmt.Sprintf("about %s by %s", phrase.Percent(l.Rate), prose.Count(x.trials, "label"))
	for _, member := range r.Scenarios {
		x.scenarios = append(x.scenarios, member.Name)
	}
	x.uneven = uneven(r.Scenarios)
	sample := r.LabelSample().Sample
	x.tails = func(rate float64) (low, high float64, err error) {
		// A p-value takes a fraction of a second: there is nothing to end.
		if low, err = twophase.Certified.Below(context.Background(), sample, rate); err != nil {
			return 1, 1, err
		}
		high, err = twophase.Certified.Above(context.Background(), sample, rate)
		return low, high, err
	}
	return x
}

// subjectOfScores is the mean of scores against a threshold. It is no pass rate, which floors and suites ask about.
func subjectOfScores(r *mean.Result) *subject {
	x := testedRate{
		name: "mean of scores", verdict: r.Verdict, reasons: r.Reasons, threshold: r.Threshold, alpha: r.Alpha,
		trials: r.Trials, passes: r.Trials, rate: r.Mean, joint: true, scores: true, policy: r.Errors, errored: r.Unscored,
	}
	for _, s := range r.Scenarios {
		x.scenarios = append(x.scenarios, s.Name)
	}
	// Either error is at most alpha, at whatever look.
	x.tails = func(float64) (low, high float64, err error) { return r.Alpha, r.Alpha, nil }
	return &subject{name: "verdict --score", warnings: r.Warnings, tests: []testedRate{x}}
}

// subjectOfSequence is that of a recording that was judged trial by trial.
func subjectOfSequence(r *sequential.Result) *subject {
	x := testedRate{
		name: "all", verdict: r.Verdict, reasons: r.Reasons, threshold: r.Threshold, alpha: r.Alpha,
		passes: r.Passes, fails: r.Trials - r.Passes, trials: r.Trials, ended: r.Estimate != nil, tails: r.Tails,
		policy: r.Errors, errored: r.ErrorsIn,
	}
	if r.Trials > 0 {
		x.rate = new(float64(r.Passes) / float64(r.Trials))
	}
	// Errors that count as failures are among the judged trials already.
	if r.Errors != verdict.FailErrors {
		x.errors, x.trials = r.ErrorsIn, r.Trials+r.ErrorsIn
	}
	if r.Recording != nil {
		x.scenarios = r.Recording.Scenarios
	}
	if r.Against != nil {
		x.ended, x.untested = false, "a test against a baseline may have stopped its trials"
	}
	return &subject{name: "sequential verdict", sequence: r, warnings: r.Warnings, tests: []testedRate{x}}
}

// subjectOfComparison is that of the candidate, by scenario where they are known. Gates of earlier editions did not
// know the name of a single one.
func subjectOfComparison(r *compare.Result, e Edition) *subject {
	s := &subject{name: "compare", warnings: r.Warnings, compared: r}
	for _, c := range r.Scenarios {
		s.tests = append(s.tests, counted(c.Name, c.Candidate.Passes, c.Candidate.Trials, c.Candidate.Errors, r.Errors))
	}
	if len(s.tests) == 0 {
		s.tests = []testedRate{counted("candidate", r.Candidate.Passes, r.Candidate.Trials, r.Candidate.Errors, r.Errors)}
		if e >= fifthEdition && r.Trials != nil {
			s.tests[0].scenarios = r.Trials.Scenarios
		}
	}
	return s
}

// subjectOfEnds is that of the candidate, by scenario. A number of trials that was fixed is tested against a minimum.
func subjectOfEnds(r *compare.Ends) *subject {
	s := &subject{name: "compare", warnings: r.Warnings, ended: r}
	for i := range r.Scenarios {
		row := &r.Scenarios[i]
		_, seen := row.Seen()
		if seen.Trials == 0 {
			continue
		}
		x := counted(row.Name, seen.Passes, seen.Passes+seen.Fails, seen.Errors, verdict.RobustErrors)
		if row.Candidate == nil || row.Candidate.Sample.Fixed == 0 {
			x.ended, x.untested = false, "a test may have stopped its trials, so decide over the run itself"
		}
		s.tests = append(s.tests, x)
	}
	return s
}

// counted is a number of trials that was fixed before they came to anything. Errors are among
// the trials only where they count as failures.
func counted(name string, passes, trials, errors int, policy verdict.ErrorPolicy) testedRate {
	x := testedRate{name: name, scenarios: []string{name}, passes: passes, fails: trials - passes, trials: trials,
		ended: trials > 0, policy: policy, errored: errors}
	if trials > 0 {
		x.rate = new(float64(passes) / float64(trials))
	}
	best, worst := stats.Counts{Passes: passes, Trials: trials}, stats.Counts{Passes: passes, Trials: trials}
	if policy == verdict.RobustErrors {
		best = stats.Counts{Passes: passes + errors, Trials: trials + errors}
		worst.Trials += errors
	}
	if policy != verdict.FailErrors {
		x.errors, x.trials = errors, trials+errors
	}
	x.tails = func(rate float64) (low, high float64, err error) {
		if low, err = stats.BinomialTestLess(best, rate); err != nil {
			return 1, 1, err
		}
		high, err = stats.BinomialTestGreater(worst, rate)
		return low, high, err
	}
	return x
}
