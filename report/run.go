package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Where pages show the tables of a run: what did not pass, why, and the rest.
const (
	rankRegression = 1 + iota
	rankFailures
	rankLimits
	rankMembers
	rankPassed
	rankSpreads
	rankCoverage
)

// buildRun is what did not pass and why, a row for each test of the run, and what the run took. The verdict and what to
// do about it close the text. A gate shows the same parts of its run, see buildGate.
func buildRun(d *document.Document, r *runs.Result) {
	d.Begin(r.Header(), r.Suite)
	d.Metrics = metricsOfRun(r)
	d.Headline = runHeadline(r)
	d.Told = true
	d.Break()
	if r.Recorded && !d.Judged {
		d.Word, d.Colour = "recorded", verdict.Pass
	}
	runFindings(d, r)
	d.Parts = append(d.Parts, document.FindingList{})
	runTests(d, r)
	d.Break()
	passedCauses(d, r)
	if !r.Recorded && len(r.SuiteTests) == 0 && runIntervalHeader(r) != "interval" {
		d.StatLine("intervals", oneSided)
	}
	runSuite(d, r)
	runConformance(d, r.Conformance)
	runRegression(d, r)
	if len(r.Tests) == 1 {
		runSingle(d, &r.Tests[0])
	}
	runLimits(d, r)
	runGuardrails(d, r)
	runFailures(d, r)
	runAxes(d, r)
	runMembers(d, r)
	runRounds(d, r)
	if r.Correction != nil && len(r.Tests) > 1 {
		d.Statf("correction", "%s: a scenario fails the suite by a p-value that is corrected for all of them",
			*r.Correction)
	}
	lookLine(d, r.Looks)
	runCalibration(d, r)
	runTotals(d, r)
	// The warnings of the run come first, then those of its tests.
	d.Warn(withoutLuck(d, r.Warnings))
	runWarnings(d, r, true)
	notRun(d, r)
	locate(d, r)
	runTiles(d, r)
	runNext(d, r)
	d.Close(fmt.Sprintf("%s: %s.", prose.Capitalised(d.Word), runSentence(r)))
	runEvidence(d, r)
}

// locate says of each case where its scenario stands in the suite.
func locate(d *document.Document, r *runs.Result) {
	for i := range d.Cases {
		d.Cases[i].File, d.Cases[i].Line = r.Place(d.Cases[i].Scenario)
	}
}

// notRun is a case that is open for each scenario of the suite that was left out.
func notRun(d *document.Document, r *runs.Result) {
	if r.Selection == nil {
		return
	}
	for _, name := range r.Selection.LeftOut {
		d.Cases = append(d.Cases, document.Case{Scenario: name, Name: "not run", Message: r.Selection.String()})
	}
}

// ofSuite is the name of the suite, and of a partial run of how many of its scenarios it is.
func ofSuite(r *runs.Result) string {
	if share := r.Share(); share != "" {
		return safe.Text(r.Suite) + ", " + share
	}
	return safe.Text(r.Suite)
}

// nounOf is what is judged one by one: scenarios of a suite, or the tests of a test runner.
func nounOf(r *runs.Result) string {
	if r.Repeated {
		return "test"
	}
	return "scenario"
}

// runHeadline stands beside the verdict.
func runHeadline(r *runs.Result) string {
	// Trials that ended after the decision are not among them.
	judged := 0
	for _, test := range r.Tests {
		judged += test.Trials
		// In rounds both sides run.
		if x := test.Regression; x != nil && x.Kind != runs.StoredKind {
			judged += x.Baseline.Trials
		}
	}
	if r.Recorded && hasReason(r.Reasons, runs.CodeRecorded) {
		return fmt.Sprintf("%s: %s of %s", ofSuite(r), prose.Count(judged, "trial"),
			prose.Count(len(r.Tests), nounOf(r)))
	}
	text := ofSuite(r) + ": " + runSentence(r)
	// Reasons say it of one test: that its trials are used up, that errors matter, or what stopped the run.
	ended := r.StoppedBy == runs.StoppedByMaxTrials &&
		(len(r.Tests) == 1 || len(r.SuiteTests) == 1 && r.SuiteTests[0].Mean != sprt.Pass.String())
	if why := stoppedBy(r); r.StoppedBy != runs.StoppedByDecision && !ended && !strings.Contains(text, why) {
		text += "; " + why
	}
	return text
}

// runSentence is the verdict of the run in a sentence: of one test what was seen, of several how many did what.
func runSentence(r *runs.Result) string {
	text := reasonsText(r.Reasons)
	if r.Verdict != verdict.Pass || len(r.Tests) < 2 || !hasReason(r.Reasons, runs.CodeTestsPass) {
		return text
	}
	// What a Pass says, where all tests ask for the same and none is set aside.
	what, threshold, lower := "a rate", r.Tests[0].Threshold, r.Tests[0].LowerRate()
	for _, t := range r.Tests {
		if t.Threshold != threshold || t.LowerRate() != lower || t.Regression != nil || setAside(&t) {
			return text
		}
	}
	for i, t := range r.SuiteTests {
		q := t.Question
		if i == 0 {
			what, threshold, lower = "a mean pass rate", q.Threshold, q.Lower()
		}
		if q.Sides != stratified.Threshold || q.Threshold != threshold || q.Lower() != lower {
			return text
		}
	}
	return fmt.Sprintf("%s (%s required): for each, %s of %s or less is ruled out", text, figure.Level(threshold), what,
		figure.Level(lower))
}

// withoutLuck are the warnings but for that on false Fails by their number, which is true of every run of several
// tests: it is a statistic.
func withoutLuck(d *document.Document, warnings []verdict.Warning) (rest []verdict.Warning) {
	for _, w := range warnings {
		if w.Code == runs.WarnFamily {
			d.Stat("by luck", w.Text)
		} else {
			rest = append(rest, w)
		}
	}
	return rest
}

// runTiles are the figures of a run that a reader looks for first, when it ended and what was run.
func runTiles(d *document.Document, r *runs.Result) {
	counts := map[verdict.Verdict]int{}
	aside := 0
	for i := range r.Tests {
		if setAside(&r.Tests[i]) {
			aside++
		} else {
			counts[r.Tests[i].Verdict]++
		}
	}
	if !r.Recorded {
		words := map[verdict.Verdict]string{verdict.Fail: "failed", verdict.Inconclusive: "undecided",
			verdict.Pass: "passed"}
		for i := range r.SuiteTests {
			t := &r.SuiteTests[i]
			v := map[string]verdict.Verdict{sprt.Pass.String(): verdict.Pass, sprt.Fail.String(): verdict.Fail}[t.Mean]
			d.Tile(meanName(t), words[v], &v)
		}
		for _, v := range worstFirst {
			name := words[v]
			if len(r.SuiteTests) > 0 {
				name = standingSaid(r, v, r.Tests...)
			}
			if counts[v] > 0 {
				d.Tile(name, fmt.Sprint(counts[v]), &v)
			} else {
				d.Tile(name, "0", nil)
			}
		}
		if aside > 0 {
			d.Tile("quarantined", fmt.Sprint(aside), nil)
		}
	}
	d.Tile("trials", figure.Quantity(float64(r.Spent.Trials)), nil)
	if r.Spent.CostUSD != nil {
		d.Tile("cost", figure.Money(*r.Spent.CostUSD), nil)
	}
	d.Tile("time", figure.Duration(r.Spent.Duration), nil)
	d.When, d.Commit = when(r.Finished), r.Commit
	if d.When != "" {
		d.Fact("finished", d.When)
	}
	if r.Commit != "" {
		d.Fact("commit", safe.Text(r.Commit))
	}
}

// when is a time as a person writes it, in UTC; "" of one that cannot be read.
func when(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return ""
	}
	return t.UTC().Format("2 January 2006, 15:04 UTC")
}

// runNext says what to do next about a run that did not pass.
func runNext(d *document.Document, r *runs.Result) {
	if d.Detail.Rest != nil && r.StoppedBy == runs.StoppedByRecording && r.Verdict == verdict.Inconclusive {
		if command := d.Detail.Rest("Continue"); command != "" {
			d.Next("", command)
			return
		}
	}
	// Where there is no suite no trial of it can be run.
	noSuite := r.Source == nil && (r.Settings != nil || r.Digest == "")
	if noSuite || d.Detail.Rest == nil || r.Recorded {
		return
	}
	if r.StoppedBy == runs.StoppedByBudget && r.Verdict == verdict.Inconclusive && len(d.Findings) > 0 {
		key := "max_" + r.Budget
		if r.Budget == "cost" {
			key += "_usd"
		}
		d.Next("raise budget."+safe.Text(key)+", then ", d.Detail.Rest("Resume"))
		return
	}
	if r.Verdict == verdict.Inconclusive { // else the search for a number would be for nothing
		if before, option := enlarge(r); option != "" {
			d.Next(before, d.Detail.Rest(option))
			return
		}
	}
	failed, errors := firstFailed(d, r), errorTrials(r)
	name := cmp.Or(append([]string{failed}, errors...)...)
	if errorsDecide(r) {
		name = cmp.Or(append(errors, failed)...)
	}
	switch {
	case name == "" || d.Detail.Rest("Trial "+name) == "":
	case r.Verdict == verdict.Inconclusive && usedUp(r):
		before := "accept a larger delta, or see why trials fail: "
		if slices.ContainsFunc(r.SuiteTests, heldBack) {
			before = "record a larger baseline, " + before
		}
		d.Next(before, d.Detail.Rest("Trial "+name))
	default:
		d.Next("", d.Detail.Rest("Trial "+name))
	}
}

// firstFailed is a trial without an error that a finding names, if possible of one with the verdict on all; "" where
// none is named.
func firstFailed(d *document.Document, r *runs.Result) (name string) {
	errors := errorTrials(r)
	for _, f := range d.Findings {
		for _, c := range f.Causes {
			i := slices.IndexFunc(c.Trials, func(name string) bool { return !slices.Contains(errors, name) })
			switch {
			case i < 0:
			case f.Verdict == d.Colour:
				return c.Trials[i]
			default:
				name = cmp.Or(name, c.Trials[i])
			}
		}
	}
	return name
}

// errorsDecide reports whether errors are why the run, or a question of it, stayed undecided.
func errorsDecide(r *runs.Result) bool {
	return hasReason(r.Reasons, verdict.CodeErrorsMatter) ||
		slices.ContainsFunc(r.Tests, func(t runs.Test) bool { return hasReason(t.Reasons, verdict.CodeErrorsMatter) })
}

// errorTrials are the listed trials of the run that ended in an error.
func errorTrials(r *runs.Result) (names []string) {
	trials := trialsByTest(r)
	for i := range r.Tests {
		for _, x := range trials[r.Tests[i].Name] {
			if x.Outcome == trial.Error.String() {
				names = append(names, trialOf(&r.Tests[i], x.Scenario, x.Trial))
			}
		}
	}
	return names
}

// heldBack reports whether a recorded baseline has too few trials to decide the mean.
func heldBack(t runs.SuiteTest) bool {
	return t.Question.Sides == stratified.Stored && t.Mean == sprt.Inconclusive.String() &&
		!hasReason(t.Reasons, verdict.CodeErrorsMatter)
}

// enlarge says how a recorded baseline is made larger where its size is why a suite stayed undecided: as large as makes
// a Pass likely where nothing changed.
func enlarge(r *runs.Result) (before, option string) {
	for _, t := range r.SuiteTests {
		q, b := t.Question, t.Baseline
		if !heldBack(t) || t.Source == nil || b.Rate == nil {
			continue
		}
		rounds := enough(q, *b.Rate)
		if rounds <= q.MaxRounds {
			continue
		}
		trials := rounds * slices.Max(append(q.Weights, 1))
		option = fmt.Sprintf("Record %d %s", trials, t.Source.File)
		if t.Source.Revision > 0 {
			option = fmt.Sprintf("Baseline %d %s", trials, t.Source.File)
		}
		return fmt.Sprintf("check out the agent of the baseline, not this one, and record %s a scenario: ",
			prose.Count(trials, "trial")), option
	}
	return "", ""
}

// expectedRate is what an agent is expected to pass that passed every trial of a few. It is chosen.
const expectedRate = 0.95

// enough is how many rounds of a baseline make a Pass likely where nothing changed, if so large a share of it passes; 0
// where no number that is looked at does.
func enough(q stratified.Question, rate float64) (rounds int) {
	rounds = q.Enough(min(rate, expectedRate))
	if rounds == 0 && rate > expectedRate {
		rounds = q.Enough(rate) // as many as are looked at may not do at the rate expected
	}
	return rounds
}

// stoppedBy says in a sentence why the run ended, with the budget that ran out. A run
// whose tests all ended, some of them without a decision, names the cause of that:
// the trials were used up, or errors came in the way.
func stoppedBy(r *runs.Result) string {
	switch {
	case r.StoppedBy == runs.StoppedByMaxTrials && usedUp(r):
		return "all trials of a test were used"
	case r.StoppedBy == runs.StoppedByMaxTrials:
		return "errors left a test undecided"
	}
	if r.StoppedBy == runs.StoppedByDecision && len(r.SuiteTests) > 0 {
		return "the suite was decided" // and some of its scenarios may not be
	}
	return r.StoppedBy.Sentence(r.Budget)
}

// usedUp reports whether a test without a decision took all trials of its design. One
// that errors left open may end before.
func usedUp(r *runs.Result) bool {
	for _, t := range r.SuiteTests {
		if t.Verdict == verdict.Inconclusive && !hasReason(t.Reasons, verdict.CodeErrorsMatter) {
			return true
		}
	}
	for _, t := range r.Tests {
		if t.Standing != "" {
			continue
		}
		most := t.Design.MaxTrials
		if t.Regression != nil {
			most = max(most, t.Regression.MaxTrials)
		}
		if t.Verdict == verdict.Inconclusive && t.Trials >= most {
			return true
		}
	}
	return false
}

// worstFirst are the verdicts in the order in which a reader wants to see them.
var worstFirst = []verdict.Verdict{verdict.Fail, verdict.Inconclusive, verdict.Pass}

// runTests is a row and a case for each test.
func runTests(d *document.Document, r *runs.Result) {
	// One table for all formats. Where the text is too narrow, the column of the
	// highest Drop goes first: cost, then errors, the fixed sample and at last the
	// interval.
	t := &document.Table{
		Title: "Estimates against the threshold", Drawn: true, Note: runNote(r),
		Columns: []document.Column{
			{Title: nounOf(r), Text: table.Column{Least: nameColumn(r)}},
			{Title: "variant", In: document.Nowhere},
			{Title: "verdict", Painted: true},
			{Title: "passes", Right: true},
			{Title: "baseline", Right: true, In: document.Nowhere},
			{Title: "errors", Right: true, Text: table.Column{Drop: 3}},
			{Title: "threshold", Right: true, In: document.Pages},
			{Title: "estimate", Right: true},
			{Title: "interval", Text: table.Column{Header: runIntervalHeader(r), Align: table.Right, Drop: 1}},
			{Title: "fixed n", Right: true, In: document.TextIf(d.Detail.Explain), Text: table.Column{Drop: 2}},
			{Title: "cost per success", Right: true, In: document.TextIf(d.Detail.Explain),
				Text: table.Column{Header: "$/success", Drop: 4}},
			{Title: "drawing", Bar: true, Plain: true, Painted: true, Text: table.Column{Least: 12, Most: 40, Drop: 5}},
		},
	}
	if title := baselineTitle(r); title != "" {
		t.Title = title
	}
	if len(r.SuiteTests) > 0 {
		shareColumns(t)
	}
	if r.Recorded {
		t.Columns[7].Title = "pass rate"
	}
	for _, test := range r.Tests {
		if test.Variant != "" {
			t.Columns[1].In = document.Everywhere
		}
		if test.Baseline != nil {
			t.Columns[4].In = document.Everywhere
		}
	}
	t.Axes = []document.Axis{{Most: 1, Marks: sharedMarks(r)}}
	// The verdict of a test is a case, that against a baseline beside a threshold and each of its
	// limits are others.
	for i := range r.Tests {
		test := &r.Tests[i]
		row := runRow(t, r, test)
		d.Cases = append(d.Cases, runCase(r, test, t, row))
		if test.Regression != nil && test.Design.MaxTrials > 0 {
			d.Cases = append(d.Cases, regressionCase(test))
		}
		for _, l := range test.Limits {
			d.Cases = append(d.Cases, limitCase(test, l))
		}
	}
	suiteCases(d, r)
	quarantined(d, r)
	// Pages show a table for each verdict. That of the passed tests comes after the
	// tables of failures and limits, and is folded where there is anything worse to
	// see.
	open, passed := len(t.Rows), len(t.Of(verdict.Pass))
	sortByVerdict(t)
	for _, v := range worstFirst {
		said, noun := v.String(), "test"
		if len(r.SuiteTests) > 0 {
			said, noun = standingSaid(r, v, r.Tests...), "scenario"
		}
		t.Groups = append(t.Groups, document.Group{
			Verdict: v, Title: fmt.Sprintf("%s: %d of %s", prose.Capitalised(said), len(t.Of(v)), prose.Count(open, noun)),
		})
	}
	if r.Recorded && !d.Judged {
		t.Groups[1].Title = "Recorded: " + prose.Count(open, "test")
	}
	t.Groups[2].Rank = rankPassed
	t.Groups[2].Fold = passed < open || hasDetails(r)
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	d.Table(t)
}

// nameColumn is how narrow the column of names may be: a name is shortened after columns are left out, for people copy
// it.
func nameColumn(r *runs.Result) int {
	// Chosen: a name that leaves room for the figures.
	const least, most = 10, 24
	longest := least
	for _, t := range r.Tests {
		longest = max(longest, table.Width(safe.Name(t.Name)))
	}
	return min(longest, most)
}

// sharedMarks are the rate that a Pass rules out and the threshold, where all tests have the same.
func sharedMarks(r *runs.Result) []float64 {
	for _, t := range r.Tests {
		if t.Threshold == 0 || t.Threshold != r.Tests[0].Threshold || t.Delta != r.Tests[0].Delta {
			return nil
		}
	}
	if len(r.Tests) == 0 {
		return nil
	}
	return []float64{r.Tests[0].LowerRate(), r.Tests[0].Threshold}
}

// oneSided is why a verdict may say more than the interval beside it.
const oneSided = "two-sided; a verdict errs on one side, with alpha or beta, so it may rule out a rate in the interval"

// runNote is below the heading of the table.
func runNote(r *runs.Result) string {
	if len(r.SuiteTests) > 0 {
		if slices.ContainsFunc(r.Tests, func(t runs.Test) bool { return t.Errors > 0 }) {
			return suiteNote + " Where trials ended in errors, the rate is that if all had failed, and if all had passed."
		}
		return suiteNote
	}
	if r.Recorded {
		return "The shares of passes with their exact intervals."
	}
	mark := "; the dashed line is the threshold."
	switch {
	case baselineTitle(r) != "":
		mark = "; the dashed line is the baseline's share of passes."
	}
	estimates := "Median-unbiased estimates with their intervals, which allow for the stopping"
	for _, t := range r.Tests {
		if t.Estimate != nil && t.Estimate.ErrorsPassed != nil {
			return estimates + " and, where trials ended in errors, for errors that would all have failed or all " +
				"have passed" + mark + " They are " + oneSided + "."
		}
	}
	return estimates + mark + " They are " + oneSided + "."
}

// baselineTitle is the heading of the table where no test has a threshold; "" where one has.
func baselineTitle(r *runs.Result) string {
	for _, t := range r.Tests {
		if t.Threshold > 0 {
			return ""
		}
	}
	switch {
	case len(r.Tests) == 0:
		return ""
	case len(r.SuiteTests) > 0:
		return "Scenarios"
	case r.Recorded:
		return "Recorded trials"
	}
	return "Estimates and baselines"
}

// variantCell is the name of a variant, or a dash.
func variantCell(name string) document.Cell {
	if name == "" {
		return document.Plain(none)
	}
	return document.Name(safe.Name(name))
}

// runRow is what there is to say of a test, with the exact values for its case.
func runRow(to *document.Table, r *runs.Result, t *runs.Test) *document.Row {
	// An estimate, an interval and a comparison with the fixed sample exist only for
	// a test that has ended; until then a dash stands.
	estimate := document.Told(none)
	interval := document.Told(none)
	var span *document.Span
	if t.Rate != nil {
		estimate.Facts = append(estimate.Facts, number("rate", *t.Rate))
	}
	e := estimateOf(t)
	if e != nil {
		interval = intervalCell(e.Low, e.High, figure.Level(e.Level))
		span = &document.Span{Low: e.Low, High: e.High, Mark: t.Threshold}
		if p := e.ErrorsPassed; p != nil {
			// One of two ways of counting would look like the estimate.
			estimate.Text = figure.Rate(e.MedianUnbiased) + "-" + figure.Rate(p.MedianUnbiased)
			estimate.Facts = append(estimate.Facts, number("estimate_errors_failed", e.MedianUnbiased),
				number("estimate_errors_passed", p.MedianUnbiased))
		} else {
			estimate.Text = figure.Rate(e.MedianUnbiased)
			estimate.Facts = append(estimate.Facts, number("estimate", e.MedianUnbiased))
			span.Estimate = &e.MedianUnbiased
		}
		if x := t.Regression; x != nil && t.Threshold == 0 && x.Baseline.Rate != nil {
			span.Mark, span.MarkName = *x.Baseline.Rate, "baseline"
		}
		if recordedTest(t) {
			span.Unmarked = true
			if t.Errors == 0 {
				span.Estimate = t.Rate
			}
		}
	}
	share := t.Standing != "" || recordedTest(t) // no stopping biases that of a fixed number of trials
	switch {
	case t.Trials == 0:
		estimate.Text = "no trials"
	case t.Errors == t.Trials && (e == nil || share):
		estimate.Text = "all errors"
	case share && t.Errors > 0: // the errors as failures, and as passes
		n := float64(t.Trials)
		estimate.Text = phrase.Percent(float64(t.Passes)/n) + "-" + phrase.Percent(float64(t.Passes+t.Errors)/n)
	case share:
		estimate.Text = phrase.Percent(*t.Rate)
	}
	fixed := document.Told(none)
	if s := t.Savings; s != nil {
		fixed = document.Told(fmt.Sprint(s.FixedTrials), count("fixed_trials", s.FixedTrials))
	}
	word := document.Verdict(t.Verdict, fact("verdict", t.Verdict.String()))
	switch {
	case hasReason(t.Reasons, runs.CodeRecorded):
		word = document.Told("recorded")
	case t.Standing != "":
		word.Text = standingSaid(r, t.Verdict, *t)
		word.Facts = append(word.Facts, fact("status", word.Text))
	case setAside(t):
		word = document.Told("quarantined", fact("verdict", t.Verdict.String()), fact("quarantined", "true"))
	case t.Quarantined:
		word.Facts = append(word.Facts, fact("quarantined", "true"))
	}
	threshold := document.Told(none)
	if t.Threshold > 0 {
		threshold = document.Told(figure.Brief(t.Threshold), number("threshold", t.Threshold), number("delta", t.Delta),
			number("alpha", t.Alpha), number("beta", t.Beta), fact("design", t.Design.Digest))
	}
	row := to.Add(
		document.Name(safe.Name(t.Name)),
		variantCell(t.Variant),
		word,
		document.Told(fmt.Sprintf("%d/%d", t.Passes, t.Trials), count("passes", t.Passes), count("fails", t.Fails)),
		besideCell(t),
		document.Told(fmt.Sprint(t.Errors), count("errors", t.Errors), count("trials", t.Trials)),
		threshold,
		estimate,
		interval,
		fixed,
		numberCell("cost_per_success", t.CostPerSuccess, figure.Money),
		document.Cell{}, // the place of the bar, which is drawn from the span
	)
	row.Verdict = t.Verdict
	row.Span = span
	return row
}

// runIntervalHeader names the level of the intervals.
func runIntervalHeader(r *runs.Result) string {
	for _, t := range r.Tests {
		if t.Estimate != nil {
			return figure.Level(t.Estimate.Level) + " interval"
		}
	}
	return "interval"
}

// hasDetails reports whether pages show a table before that of the tests that passed.
func hasDetails(r *runs.Result) bool {
	for _, t := range r.Tests {
		if len(t.Failures)+len(t.Limits)+len(t.Members) > 0 {
			return true
		}
	}
	return false
}

// runCase is the verdict of a test.
func runCase(r *runs.Result, t *runs.Test, parent *document.Table, row *document.Row) document.Case {
	if hasReason(t.Reasons, runs.CodeRecorded) {
		// Nothing was decided, and nothing is open.
		return document.Case{Scenario: t.Name, Name: "recorded", Status: document.Passed, Seconds: secondsOf(r, t),
			Message: reasonsText(t.Reasons), Details: runDetails(t), Table: parent, Row: row}
	}
	c := document.Case{
		Scenario: t.Name, Name: "verdict", Status: statusOf(t.Verdict, t.Reasons), Message: reasonsText(t.Reasons),
		Details: runDetails(t), Why: whyOf(t.Failures), Seconds: secondsOf(r, t), Table: parent, Row: row,
	}
	if t.Regression != nil && t.Design.MaxTrials == 0 {
		c.Facts = regressionFacts(t.Regression)
	}
	// A test of which no trial passed or failed has not been run: for a build server
	// that is an error and not a skipped test.
	unrun := t.Errors > 0 && t.Passes+t.Fails == 0
	if t.Verdict == verdict.Inconclusive && (r.StoppedBy == runs.StoppedByErrors || unrun) {
		c.Status = document.Broken
	}
	return c
}

// secondsOf is what the trials of a test took, those of its baseline in rounds too; 0 where that is not known of all.
func secondsOf(r *runs.Result, t *runs.Test) (seconds float64) {
	if m := t.Measures; m != nil {
		for _, took := range m.Duration {
			if !took.Known {
				return 0
			}
			seconds += took.Value
		}
		return seconds
	}
	if r.TrialsOmitted > 0 {
		return 0
	}
	for i := range r.Trials {
		if x := &r.Trials[i]; x.Test == t.Name {
			if x.Duration == nil {
				return 0
			}
			seconds += *x.Duration
		}
	}
	return seconds
}

// runDetails are the lines below a case: counts, hypotheses, the design with its
// exact errors, the estimate and the first failures.
func runDetails(t *runs.Test) []string {
	lines := []string{
		fmt.Sprintf("%d passed, %d failed, %s of %s; %d overrun",
			t.Passes, t.Fails, prose.Count(t.Errors, "error"), prose.Count(t.Trials, "judged trial"), t.Overrun),
	}
	switch {
	case t.Threshold > 0:
		lines = append(lines,
			fmt.Sprintf("threshold %s, delta %s, alpha %s, beta %s", figure.Brief(t.Threshold), figure.Brief(t.Delta),
				figure.Exact(t.Alpha),
				figure.Exact(t.Beta)),
			fmt.Sprintf("%s design, at most %s: %s", t.Design.Kind, prose.Count(t.Design.MaxTrials, "trial"),
				exactErrors(t.Design)))
	case t.Regression != nil:
		lines = append(lines, regressionDetails(t)...)
	}
	if e := estimateOf(t); e != nil {
		lines = append(lines, estimateText(e))
	}
	if t.Savings != nil {
		lines = append(lines, "a fixed sample with the same errors takes "+prose.Count(t.Savings.FixedTrials, "trial"))
	}
	if t.Guardrails != nil {
		lines = append(lines, "guardrails: "+guardrailText(t.Guardrails))
	}
	for _, f := range t.Failures {
		lines = append(lines, failureLine(f))
	}
	return lines
}

// failureLine says which trial did not pass, and why.
func failureLine(f runs.Failure) string {
	return fmt.Sprintf("%s: %s#%d: %s", f.Outcome, safe.Name(f.Scenario), f.Trial, orUnknown(f.Text))
}

// whyOf are the first trials that did not pass, without those whose reason is that of an earlier one.
func whyOf(failures []runs.Failure) (lines []string) {
	// Chosen: an annotation is a few lines beside the text of a file.
	const most = 3
	told := map[string]bool{}
	for _, f := range failures {
		if reason := f.Outcome + ": " + f.Text; !told[reason] && len(lines) < most {
			told[reason] = true
			lines = append(lines, failureLine(f))
		}
	}
	return lines
}

// exactErrors are the error rates that a design was computed to have.
func exactErrors(d design.Design) string {
	return fmt.Sprintf("false Fail %s, false Pass %s (exact)", figure.ExactChance(d.Alpha), figure.ExactChance(d.Beta))
}

// estimateText names the ordering of the ends of the test as well: the limits of an
// interval after a sequential test depend on it.
func estimateText(e *design.Estimate) string {
	if p := e.ErrorsPassed; p != nil {
		return fmt.Sprintf("estimate %s with the errors as failures, %s with them as passes, %s interval %s (%s)",
			figure.Rate(e.MedianUnbiased), figure.Rate(p.MedianUnbiased), figure.Level(e.Level),
			figure.Interval(figure.Rate(e.Low), figure.Rate(e.High)),
			e.Ordering)
	}
	return fmt.Sprintf("estimate %s (median-unbiased), %s interval %s (%s)",
		figure.Rate(e.MedianUnbiased), figure.Level(e.Level), figure.Interval(figure.Rate(e.Low), figure.Rate(e.High)),
		e.Ordering)
}

// limitCase follows the verdict where trials broke the limit: those count as failures
// there, and some of them may be within what the test allows.
func limitCase(t *runs.Test, l runs.Limit) document.Case {
	c := document.Case{
		Scenario: t.Name, Name: "limit " + l.Name, Status: document.Passed, Message: limitText(l.Name, l),
		Facts: []document.Fact{number("max", l.Max), count("failures", l.Failures), count("unknown", l.Unknown)},
	}
	if l.Worst != nil {
		c.Facts = append(c.Facts, number("worst", *l.Worst))
	}
	switch {
	case l.Failures > 0 && l.Severity == "":
		c.Status = statusOf(t.Verdict, t.Reasons)
	// Nothing was measured: that the limit is kept is not shown.
	case l.Worst == nil || t.Trials == 0:
		c.Status = document.Open
	}
	return c
}

// runSingle is what there is room for where one test is all.
func runSingle(d *document.Document, t *runs.Test) {
	switch {
	case recordedTest(t):
		d.Stat("design", "a recording of "+prose.Count(t.Design.MaxTrials, "trial"))
	case t.Threshold > 0:
		d.Stat("design", designText(t.Design, t.Threshold, t.Delta))
	}
	if t.Design.Digest != "" {
		d.Stat("digest", figure.ShortDigest(t.Design.Digest))
	}
	switch e := estimateOf(t); {
	case e != nil && e.ErrorsPassed != nil:
		d.Linef("estimate", "%s with the %s as failures, %s as passes; the interval covers both",
			figure.Rate(e.MedianUnbiased), prose.Count(t.Errors, "error"), figure.Rate(e.ErrorsPassed.MedianUnbiased))
	case e != nil && !recordedTest(t):
		d.Stat("unbiased", unbiasedText(e))
	}
	for _, m := range t.Members {
		d.TextLinef("of which", "%s: %d passed, %d failed, %s", safe.Name(m.Name), m.Passes, m.Fails,
			prose.Count(m.Errors, "error"))
	}
}

// designText is a design in a line: its kind, its most trials, the hypotheses that it
// tells apart, and its exact errors.
func designText(d design.Design, threshold, delta float64) string {
	question := "delta " + figure.Brief(delta)
	if threshold > 0 { // else it is against a baseline
		question = "threshold " + figure.Brief(threshold) + ", " + question
	}
	return fmt.Sprintf("%s, at most %s: %s; %s", safe.Text(d.Kind), prose.Count(d.MaxTrials, "trial"), question,
		exactErrors(d))
}

// unbiasedText sets the unbiased estimate beside the plain share of passes. The share
// is biased because the test stops when it looks good or bad enough.
func unbiasedText(e *design.Estimate) string {
	return fmt.Sprintf("%s; the share of passes is %s, which stopping biases", figure.Rate(e.Unbiased),
		figure.Rate(e.Naive))
}

// runLimits is a row for each budget of a trial; the text has lines for it: of every
// test where there are few, and of those that broke one where there are many.
func runLimits(d *document.Document, r *runs.Result) {
	// Chosen: so many tests with their limits do not fill the screen.
	const few = 4
	t := &document.Table{
		Title: "Limits", In: document.Pages, Rank: rankLimits,
		Columns: document.Columns("scenario", "limit", ">most", ">worst", ">trials above", ">unknown"),
	}
	for _, test := range r.Tests {
		for _, l := range test.Limits {
			t.Add(
				document.Name(safe.Name(test.Name)), document.Name(l.Name), limitAmount(l, l.Max),
				worst(l), l.Failures, l.Unknown,
			)
			if len(r.Tests) > few && l.Failures == 0 && l.Unknown == 0 {
				continue
			}
			line := limitText(safe.Text(l.Name), l)
			if len(r.Tests) > 1 {
				line = shorten(d, test.Name, 24) + ": " + line
			}
			d.StatLine("limit", line)
		}
	}
	d.Table(t)
}

// limitText is a limit in a line, as in "max_turns: at most 9, within the limit of 12": the worst
// actual value beside the limit, and how many trials are above it or do not tell.
func limitText(name string, l runs.Limit) string {
	most := limitAmount(l, l.Max)
	unknown := ""
	if l.Unknown > 0 {
		unknown = fmt.Sprintf("; not recorded by %s", prose.Count(l.Unknown, "trial"))
	}
	switch {
	case l.Worst == nil:
		return fmt.Sprintf("%s: not recorded by %s, and the limit is %s", name, prose.Count(l.Unknown, "trial"), most)
	case l.Failures > 0:
		text := fmt.Sprintf("%s: up to %s, above the limit of %s in %s%s", name, worst(l), most,
			prose.Count(l.Failures, "trial"), unknown)
		if l.Severity != "" {
			text += "; it only warns"
		}
		return text
	}
	return fmt.Sprintf("%s: at most %s, within the limit of %s%s", name, worst(l), most, unknown)
}

// worst is the largest actual value of the trials; it is unknown where no trial
// tells.
func worst(l runs.Limit) string {
	if l.Worst == nil {
		return "unknown"
	}
	return limitAmount(l, *l.Worst)
}

// limitAmount writes a limit in dollars where its name ends in _usd, and else as a
// plain number.
func limitAmount(l runs.Limit, x float64) string {
	if strings.HasSuffix(l.Name, "_usd") {
		return figure.Money(x)
	}
	return figure.Quantity(x)
}

// runFailures is a row for each trial that did not pass, those of tests that did not
// first. The text has them among the findings, by their causes.
func runFailures(d *document.Document, r *runs.Result) {
	t := &document.Table{
		Title: "Trials that did not pass", In: document.Pages, Rank: rankFailures, Carded: true,
		Note:    "The first of each test, with the reason that the evaluators gave.",
		Columns: document.Columns(nounOf(r), ">trial", "outcome", "reason"),
	}
	for _, test := range r.Tests {
		for _, f := range test.Failures {
			row := t.Add(document.Name(safe.Name(f.Scenario)), f.Trial, safe.Text(f.Outcome), document.Name(orUnknown(f.Text)))
			row.Verdict = test.Verdict
		}
	}
	sortByVerdict(t)
	d.Table(t)
}

// orUnknown is the reason of a failure, or says that the evaluator gave none.
func orUnknown(text string) string {
	if strings.TrimSpace(text) == "" {
		return "no reason is recorded"
	}
	return text
}

// runMembers is the table of the scenarios that one test judges together; tests of
// one scenario have no rows in it.
func runMembers(d *document.Document, r *runs.Result) {
	t := &document.Table{
		Title: "Scenarios of pooled tests", In: document.Pages, Rank: rankMembers, Fold: true,
		Columns: document.Columns("test", "scenario", ">passes", ">fails", ">errors"),
	}
	for _, test := range r.Tests {
		for _, m := range test.Members {
			t.Add(
				document.Name(safe.Name(test.Name)), document.Name(safe.Name(m.Name)),
				m.Passes, m.Fails, m.Errors,
			)
		}
	}
	d.Table(t)
}

// runTotals are what the run spent, and saved: facts, and lines that put them together.
func runTotals(d *document.Document, r *runs.Result) {
	s := r.Spent
	parts := []string{prose.Count(s.Trials, "trial")}
	// Repeated ones are attempts of the same trial.
	if s.Attempts > s.Trials {
		parts[0] += fmt.Sprintf(" in %s", prose.Count(s.Attempts, "attempt"))
	}
	noun := "tests"
	if len(r.SuiteTests) > 0 {
		noun = "scenarios"
	}
	d.Fact(noun, fmt.Sprint(len(r.Tests)))
	d.Fact("trials", fmt.Sprint(s.Trials))
	d.Fact("attempts", fmt.Sprint(s.Attempts))
	if s.CostUSD != nil {
		parts = append(parts, figure.Money(*s.CostUSD))
		d.Fact("cost", figure.Money(*s.CostUSD))
	}
	// Half of the tokens would look like all of them.
	if s.InputTokens != nil && s.OutputTokens != nil {
		tokens := figure.Quantity(float64(*s.InputTokens) + float64(*s.OutputTokens))
		parts = append(parts, tokens+" tokens")
		d.Fact("tokens", tokens)
	}
	d.Fact("time", figure.Duration(s.Duration))
	spent := strings.Join(append(parts, figure.Duration(s.Duration)), ", ")
	if each := r.Reliability.CostPerSuccess; each != nil {
		spent += "; " + figure.Money(*each) + " a success"
	}
	if states := statesText(r); states != "" {
		d.FactLine("tests", states)
	}
	d.TextLine("spent", spent)
	runUsage(d, r)
	runRepeated(d, r)
	runCrashes(d, r)
	runReliability(d, r)
	d.Fact("ended", stoppedBy(r))
	d.FactStat("seed", fmt.Sprint(r.Seed))
	d.Fact("suite digest", figure.ShortDigest(r.Digest))
	d.Fact("version", r.Version)
}

// runReliability is what was saved, and how well repeated trials succeed.
func runReliability(d *document.Document, r *runs.Result) {
	d.Fact("cost per success", figure.Optional(r.Reliability.CostPerSuccess, figure.Money))
	hat, passed := r.Reliability.PassHatK, r.Reliability.PassHatKErrorsPassed
	if len(r.SuiteTests) > 0 {
		hat = nil // see estimateOf
	}
	if passed == nil {
		factsOfPassK(d, hat)
	}
	saved := runSaved(r)
	d.FactStat("saved", saved)
	// Trials run in parallel: some are under way when the last one that was needed
	// ends. They cost money, and the decision does not use them.
	overrun := 0
	for _, test := range r.Tests {
		overrun += test.Overrun
	}
	if overrun > 0 {
		d.Fact("overrun", prose.Count(overrun, "trial"))
		d.TextLine("overrun", prose.Count(overrun, "trial")+" ended after the decision, and took no part in it")
	}
	if ks := sortedKs(hat); len(ks) > 1 {
		// pass^k: all of k trials pass.
		if passed != nil {
			passK(d, ks, passKRow{"pass^k from", hat}, passKRow{"pass^k to", passed})
		} else {
			passK(d, ks, passKRow{"pass^k", hat})
		}
	}
	costs := &verdict.Reliability{CostPerSuccess: r.Reliability.CostPerSuccess, Cost: r.Reliability.Cost}
	d.StatLine("cost/success", costPerSuccess(costs))
	if r.Reliability.Cost != nil {
		d.Tell(verdict.WarnCostPartlyKnown)
	}
}

// runSaved sets the trials against those of the classical tests with the same errors.
func runSaved(r *runs.Result) string {
	// What was made again was an attempt too.
	trials, fixed := repeatedAttempts(r.Spent), 0
	for _, test := range r.Tests {
		// To save trials is to reach a verdict with fewer: where one test has none,
		// nothing is claimed for the run.
		if test.Savings == nil || test.Verdict == verdict.Inconclusive {
			return ""
		}
		trials += test.Savings.Trials
		fixed += test.Savings.FixedTrials
	}
	// A single run may take more than the fixed sample does: it is nothing that was
	// saved.
	if fixed == 0 || trials >= fixed {
		return ""
	}
	share := 100 * float64(fixed-trials) / float64(fixed)
	return fmt.Sprintf("%d of %s that fixed samples with the same errors take (%.0f%%)", fixed-trials,
		prose.Count(fixed, "trial"), share)
}

// runWarnings are those of the tests, named where there are several. What is the same of several tests stands once, and
// so do their errors.
func runWarnings(d *document.Document, r *runs.Result, inText bool) {
	ended := func(errors int) string {
		return prose.Count(errors, "trial") + " ended in an error" + verdict.RobustErrors.Meaning(errors)
	}
	var texts []string
	names, shortNames := map[string][]string{}, map[string][]string{}
	errors := map[string]int{} // of the texts of errors, which differ in their number: by what they have in common
	for _, test := range r.Tests {
		for _, w := range test.Warnings {
			text := w.Text
			if w.Code == verdict.WarnErrors {
				if text = strings.TrimPrefix(text, prose.Count(test.Errors, "trial")); w.Text == ended(test.Errors) {
					text = ""
				}
				errors[text] += test.Errors
			}
			if names[text] == nil {
				texts = append(texts, text)
			}
			// Formats that list warnings have the full name of the test, the text has
			// a short one.
			names[text] = append(names[text], safe.Name(test.Name))
			shortNames[text] = append(shortNames[text], shorten(d, test.Name, 24))
		}
	}
	for _, text := range texts {
		full := text
		if n := errors[text]; n > 0 {
			full = prose.Count(n, "trial") + text
		}
		if text == "" {
			full = ended(errors[text])
		}
		short := full
		if len(r.Tests) > 1 {
			full = prose.Some(names[text], 20) + ": " + full
			short = prose.Some(shortNames[text], 3) + ": " + short
		}
		d.Notes = append(d.Notes, full)
		if inText {
			d.TextLine("warning", short)
		}
	}
}

// runEvidence is what a page has room for besides: paths, curves, distributions and
// trials; and what a script is told.
func runEvidence(d *document.Document, r *runs.Result) {
	for _, v := range worstFirst {
		for i := range r.Tests {
			t := &r.Tests[i]
			if t.Verdict != v {
				continue
			}
			if t.Design.MaxTrials > 0 && !recordedTest(t) {
				d.Parts = append(d.Parts, runPath(t))
			}
			if path := regressionPath(t); path != nil {
				d.Parts = append(d.Parts, path)
			}
		}
	}
	// Each design is drawn once, though many tests may share it: by the first test
	// that has it.
	for _, c := range r.Characteristics {
		for i := range r.Tests {
			if t := &r.Tests[i]; t.Design.Digest == c.Digest {
				d.Curves = append(d.Curves, document.Curve{
					Points: c.Points, Threshold: t.Threshold, LowerRate: t.LowerRate(),
					Alpha: t.Design.Alpha, Beta: t.Design.Beta, MaxTrials: t.Design.MaxTrials,
				})
				break
			}
		}
	}
	d.Spreads = r.Distributions
	runDistributions(d, r)
	d.Trials, d.TrialsOmitted = r.Trials, r.TrialsOmitted
	d.Seconds = r.Spent.Duration
	d.Outputs = []document.Fact{
		count("trials", r.Spent.Trials), count("tests", len(r.Tests)),
		fact("cost_usd", figure.OptionalExact(r.Spent.CostUSD)), number("duration_s", r.Spent.Duration),
		fact("cost_per_success", figure.OptionalExact(r.Reliability.CostPerSuccess)),
		fact("stopped_by", safe.Text(string(r.StoppedBy))), fact("suite_digest", safe.Text(r.Digest)),
	}
	if r.Recorded {
		d.Outputs = append(d.Outputs, fact("recorded", "true"))
	}
	if n := repeatedAttempts(r.Spent); n > 0 {
		d.Outputs = append(d.Outputs, count("repeated", n))
	}
	if r.Spent.Lost > 0 {
		d.Outputs = append(d.Outputs, count("lost", r.Spent.Lost))
	}
	if _, changed, against := baselinesOf(r); against {
		d.Outputs = append(d.Outputs, fact("changed", strings.Join(changed, "\n")))
	}
}

// runPath is the drawing of a test on a page. Marks are the outcomes of the judged
// trials, which come first in the outcomes; the rest ended after the decision.
func runPath(t *runs.Test) *document.Path {
	p := &document.Path{
		In: document.Drawing, Name: safe.Name(t.Name), Verdict: t.Verdict, Count: figure.OfTrials(t.Passes, t.Trials) +
			" passed",
		Title: fmt.Sprintf("%s after %s", t.Verdict, prose.Count(t.Trials, "trial")),
		Caption: fmt.Sprintf("%s design, at most %s; %s",
			safe.Text(t.Design.Kind), prose.Count(t.Design.MaxTrials, "trial"), exactErrors(t.Design)),
		Digest: t.Design.Digest, Boundaries: t.Design.Boundaries, Reasons: t.Reasons,
		Marks: t.Outcomes[:max(min(t.Trials, len(t.Outcomes)), 0)], Outcomes: t.Outcomes,
	}
	if t.Regression != nil {
		// Beside a baseline the test may go on when the design has ended.
		p.Name += ", threshold"
		p.Marks = p.Marks[:min(len(p.Marks), t.Design.MaxTrials)]
	}
	return p
}

// runDistributions is the table of the histograms, for formats that draw none.
func runDistributions(d *document.Document, r *runs.Result) {
	t := &document.Table{
		Title: "Cost, tokens and time of a trial", In: document.Pages, Rank: rankSpreads, Fold: true, Spread: true,
		Columns: document.Columns("quantity", ">known", ">least", ">median", ">mean", ">95 % at most", ">most"),
	}
	for _, x := range r.Distributions {
		row := t.Add(x.Name, fmt.Sprintf("%d/%d", x.Known, x.Trials))
		for _, amount := range []float64{x.Min, x.Median, x.Mean, x.Q95, x.Max} {
			row.Cells = append(row.Cells, document.Plain(figure.MetricAmount(x.Name, amount)))
		}
	}
	d.Table(t)
}
