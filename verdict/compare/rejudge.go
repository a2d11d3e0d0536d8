package compare

import (
	"context"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	return verdict.Header{
		Schema: r.Schema, Judged: true, Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Warnings: r.Warnings,
	}
}

// Rejudge compares again from the trials. A comparison that does not hold them is judged
// again from the counts of its scenarios. Earlier looks are what the ledger held.
func (r *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	found, err := r.rejudge(ctx)
	if err == nil {
		found.Given = append(found.Given, "examples") // what trials did is not saved elsewhere
		err = r.checkSample()
	}
	if err == nil {
		err = r.takeUsage(found)
	}
	if err == nil {
		err = r.takeGuardrails(found)
	}
	if err == nil && (r.BaselineAnswers != nil || r.CandidateAnswers != nil) {
		err = r.takeAnswers(found)
	}
	if err == nil && r.Looks != nil {
		found.Again.(*Result).Look(r.Looks.Earlier, r.Looks.Declared)
		found.Given = append(found.Given, "looks.earlier", "looks.declared")
	}
	if err == nil && r.Commit != "" {
		found.Again.(*Result).Commit = r.Commit
		found.Given = append(found.Given, "commit")
	}
	// The command knows that both sides are the same file; the trials do not tell.
	if n := len(r.Warnings); err == nil && n > 0 && r.Warnings[n-1].Code == warnSameTrials {
		again := found.Again.(*Result)
		again.Warnings = append(again.Warnings, r.Warnings[n-1])
	}
	return found, err
}

// takeAnswers takes over what is told of answers, which are not saved.
func (r *Result) takeAnswers(found *rejudged.Result) error {
	found.Again.(*Result).Repeat(r.BaselineAnswers, r.CandidateAnswers)
	return checkAnswers(found, r.BaselineAnswers, r.CandidateAnswers, [2]int{r.Baseline.Trials, r.Candidate.Trials})
}

func (r *Result) rejudge(ctx context.Context) (*rejudged.Result, error) {
	o, err := r.options()
	if err != nil {
		return nil, err
	}
	if r.Edition > edition {
		return nil, &verdict.DifferenceError{
			Path: "edition", Have: fmt.Sprint(r.Edition), Want: fmt.Sprintf("at most %d, which this version makes", edition),
		}
	}
	if r.Edition < withinScenarios && (len(r.Scenarios) > 1 || r.Pairs != nil) {
		return nil, &verdict.DifferenceError{
			Path: "edition",
			Have: "that of an earlier version, which pooled scenarios and paired trials by their numbers",
			Want: fmt.Sprintf("%d; compare the recordings once more", edition),
		}
	}
	if r.Trials == nil {
		return r.rejudgeCounts(ctx, o)
	}
	baseline, err := r.Trials.Baseline.Recording(r.Baseline.Name, r.Trials.Scenarios)
	if err != nil {
		return nil, recheck.Within("trials.baseline", err)
	}
	candidate, err := r.Trials.Candidate.Recording(r.Candidate.Name, r.Trials.Scenarios)
	if err != nil {
		return nil, recheck.Within("trials.candidate", err)
	}
	// No result that Judge made lists more: judging a forged one might take for ever.
	if n := baseline.Len() + candidate.Len(); n > recording.MostTrials ||
		n > recording.MostValues && !r.Trials.NoMetrics {
		return nil, &verdict.DifferenceError{
			Path: "trials",
			Have: prose.Count(n, "trial"),
			Want: "as many as a result holds",
		}
	}
	switch {
	case r.Trials.NoMetrics && r.Aggregates != nil:
		o.held = &savedParts{Aggregates: r.Aggregates, metrics: r.Metrics, listed: true}
		if r.limitsPermuted() {
			o.FailOn = nil
		}
	case r.Trials.NoMetrics:
		o.FailOn = nil
		o.metricsBeside = r.Family != nil && slices.Contains(r.Family.Parts, partMetrics)
	}
	again, err := Judge(ctx, baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	again.Tests.leaveOutLater(&r.Tests)
	if err := again.takePrices(r); err != nil {
		return nil, err
	}
	found := &rejudged.Result{
		Again: again,
		Given: []string{"trials", "sampled", "pairs.flips.baseline_output", "pairs.flips.candidate_output",
			"pairs.flips.baseline_steps", "pairs.flips.candidate_steps"},
	}
	if r.Trials.NoMetrics {
		found.Given = append(found.Given, "aggregates")
	}
	switch {
	case o.held != nil:
		found.Skipped = o.held.taken
		if r.limitsPermuted() {
			again.takeRises(r.FailOn)
			found.Skip = slices.Clone(partsOfRises)
		}
	case r.Trials.NoMetrics:
		found.Skip = partsOfMetrics
		if len(r.FailOn) > 0 {
			again.takeRises(r.FailOn)
			found.Skip = append(slices.Clone(partsOfMetrics), partsOfRises...)
		}
	case r.Edition < pairsOfScenarios && len(r.Metrics) > 0:
		found.Skip = []string{"metrics", "warnings"} // earlier versions resampled them, or went by ranks
	}
	return found, r.rejudgeBehaviour(ctx, found)
}

// rejudgeBehaviour judges the behaviour from its own evidence, and then counts it again, as it was.
func (r *Result) rejudgeBehaviour(ctx context.Context, found *rejudged.Result) error {
	if r.Behaviour == nil {
		found.Given = append(found.Given, "behaviour_counts")
		return nil
	}
	part, err := r.Behaviour.Rejudge(ctx)
	if err != nil {
		return recheck.Within("behaviour", err)
	}
	found.Include("behaviour", r.Behaviour, part)
	found.Again.(*Result).AddBehaviour(part.Again.(*behaviour.Comparison), r.BehaviourCounts)
	return nil
}

// takePrices takes over which table the estimates of a saved comparison are from.
func (r *Result) takePrices(saved *Result) error {
	sides, from := []*Side{&r.Baseline, &r.Candidate}, []*Side{&saved.Baseline, &saved.Candidate}
	for i, name := range []string{"baseline", "candidate"} {
		if from[i].Reliability == nil || sides[i].Reliability == nil {
			continue
		}
		cost := from[i].Reliability.Cost
		if err := cost.CheckPrices(name + ".reliability.cost"); err != nil {
			return err
		}
		if cost != nil {
			sides[i].Reliability.Cost.Priced(cost.Prices)
		}
	}
	return nil
}

// Priced notes the table of prices that estimates of costs are from; nil is none.
func (r *Result) Priced(p *verdict.Prices) {
	for _, side := range []Side{r.Baseline, r.Candidate} {
		if side.Reliability != nil {
			side.Reliability.Cost.Priced(p)
		}
	}
}

// partsOfMetrics are the parts of a comparison that follow from the metrics of its
// trials.
var partsOfMetrics = []string{
	"metrics", "warnings", "baseline.reliability.cost_per_success", "baseline.reliability.cost",
	"candidate.reliability.cost_per_success", "candidate.reliability.cost",
}

// partsOfRises are the further ones where a metric may fail the comparison. The verdict follows from what came of each.
var partsOfRises = []string{"fail_on", "family", "reasons"}

// takeRises takes what came of the metrics that may fail a comparison as it was saved, where the metrics themselves
// were not: the verdict is that of the rates and of these.
func (r *Result) takeRises(saved []MetricRise) {
	r.FailOn = saved
	for _, f := range saved {
		switch {
		case f.Verdict == verdict.Fail:
			r.Verdict = verdict.Fail
		case f.Verdict == verdict.Inconclusive && r.Verdict == verdict.Pass:
			r.Verdict = verdict.Inconclusive
		}
	}
	r.ExitCode = r.Verdict.ExitCode()
}

// options are those that the comparison was made with. Where no test was named, that
// which decided decides again.
func (r *Result) options() (Options, error) {
	o := Options{
		Delta:      r.Delta,
		Alpha:      r.Alpha,
		Beta:       r.Beta,
		Rule:       r.Rule,
		Correction: r.Correction,
		Errors:     r.Errors,
		By:         r.By,
		Test:       &r.DecidedBy,
		Priors:     r.Posterior.priors(),
		saved:      max(r.Edition, 1),
		excusing:   hasReason(r.Reasons, codePassedWhileWorse),
	}
	o.Missing, o.unsided = r.OneSided.asked()
	if o.unrun = r.Unrun; r.Unrun < 0 || r.Unrun > r.Candidate.Errors {
		return o, &verdict.DifferenceError{Path: "unrun", Have: fmt.Sprint(r.Unrun),
			Want: fmt.Sprintf("from 0 to %d", r.Candidate.Errors)}
	}
	for _, f := range r.FailOn {
		o.FailOn = append(o.FailOn, MetricRise{Metric: f.Metric, Most: f.Most, Above: f.Above})
	}
	o.BehaviourBeside = r.Behaviour != nil && r.Family != nil && slices.Contains(r.Family.Parts, partBehaviour)
	// The document names the method of the interval only where a side has one.
	for _, side := range []*Side{&r.Baseline, &r.Candidate} {
		if side.Interval != nil {
			if err := o.Interval.UnmarshalText([]byte(side.Interval.Method)); err != nil {
				return o, err
			}
			break
		}
	}
	o.Seed = r.Seed
	// Older results have the seed with their metrics, which alone needed it.
	if o.older() && len(r.Metrics) > 0 {
		o.Seed = r.Metrics[0].Difference.Seed
	}
	return o, nil
}

// rejudgeCounts judges again a comparison from the counts of its scenarios, and its behaviour from what that holds.
// What depends on single trials (pairs, metrics) is not in it: where it decided, the tests of independent sides are
// recomputed and the verdict is not.
func (r *Result) rejudgeCounts(ctx context.Context, o Options) (*rejudged.Result, error) {
	if r.Groups != nil {
		return r.rejudgeGroups(ctx, o)
	}
	baseline, candidate, err := r.recordings()
	if err != nil {
		return nil, err
	}
	if a := r.Aggregates; a != nil && !a.InputsOmitted {
		return r.rejudgeAggregates(ctx, baseline, candidate, o)
	}
	test := r.DecidedBy
	paired := test.Paired()
	// The table of the pairs is one way of scoring errors. Where there are others, counts cannot be paired, so a stand-in
	// decides, and what depends on it is skipped below; verifyPairs checks the test that did decide.
	tabled := paired && r.Pairs != nil && len(scorings(r.Errors, r.Baseline.Errors+r.Candidate.Errors > 0)) == 1
	switch {
	case tabled:
		o.counted = r.Pairs
	case paired:
		test = stats.BoschlooTest
	}
	if paired {
		if err := r.verifyPairs(ctx); err != nil {
			return nil, err
		}
	}
	if r.Strata != nil && r.Strata.ByInput {
		o.taken = r.Scenarios
	}
	o.Test, o.FailOn = &test, nil
	c, err := newComparer(ctx, baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	// Counts of any size are cheap to write into a document, and exact tests of them are
	// not cheap to compute: those of pairs, of inputs, which the counts do not tell, and those of earlier editions.
	var large []string
	recomputed := c.options.ofVeryMany() && !paired && (r.Strata == nil || !r.Strata.ByInput)
	if baseline.Len()+candidate.Len() > recording.MostTrials && !recomputed {
		if large, err = c.takeExactTests(r); err != nil {
			return nil, err
		}
	}
	again, err := c.judge()
	if err != nil {
		return nil, err
	}
	again.Tests.leaveOutLater(&r.Tests)
	found := &rejudged.Result{
		Again: again, Skipped: large, Given: []string{"trials", "aggregates", "sampled"}, Skip: slices.Clone(partsOfMetrics),
	}
	if tabled {
		found.Given = append(found.Given, "pairs")
	} else {
		found.Skip = append(found.Skip, "pairs")
		for _, t := range stats.Tests() {
			if t.Paired() {
				found.Skip = append(found.Skip, "tests."+t.String())
			}
		}
	}
	if paired && !tabled {
		// All that followed from the pairs, of which single trials are not known.
		found.Skip = append(found.Skip, "verdict", "reasons", "decided_by", "difference",
			"tests.noninferiority", "power", "more_trials")
	}
	if s := r.Strata; s != nil && s.ByInput {
		// Counts of scenarios do not say which trials had the same input.
		found.Skip = append(found.Skip, "reasons", "strata", "heterogeneity", "tests.stratified", "scenarios.p_holm",
			"scenarios.p_bh", "scenarios.verdict")
		if !slices.Contains(large, "scenarios.p") {
			found.Skip = append(found.Skip, "scenarios.p")
		}
		if !tabled {
			found.Skip = append(found.Skip, "difference", "tests.noninferiority", "power", "more_trials")
		}
		if !tabled || r.By == verdict.ByScenario {
			found.Skip = append(found.Skip, "verdict")
		}
	}
	found.Skip = append(found.Skip, "family") // which metrics were known is not in the counts
	if r.Behaviour != nil && !r.BehaviourCounts && r.Edition < shortOfMany {
		found.Skip = append(found.Skip, "verdict", "reasons") // earlier versions did not say whether it counts
	}
	if len(r.Columns) > 0 {
		found.Skip = append(found.Skip, "columns") // of sums that the result does not hold
	}
	if len(r.FailOn) > 0 {
		again.takeRises(r.FailOn)
		found.Skip = append(found.Skip, partsOfRises...)
	}
	if len(large) > 0 {
		found.Skip = append(found.Skip, "scenarios.verdict")
		if len(c.scorings) > 1 || r.By == verdict.ByScenario {
			found.Skip = append(found.Skip, "verdict", "reasons") // of tests that are not in the result
		}
	}
	return found, r.rejudgeBehaviour(ctx, found)
}

// rejudgeAggregates judges again a comparison from the counts of its scenarios and from what else it holds in place of
// trials.
func (r *Result) rejudgeAggregates(
	ctx context.Context, baseline, candidate *recording.Recording, o Options,
) (*rejudged.Result, error) {
	o.held = &savedParts{Aggregates: r.Aggregates, metrics: r.Metrics, pairs: r.Pairs}
	permuted := r.limitsPermuted()
	if permuted {
		o.FailOn = nil
	}
	again, err := judgeHeld(ctx, baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	if err := again.takePrices(r); err != nil {
		return nil, err
	}
	found := &rejudged.Result{
		Again: again, Given: []string{"aggregates", "pairs.flips", "sampled"}, Skipped: o.held.taken,
	}
	if permuted {
		again.takeRises(r.FailOn)
		found.Skip = slices.Clone(partsOfRises)
	}
	return found, r.rejudgeBehaviour(ctx, found)
}

// limitsPermuted reports whether the test of a rise that is allowed permuted values, of which there were few.
func (r *Result) limitsPermuted() bool {
	return slices.ContainsFunc(r.FailOn, func(f MetricRise) bool {
		m := r.Aggregates.Metrics[f.Metric]
		return (f.Most != nil || f.Above != nil) && m != nil && m.Test == nil
	})
}

// judgeHeld is [Judge] of counts that stand for trials.
func judgeHeld(ctx context.Context, baseline, candidate *recording.Recording, o Options) (*Result, error) {
	c, err := newComparer(ctx, baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	return c.judge()
}

// rejudgeGroups judges again a comparison of counts and sums, which are all that it was computed from.
func (r *Result) rejudgeGroups(ctx context.Context, o Options) (*rejudged.Result, error) {
	both, err := r.Groups.recordings([2]string{r.Baseline.Name, r.Candidate.Name})
	if err != nil {
		return nil, err
	}
	c, err := newComparer(ctx, both[0], both[1], o)
	if err != nil {
		return nil, err
	}
	found := &rejudged.Result{Given: []string{"groups"}}
	if both[0].Len()+both[1].Len() > recording.MostTrials && !c.options.ofVeryMany() {
		if found.Skipped, err = c.takeExactTests(r); err != nil {
			return nil, err
		}
	}
	again, err := c.judge()
	if err != nil {
		return nil, err
	}
	again.Tests.leaveOutLater(&r.Tests)
	if len(found.Skipped) > 0 {
		found.Skip = append(found.Skip, "scenarios.verdict")
		if len(c.scorings) > 1 || r.By == verdict.ByScenario {
			found.Skip = append(found.Skip, "verdict", "reasons") // of tests that are not in the result
		}
	}
	found.Again = again
	return found, nil
}

// takeExactTests makes a comparison of more trials than a result may list take the p-values
// of the exact tests of two sides as they are saved: each is a search whose time and memory
// grow with the number of trials, which is but a claim of the document. Everything else is
// computed, and the verdict follows from the p-values. It returns the paths of what is
// taken.
func (c *comparer) takeExactTests(r *Result) (paths []string, err error) {
	// testScenario will read the saved p-values by place.
	if rows := len(c.rows); len(r.Scenarios) > 0 && len(r.Scenarios) != rows {
		return nil, &verdict.DifferenceError{
			Path: "scenarios", Have: fmt.Sprintf("a list of %d", len(r.Scenarios)),
			Want: fmt.Sprintf("a list of %d", rows),
		}
	}
	c.saved, c.options.taken = r, r.Scenarios
	c.drew = r.Seed != 0 // for what is taken
	boschloo, there := r.Tests.Of(stats.BoschlooTest)
	// Beyond so many trials it is computed only where it decides.
	spared := r.Edition >= shortOfMany && r.DecidedBy != stats.BoschlooTest
	if p := boschloo.P; !(there || spared) || !(p >= 0 && p <= 1) {
		return nil, &verdict.DifferenceError{Path: "tests.boschloo", Have: fmt.Sprint(p), Want: "a p-value"}
	}
	if p, err := r.Tests.NonInferiority.value(); err != nil || !(p >= 0 && p <= 1) {
		return nil, &verdict.DifferenceError{Path: "tests.noninferiority", Have: fmt.Sprint(p), Want: "a p-value"}
	}
	// Boschloo's test is never above the test that it starts from.
	if fisher, known := r.Tests.Of(stats.FisherTest); there && known && boschloo.P > fisher.P*(1+1e-6) {
		return nil, &verdict.DifferenceError{
			Path: "tests.boschloo.p", Have: fmt.Sprint(boschloo.P), Want: fmt.Sprintf("at most Fisher's %v", fisher.P),
		}
	}
	paths = []string{"tests.noninferiority"}
	if there {
		paths = []string{"tests.boschloo", "tests.noninferiority"}
	}
	if stratified, there := r.Tests.Of(stats.StratifiedTest); there {
		if p := stratified.P; !(p >= 0 && p <= 1) {
			return nil, &verdict.DifferenceError{Path: "tests.stratified", Have: fmt.Sprint(p), Want: "a p-value"}
		}
		paths = append(paths, "tests.stratified", "heterogeneity")
	}
	if len(r.Scenarios) > 0 {
		paths = append(paths, "scenarios.p")
	}
	return paths, nil
}

// Problem says what of a saved comparison does not fit together, so that it could not even be shown; "" is nothing.
func (r *Result) Problem() string { return rejudged.CountsProblem(r) }
