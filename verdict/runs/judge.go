package runs

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// Judge computes the result of a run from its evidence alone: a run that has just ended and
// one that is read back from a result come to the same. Each test is judged in
// launch order, and a trial without an outcome both ways; see [sprt.RobustTest]. An error
// is that of a design that cannot be, or the cause of the context's end.
func Judge(ctx context.Context, e Evidence) (*Result, error) {
	r := &Result{
		Schema: Schema, Suite: e.Suite, Digest: e.Digest, Task: e.Task, Selection: e.Selection, Settings: e.Settings,
		BaselineSettings: e.BaselineSettings, VariantSettings: e.VariantSettings, Correction: e.Correction,
		Seed: e.Seed, Version: e.Version, Finished: e.Finished, Commit: e.Commit, Source: e.Source,
		Warnings: []verdict.Warning{}, Tests: []Test{}, Spent: e.Spent, StoppedBy: e.StoppedBy, Budget: e.Budget,
		Journal: e.Journal, Changed: e.Changed,
		Unconfined: e.Unconfined, Gone: e.Gone, Missing: e.Missing, Added: e.Added,
		Repeated: e.Repeated,
	}
	var cost verdict.Cost
	known := newComputed()
	deciders, err := decideAll(e.Tests)
	if err != nil {
		return nil, err
	}
	for i, t := range e.Tests {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		judged, err := judgeTest(t, e, deciders[i], known)
		if err != nil {
			return nil, fmt.Errorf("test %q: %w", t.Name, err)
		}
		if e.Repeated {
			judged.State = judged.state()
		}
		r.Tests = append(r.Tests, judged)
		cost = cost.Plus(t.side(false).cost())
	}
	r.suiteTests(e, deciders)
	r.warnPartial()
	r.warnLost(e.Spent)
	r.warnRedrawn()
	if len(e.Changed) > 0 {
		r.Warnings = append(r.Warnings, WarnChanged.Warning("%s", ChangedText(e.Changed)))
	}
	if len(e.Unconfined) > 0 {
		r.Warnings = append(r.Warnings, warnUnconfined.Warning("%s", UnconfinedText(e.Unconfined)))
	}
	r.warnDrift(e)
	r.Warnings = append(r.Warnings, r.Doubtful(0)...)
	r.warnQuarantined()
	r.warnOtherScenarios()
	r.calibrate(e)
	r.Families = e.families()
	r.reliability(cost)
	r.Reliability.Cost.Priced(e.Prices)
	if err := r.conform(e); err != nil {
		return nil, err
	}
	if err := r.decide(); err != nil {
		return nil, err
	}
	// Where the trials do not all fit, the tests keep numbers of all of them instead, so that
	// the result can still be judged again from itself.
	r.addTrials(e)
	if r.TrialsOmitted > 0 {
		r.AddMeasures(e)
	}
	r.Distributions = distributions(e)
	r.addUsage(e)
	r.addGuardrails(e)
	if err := r.addAxes(e); err != nil {
		return nil, err
	}
	r.Characteristics, err = e.characteristics(ctx)
	return r, err
}

// ChangedText says that files of the agent or its judges changed between the sessions of a run.
func ChangedText(files []string) string {
	return "since the run began other files are used: " + phrase.First(files) + "; its trials are not all of one agent " +
		"and one judge, and no rate is that of the present ones"
}

// UnconfinedText says what of the agents was not held that the suite asks for.
func UnconfinedText(what []string) string {
	return "this machine cannot confine agents as the suite requires, and the run did without: " +
		prose.Some(what, mostUnconfined)
}

// mostUnconfined bounds what is told of many variants, of which each lacks the same.
const mostUnconfined = 4

// warnLost says that attempts were running when the run was stopped.
func (r *Result) warnLost(s Expense) {
	switch {
	case s.Lost == 1:
		r.Warnings = append(r.Warnings, warnLost.Warning("1 attempt was running when the run was stopped or killed: "+
			"how it would have ended is not known, and its trial is an error or did not end"))
	case s.Lost > 1:
		r.Warnings = append(r.Warnings, warnLost.Warning("%d attempts were running when the run was stopped or killed: "+
			"how they would have ended is not known, and their trials are errors or did not end", s.Lost))
	}
}

// cost adds up all trials of the test, overrun too: they were paid for.
func (t TestEvidence) cost() (c verdict.Cost) {
	for _, x := range t.all {
		if x.Trial == nil {
			continue
		}
		c.Add(x.Trial, x.CostUSD)
	}
	return c
}

// reliability adds cost per success, and pass^k where every test has ended.
func (r *Result) reliability(cost verdict.Cost) {
	r.Reliability.PassHatK = r.meanPassHatK(func(t *Test) map[string]float64 { return t.PassHatK })
	if slices.ContainsFunc(r.Tests, func(t Test) bool { return t.PassHatKErrorsPassed != nil }) {
		passed := r.meanPassHatK(func(t *Test) map[string]float64 {
			if t.PassHatKErrorsPassed != nil {
				return t.PassHatKErrorsPassed
			}
			return t.PassHatK
		})
		if len(passed) > 0 {
			r.Reliability.PassHatKErrorsPassed = passed
		}
	}
	r.Reliability.Cost = cost.View()
	r.Reliability.CostPerSuccess = cost.PerSuccess()
	r.Warnings = append(r.Warnings, r.Reliability.Cost.Warnings()...)
}

// meanPassHatK is the mean of estimates of pass^k over the tests, by k. A mean over those that can tell
// would be of the easy ones: it takes all of them.
func (r *Result) meanPassHatK(values func(*Test) map[string]float64) map[string]float64 {
	means := map[string]float64{}
	for k := 1; k <= verdict.MaxK && len(r.Tests) > 0; k++ {
		key, sum := strconv.Itoa(k), 0.0
		for i := range r.Tests {
			hat, known := values(&r.Tests[i])[key]
			if !known {
				return means
			}
			sum += hat
		}
		means[key] = sum / float64(len(r.Tests))
	}
	return means
}

// judgeTest judges one test. Of the evidence of the run it needs only why the run was stopped, for the reasons of a
// test that has not ended.
func judgeTest(t TestEvidence, e Evidence, d *decider, known *familyResults) (Test, error) {
	t = t.gathered()
	h := t.Design.Hypotheses
	r := Test{
		Name: t.Name, Variant: t.Variant, Threshold: h.Threshold, Delta: h.Delta, Alpha: h.Alpha, Beta: h.Beta,
		Shared: t.Shared, Quarantined: t.Quarantined,
		Warnings: []verdict.Warning{}, Limits: []Limit{}, Failures: []Failure{},
	}
	if t.Design.Boundaries.MaxTrials() > 0 {
		// The design's own errors, exactly: what it was asked for may differ a little.
		digest := t.Design.Digest()
		exact, err := design.ErrorsOf(t.Design, digest)
		if err != nil {
			return Test{}, err
		}
		r.Design = design.Design{
			Kind: t.Design.Kind.String(), MaxTrials: t.Design.Boundaries.MaxTrials(), Alpha: exact.Alpha,
			Beta:   exact.Beta,
			Digest: digest, Boundaries: design.Of(t.Design.Boundaries),
		}
	}
	// Trials beyond the decision may have been running when it fell: the test ignores them,
	// and count reports them as overrun.
	candidate := t.side(false)
	r.count(candidate, d.candidates(), d.Decided())
	if d.member != nil {
		return r, r.join(d, t)
	}
	if t.Against != nil {
		var err error
		if r.Regression, err = d.regression(t, known); err != nil {
			return Test{}, err
		}
	}
	r.Verdict, r.Reasons = d.verdict(&r, e)
	r.warn()
	r.compareAnswers(t)
	r.CostPerSuccess = candidate.cost().PerSuccess()
	part, alpha := d.estimated()
	if err := r.estimate(part, alpha, t.earlierEstimates); err != nil {
		return Test{}, err
	}
	// Of a test whose trials all passed the estimate tells how few they were, and no more.
	if r.Verdict == verdict.Pass && r.Threshold > 0 && r.Passes < r.Trials && r.Estimate != nil &&
		r.Estimate.MedianUnbiased < r.Threshold {
		r.Warnings = append(r.Warnings, warnBelowThreshold.Warning(
			"the rate is estimated at %s, below the %s you require: this Pass rules out a rate of %s or less, and no more",
			phrase.Percent(r.Estimate.MedianUnbiased), phrase.Percent(r.Threshold), phrase.Percent(r.LowerRate())))
	}
	return r, nil
}

// candidates is how many trials of the candidate are judged.
func (d *decider) candidates() int {
	if d.rounds != nil || d.member != nil && d.member.sides == 2 {
		return d.Trials() / 2
	}
	return d.Trials()
}

// estimated is the part that estimates of the candidate's rate rest on, and the error of its
// interval: of two parts the one that ended last, at half of the error each, for which of them that
// is depends on the outcomes. It is nil where no part that is a pair of boundaries ended with the test.
func (d *decider) estimated() (part *sprt.RobustTest, alpha float64) {
	parts := []*sprt.RobustTest{d.design}
	if d.stored != nil && d.stored.pass == d.stored.fail {
		parts = append(parts, d.stored.pass)
	}
	alpha = confidence
	if d.design != nil {
		alpha /= float64(len(parts))
	}
	for _, p := range parts {
		if p == nil || !d.Decided() || !p.Decided() || p.Trials() > d.candidates() {
			continue
		}
		if part == nil || p.Trials() > part.Trials() {
			part = p
		}
	}
	return part, alpha
}

// mostFailures is how many trials that did not pass are listed with their reasons, of each
// test. The number is chosen: a person reads the first few.
const mostFailures = 20

// count counts the judged trials, and lists what is to be said of them.
func (r *Test) count(t TestEvidence, judged int, decided bool) {
	side := sideOf(outcomesOf(t.Trials[:judged]))
	r.Trials, r.Passes, r.Fails, r.Errors, r.Rate = side.Trials, side.Passes, side.Fails, side.Errors, side.Rate
	// A test of one scenario has no members: it is its own.
	members := map[string]*Member{}
	if len(t.Scenarios) > 1 {
		r.Members = make([]Member, len(t.Scenarios))
		for i, name := range t.Scenarios {
			r.Members[i].Name = name
			members[name] = &r.Members[i]
		}
	}
	limits := limitTable{}
	for i, x := range t.all {
		if x.Trial == nil {
			continue
		}
		// Judged trials come first in launch order, so this one came after the decision.
		if i >= r.Trials {
			r.Overrun++
			continue
		}
		if m := members[x.Scenario]; m != nil {
			m.add(x.Trial.Outcome)
		}
		// A trial without a record has no limits, and a zero judgement says so.
		judgement, _ := oracle.Recorded(x.Trial)
		limits.add(judgement.Limits)
		r.CountDoubtful(x)
		if x.Trial.Outcome != trial.Pass && len(r.Failures) < mostFailures {
			r.Failures = append(r.Failures, Failure{x.Scenario, x.Number, x.Trial.Outcome.String(),
				failureText(x, judgement)})
		}
	}
	if !decided {
		r.Overrun = 0 // what ended beyond a gap may still be judged
	}
	r.Outcomes = marks(t.Trials)
	r.Limits = limits.list()
	if t.saved != nil {
		r.CodePasses, r.SilentPasses = t.saved.CodePasses, t.saved.SilentPasses
	}
}

// add counts one judged trial; what is no pass and no failure is an error.
func (m *Member) add(o trial.Outcome) {
	switch o {
	case trial.Pass:
		m.Passes++
	case trial.Fail:
		m.Fails++
	default:
		m.Errors++
	}
}

// limitTable gathers limits by their names, in the order in which they come.
type limitTable []Limit

// add takes in what one trial says of its limits: the largest bound, the worst value, how
// many broke it, and how many do not tell.
func (table *limitTable) add(results []oracle.LimitResult) {
	for _, result := range results {
		l := table.of(result.Name, oracle.SeverityOf(result.Warn))
		l.Max = max(l.Max, result.Max) // pooled scenarios may have limits of their own
		switch {
		case !result.Actual.Known, result.Outcome == trial.Error: // an upper bound that does not tell
			l.Unknown++
			continue
		case result.Outcome == trial.Fail:
			l.Failures++
		}
		if l.Worst == nil || result.Actual.Value > *l.Worst {
			l.Worst = new(result.Actual.Value)
		}
	}
}

// of returns the row of a name and a severity, a new one where there is none. A test has few
// limits: a search does without a map, and keeps the order.
func (table *limitTable) of(name, severity string) *Limit {
	for i := range *table {
		if (*table)[i].Name == name && (*table)[i].Severity == severity {
			return &(*table)[i]
		}
	}
	*table = append(*table, Limit{Name: name, Severity: severity})
	return &(*table)[len(*table)-1]
}

// list is never nil, so that JSON has a list.
func (table limitTable) list() []Limit { return append([]Limit{}, table...) }

// estimate adds the estimates after the stop: they allow for the stopping, which the share of passes does
// not. Of a test with errors they are those of both ways of counting them, each where it ended. While a
// test has not ended there is none (nil), nor where it is Inconclusive with errors. Of a result of an
// earlier version they are those of the way that decided.
func (r *Test) estimate(test *sprt.RobustTest, alpha float64, earlier bool) error {
	r.PassHatK = map[string]float64{}
	if test == nil || test.Errors() > 0 && test.Outcome() == sprt.Inconclusive {
		return nil
	}
	failed, passed := ends(test)
	if earlier {
		failed = endOf(test.Deciding())
		passed = failed
	}
	b := test.Design().Boundaries
	e, err := design.EstimateOf(b, failed, passed, alpha)
	if err != nil {
		return err
	}
	e.Level = 1 - confidence // of all parts together
	r.Estimate = e
	r.PassHatK = passHatK(b, failed)
	if failed != passed {
		r.PassHatKErrorsPassed = passHatK(b, passed)
	}
	h := test.Design().Hypotheses
	if fixed, ok := design.FixedSample(h); ok && h.Threshold > 0 {
		r.Savings = &design.Savings{FixedTrials: fixed.Trials, Trials: r.Trials}
	}
	return nil
}

// endOf is where a test ended.
func endOf(t *sprt.Test) sprt.End { return sprt.End{Trials: t.Trials(), Failures: t.Failures()} }

// ends are where a test ended with all errors as failures, and with all of them as passes.
func ends(test *sprt.RobustTest) (failed, passed sprt.End) {
	optimist, pessimist := test.Sides()
	return endOf(pessimist), endOf(optimist)
}

// passHatK estimates pass^k from the end of a test, by k up to the fewest trials that it can end with.
func passHatK(b sprt.Boundaries, end sprt.End) map[string]float64 {
	estimates := map[string]float64{}
	lattice, err := b.Lattice()
	if err != nil {
		return estimates
	}
	for k := 1; k <= verdict.MaxK; k++ {
		hat, err := lattice.PassHatK(end.Trials, end.Failures, k)
		if err != nil {
			break // the test can end before k trials
		}
		estimates[strconv.Itoa(k)] = hat
	}
	return estimates
}

// warn says what to know before relying on one test.
func (r *Test) warn() {
	switch {
	case r.Errors > 0 && r.recorded():
		r.Warnings = append(r.Warnings, verdict.WarnErrors.Warning(
			"%s ended in an error: a test against this baseline counts them both ways, as passes and as failures",
			prose.Count(r.Errors, "trial")))
	case r.Errors > 0:
		r.Warnings = append(r.Warnings, verdict.WarnErrors.Warning("%s ended in an error%s",
			prose.Count(r.Errors, "trial"), verdict.RobustErrors.Meaning(r.Errors)))
	}
	for _, l := range r.Limits {
		if l.Failures > 0 && l.Severity != "" {
			r.Warnings = append(r.Warnings, warnLimitBroken.Warning(
				"%s: %s went above the limit of %s, which only warns", l.Name, prose.Count(l.Failures, "trial"),
				phrase.Number(l.Max)))
		}
		if l.Unknown > 0 {
			r.Warnings = append(r.Warnings,
				warnLimitUnknown.Warning("%s: %s not tell what %s took of it, so whether the limit was kept is not known",
					l.Name, prose.Count(l.Unknown, "trial")+prose.Form(l.Unknown, " does", " do"),
					prose.Form(l.Unknown, "it", "they")))
		}
	}
	if r.Design.Alpha > r.Alpha || r.Design.Beta > r.Beta {
		r.Warnings = append(r.Warnings,
			design.WarnErrorsExceed.Warning("this test errs more often than was asked for: a false Fail in up to %s of runs, "+
				"a false Pass in up to %s",
				phrase.Percent(r.Design.Alpha), phrase.Percent(r.Design.Beta)))
	}
	x := r.Regression
	if x == nil {
		return
	}
	if x.Refuted() {
		r.Warnings = append(r.Warnings, warnRefuted.Warning("%s", x.refutedText()))
	}
	if x.Baseline.Errors > 0 {
		r.Warnings = append(r.Warnings, verdict.WarnErrors.Warning(
			"%s of the baseline ended in an error%s", prose.Count(x.Baseline.Errors, "trial"),
			verdict.RobustErrors.Meaning(x.Baseline.Errors)))
	}
	// What was planned keeps the targets with gamma; rounding of the sum is no excess.
	const slack = 1e-12
	if alpha, beta := x.Errors(); alpha > x.Alpha+slack || beta > x.Beta+slack {
		r.Warnings = append(r.Warnings, design.WarnErrorsExceed.Warning(
			"the test against the baseline errs more often than was asked for: a false Fail in up to %s of runs, a false "+
				"Pass in up to %s",
			phrase.Percent(alpha), phrase.Percent(beta)))
	}
}

// runVerdict says how a test ended, and why.
func runVerdict(test *sprt.RobustTest, e Evidence) (verdict.Verdict, []verdict.Reason) {
	h := test.Design().Hypotheses
	stand := design.Stand{
		Trials: test.Trials(), Failures: test.Failures(), Errors: test.Errors(), Threshold: h.Threshold,
		LowerRate: h.Lower(),
	}
	ended := []verdict.Reason{stand.Ended(test.Outcome())}
	switch test.Outcome() {
	case sprt.Pass:
		return verdict.Pass, ended
	case sprt.Fail:
		return verdict.Fail, ended
	case sprt.Inconclusive:
		switch {
		case test.Design().Kind == sprt.RecordingKind:
			return verdict.Inconclusive, []verdict.Reason{CodeRecorded.Reason("%s; a recording decides nothing",
				stand.Seen())}
		case test.ErrorsMatter():
			return verdict.Inconclusive, []verdict.Reason{verdict.CodeErrorsMatter.Reason(
				"%s: the %s would decide, so find the cause and run again", stand.Seen(),
				prose.Form(stand.Errors, "error", "errors"))}
		}
		return verdict.Inconclusive, ended
	}
	return verdict.Inconclusive, notEnded(stand, design.Of(test.Design().Boundaries).StraightPasses(), e)
}

// verdict says how a test ended, and why: each part in its own words.
func (d *decider) verdict(r *Test, e Evidence) (verdict.Verdict, []verdict.Reason) {
	if r.Regression == nil {
		return runVerdict(d.design, e)
	}
	type part struct {
		verdict verdict.Verdict
		reasons []verdict.Reason
	}
	parts := []part{{r.Regression.Verdict, r.Regression.Reasons}}
	// That against the threshold comes first, if it ended before the test did.
	if d.design != nil && d.design.Decided() && d.design.Trials() <= r.Trials {
		v, reasons := runVerdict(d.design, e)
		parts = append([]part{{v, reasons}}, parts...)
	}
	v := map[sprt.Outcome]verdict.Verdict{sprt.Pass: verdict.Pass, sprt.Fail: verdict.Fail}[d.Outcome()]
	// Without its condition the test in rounds decides nothing; what was decided against the threshold stays.
	if r.Regression.Refuted() && (v == verdict.Pass || parts[0].verdict != v) {
		v = verdict.Inconclusive
	}
	var reasons []verdict.Reason
	if !d.Decided() {
		reasons = notEnded(design.Stand{Trials: r.Trials, Failures: r.Fails, Errors: r.Errors}, 0, e)
	}
	if r.Trials == 0 {
		return v, reasons // without a trial the parts have nothing to tell
	}
	for _, p := range parts {
		// What decided: of a Fail the parts that failed, of an open test those that did not pass.
		if p.verdict == v || v == verdict.Inconclusive && p.verdict != verdict.Pass {
			reasons = append(reasons, p.reasons...)
		}
	}
	return v, reasons
}

// notEnded says why a test has no end. What could not have become a Pass says so:
// nothing may turn it into one. Least is how many trials, all passing, a Pass takes; 0 where that
// is not known.
func notEnded(stand design.Stand, least int, e Evidence) []verdict.Reason {
	cause := e.StoppedBy.Sentence(e.Budget)
	if stand.Trials == 0 {
		return []verdict.Reason{CodeNotEnded.Reason("%s before a trial was judged", cause),
			verdict.CodeNoTrials.Reason("no trial was judged")}
	}
	stopped := CodeNotEnded.Reason("%s, and %s before this could be decided", stand.Seen(), cause)
	// Stopping early may not read as "it was about to pass".
	if stand.Trials < least {
		return []verdict.Reason{stopped, design.Least(least)}
	}
	return []verdict.Reason{stopped}
}
