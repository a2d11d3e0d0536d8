package gate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// regression compares with a saved run, test by test. Another suite, other scenarios or too
// old a run is not comparable: that keeps the gate from deploying, and is never a regression.
// A comparison has made its own.
func (g *Result) regression(ctx context.Context, s *subject, o Options) error {
	switch {
	case s.compared != nil:
		c := s.compared
		isMissing := len(c.Reasons) > 0 && c.Reasons[0].Code == compare.CodeMissing
		g.comparison(c.Verdict, c.Reasons, isMissing, o.shortComparison(c), o)
	case s.ended != nil:
		c := s.ended
		isMissing := slices.ContainsFunc(c.Scenarios, func(x compare.EndsOfScenario) bool { return x.Problem != "" })
		g.comparison(c.Verdict, c.Reasons, isMissing, o.shortEnds(c), o)
	case s.sequence != nil && s.sequence.Against != nil && o.Edition >= seventhEdition:
		g.comparison(s.sequence.Verdict, s.sequence.Reasons, false, o.shortSequence(s.sequence), o)
	}
	run := s.run
	if run != nil {
		if err := g.ownTests(run, o); err != nil {
			return err
		}
	}
	b := o.Baseline
	if b == nil {
		return nil
	}
	own := g.Baseline
	g.Baseline = &Baseline{File: b.File, Revision: b.Revision, Runs: b.Runs, Tests: []ComparedTest{}}
	if own != nil {
		g.Baseline.Tests = own.Tests
	}
	why := "only the result of a run is compared with one, and this is another"
	if run != nil {
		why = b.incomparable(run, o)
	}
	if why != "" {
		g.Baseline.Why = why
		g.rule(ruleBaseline, "", RuleOpen, "the baseline %s is not comparable: %s", b.File, why)
		return nil
	}
	g.Baseline.Comparable, g.Baseline.Finished = true, b.Run.Finished
	if o.Edition > firstEdition && b.Run.Settings != nil && run.Settings != nil {
		g.Baseline.Changed = suite.Changed(b.Run.Settings, run.Settings)
	}
	// From here on a difference is in what the gate was asked, not in the run.
	judged, err := b.Run.judge()
	if err != nil {
		return recheck.Within("asked.baseline.run", err)
	}
	before := map[string]*runs.Test{}
	for i := range judged {
		before[judged[i].Name] = &judged[i]
	}
	compared := make([]*ComparedTest, len(run.Tests))
	problems := make([]string, len(run.Tests))
	worse := make([]float64, len(run.Tests))
	known := comparisons{}
	for i := range run.Tests {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// A test that cannot be compared counts in the correction as one that shows nothing.
		worse[i] = 1
		t := &run.Tests[i]
		if b.isOf(run, t) {
			continue
		}
		// A run of an agent is a baseline for all of its variants.
		earlier := before[t.Name]
		if earlier == nil {
			earlier = before[scenarioOf(t)]
		}
		if problems[i] = b.Run.differs(run, t, earlier); problems[i] != "" {
			continue
		}
		if compared[i], err = known.compareTests(earlier, t, o); err != nil {
			return err
		}
		if compared[i] != nil {
			worse[i] = compared[i].PWorse
			g.Baseline.Tests = append(g.Baseline.Tests, *compared[i])
		}
	}
	adjusted, err := multiplicity.Adjust(o.Correction, worse)
	if err != nil {
		return err
	}
	for i, c := range compared {
		if problems[i] != "" {
			g.rule(ruleBaseline, run.Tests[i].Name, RuleOpen, "not comparable: %s", problems[i])
			continue
		}
		if b.isOf(run, &run.Tests[i]) {
			continue
		}
		t := &run.Tests[i]
		counts := ""
		if c != nil {
			earlier := cmp.Or(before[t.Name], before[scenarioOf(t)])
			counts = phrase.Beside(phrase.Seen(t.Passes, t.Fails, t.Errors), phrase.Seen(earlier.Passes, earlier.Fails,
				earlier.Errors))
		}
		g.regressionOf(t.Name, counts, c, adjusted[i], o)
	}
	for _, t := range judged {
		if !slices.ContainsFunc(run.Tests, func(x runs.Test) bool { return x.Name == t.Name || scenarioOf(&x) == t.Name }) {
			g.rule(ruleBaseline, t.Name, RuleOpen, "not comparable: only the baseline has it")
		}
	}
	return nil
}

// differs says why a test cannot be compared with the baseline's of its name, nil where there is
// none; "" where it can. Tests are comparable where the same was asked and judged alike; that
// the agent changed is what they are compared for.
func (r *BaselineTests) differs(run *runs.Result, t, before *runs.Test) string {
	switch {
	case t.Standing != "":
		return "the scenarios were tested as one question, and not against this baseline: run them against it"
	case before == nil:
		return "the baseline does not have it"
	case before.Design.MaxTrials == 0 && r.why(before.Name) != "":
		return r.why(before.Name)
	case before.Design.MaxTrials == 0:
		return "the baseline's trials were stopped by a test against another baseline, so how they were sampled is " +
			"not known: record one with run --record"
	}
	if r.Task == nil || run.Task == nil {
		return "" // the suites are the same
	}
	scenarios := []string{scenarioOf(t)}
	if len(t.Members) > 0 {
		// A test of several is of all that were run.
		scenarios = slices.Sorted(maps.Keys(run.Task.Scenarios))
		for _, name := range slices.Sorted(maps.Keys(r.Task.Scenarios)) {
			if _, known := run.Task.Scenarios[name]; !known {
				scenarios = append(scenarios, name)
			}
		}
	}
	var problems []string
	for _, name := range scenarios {
		d := one(run.Task, name).Since(one(r.Task, name))
		for _, changed := range d.Changed {
			problems = append(problems, "asked or judged otherwise: "+changed)
		}
		if len(d.Added) > 0 {
			problems = append(problems, "the baseline does not have "+name)
		}
		if len(d.Removed) > 0 {
			problems = append(problems, "only the baseline has "+name)
		}
	}
	return prose.Some(problems, mostScenarios)
}

// why says of a test without a design why nothing is compared with it.
func (r *BaselineTests) why(name string) string {
	for _, t := range r.Tests {
		if t.Name == name {
			return t.Why
		}
	}
	return ""
}

// one is the task of one scenario; it is empty where that is not there.
func one(t *runs.Task, name string) *runs.Task {
	only := &runs.Task{Scenarios: map[string]runs.TaskScenario{}}
	if x, known := t.Scenarios[name]; known {
		only.Scenarios[name] = x
	}
	return only
}

// regressionOf judges one scenario by what it came to beside the baseline, nil where a test has not ended; the p-value
// of "worse" is corrected for all.
func (g *Result) regressionOf(scenario, counts string, c *ComparedTest, worse float64, o Options) {
	tell := func(outcome RuleWord, format string, values ...any) *Rule {
		return g.rule(ruleRegression, scenario, outcome, format, values...)
	}
	if c == nil {
		tell(RuleOpen, "cannot be compared with the baseline: one of the tests has not ended")
		return
	}
	switch {
	// Blocking needs the corrected p-value, since one false "worse" of any scenario would block.
	case c.Verdict == verdict.Fail && worse <= o.Alpha:
		tell(RuleBroken, "%s: worse than the baseline (p %s, alpha %s)", counts,
			phrase.Significant(worse), phrase.Number(o.Alpha)).P = new(worse)
	// By itself it would have been worse: too much to deploy, too little to block.
	case c.Verdict == verdict.Fail:
		tell(RuleOpen,
			"%s: worse than the baseline alone, but among several scenarios a few are by chance, so a person should review it "+
				"(p %s after %s correction)",
			counts, phrase.Significant(worse), o.Correction).P = new(worse)
	case c.Verdict == verdict.Pass:
		tell(RuleHolds, "%s: a drop of %s or more is ruled out (p %s, beta %s)", counts,
			phrase.Points(o.Delta), phrase.Significant(c.PDrop), phrase.Number(o.Beta)).P = new(c.PDrop)
	// Nothing is shown. That is not enough unless somebody says so.
	case o.Edition == firstEdition && !o.Baseline.strict():
		tell(RuleNoted, "%s: no drop is shown, and one of %s is not ruled out", counts, phrase.Points(o.Delta))
	case o.Edition > firstEdition && o.AllowUndecided:
		tell(RuleNoted, "%s: too few trials to tell: neither is a drop shown nor one of %s ruled out, which is allowed",
			counts,
			phrase.Points(o.Delta))
	default:
		tell(RuleOpen, "%s: too few trials to tell: neither is a drop shown nor one of %s ruled out", counts,
			phrase.Points(o.Delta))
	}
}

// ownTests takes the tests of the run against its baseline: there the regression rule is the
// test. A Fail counts where it is one beside all of them.
func (g *Result) ownTests(run *runs.Result, o Options) error {
	g.suiteTests(run, o)
	var tests []*runs.Test
	var p []float64
	for i := range run.Tests {
		t := &run.Tests[i]
		if t.Regression == nil {
			continue
		}
		tests = append(tests, t)
		value := 1.0
		// The ends at which it fails have no more than alpha together, so that alpha bounds the
		// p-value of each.
		if x := t.Regression; x.Verdict == verdict.Fail && x.PUnchanged != nil {
			value = min(*x.PUnchanged, x.Alpha)
		}
		p = append(p, value)
	}
	if len(tests) == 0 {
		return nil
	}
	adjusted, err := multiplicity.Adjust(o.Correction, p)
	if err != nil {
		return err
	}
	source := tests[0].Regression.Source
	g.Baseline = &Baseline{File: source.File, Finished: source.Finished, Comparable: true, Changed: source.Changed,
		Revision: source.Revision, Runs: source.Runs, Tests: []ComparedTest{}}
	told := map[string]bool{}
	for i, t := range tests {
		g.ownTest(t, adjusted[i], len(tests), o)
		// That of a baseline that is named besides is told where it is compared.
		source := t.Regression.Source
		if source.File == "" || told[source.File] || o.Baseline != nil && o.Baseline.isOf(run, t) {
			continue
		}
		told[source.File] = true
		if why := o.wrongAge(source.Finished, oldest(o.MaxAge, source.MaxAge)); why != "" {
			g.rule(ruleBaseline, "", RuleOpen, "the baseline %s is too old: %s", source.File, why)
		}
	}
	return nil
}

// suiteTests takes the questions of a run about all scenarios against its baseline.
func (g *Result) suiteTests(run *runs.Result, o Options) {
	for i := range run.SuiteTests {
		t := &run.SuiteTests[i]
		if t.Baseline == nil {
			continue
		}
		if g.Baseline == nil {
			g.Baseline = &Baseline{File: t.Source.File, Finished: t.Source.Finished, Comparable: true,
				Changed: t.Source.Changed, Revision: t.Source.Revision, Runs: t.Source.Runs, Tests: []ComparedTest{}}
			if why := o.wrongAge(t.Source.Finished, oldest(o.MaxAge, t.Source.MaxAge)); t.Source.File != "" && why != "" {
				g.rule(ruleBaseline, "", RuleOpen, "the baseline %s is too old: %s", t.Source.File, why)
			}
		}
		word := map[verdict.Verdict]RuleWord{verdict.Pass: RuleHolds, verdict.Fail: RuleBroken}[t.Verdict]
		text := reasonsLine(t.Reasons)
		switch {
		case t.Verdict != verdict.Inconclusive:
		case o.AllowUndecided && t.Mean == sprt.Inconclusive.String():
			word, text = RuleNoted, text+", which is allowed"
		default:
			word = RuleOpen
		}
		g.rule(ruleRegression, t.Variant, word, "%s", text)
	}
}

// ownTest judges one of so many tests of the run against its baseline; the p-value of a Fail is
// corrected for all.
func (g *Result) ownTest(t *runs.Test, adjusted float64, tests int, o Options) {
	x := t.Regression
	c := ComparedTest{Name: t.Name, PWorse: 1, PDrop: 1, Verdict: x.Verdict, Tested: true}
	if x.Baseline.Rate != nil {
		c.BaselineRate = *x.Baseline.Rate
	}
	if x.Candidate.Rate != nil {
		c.CandidateRate = *x.Candidate.Rate
	}
	if x.PUnchanged != nil {
		c.PWorse = *x.PUnchanged
	}
	if x.PDropped != nil {
		c.PDrop = *x.PDropped
	}
	g.Baseline.Tests = append(g.Baseline.Tests, c)
	tell := func(outcome RuleWord, format string, values ...any) *Rule {
		return g.rule(ruleRegression, t.Name, outcome, format, values...)
	}
	text := reasonsLine(x.Reasons)
	switch {
	case x.Verdict == verdict.Fail && adjusted <= t.Together(x.Alpha):
		tell(RuleBroken, "%s", text).P = new(adjusted)
	case x.Verdict == verdict.Fail:
		tell(RuleOpen, "worse alone, but among %d scenarios a few are by chance, so a person should review it (p %s "+
			"after %s "+
			"correction): %s",
			tests, phrase.Significant(adjusted), o.Correction, text).P = new(adjusted)
	case x.Verdict == verdict.Pass:
		tell(RuleHolds, "%s", text).P = x.PDropped
	// What has not ended is for want of trials, and not for what they came to; nor is what is not guarded.
	case o.AllowUndecided && !slices.ContainsFunc(x.Reasons,
		func(r verdict.Reason) bool { return r.Code == runs.CodeUndecided || r.Code == runs.CodeRefuted }):
		tell(RuleNoted, "%s, which is allowed", text)
	default:
		tell(RuleOpen, "%s", text)
	}
}

// isOf reports whether a test is one against this very baseline.
func (b *BaselineRun) isOf(run *runs.Result, t *runs.Test) bool {
	matches := func(source runs.BaselineSource) bool {
		return source.File != "" &&
			(source.File == b.File || source.Finished != "" && b.Run != nil && source.Finished == b.Run.Finished)
	}
	if t.Standing != "" {
		return slices.ContainsFunc(run.SuiteTests, func(s runs.SuiteTest) bool {
			return s.Variant == t.Variant && s.Source != nil && matches(*s.Source)
		})
	}
	return t.Regression != nil && matches(t.Regression.Source)
}

// someWorse reports whether scenarios are worse that withdrew the Pass of all trials together.
func someWorse(reasons []verdict.Reason) bool {
	return slices.ContainsFunc(reasons, func(r verdict.Reason) bool { return r.Code == verdict.CodeScenariosFail })
}

// comparison takes the verdict of a comparison of two recordings, or runs: isMissing where a side lacks scenarios, and
// short says why it is less than what is asked.
func (g *Result) comparison(v verdict.Verdict, reasons []verdict.Reason, isMissing bool, short string, o Options) {
	word := map[verdict.Verdict]RuleWord{verdict.Pass: RuleHolds, verdict.Fail: RuleBroken,
		verdict.Inconclusive: RuleOpen}[v]
	text := reasonsLine(reasons)
	if v == verdict.Inconclusive && o.AllowUndecided && !isMissing && !someWorse(reasons) {
		word, text = RuleNoted, text+", which is allowed"
	}
	if short != "" {
		word, text = RuleOpen, short+": "+text
	}
	g.rule(ruleRegression, "", word, "%s: %s", v, text)
}

// strict is what a result of the first edition was asked.
func (b *BaselineRun) strict() bool { return b.Strict != nil && *b.Strict }

// Undecided are the names of the tests of which a drop of delta from the baseline is neither
// shown nor excluded; none without a baseline. A comparison of recordings has the name
// "all", and none where something else keeps it from a Pass, such as a scenario that is missing.
func (g *Result) Undecided() (names []string, delta float64) {
	if c := g.Comparison; c != nil && c.Verdict == verdict.Inconclusive && len(c.Reasons) > 0 &&
		slices.Contains([]verdict.Code{compare.CodeUndecided, verdict.CodeScenariosOpen}, c.Reasons[0].Code) {
		return []string{"all"}, c.Delta
	}
	if c := g.Ended; c != nil && c.Verdict == verdict.Inconclusive {
		return []string{"all"}, c.Delta
	}
	if g.Baseline == nil || g.Asked == nil {
		return nil, 0
	}
	delta = g.Asked.Delta
	for _, t := range g.Baseline.Tests {
		if t.Verdict != verdict.Inconclusive {
			continue
		}
		names = append(names, t.Name)
		if t.Tested && g.Run != nil {
			for _, x := range g.Run.Tests {
				if x.Name == t.Name && x.Regression != nil {
					delta = x.Regression.Delta
				}
			}
		}
	}
	return names, delta
}

// incomparable says why nothing of the saved run can be compared with this one; "" where
// something can.
func (b *BaselineRun) incomparable(run *runs.Result, o Options) string {
	switch {
	case b.Problem != "":
		return b.Problem
	case b.Run == nil:
		return "it could not be read"
	case o.Edition == firstEdition:
		if why := b.Run.otherSuite(run); why != "" {
			return why
		}
	// With the task of both, each scenario says by itself whether it can be compared.
	case b.Run.Task != nil && run.Task != nil, b.Run.Digest == run.Digest:
	case b.Run.Task == nil:
		return "its suite was another, and it does not say what it asked, as results of earlier versions do not: " +
			"record it again"
	default:
		return "its suite was another, and the run does not say what it asked"
	}
	return o.wrongAge(b.Run.Finished, b.MaxAge)
}

// otherSuite is how the first edition told that two runs are not comparable: by the digest of
// all of the suite, the agent too.
func (r *BaselineTests) otherSuite(run *runs.Result) string {
	switch {
	case r.Suite != run.Suite:
		return fmt.Sprintf("it is of the suite %q", r.Suite)
	case r.Digest != run.Digest && !sameTests(r, run):
		return "it has other scenarios, or tests them otherwise"
	case r.Digest != run.Digest:
		return "its suite was another: the agent, the judges or the scenarios changed (digest)"
	case !sameTests(r, run):
		return "it has other scenarios"
	}
	return ""
}

// sameTests reports whether both have tests of the same names, in the same order: by it the
// two are compared, place by place.
func sameTests(a *BaselineTests, b *runs.Result) bool {
	return slices.EqualFunc(a.Tests, b.Tests, func(x BaselineTest, y runs.Test) bool { return x.Name == y.Name })
}

// comparisons are those of pairs of designs that were made. Scenarios share designs, and a
// comparison is costly to make and then serves all ends of its tests.
type comparisons map[comparisonKey]*sprt.Comparison

type comparisonKey struct {
	first, second string // digests
	delta         float64
}

// p returns the p-value of "the second's rate is at least the first's plus delta"; 1
// where a test has not ended.
func (known comparisons) p(first, second *sprt.Test, delta float64) (float64, error) {
	if !first.Decided() || !second.Decided() {
		return 1, nil
	}
	// The boundaries follow from the digests, so the digests are key enough.
	key := comparisonKey{first.Design().Digest(), second.Design().Digest(), delta}
	c := known[key]
	if c == nil {
		var err error
		if c, err = sprt.NewComparison(first.Design().Boundaries, second.Design().Boundaries, delta); err != nil {
			return 1, err
		}
		known[key] = c
	}
	return c.P(sprt.End{Trials: first.Trials(), Failures: first.Failures()}, sprt.End{Trials: second.Trials(),
		Failures: second.Failures()})
}

// compareTests compares two tests that have ended. Nil says that one has not. Whatever
// the trials without an outcome would have given: the baseline at its worst and the
// candidate at its best for a Fail, and the other way round for a Pass.
func (known comparisons) compareTests(baseline, candidate *runs.Test, o Options) (*ComparedTest, error) {
	if baseline.Estimate == nil || candidate.Estimate == nil {
		return nil, nil
	}
	before, err := baseline.Replay()
	if err != nil {
		return nil, err
	}
	after, err := candidate.Replay()
	if err != nil {
		return nil, err
	}
	// Each test has two sides: errors as passes (best), and errors as failures (worst).
	beforeBest, beforeWorst := before.Sides()
	afterBest, afterWorst := after.Sides()
	c := &ComparedTest{Name: candidate.Name, BaselineRate: *baseline.Rate, CandidateRate: *candidate.Rate}
	// H0: the candidate, at its best, is at least as good as the baseline at its worst.
	if c.PWorse, err = known.p(beforeWorst, afterBest, 0); err != nil {
		return nil, err
	}
	// H0: the baseline, at its best, is above the candidate at its worst by delta or more.
	if c.PDrop, err = known.p(afterWorst, beforeBest, o.Delta); err != nil {
		return nil, err
	}
	switch {
	case c.PDrop <= o.Beta: // also where it is worse, by less than what matters
		c.Verdict = verdict.Pass
	case c.PWorse <= o.Alpha:
		c.Verdict = verdict.Fail
	}
	return c, nil
}
