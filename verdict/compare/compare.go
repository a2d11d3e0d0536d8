package compare

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/phrase"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Judge judges a candidate against a baseline. Trials are paired by scenario and
// input where both sides have them, and then McNemar's test decides; otherwise the
// two sides count as independent, and Boschloo's test decides, unless the options
// name another. An error means that the options cannot be used, or is the cause of the
// context's end; weak evidence, or none, is an Inconclusive comparison.
func Judge(ctx context.Context, baseline, candidate *recording.Recording, options Options) (*Result, error) {
	c, err := newComparer(ctx, baseline, candidate, options)
	if err != nil {
		return nil, err
	}
	return c.judge()
}

func (c *comparer) judge() (*Result, error) {
	result := c.describe()
	if result.Baseline.Trials == 0 || result.Candidate.Trials == 0 {
		result.Reasons = []verdict.Reason{verdict.CodeNoTrials.Reason(
			"a comparison needs trials with an outcome on both sides: the baseline has %d, the candidate %d",
			result.Baseline.Trials, result.Candidate.Trials)}
		result.ExitCode = result.Verdict.ExitCode()
		return result, nil
	}
	for _, step := range []func(*Result){
		c.addTests, c.addEffect, c.addPower, c.addScenarios, c.decide, c.addMoreTrials, c.addMetrics, c.addWarnings,
	} {
		step(result)
		if c.ctx.Err() != nil {
			return nil, context.Cause(c.ctx) // and what was not computed for it is missing
		}
	}
	result.ExitCode = result.Verdict.ExitCode()
	return result, nil
}

// comparer holds what the parts of a comparison share.
type comparer struct {
	ctx                 context.Context // of the one call that it serves
	options             Options
	baseline, candidate *recording.Recording
	tallies             [2][]verdict.Tally // by scenario: baseline, candidate
	pairing             *pairing
	paired              bool // the deciding test is of the pairs
	test                stats.Test
	scorings            []scoring
	worst, within       *keptTest // the last tests: Boschloo's, and of non-inferiority
	saved               *Result   // where its exact p-values are taken as they are; see takeExactTests
}

func newComparer(ctx context.Context, baseline, candidate *recording.Recording, options Options) (*comparer, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, err
	}
	c := &comparer{
		ctx:      ctx,
		options:  options,
		baseline: baseline, candidate: candidate,
		tallies: [2][]verdict.Tally{baseline.Tallies(), candidate.Tallies()},
		pairing: pairUp(baseline, candidate),
	}
	c.paired = c.pairing.suffices()
	c.test = stats.BoschlooTest
	if c.paired {
		c.test = stats.McNemarTest
	}
	if options.Test != nil {
		c.test = *options.Test
		c.paired = c.test.Paired()
	}
	if c.paired && len(c.pairing.matches) == 0 {
		return nil, &verdict.OptionError{
			Option:  "test",
			Value:   c.test,
			Problem: "needs trials that can be paired: both sides must hold the same scenarios",
		}
	}
	errors := verdict.Pool("", c.tallies[0]).Errors+verdict.Pool("", c.tallies[1]).Errors > 0
	c.scorings = scorings(options.Errors, errors)
	return c, nil
}

// describe starts the result with what was given.
func (c *comparer) describe() *Result {
	o := c.options
	return &Result{
		Schema: Schema,
		Alpha:  o.Alpha, Beta: o.Beta, Delta: o.Delta,
		Rule: o.Rule, By: o.By, Errors: o.Errors, Correction: o.Correction,
		Warnings:  []verdict.Warning{},
		Baseline:  c.side(c.baseline, c.tallies[0]),
		Candidate: c.side(c.candidate, c.tallies[1]),
		DecidedBy: c.test,
		Scenarios: []Scenario{},
		Metrics:   []Metric{},
		Trials:    trialsOf(c.baseline, c.candidate),
	}
}

func (c *comparer) side(r *recording.Recording, tallies []verdict.Tally) Side {
	all := verdict.Pool(r.Name, tallies)
	counts := all.Counts(c.options.Errors)
	side := Side{Name: r.Name, Passes: counts.Passes, Trials: counts.Trials, Errors: all.Errors}
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
		result.Pairs = c.pairing.flipTable(shown)
		table.Pairs = new(c.pairing.table(shown))
	}
	for _, test := range stats.Tests() {
		if of, err := c.testOf(test, table); err == nil {
			result.Tests.add(test, of)
		}
	}
	if p, err := c.nonInferiority(c.evidence(shown)); err == nil {
		result.Tests.NonInferiority = &PValue{p}
	}
	if strata := c.strata(shown); len(strata) > 1 {
		c.addStratifiedTests(&result.Tests, strata)
	}
}

func (c *comparer) addStratifiedTests(t *Tests, strata []stats.Stratum) {
	if cmh, err := stats.CochranMantelHaenszel(strata); err == nil && cmh.Informative > 0 {
		t.CMH = &CMH{P: cmh.PLess, PTwoSided: cmh.PTwoSided}
		if cmh.OddsRatio.Finite() {
			t.CMH.OddsRatio = new(cmh.OddsRatio.Value)
		}
	}
	if c.saved != nil {
		t.Stratified = c.saved.Tests.Stratified
	} else if exact, err := stats.StratifiedExact(c.ctx, strata); err == nil {
		t.Stratified = &PValue{exact.PLess}
	}
}

// strata are the scenarios that both sides tried.
func (c *comparer) strata(s scoring) []stats.Stratum {
	var list []stats.Stratum
	for _, row := range c.byScenario() {
		stratum := stats.Stratum{Baseline: scored(row[0], s.baseline), Candidate: scored(row[1], s.candidate)}
		if stratum.Baseline.Trials > 0 && stratum.Candidate.Trials > 0 {
			list = append(list, stratum)
		}
	}
	return list
}

// scored returns the counts of a tally under a way of scoring errors.
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

// byScenario returns the two tallies of every scenario, in the baseline's order,
// then those that only the candidate tried.
func (c *comparer) byScenario() [][2]verdict.Tally {
	var rows [][2]verdict.Tally
	at := map[string]int{}
	for side, tallies := range c.tallies {
		for _, t := range tallies {
			i, known := at[t.Scenario]
			if !known {
				i = len(rows)
				at[t.Scenario] = i
				rows = append(rows, [2]verdict.Tally{{Scenario: t.Scenario}, {Scenario: t.Scenario}})
			}
			rows[i][side] = t
		}
	}
	return rows
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
	if odds, err := stats.OddsRatio(b, k); err == nil {
		result.Effect.OddsRatioReason = odds.Reason()
		if odds.Finite() {
			result.Effect.OddsRatio = new(odds.Value)
		}
	}
	if p, err := stats.BayesRegression(b, k, c.options.Delta, stats.BetaPrior{}); err == nil {
		result.Bayes = Bayes{Probability: new(p), Verdict: c.bayesVerdict(p)}
	}
}

func (c *comparer) difference(shown scoring, b, k stats.Counts) Difference {
	alpha := c.options.Alpha
	d := Difference{Method: "miettinen-nurminen", Level: 1 - alpha, Value: new(k.Rate() - b.Rate())}
	interval, err := stats.MiettinenNurminen(b, k, alpha)
	if table := c.pairing.table(shown); c.paired && table.Total() > 0 {
		d.Method = "tango"
		d.Value = new(float64(table.Mended-table.Broke) / float64(table.Total()))
		interval, err = stats.Tango(table, alpha)
	}
	if err != nil {
		interval = stats.Interval{Low: -1, High: 1}
	}
	d.Low, d.High = interval.Low, interval.High
	if clustered, err := stats.ClusteredDifference(c.strata(shown), alpha); err == nil {
		d.NewScenarios = &verdict.Interval{
			Method: "clustered-t",
			Level:  1 - alpha,
			Low:    clustered.Low,
			High:   clustered.High,
		}
	}
	return d
}

func (c *comparer) addWarnings(result *Result) {
	add := func(w verdict.Warning) { result.Warnings = append(result.Warnings, w) }
	if errors := result.Baseline.Errors + result.Candidate.Errors; errors > 0 {
		add(verdict.WarnErrors.Warning("%s ended in an error (baseline %d, candidate %d) and count as %s",
			prose.Count(errors, "trial"), result.Baseline.Errors, result.Candidate.Errors, c.options.Errors.Meaning()))
	}
	if p := result.Pairs; p != nil && p.UnpairedBaseline+p.UnpairedCandidate > 0 {
		add(WarnUnpaired.Warning(
			"%s of the baseline and %s of the candidate have no partner and are left out of the paired tests",
			prose.Count(p.UnpairedBaseline, "trial"), prose.Count(p.UnpairedCandidate, "trial")))
	}
	if !c.paired && c.mixDiffers() {
		add(WarnScenarioMix.Warning(
			"the two sides tried the scenarios in different proportions; the pooled rates mix that with the " +
				"systems' own difference, the stratified tests do not"))
	}
	if !c.test.Exact() {
		add(WarnApproximateLevel.Warning("the z test keeps alpha only in large samples; Boschloo's test always does"))
	}
	if c.options.Rule == PaperRule {
		add(WarnPaperPowerProperty.Warning(
			"at a true drop of exactly delta this rule's demand on the observed drop alone holds half of the " +
				"time; the margin rule has no such limit"))
	}
	if worse := c.worseScenarios(result); len(worse) > 0 {
		add(WarnScenariosWorse.Warning("worse on %s (p %s, %s): %s", prose.Count(len(worse), "scenario"),
			correctionName(c.options.Correction), "at most alpha", phrase.Names(worse)))
	}
	if changed := changedMetrics(result.Metrics); changed != "" {
		add(WarnMetricsChanged.Warning("changed: %s", changed))
	}
	for _, side := range []Side{result.Baseline, result.Candidate} {
		if side.Reliability != nil {
			for _, w := range side.Reliability.Cost.Warnings() {
				add(verdict.Warning{Code: w.Code, Text: fmt.Sprintf("%s: %s", side.Name, w.Text)})
			}
		}
	}
}

// mixDiffers reports whether some scenario has a share of one side's trials that
// is not its share of the other's.
func (c *comparer) mixDiffers() bool {
	totals := [2]int{verdict.Pool("", c.tallies[0]).Cost.Trials, verdict.Pool("", c.tallies[1]).Cost.Trials}
	for _, row := range c.byScenario() {
		if row[0].Cost.Trials*totals[1] != row[1].Cost.Trials*totals[0] {
			return true
		}
	}
	return false
}

func changedMetrics(metrics []Metric) string {
	text := ""
	for _, m := range metrics {
		if !m.Changed {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s %.3g -> %.3g", m.Name, m.Baseline.Mean, m.Candidate.Mean)
	}
	return text
}
