package compare

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// evidence is the outcomes under one way of scoring errors. It has pairs where the
// deciding test is paired.
type evidence struct{ stats.Table }

// evidence counts both sides under a way of scoring errors; see [errorScores].
func (c *comparer) evidence(s errorScores) evidence {
	e := evidence{stats.Table{Baseline: c.baseline.Counts(s.baseline), Candidate: c.candidate.Counts(s.candidate)}}
	if c.paired {
		e.Pairs = new(c.pairing.table(s))
	}
	if c.stratified {
		e.Strata, e.Clusters = c.layout.strata(s)
	}
	return e
}

// worse returns the p-value of the deciding test against "the candidate is worse".
func (c *comparer) worse(e evidence) (float64, error) {
	result, err := c.testOf(c.test, e.Table)
	return result.P, err
}

// testOf returns what a test gives. Boschloo's is kept, since the one that is shown is most
// often the one that decides.
func (c *comparer) testOf(test stats.Test, table stats.Table) (stats.TestResult, error) {
	if c.saved != nil && (test == stats.BoschlooTest || test.Stratified()) {
		result, there := c.saved.Tests.Of(test)
		if !there {
			return result, verdict.ErrNoOutcomes
		}
		return result, nil
	}
	if test == stats.StratifiedTest && len(table.Clusters) == 0 {
		return c.stratifiedOf(table)
	}
	if test != stats.BoschlooTest {
		return test.P(c.ctx, table)
	}
	// Boschloo's test looks at the two sides alone: without the pairs, tables that differ
	// in nothing else are the same evidence.
	e := evidence{stats.Table{Baseline: table.Baseline, Candidate: table.Candidate}}
	if kept := c.worst; kept != nil && kept.evidence.same(e) {
		return stats.TestResult{P: kept.p}, nil
	}
	result, err := c.boschloo(e)
	if err == nil {
		c.worst = &keptTest{e, result.P}
	}
	return result, err
}

// stratifiedOf is the test within strata, which is kept for each way of scoring errors: the list of scenarios and the
// verdict ask for it again.
func (c *comparer) stratifiedOf(table stats.Table) (stats.TestResult, error) {
	e := evidence{stats.Table{Baseline: table.Baseline, Candidate: table.Candidate, Strata: table.Strata}}
	for _, kept := range c.keptStratified {
		if kept.evidence.same(e) {
			return stats.TestResult{P: kept.p}, nil
		}
	}
	result, err := stats.StratifiedTest.P(c.ctx, e.Table)
	if err == nil && len(c.keptStratified) < len(c.scorings) {
		c.keptStratified = append(c.keptStratified, keptTest{e, result.P})
	}
	return result, err
}

// nonInferiority returns the p-value of the exact test of "worse by delta". The
// last one is kept, since several parts of a comparison need it.
func (c *comparer) nonInferiority(e evidence) (float64, error) {
	if c.saved != nil {
		return c.saved.Tests.NonInferiority.value()
	}
	if kept := c.within; kept != nil && kept.evidence.same(e) {
		return kept.p, nil
	}
	var p float64
	var err error
	switch {
	case e.Pairs != nil:
		p, err = stats.PairedNonInferiority(c.ctx, *e.Pairs, c.options.Delta)
	case c.stratified:
		var within stats.StratifiedNonInferiorityResult
		within, err = stats.StratifiedNonInferiority(c.ctx, e.Strata, e.Clusters, c.options.Delta)
		p = within.P
	case c.options.ofVeryMany():
		p, err = stats.NonInferiorityOfMany(c.ctx, e.Baseline, e.Candidate, c.options.Delta)
	default:
		p, err = stats.NonInferiority(c.ctx, e.Baseline, e.Candidate, c.options.Delta)
	}
	if err == nil {
		c.within = &keptTest{e, p}
	}
	return p, err
}

// keptTest is the p-value of a test that was computed before.
type keptTest struct {
	evidence evidence
	p        float64
}

// same reports whether a test of e is one of f. Of pairs the table is all that counts.
func (e evidence) same(f evidence) bool {
	if e.Pairs == nil || f.Pairs == nil {
		return e.Pairs == f.Pairs && e.Baseline == f.Baseline && e.Candidate == f.Candidate &&
			slices.Equal(e.Strata, f.Strata) && len(e.Clusters)+len(f.Clusters) == 0
	}
	return *e.Pairs == *f.Pairs
}

// decide sets the verdict that holds however the errors are scored.
func (c *comparer) decide(result *Result) {
	if c.options.By == verdict.ByScenario && len(result.Scenarios) > 0 {
		c.decideByScenario(result)
		return
	}
	// What is shown must also come out with the errors at their worst for the candidate and
	// at their best: then it does for any way in which they could have ended.
	decided, reasons := c.apply(c.evidence(c.scorings[0]), result)
	for _, s := range c.scorings[1:] {
		if other, _ := c.apply(c.evidence(s), result); other != decided {
			result.Reasons = append([]verdict.Reason{verdict.CodeErrorsMatter.Reason(
				"%s could change the verdict, which is %s without them, and %s if %s: find their cause and run those "+
					"trials again",
				prose.Count(result.Baseline.Errors+result.Candidate.Errors, "error"), decided, other,
				scoringText(s))}, reasons...)
			return
		}
	}
	result.Verdict, result.Reasons = decided, reasons
	if decided != verdict.Pass {
		return
	}
	// A mean that holds does not excuse a scenario that is shown to be worse.
	if c.options.excusing {
		if worse := c.worseScenarios(result); len(worse) > 0 {
			result.Reasons = append([]verdict.Reason{codePassedWhileWorse.Reason(
				"all trials together pass, and yet %s worse%s: %s", phrase.AreScenarios(len(worse)),
				beside(c.options.Correction), phrase.Names(worse))}, reasons...)
		}
		return
	}
	if worse := failedScenarios(result); len(worse) > 0 {
		result.Verdict = verdict.Inconclusive
		result.Reasons = append([]verdict.Reason{worseBesidePass(worse, c.options.Correction)}, reasons...)
	}
}

// hasReason reports whether one of the reasons has a code.
func hasReason(reasons []verdict.Reason, code verdict.Code) bool {
	return slices.ContainsFunc(reasons, func(r verdict.Reason) bool { return r.Code == code })
}

// worseBesidePass says which scenarios withdraw a Pass.
func worseBesidePass(names []string, correction multiplicity.Correction) verdict.Reason {
	return verdict.CodeScenariosFail.Reason("%s worse%s, although all trials together pass: %s",
		phrase.AreScenarios(len(names)), beside(correction), phrase.Names(names))
}

// scoringText says which way of scoring changed the verdict; only the two mixed ones are
// ever compared with what is shown.
func scoringText(s errorScores) string {
	if s.candidate == recording.ErrorsFail {
		return "the baseline's were passes and the candidate's failures"
	}
	return "the baseline's were failures and the candidate's passes"
}

// apply decides by the rule that was asked for, on one way of scoring errors. Of the result
// it needs the power, for AgentAssay's rule.
func (c *comparer) apply(e evidence, result *Result) (verdict.Verdict, []verdict.Reason) {
	switch c.options.Rule {
	case PaperRule:
		return c.applyPaper(e, result)
	case BayesRule:
		return c.applyBayes(e)
	}
	return c.applyMargin(e)
}

// applyMargin fails on "worse" at alpha and passes on "not worse by delta" at beta;
// where both are shown the drop is smaller than what matters, and it passes.
func (c *comparer) applyMargin(e evidence) (verdict.Verdict, []verdict.Reason) {
	o := c.options
	// Two one-sided tests, each at a level of its own: alpha bounds a false Fail, and beta a
	// false Pass, where the true drop is delta or more.
	worse, err := c.worse(e)
	within, errWithin := c.nonInferiority(e)
	if err != nil || errWithin != nil {
		return verdict.Inconclusive, []verdict.Reason{verdict.CodeNoTrials.Reason("there are too few trials to test")}
	}
	isWorse, isWithin := worse <= o.Alpha, within <= o.Beta
	switch {
	case isWorse && isWithin:
		return verdict.Pass,
			[]verdict.Reason{CodeWorseWithinDelta.Reason(
				"worse, but by less than the %s that you allow (%s p %s; p of so large a drop %s)",
				phrase.Points(o.Delta), c.test, phrase.Significant(worse), phrase.Significant(within))}
	case isWorse:
		return verdict.Fail,
			[]verdict.Reason{CodeWorse.Reason("worse than the baseline: without a change so large a drop is rare (%s p %s, "+
				"alpha %s)",
				c.test, phrase.Significant(worse), phrase.Number(o.Alpha))}
	case isWithin:
		return verdict.Pass,
			[]verdict.Reason{CodeNotWorseByDelta.Reason(
				"not worse: a drop of %s or more is ruled out (p %s, beta %s)",
				phrase.Points(o.Delta), phrase.Significant(within), phrase.Number(o.Beta))}
	}
	return verdict.Inconclusive,
		[]verdict.Reason{CodeUndecided.Reason(
			"too few trials to tell: neither is a drop shown (%s p %s, alpha %s), nor one of %s ruled out "+
				"(p %s, beta %s)",
			c.test, phrase.Significant(worse), phrase.Number(o.Alpha), phrase.Points(o.Delta),
			phrase.Significant(within), phrase.Number(o.Beta))}
}

// applyPaper is AgentAssay's Definition 3.7 with exact power in place of the
// observed one.
func (c *comparer) applyPaper(e evidence, result *Result) (verdict.Verdict, []verdict.Reason) {
	o := c.options
	p, err := c.worse(e)
	if err != nil {
		return verdict.Inconclusive, []verdict.Reason{verdict.CodeNoTrials.Reason("there are too few trials to test")}
	}
	drop := e.Drop()
	if p < o.Alpha {
		// The rates are quotients: a drop of exactly delta may come out a little below it.
		if drop >= o.Delta-1e-12 {
			return verdict.Fail,
				[]verdict.Reason{CodeWorse.Reason(
					"worse than the baseline: without a change so large a drop is rare (%s p %s, alpha %s), and the %s "+
						"seen are at least the %s that matter",
					c.test, phrase.Significant(p), phrase.Number(o.Alpha), phrase.Points(drop), phrase.Points(o.Delta))}
		}
		return verdict.Inconclusive,
			[]verdict.Reason{codeDropBelowDelta.Reason(
				"a drop is shown (%s p %s, alpha %s), but the one seen, of %s, is less than the %s that matter",
				c.test, phrase.Significant(p), phrase.Number(o.Alpha), phrase.Points(drop), phrase.Points(o.Delta))}
	}
	// Not significant is a Pass only where a drop of delta would very likely have shown.
	if power := result.Power; power != nil && power.AtDelta >= 1-o.Beta {
		return verdict.Pass,
			[]verdict.Reason{codePowerReached.Reason(
				"no drop is shown (%s p %s, alpha %s), and one of %s would have been with a chance of %s",
				c.test, phrase.Significant(p), phrase.Number(o.Alpha), phrase.Points(o.Delta), phrase.Percent(power.AtDelta))}
	}
	power := "an unknown chance"
	if result.Power != nil {
		power = "a chance of " + phrase.Percent(result.Power.AtDelta)
	}
	return verdict.Inconclusive,
		[]verdict.Reason{codePowerTooLow.Reason(
			"too few trials to tell: no drop is shown (%s p %s, alpha %s), but one of %s would have been only with %s, "+
				"and %s is asked for",
			c.test, phrase.Significant(p), phrase.Number(o.Alpha), phrase.Points(o.Delta), power, phrase.Percent(1-o.Beta))}
}

// beyondDelta is the posterior probability of a drop above delta, of two independent rates: under the priors that were
// given where it decides, and else under uniform ones.
func (c *comparer) beyondDelta(baseline, candidate stats.Counts) (float64, error) {
	var priors Priors
	if c.options.Rule == BayesRule && c.options.Priors != nil {
		priors = *c.options.Priors
	}
	drop, err := stats.PosteriorDrop(baseline, candidate, priors.Baseline, priors.Candidate)
	if err != nil {
		return math.NaN(), err
	}
	return drop.Above(c.options.Delta), nil
}

// applyBayes decides by the posterior probability of a drop above delta: pairs are not used.
func (c *comparer) applyBayes(e evidence) (verdict.Verdict, []verdict.Reason) {
	p, err := c.beyondDelta(e.Baseline, e.Candidate)
	if err != nil {
		return verdict.Inconclusive, []verdict.Reason{verdict.CodeNoTrials.Reason("there are too few trials to judge")}
	}
	decided := c.bayesVerdict(p)
	return decided,
		[]verdict.Reason{codePosterior.Reason(
			"after these trials a drop of more than %s has a probability of %s (Fail above %s, Pass below %s)",
			phrase.Points(c.options.Delta), phrase.Chance(p), phrase.Percent(1-c.options.Alpha),
			phrase.Percent(c.options.Beta))}
}

// bayesVerdict is also shown beside the other rules, as [Bayes].
func (c *comparer) bayesVerdict(p float64) verdict.Verdict {
	switch {
	case p > 1-c.options.Alpha:
		return verdict.Fail
	case p < c.options.Beta:
		return verdict.Pass
	}
	return verdict.Inconclusive
}

// addPower sets the exact power of the deciding test at the observed baseline
// rate. For pairs the rate of mending is the observed one.
func (c *comparer) addPower(result *Result) {
	e := c.evidence(c.scorings[0])
	if e.size() == 0 {
		return
	}
	if e.size() > mostEnumerated {
		result.Warnings = append(result.Warnings,
			warnPowerNotComputed.Warning(
				"the chance to find a drop is not computed for more than %d trials: it is close to 100%% for any drop that matters",
				mostEnumerated))
		return
	}
	// Neither is possible where the observed baseline passes less often than delta.
	power, ok := c.pairedPower(e)
	switch {
	case e.Pairs != nil:
	case len(e.Clusters) > 0:
		return // it depends on how alike the trials of an input are
	case c.stratified:
		power, ok = c.stratifiedPower(e)
	default:
		power, ok = c.independentPower(e)
	}
	if !ok {
		result.Warnings = append(result.Warnings,
			warnDeltaExceedsRate.Warning(
				"the baseline passes too seldom for a drop of %s, so no chance to find one can be given",
				phrase.Points(c.options.Delta)))
		return
	}
	result.Power = power
}

// mostEnumerated bounds the trials of both sides for which regions are enumerated,
// since that takes time and memory that grow with them. The number is chosen.
const mostEnumerated = 20_000

// size is the number of trials of both sides; a pair is two.
func (e evidence) size() int {
	if e.Pairs != nil {
		return 2 * e.Pairs.Total()
	}
	return e.Baseline.Trials + e.Candidate.Trials
}

// independentPower is the power of the deciding test of two independent sides, exactly: the
// probability of its region where the baseline passes at its observed rate and the
// candidate at delta less. False says that there is no such candidate.
func (c *comparer) independentPower(e evidence) (*Power, bool) {
	region, err := c.test.Region(c.ctx, e.Baseline.Trials, e.Candidate.Trials, c.options.Alpha)
	if err != nil {
		return nil, false
	}
	p := e.Baseline.Rate()
	if p-c.options.Delta < 0 {
		return nil, false
	}
	power := &Power{AtDelta: region.Probability(p, p-c.options.Delta)}
	if drop, ok := region.SmallestDrop(p, 1-c.options.Beta); ok {
		power.MDE = new(drop)
	}
	return power, true
}

// pairedPower is the power of a test of pairs. A drop of delta is taken to mean that pairs
// regress at the rate at which they are fixed, plus delta: a test of pairs sees the flips
// alone, so the power needs the rate of both kinds.
func (c *comparer) pairedPower(e evidence) (*Power, bool) {
	if e.Pairs == nil || e.Pairs.Total() == 0 {
		return nil, false
	}
	mends := float64(e.Pairs.Mended) / float64(e.Pairs.Total())
	region, err := c.test.PairedRegion(c.ctx, e.Pairs.Total(), c.options.Alpha)
	if err != nil {
		return nil, false
	}
	at := region.Probability(mends+c.options.Delta, mends)
	if math.IsNaN(at) || c.options.Delta > e.Pairs.Baseline().Rate() {
		return nil, false
	}
	power := &Power{AtDelta: at}
	if drop, ok := region.SmallestDrop(mends, 1-c.options.Beta); ok {
		power.MDE = new(drop)
	}
	return power, true
}

// Claims are the verdict with the interval of the difference, where that decides: under the margin rule, over all
// trials together.
func (r *Result) Claims() []verdict.Claim {
	if len(r.Reasons) == 0 || r.By != verdict.BySuite {
		return nil
	}
	d := verdict.Claim{Path: "difference", Verdict: r.Verdict, Low: r.Difference.Low, High: r.Difference.High,
		Bad: -r.Delta}
	switch r.Reasons[0].Code {
	case CodeWorse, CodeNotWorseByDelta, CodeWorseWithinDelta:
		return []verdict.Claim{d}
	}
	return nil
}
