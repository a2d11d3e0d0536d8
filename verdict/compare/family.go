package compare

import (
	"cmp"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// The editions of the results of [Judge]; see [Result]. One that was saved is judged again as it was, and what
// this version would compute in another way is not.
const (
	withinScenarios  = 2 // scenarios are compared within, and trials not paired by their numbers
	pairsOfScenarios = 3 // trials of one scenario are pairs whatever their inputs are; metrics by permutation
	shortOfMany      = 4 // of many trials: what cannot matter is not computed, and more goes by the normal distribution
	veryMany         = 5 // of more trials than a result lists: see many.go
	edition          = veryMany
)

// The parts of a page that may raise an alarm beside the verdict.
const (
	partScenarios = "scenarios"
	partOpposite  = "differing changes"
	partMetrics   = "metrics"
	partBehaviour = "behaviour"
)

// family divides the errors of the page. Which parts there are follows from what was recorded, never from
// outcomes or values.
func (c *comparer) family() *Family {
	o := c.options
	if o.older() {
		return nil
	}
	f := &Family{Verdict: o.Alpha, Parts: []string{}}
	if o.Rule == BayesRule {
		f.Verdict = 0
	}
	if len(c.rows) > 1 {
		// By scenario they are the verdict.
		if o.By != verdict.ByScenario {
			f.Parts = append(f.Parts, partScenarios)
		}
		f.Parts = append(f.Parts, partOpposite)
	}
	if o.metricsBeside || c.metricKnown() {
		f.Parts = append(f.Parts, partMetrics)
	}
	if o.BehaviourBeside || len(c.columns()) > 0 {
		f.Parts = append(f.Parts, partBehaviour)
	}
	if len(f.Parts) > 0 {
		f.Others = o.Alpha
		f.Each = o.Alpha / float64(len(f.Parts))
	}
	f.Any = min(f.Verdict+f.Others, 1)
	// A metric fails only where it is shown to have changed, which is an alarm of its part already: it makes a false Fail
	// likelier, and not any alarm at all.
	if len(o.FailOn) > 0 && f.Verdict > 0 && slices.Contains(f.Parts, partMetrics) {
		f.Verdict = min(f.Verdict+f.Each, 1)
	}
	return f
}

// metricKnown reports whether trials on both sides carry a metric.
func (c *comparer) metricKnown() bool {
	for name := range recording.AllMetrics() {
		if c.told(name) {
			return true
		}
	}
	return false
}

// addBehaviour counts a behaviour that can fail: its test has alpha for itself.
func (f *Family) addBehaviour(alpha float64) {
	f.Verdict += alpha
	f.Any = min(f.Any+alpha, 1)
}

// each is the level of a part that is shown beside the verdict.
func (c *comparer) each() float64 {
	if f := c.family(); f != nil && f.Each > 0 {
		return f.Each
	}
	return c.options.Alpha
}

// scenarioAlpha is the level of "worse" for the scenarios together. Where the deciding test has found the
// candidate worse, which spends alpha at most once, they are looked through at alpha: a hierarchy of tests
// (Bretz et al. 2009, Statistics in Medicine 28:586).
func (c *comparer) scenarioAlpha() float64 {
	if c.options.By == verdict.ByScenario || c.options.older() || c.options.Rule != BayesRule && c.isWorse() {
		return c.options.Alpha
	}
	return c.each()
}

// isWorse reports whether the deciding test finds the candidate worse however errors are scored.
func (c *comparer) isWorse() bool {
	for _, s := range c.scorings {
		if p, err := c.worse(c.evidence(s)); err != nil || p > c.options.Alpha {
			return false
		}
	}
	return true
}

// ScenarioAlpha is the level at which scenarios are shown to be worse, after correction for their number.
func (r *Result) ScenarioAlpha() float64 {
	if r.Family == nil || r.Family.Scenarios == 0 {
		return r.Alpha
	}
	return r.Family.Scenarios
}

// markMetrics says which metrics changed, at their share of the level.
func (c *comparer) markMetrics(result *Result) {
	for i := range result.Metrics {
		m := &result.Metrics[i]
		m.Changed = m.PAdjusted <= c.each()
	}
}

// groups are the groups of like trials; nil where there is one alone.
func (c *comparer) groups() *Strata {
	if !c.layout.several() || c.options.older() {
		return nil
	}
	s := &Strata{ByInput: c.layout.byInput, MixDiffers: c.layout.mixDiffers()}
	s.Groups, s.Clusters = c.layout.size()
	if c.stratified {
		strata, clusters := c.layout.strata(c.scorings[0])
		if used, mismatch, err := stats.SharesUsed(strata, clusters, c.options.Delta); err == nil {
			s.Used, s.Mismatch = new(used), mismatch
		}
	}
	return s
}

// addHeterogeneity tests whether the scenarios changed differently: effects of opposite signs cancel in any
// mean. It is left out of a saved result whose exact tests are taken as they are.
func (c *comparer) addHeterogeneity(result *Result) {
	if c.saved != nil {
		result.Heterogeneity = c.saved.Heterogeneity
		return
	}
	if len(result.Scenarios) < 2 || !c.testsDifferences() {
		return
	}
	differ := c.ahead.differ.of()
	c.drew = c.drew || differ.drew
	if !differ.known {
		return
	}
	p := differ.p
	h := &Heterogeneity{P: p, Differ: p <= c.each(), Worse: []string{}, Better: []string{}}
	byChange := slices.Clone(result.Scenarios)
	slices.SortStableFunc(byChange, func(a, b Scenario) int { return cmp.Compare(change(a), change(b)) })
	for _, s := range byChange {
		if change(s) < 0 {
			h.Worse = append(h.Worse, s.Name)
		}
	}
	slices.Reverse(byChange)
	for _, s := range byChange {
		if change(s) > 0 {
			h.Better = append(h.Better, s.Name)
		}
	}
	result.Heterogeneity = h
}

// testsDifferences reports whether the test of differing changes is made.
func (c *comparer) testsDifferences() bool {
	return c.saved == nil && len(c.rows) > 1 && !c.options.older()
}

// differingChanges is what the test of differing changes gave, and whether random numbers were drawn for it.
type differingChanges struct {
	p           float64
	known, drew bool
}

// heterogeneity is the p-value of the test, of many groups without drawing. It is not known of fewer than two groups,
// and of what cannot be computed. It looks at what the steps of judge leave as it is.
func (c *comparer) heterogeneity() (found differingChanges) {
	groups := func(yield func([]stats.Stratum) bool) {
		for i := range c.layout.scenarios {
			// Clusters have no odds in common; their scenarios are left to the list.
			strata, clusters := c.layout.scenarios[i].strata(c.scorings[0])
			if len(strata) > 0 && len(clusters) == 0 && !yield(strata) {
				return
			}
		}
	}
	n := 0
	for range groups {
		n++
	}
	if n < 2 {
		return found
	}
	var err error
	switch {
	case c.options.ofVeryMany() && !stats.DrawsHeterogeneity(groups):
		found.p, err = stats.HeterogeneityByCumulants(c.ctx, groups)
	case c.options.shortens() && n > mostGroupsDrawn:
		found.p, err = stats.HeterogeneityOfMany(c.ctx, groups)
	default:
		found.drew = true
		found.p, err = stats.Heterogeneity(c.ctx, groups, c.options.Seed)
	}
	found.known = err == nil
	return found
}

// change is that of the observed rate; 0 where a side has no trials.
func change(s Scenario) float64 {
	if s.Baseline.Trials == 0 || s.Candidate.Trials == 0 {
		return 0
	}
	return float64(s.Candidate.Passes)/float64(s.Candidate.Trials) -
		float64(s.Baseline.Passes)/float64(s.Baseline.Trials)
}

// warnOfStrata says what the groups of like trials mean for what is shown and decided.
func (c *comparer) warnOfStrata(result *Result, add func(verdict.Warning)) {
	if c.options.older() {
		return
	}
	mix := c.layout.several() && c.layout.mixDiffers()
	switch {
	case c.paired:
	case mix && c.stratified && result.Difference.Value == nil:
		add(warnScenarioMix.Warning("no scenario was tried on both sides with the same input: nothing here compares the " +
			"systems, and the rates of both sides say how hard their scenarios are, too; where the names differ and " +
			"the scenarios do not, name them alike"))
		return
	case mix && c.stratified:
		add(warnScenarioMix.Warning("the two sides tried the scenarios or inputs in different proportions; the " +
			"rates of both sides mix that with the systems' own difference, the tests and the difference do not"))
	case mix:
		add(warnScenarioMix.Warning("the two sides tried the scenarios or inputs in different proportions; %s takes "+
			"that for a difference of the systems: neither alpha nor beta holds, as they do with the test that is taken where "+
			"none is asked for", c.test))
	case c.layout.several() && !c.test.Stratified():
		add(warnPooledTest.Warning("%s takes the trials of a side as alike: with scenarios or inputs of unlike rates "+
			"beta does not hold exactly, and where inputs were repeated alpha does not either", c.test))
	}
	if c.layout.several() && c.options.Rule == BayesRule {
		add(warnPooledTest.Warning("the bayes rule takes the trials of a side as alike, which those of several " +
			"scenarios or inputs are not"))
	}
	if s := result.Strata; s != nil && s.Used != nil && (*s.Used < 1 || s.Mismatch > 0) {
		text := "“not worse by delta” rests on " + phrase.Percent(*s.Used) + " of the trials"
		if s.Mismatch > 0 {
			text += ", and delta is lessened by " + phrase.Points(s.Mismatch)
		}
		add(warnTrialsUnused.Warning("%s, so that both sides have the same mix", text))
	}
	if h := result.Heterogeneity; h != nil && h.Differ && len(h.Worse) > 0 && len(h.Better) > 0 {
		add(warnOppositeEffects.Warning("the scenarios changed differently (p %s), which a mean hides: %s passed less "+
			"often, %s more often", phrase.Significant(h.P), phrase.Names(h.Worse), phrase.Names(h.Better)))
	}
}
