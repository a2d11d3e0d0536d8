package compare

import (
	"cmp"
	"context"
	"fmt"
	"reflect"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Judge judges a candidate against a baseline. Where scenarios have one trial on each side, or one of each
// input, these are pairs, and McNemar's test decides; otherwise the
// exact test within scenarios, or within inputs that were repeated, and with a single scenario
// Boschloo's test, unless the options name another. The numbers of trials have no part in it. An error means
// that the options cannot be used, or is the cause of the context's end; weak evidence, or none, is an
// Inconclusive comparison.
func Judge(ctx context.Context, baseline, candidate *recording.Recording, options Options) (*Result, error) {
	for _, r := range []*recording.Recording{baseline, candidate} {
		// Its tests take the numbers of trials for fixed.
		if s := r.Stopped(); s != nil {
			return nil, &recording.StoppedError{Name: r.Name, Stopped: s, Advice: "JudgeEnds compares such recordings"}
		}
	}
	c, err := newComparer(ctx, baseline, candidate, options)
	if err != nil {
		return nil, err
	}
	return c.judge()
}

// judge fills in the result step by step. The order matters: decide needs the power (for
// AgentAssay's rule) and the scenarios, addMoreTrials the verdict, and addWarnings all of
// them.
func (c *comparer) judge() (*Result, error) {
	result := c.describe()
	if result.Baseline.Trials == 0 || result.Candidate.Trials == 0 {
		result.Reasons = []verdict.Reason{verdict.CodeNoTrials.Reason(
			"a comparison needs trials with an outcome on both sides: the baseline has %d, the candidate %d",
			result.Baseline.Trials, result.Candidate.Trials)}
		result.ExitCode = result.Verdict.ExitCode()
		return result, nil
	}
	defer c.ahead.wait()
	// Some steps stop early when the context ends, so it is asked after each of them.
	for _, step := range []func(*Result){
		c.addTests, c.compareAhead, c.addEffect, c.addPower, c.addScenarios, c.addHeterogeneity, c.decide, c.addMoreTrials,
		c.addSides, c.addUnrun, c.addMetrics, c.markMetrics, c.judgeRises, c.addColumns, c.addWarnings, c.addExamples,
	} {
		step(result)
		if c.ctx.Err() != nil {
			return nil, context.Cause(c.ctx) // and what was not computed for it is missing
		}
		if c.failed != nil {
			return nil, c.failed
		}
	}
	if err := cmp.Or(c.baseline.Err(), c.candidate.Err()); err != nil {
		return nil, err
	}
	result.ExitCode = result.Verdict.ExitCode()
	if !c.drew {
		result.Seed = 0 // of nothing
	}
	return result, nil
}

// comparer holds what the parts of a comparison share.
// It is made for one call of Judge: options, the two sides, how their trials are
// paired, and which test decides. Its methods are spread over the files by what they
// compute: rules.go decides, scenarios.go compares scenario by scenario, metrics.go cost
// and the like, and more.go says what further trials would do.
type comparer struct {
	ctx                 context.Context // of the one call that it serves
	options             Options
	baseline, candidate *recording.Recording
	tallies             [2][]verdict.Tally // by scenario: baseline, candidate
	rows                scenarioRows       // of the tallies
	like                *groups
	pairing             *pairing
	layout              layout
	paired              bool // the deciding test is of the pairs
	stratified          bool // it is of the groups of like trials
	// Decides "the candidate is worse"; the test of "not worse by delta" goes with it.
	test stats.Test
	// Ways of scoring errors; the first is shown, and all must agree on the verdict.
	scorings      []errorScores
	worst, within *keptTest // the last tests: Boschloo's, and of non-inferiority
	// The test within strata, by ways of scoring errors.
	keptStratified []keptTest
	saved          *Result    // where its exact p-values are taken as they are; see takeExactTests
	drew           bool       // random numbers were drawn by the seed
	failed         error      // what a saved result holds cannot be; see held
	ahead          background // what is computed beside the steps of judge
}

// newComparer pairs the trials and chooses the deciding test: the one that the options
// name, else McNemar's where the trials are paired, the stratified one where there are several groups of like
// trials, and Boschloo's otherwise. It refuses a test of pairs where no trial has a partner.
func newComparer(ctx context.Context, baseline, candidate *recording.Recording, options Options) (*comparer, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, err
	}
	switch edition := editionOf(baseline.Len() + candidate.Len()); {
	case options.saved == 0:
		options.saved, options.unrun = edition, candidate.Unrun()
	case options.saved >= shortOfMany:
		options.saved = min(options.saved, edition)
	}
	tallies := [2][]verdict.Tally{baseline.Tallies(), candidate.Tallies()}
	like, pairs, err := options.matched(baseline, candidate, tallies)
	if err != nil {
		return nil, err
	}
	c := &comparer{
		ctx:      ctx,
		options:  options,
		baseline: baseline, candidate: candidate,
		tallies: tallies,
		like:    like,
		pairing: pairs,
		layout:  like.layout(),
	}
	c.rows = rowsOf(c.tallies)
	c.pairing.counted = options.counted
	c.paired = c.pairing.suffices()
	c.test = stats.BoschlooTest
	switch {
	case c.paired:
		c.test = stats.McNemarTest
	case c.layout.several():
		c.test = stats.StratifiedTest
	}
	if options.Test != nil {
		c.test = *options.Test
		c.paired = c.test.Paired()
	}
	if c.paired && c.pairing.len() == 0 {
		return nil, &verdict.OptionError{
			Option:  "test",
			Value:   c.test,
			Problem: "needs trials that can be paired: a scenario, or an input of it, with one trial on each side",
		}
	}
	c.stratified = c.test.Stratified() && c.layout.several()
	// Without an error the three ways of scoring are one, and it is computed once.
	errors := verdict.Pool("", c.tallies[0]).Errors+verdict.Pool("", c.tallies[1]).Errors > 0
	c.scorings = scorings(options.Errors, errors)
	return c, nil
}

// matched are the groups of like trials and the pairs: of a saved result that does not list its trials those of what it
// holds.
func (o Options) matched(
	baseline, candidate *recording.Recording, tallies [2][]verdict.Tally,
) (*groups, *pairing, error) {
	if o.held == nil {
		like := groupBoth(baseline, candidate)
		return like, pairUp(like, o.edition()), nil
	}
	if err := o.held.putCosts(tallies); err != nil {
		return nil, nil, err
	}
	if o.held.listed {
		like := groupBoth(baseline, candidate)
		return like, pairUp(like, o.edition()), nil
	}
	like, err := o.held.groups(baseline, candidate, tallies)
	if err != nil {
		return nil, nil, err
	}
	return like, countPairs(like), nil
}

// describe starts the result with what was given.
func (c *comparer) describe() *Result {
	o := c.options
	r := &Result{
		Schema: Schema,
		Alpha:  o.Alpha, Beta: o.Beta, Delta: o.Delta,
		Rule: o.Rule, By: o.By, Errors: o.Errors, Correction: o.Correction,
		Warnings:  []verdict.Warning{},
		Baseline:  c.side(c.baseline, c.tallies[0]),
		Candidate: c.side(c.candidate, c.tallies[1]),
		Unrun:     o.unrun,
		DecidedBy: c.test,
		Edition:   o.edition(),
		Seed:      o.Seed,
		Strata:    c.groups(),
		Family:    c.family(),
		Scenarios: []Scenario{},
		Metrics:   []Metric{},
		FailOn:    o.failOn(),
		Trials:    trialsOf(c.baseline, c.candidate),
		Groups:    groupsOf(c.baseline, c.candidate),
	}
	if o.held == nil {
		r.Aggregates = c.aggregate(r.Trials)
	}
	if o.older() {
		r.Edition, r.Seed = 0, 0
	}
	return r
}

// side describes one system: its pooled rate with an interval, and its reliability. Rate
// and interval stay nil without trials.
func (c *comparer) side(r *recording.Recording, tallies []verdict.Tally) Side {
	all := verdict.Pool(r.Name, tallies)
	counts := all.Counts(c.options.Errors)
	side := Side{
		Name: r.Name, Passes: counts.Passes, Trials: counts.Trials, Errors: all.Errors, Usage: r.Usage(),
		Guardrails: r.Guardrails(),
	}
	if counts.Trials == 0 {
		return side
	}
	side.Rate = new(counts.Rate())
	if interval, err := c.options.Interval.Interval(counts, c.options.Alpha); err == nil {
		side.Interval = &verdict.Interval{
			Method: c.options.Interval.String(),
			Level:  1 - c.options.Alpha,
			Low:    interval.Low,
			High:   interval.High,
		}
	}
	side.Reliability = verdict.ReliabilityOf(tallies, c.options.Errors)
	return side
}

// addTests computes every test that applies to the outcomes as shown.
func (c *comparer) addTests(result *Result) {
	shown := c.scorings[0]
	table := stats.Table{Baseline: c.baseline.Counts(shown.baseline), Candidate: c.candidate.Counts(shown.candidate)}
	if c.paired || c.pairing.suffices() {
		result.Pairs = c.pairing.flipTable(shown, c.options.edition())
		if h := c.options.held; h != nil {
			c.failed = h.listsOf(result.Pairs)
		}
		table.Pairs = new(c.pairing.table(shown))
	}
	if c.layout.several() && !c.spared(stats.StratifiedTest) {
		table.Strata, table.Clusters = c.layout.strata(shown)
	}
	for _, test := range stats.Tests() {
		if test.Stratified() && !c.layout.several() || c.spared(test) {
			continue // it would be Fisher's, or takes long and decides nothing
		}
		if found, err := c.testOf(test, table); err == nil {
			result.Tests.add(test, found)
		}
	}
	if p, err := c.nonInferiority(c.evidence(shown)); err == nil {
		result.Tests.NonInferiority = &PValue{p}
	}
	if strata := c.strata(shown); len(strata) > 1 {
		c.addCMH(&result.Tests, strata)
	}
}

// addCMH sets the Cochran-Mantel-Haenszel test over scenarios. It is shown; it does not decide.
func (c *comparer) addCMH(t *Tests, strata []stats.Stratum) {
	if cmh, err := stats.CochranMantelHaenszel(strata); err == nil && cmh.Informative > 0 {
		t.CMH = &CMH{P: cmh.PLess, PTwoSided: cmh.PTwoSided}
		if cmh.OddsRatio.Finite() {
			t.CMH.OddsRatio = new(cmh.OddsRatio.Value)
		}
	}
}

// strata are the scenarios that both sides tried.
func (c *comparer) strata(s errorScores) []stats.Stratum {
	var list []stats.Stratum
	for i := range c.rows {
		row := c.row(i)
		stratum := stats.Stratum{Baseline: scored(row[0], s.baseline), Candidate: scored(row[1], s.candidate)}
		// A scenario that one side did not try says nothing about the difference.
		if stratum.Baseline.Trials > 0 && stratum.Candidate.Trials > 0 {
			list = append(list, stratum)
		}
	}
	return list
}

// scored returns the counts of a tally under a way of scoring errors.
// It is the sibling of [recording.Recording.Counts] for a single scenario.
func scored(t verdict.Tally, s recording.ErrorScore) stats.Counts {
	counts := stats.Counts{Passes: t.Passes, Trials: t.Passes + t.Fails}
	if s != recording.ErrorsLeftOut {
		counts.Trials += t.Errors
	}
	if s == recording.ErrorsPass {
		counts.Passes += t.Errors
	}
	return counts
}

// scenarioRows are the scenarios of both sides by their places among the tallies, in the baseline's order, then those
// that only the candidate tried; -1 is a side that did not try it.
type scenarioRows [][2]int32

func rowsOf(tallies [2][]verdict.Tally) scenarioRows {
	rows := make(scenarioRows, 0, max(len(tallies[0]), len(tallies[1])))
	at := make(map[string]int32, len(tallies[0]))
	for i, t := range tallies[0] {
		at[t.Scenario] = int32(i)
		rows = append(rows, [2]int32{int32(i), -1})
	}
	for i, t := range tallies[1] {
		if row, known := at[t.Scenario]; known {
			rows[row][1] = int32(i)
			continue
		}
		rows = append(rows, [2]int32{-1, int32(i)})
	}
	return rows
}

// row returns the two tallies of a scenario, by its place among the rows.
func (c *comparer) row(i int) (row [2]verdict.Tally) {
	for side, at := range c.rows[i] {
		if at >= 0 {
			row[side] = c.tallies[side][at]
		}
	}
	row[0].Scenario = cmp.Or(row[0].Scenario, row[1].Scenario)
	row[1].Scenario = row[0].Scenario
	return row
}

// addEffect sets the sizes of the difference.
func (c *comparer) addEffect(result *Result) {
	shown := c.scorings[0]
	b, k := c.baseline.Counts(shown.baseline), c.candidate.Counts(shown.candidate)
	result.Difference = c.difference(shown, b, k)
	if h, err := stats.CohensH(b, k); err == nil {
		result.Effect.CohensH = new(h)
		result.Effect.Magnitude = stats.MagnitudeOf(h)
	}
	// The odds ratio is infinite or undefined where a side always passes or always fails;
	// JSON has no such number, so a reason stands in its place.
	if odds, err := stats.OddsRatio(b, k); err == nil {
		result.Effect.OddsRatioReason = odds.Reason()
		if odds.Finite() {
			result.Effect.OddsRatio = new(odds.Value)
		}
	}
	if p, err := c.beyondDelta(b, k); err == nil {
		result.Bayes = Bayes{Probability: new(p), Verdict: c.bayesVerdict(p)}
	}
	c.addPosterior(result)
}

// difference is the candidate's rate minus the baseline's with its interval: Tango's of
// pairs, whose value is over the pairs alone, and Miettinen and Nurminen's of two
// independent sides. NewScenarios answers another question; see [Difference].
func (c *comparer) difference(shown errorScores, b, k stats.Counts) Difference {
	alpha := c.options.Alpha
	d := Difference{Method: "miettinen-nurminen", Level: 1 - alpha, Value: new(k.Rate() - b.Rate())}
	interval, err := stats.MiettinenNurminen(b, k, alpha)
	if table := c.pairing.table(shown); c.paired && table.Total() > 0 {
		d.Method = "tango"
		d.Value = new(float64(table.Mended-table.Broke) / float64(table.Total()))
		interval, err = stats.Tango(table, alpha)
	}
	// Where the shares of the scenarios differ, or trials depend on each other, the pooled rates are of
	// no use.
	if c.stratified && (c.layout.clustered || c.layout.mixDiffers()) {
		d.Method = "stratified-newcombe"
		strata, clusters := c.layout.strata(shown)
		var value float64
		value, interval, err = stats.StratifiedDifference(strata, clusters, alpha)
		if d.Value = new(value); err != nil {
			d.Value = nil // no scenario, or no input, was tried on both sides
		}
	}
	if err != nil {
		// All that a difference of two rates can be: nothing is excluded.
		interval = stats.Interval{Low: -1, High: 1}
	}
	d.Low, d.High = interval.Low, interval.High
	if clustered, err := stats.ClusteredDifference(c.strata(shown), alpha); err == nil {
		d.NewScenarios = &verdict.Interval{
			Method: "bounded-mean",
			Level:  1 - alpha,
			Low:    clustered.Low,
			High:   clustered.High,
		}
	}
	return d
}

// SameTrials reports whether both sides have the same trials: all that is known of them is equal, and they took the
// same times to the last digit, or some of them failed. Equal Passes that tell nothing else may be of two agents that
// always pass.
func (r *Result) SameTrials() bool {
	if r.Trials == nil || !reflect.DeepEqual(r.Trials.Baseline, r.Trials.Candidate) {
		return false
	}
	_, timed := r.Trials.Candidate.Metrics[recording.DurationMetric.String()]
	return timed || r.Candidate.Trials > 0 && (r.Candidate.Passes < r.Candidate.Trials || r.Candidate.Errors > 0)
}

// WarnOfSameTrials warns that both sides are the same trials, as far as a file tells.
func (r *Result) WarnOfSameTrials(file string) {
	r.Warnings = append(r.Warnings, warnSameTrials.Warning(
		"the baseline and the candidate are the same trials, as far as %s tells", file))
}

// addWarnings says what a reader should know before relying on the verdict. None of it
// changes the verdict.
func (c *comparer) addWarnings(result *Result) {
	add := func(w verdict.Warning) { result.Warnings = append(result.Warnings, w) }
	if errors := result.Baseline.Errors + result.Candidate.Errors; errors > 0 {
		add(verdict.WarnErrors.Warning("%s, %d of the baseline and %d of the candidate, ended in an error%s",
			prose.Count(errors, "trial"), result.Baseline.Errors, result.Candidate.Errors, c.options.Errors.Meaning(errors)))
	}
	if p := result.Pairs; p != nil && p.UnpairedBaseline+p.UnpairedCandidate > 0 {
		add(WarnUnpaired.Warning(
			"%s of the baseline and %s of the candidate have no partner and are left out of the paired tests",
			prose.Count(p.UnpairedBaseline, "trial"), prose.Count(p.UnpairedCandidate, "trial")))
	}
	c.warnOfStrata(result, add)
	if !c.test.Exact() {
		add(warnApproximateLevel.Warning("the z test keeps alpha only in large samples; Boschloo's test always does"))
	}
	if c.options.Rule == PaperRule {
		add(warnPaperPowerProperty.Warning(
			"where the true drop is exactly the least that matters, this rule finds it half of the time at most, since the " +
				"drop that is seen must be as large; the margin rule has no such limit"))
	}
	// Where these are what holds back a Pass, a reason names them.
	said := result.By == verdict.BySuite && hasReason(result.Reasons, verdict.CodeScenariosFail)
	if worse := c.worseScenarios(result); len(worse) > 0 && !said {
		add(warnScenariosWorse.Warning("%s worse with p at most %s%s: %s", phrase.AreScenarios(len(worse)),
			phrase.Number(result.ScenarioAlpha()), beside(c.options.Correction), phrase.Names(worse)))
	}
	if changed := changedMetrics(result.Metrics); changed != "" {
		add(WarnMetricsChanged.Warning("changed: %s", changed))
	}
	c.warnOfSums(result, add)
	for _, side := range []Side{result.Baseline, result.Candidate} {
		if side.Reliability != nil {
			for _, w := range side.Reliability.Cost.Warnings() {
				add(verdict.Warning{Code: w.Code, Text: fmt.Sprintf("%s: %s", side.Name, w.Text)})
			}
		}
	}
}

// changedMetrics lists the metrics that changed with both means, for one warning; "" where
// none did.
func changedMetrics(metrics []Metric) string {
	text := ""
	for _, m := range metrics {
		if !m.Changed {
			continue
		}
		if text != "" {
			text += ", "
		}
		baseline, candidate := phrase.Amounts(m.Baseline.Mean, m.Candidate.Mean)
		text += fmt.Sprintf("%s %s -> %s", m.Name, baseline, candidate)
	}
	return text
}
