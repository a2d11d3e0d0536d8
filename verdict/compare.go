package verdict

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
)

// Compare judges a candidate against a baseline. Trials are paired by scenario and
// input where both sides have them, and then McNemar's test decides; otherwise the
// two sides count as independent, and Boschloo's test decides, unless the options
// name another. An error means that the options cannot be used; weak evidence, or
// none, is an Inconclusive comparison.
func Compare(baseline, candidate *Recording, options CompareOptions) (*Comparison, error) {
	c, err := newComparer(baseline, candidate, options)
	if err != nil {
		return nil, err
	}
	result := c.describe()
	if result.Baseline.Trials == 0 || result.Candidate.Trials == 0 {
		result.Reasons = []Reason{reason(CodeNoTrials, "a comparison needs trials with an outcome on both sides: the baseline has %d, the candidate %d",
			result.Baseline.Trials, result.Candidate.Trials)}
		result.ExitCode = result.Verdict.ExitCode()
		return result, nil
	}
	c.addTests(result)
	c.addEffect(result)
	c.addPower(result)
	c.addScenarios(result)
	c.decide(result)
	c.addMoreTrials(result)
	result.Metrics = compareMetrics(c.pairing, c.paired, c.options)
	c.addWarnings(result)
	result.ExitCode = result.Verdict.ExitCode()
	return result, nil
}

// comparer holds what the parts of a comparison share.
type comparer struct {
	options             CompareOptions
	baseline, candidate *Recording
	tallies             [2][]Tally // by scenario: baseline, candidate
	pairing             *pairing
	paired              bool // the deciding test is of the pairs
	test                stats.Test
	scorings            []scoring
	within              *keptTest // the last test of non-inferiority
}

func newComparer(baseline, candidate *Recording, options CompareOptions) (*comparer, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, err
	}
	c := &comparer{
		options:  options,
		baseline: baseline, candidate: candidate,
		tallies: [2][]Tally{baseline.tallies(), candidate.tallies()},
		pairing: pairUp(baseline, candidate),
	}
	c.paired = c.pairing.suffices()
	c.test = stats.BoschlooTest
	if c.paired {
		c.test = stats.McNemarTest
	}
	if options.Test != nil {
		c.test = *options.Test
		c.paired = c.test == stats.McNemarTest
	}
	if c.paired && len(c.pairing.matches) == 0 {
		return nil, &OptionError{Option: "test", Value: c.test, Problem: "needs trials that can be paired: both sides must hold the same scenarios"}
	}
	errors := pool("", c.tallies[0]).Errors+pool("", c.tallies[1]).Errors > 0
	c.scorings = scorings(options.Errors, errors)
	return c, nil
}

// tallies counts the recording by scenario, in order of appearance.
func (r *Recording) tallies() []Tally {
	var t Tallies
	for i := range r.observations {
		o := &r.observations[i]
		record := trial.Trial{Scenario: o.scenario, Outcome: o.outcome}
		if cost := o.metrics[CostMetric]; !math.IsNaN(cost) {
			record.CostUSD = trial.Some(cost)
		}
		t.Add(&record)
	}
	return t.List()
}

// counts returns the passes and trials of a recording under a way of scoring.
func (r *Recording) counts(s errorScore) stats.Counts {
	var c stats.Counts
	for i := range r.observations {
		if passed, counted := s.passed(r.observations[i].outcome); counted {
			c.Trials++
			if passed {
				c.Passes++
			}
		}
	}
	return c
}

// describe starts the result with what was given.
func (c *comparer) describe() *Comparison {
	o := c.options
	return &Comparison{
		Schema: CompareSchema,
		Alpha:  o.Alpha, Beta: o.Beta, Delta: o.Delta,
		Rule: o.Rule, By: o.By, Errors: o.Errors, Correction: o.Correction,
		Warnings:  []Warning{},
		Baseline:  c.side(c.baseline, c.tallies[0]),
		Candidate: c.side(c.candidate, c.tallies[1]),
		DecidedBy: c.test,
		Scenarios: []ScenarioComparison{},
		Metrics:   []Metric{},
		Trials:    comparedTrials(c.baseline, c.candidate),
	}
}

func (c *comparer) side(r *Recording, tallies []Tally) Side {
	all := pool(r.Name, tallies)
	counts := all.counts(c.options.Errors)
	side := Side{Name: r.Name, Passes: counts.Passes, Trials: counts.Trials, Errors: all.Errors}
	if counts.Trials == 0 {
		return side
	}
	side.Rate = pointer(counts.Rate())
	if interval, err := stats.RateInterval(c.options.Interval, counts, c.options.Alpha); err == nil {
		side.Interval = &Interval{c.options.Interval.String(), 1 - c.options.Alpha, interval.Low, interval.High}
	}
	side.Reliability = reliability(tallies, c.options.Errors)
	return side
}

// addTests computes every test that applies to the outcomes as shown.
func (c *comparer) addTests(result *Comparison) {
	shown := c.scorings[0]
	b, k := c.baseline.counts(shown.baseline), c.candidate.counts(shown.candidate)
	t := &result.Tests
	if p, err := stats.FisherLess(b, k); err == nil {
		t.Fisher = &PValue{p}
	}
	if z, err := stats.ZPooled(b, k); err == nil {
		t.Z = &ZValue{z.Z, z.P}
	}
	if p, err := stats.Boschloo(b, k); err == nil {
		t.Boschloo = &PValue{p}
	}
	e := c.evidence(shown)
	if p, err := c.nonInferiority(e); err == nil {
		t.NonInferiority = &PValue{p}
	}
	if c.paired || c.pairing.suffices() {
		c.addPairedTests(result, shown)
	}
	if strata := c.strata(shown); len(strata) > 1 {
		addStratifiedTests(t, strata)
	}
}

func (c *comparer) addPairedTests(result *Comparison, shown scoring) {
	result.Pairs = c.pairing.flipTable(shown)
	table := c.pairing.table(shown)
	exact, err := stats.McNemarLess(table)
	if err != nil {
		return
	}
	twoSided, _ := stats.McNemarTwoSided(table)
	midP, _ := stats.McNemarMidP(table)
	result.Tests.McNemar = &McNemar{P: exact, PTwoSided: twoSided, MidP: midP}
}

func addStratifiedTests(t *Tests, strata []stats.Stratum) {
	if cmh, err := stats.CochranMantelHaenszel(strata); err == nil && cmh.Informative > 0 {
		t.CMH = &CMHValue{P: cmh.PLess, PTwoSided: cmh.PTwoSided}
		if cmh.OddsRatio.Kind == stats.FiniteOddsRatio {
			t.CMH.OddsRatio = pointer(cmh.OddsRatio.Value)
		}
	}
	if exact, err := stats.StratifiedExact(strata); err == nil {
		t.Stratified = &PValue{exact.PLess}
	}
}

// strata are the scenarios that both sides tried.
func (c *comparer) strata(s scoring) []stats.Stratum {
	var list []stats.Stratum
	for _, row := range c.byScenario() {
		stratum := stats.Stratum{Baseline: row[0].scored(s.baseline), Candidate: row[1].scored(s.candidate)}
		if stratum.Baseline.Trials > 0 && stratum.Candidate.Trials > 0 {
			list = append(list, stratum)
		}
	}
	return list
}

// scored returns the counts of a tally under a way of scoring errors.
func (t Tally) scored(s errorScore) stats.Counts {
	counts := stats.Counts{Passes: t.Passes, Trials: t.Passes + t.Fails}
	if s != errorsLeftOut {
		counts.Trials += t.Errors
	}
	if s == errorsPass {
		counts.Passes += t.Errors
	}
	return counts
}

// byScenario returns the two tallies of every scenario, in the baseline's order,
// then those that only the candidate tried.
func (c *comparer) byScenario() [][2]Tally {
	var rows [][2]Tally
	at := map[string]int{}
	for side, tallies := range c.tallies {
		for _, t := range tallies {
			i, known := at[t.Scenario]
			if !known {
				i = len(rows)
				at[t.Scenario] = i
				rows = append(rows, [2]Tally{{Scenario: t.Scenario}, {Scenario: t.Scenario}})
			}
			rows[i][side] = t
		}
	}
	return rows
}

// addEffect sets the sizes of the difference.
func (c *comparer) addEffect(result *Comparison) {
	shown := c.scorings[0]
	b, k := c.baseline.counts(shown.baseline), c.candidate.counts(shown.candidate)
	result.Difference = c.difference(shown, b, k)
	if h, err := stats.CohensH(b, k); err == nil {
		result.Effect.CohensH = pointer(h)
		result.Effect.Magnitude = stats.MagnitudeOf(h).String()
	}
	if odds, err := stats.OddsRatio(b, k); err == nil {
		result.Effect.OddsRatioReason = odds.Reason()
		if odds.Kind == stats.FiniteOddsRatio {
			result.Effect.OddsRatio = pointer(odds.Value)
		}
	}
	if p, err := stats.BayesRegression(b, k, c.options.Delta, stats.BetaPrior{}); err == nil {
		result.Bayes = Bayes{Probability: pointer(p), Verdict: c.bayesVerdict(p)}
	}
}

func (c *comparer) difference(shown scoring, b, k stats.Counts) Difference {
	alpha := c.options.Alpha
	d := Difference{Method: "miettinen-nurminen", Level: 1 - alpha, Value: pointer(k.Rate() - b.Rate())}
	interval, err := stats.MiettinenNurminen(b, k, alpha)
	if table := c.pairing.table(shown); c.paired && table.Total() > 0 {
		d.Method = "tango"
		d.Value = pointer(float64(table.Mended-table.Broke) / float64(table.Total()))
		interval, err = stats.Tango(table, alpha)
	}
	if err != nil {
		interval = stats.Interval{Low: -1, High: 1}
	}
	d.Low, d.High = interval.Low, interval.High
	if clustered, err := stats.ClusteredDifference(c.strata(shown), alpha); err == nil {
		d.NewScenarios = &Interval{"clustered-t", 1 - alpha, clustered.Low, clustered.High}
	}
	return d
}

func (c *comparer) addWarnings(result *Comparison) {
	add := func(w Warning) { result.Warnings = append(result.Warnings, w) }
	if errors := result.Baseline.Errors + result.Candidate.Errors; errors > 0 {
		add(warning(WarnErrors, "%s ended in an error (baseline %d, candidate %d) and count as %s",
			plural(errors, "trial"), result.Baseline.Errors, result.Candidate.Errors, errorsCountAs(c.options.Errors)))
	}
	if p := result.Pairs; p != nil && p.UnpairedBaseline+p.UnpairedCandidate > 0 {
		add(warning(WarnUnpaired, "%s of the baseline and %s of the candidate have no partner and are left out of the paired tests",
			plural(p.UnpairedBaseline, "trial"), plural(p.UnpairedCandidate, "trial")))
	}
	if !c.paired && c.mixDiffers() {
		add(warning(WarnScenarioMix, "the two sides tried the scenarios in different proportions; the pooled rates mix that with the systems' own difference, the stratified tests do not"))
	}
	if c.test == stats.ZTest {
		add(warning(WarnApproximateLevel, "the z test keeps alpha only in large samples; --test boschloo always does"))
	}
	if c.options.Rule == PaperRule {
		add(warning(WarnPaperPowerProperty, "at a true drop of exactly delta this rule's demand on the observed drop alone holds half of the time; the margin rule has no such limit"))
	}
	if worse := c.worseScenarios(result); len(worse) > 0 {
		add(warning(WarnScenariosWorse, "worse on %s (p %s, %s): %s", plural(len(worse), "scenario"), correctionName(c.options.Correction), "at most alpha", list(worse)))
	}
	if changed := changedMetrics(result.Metrics); changed != "" {
		add(warning(WarnMetricsChanged, "changed: %s", changed))
	}
	for _, side := range []Side{result.Baseline, result.Candidate} {
		if side.Reliability != nil {
			for _, w := range costWarning(side.Reliability.Cost) {
				add(Warning{w.Code, fmt.Sprintf("%s: %s", side.Name, w.Text)})
			}
		}
	}
}

// mixDiffers reports whether some scenario has a share of one side's trials that
// is not its share of the other's.
func (c *comparer) mixDiffers() bool {
	totals := [2]int{pool("", c.tallies[0]).Cost.Trials, pool("", c.tallies[1]).Cost.Trials}
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
