package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
)

// buildThreshold is the rates of a suite and its scenarios, and what the verdict rests on.
func buildThreshold(d *document.Document, r *verdict.ThresholdResult) {
	d.Begin(r.Header(), "verdict")
	d.Metrics = metricsOf(r.Usage)
	d.Headline = thresholdHeadline(r)
	// The parts of the text: rates, then what the deciding rate is based on, then
	// warnings.
	d.Break()
	rateFindings(d, r)
	if r.Labels != nil {
		d.Note("the judge says:")
	}
	rates(d, r)
	d.Break()
	d.Fact("threshold", figure.Brief(r.Threshold))
	d.Fact("alpha", figure.Brief(r.Alpha))
	d.Fact("errors count as", errorsCountAs(r.Errors))
	d.Fact("judged", map[verdict.Grouping]string{verdict.BySuite: "all trials together",
		verdict.ByScenario: "every scenario by itself"}[r.By])
	labelLines(d, r)
	decidingRate(d, r)
	lookLine(d, r.Looks)
	reliability(d, r.Reliability, deciding(r))
	usageTable(d, usageSide{took: r.Usage})
	scope(d, r)
	d.Warn(r.Warnings)
	rateTiles(d, r)
	d.Close(thresholdSentence(r))
	if r.Labels == nil && r.Verdict == verdict.Inconclusive {
		d.DoBefore = thresholdWouldTake(r)
	}
	// The total for scripts is counted over the scenarios: where there is one alone,
	// it is the suite, and no further rate stands beside it.
	trials := 0
	for _, s := range r.Scenarios {
		trials += s.Trials
	}
	d.Outputs = []document.Fact{count("trials", trials), number("threshold", r.Threshold)}
}

// deciding is the rate of all trials: that of the suite, or of the one scenario that
// there is; nil if there are no trials at all.
func deciding(r *verdict.ThresholdResult) *verdict.RateVerdict {
	switch {
	case r.Suite != nil:
		return r.Suite
	case len(r.Scenarios) == 1:
		return &r.Scenarios[0]
	}
	return nil
}

// rates is a row and a case for the suite and each scenario.
func rates(d *document.Document, r *verdict.ThresholdResult) {
	t := &document.Table{
		Title: "Intervals against the threshold", Drawn: true,
		Axes: []document.Axis{{Most: 1, Marks: []float64{r.Threshold}}},
		Note: "The dashed line is the threshold " + figure.Brief(r.Threshold) + ".",
	}
	add := func(x *verdict.RateVerdict, name string) *document.Row {
		row := rateRow(t, r, x, name)
		if r.Labels == nil {
			d.Cases = append(d.Cases, rateCase(r, x, t, row))
		} else if x == deciding(r) {
			d.Cases = append(d.Cases, labelsCase(r))
		}
		return row
	}
	// The suite stands first in the text, whatever its verdict; pages sort it with
	// the others.
	var listed []*document.Row
	if r.Suite != nil {
		// Where every scenario must hold, the row is a statement about their mean, and none of the verdict.
		kind := "all"
		if r.By == verdict.ByScenario {
			kind = "mean of"
		}
		row := add(r.Suite, kind+" "+prose.Count(len(r.Scenarios), "scenario"))
		row.Cells[1].Brief = fmt.Sprintf("%s %d scenarios", kind, len(r.Scenarios))
		listed = append(listed, row)
	}
	// Every scenario becomes a row and a case. Which of them the text lists, and in
	// which order, is another question: the map finds their rows again.
	rows := map[*verdict.RateVerdict]*document.Row{}
	for i := range r.Scenarios {
		rows[&r.Scenarios[i]] = add(&r.Scenarios[i], r.Scenarios[i].Name)
	}
	scenarios, left := worstRates(d, r)
	for _, x := range scenarios {
		listed = append(listed, rows[x])
	}
	// The columns depend on the rows that are listed: that of errors is worth its
	// width where a listed row has any.
	t.Columns = rateColumns(append(suites(r), scenarios...))
	sortByVerdict(t)
	t.Listed, t.Left = listed, left
	for _, v := range worstFirst {
		title := prose.Capitalised(v.String())
		if r.Labels != nil {
			title = "The judge says: " + v.String()
		}
		t.Groups = append(t.Groups, document.Group{Verdict: v, Title: title})
	}
	d.Table(t)
}

// rateColumns are those of a table whose text lists these rates.
func rateColumns(listed []*verdict.RateVerdict) []document.Column {
	// Going backwards, the header is left with the level of the first rate that has
	// an interval.
	errors := document.Pages
	header := "interval"
	for _, x := range slices.Backward(listed) {
		if x.Errors > 0 {
			errors = document.Everywhere
		}
		if x.Interval != nil {
			header = figure.Level(x.Interval.Level) + " interval"
		}
	}
	return []document.Column{
		{Title: "verdict", Painted: true, In: document.Text},
		{Title: "scenario", Text: table.Column{Least: 16}},
		{Title: "verdict", In: document.Pages},
		{Title: "passes", Right: true},
		{Title: "errors", Right: true, In: errors},
		{Title: "rate", Right: true, Text: table.Column{Drop: 2}},
		{Title: "interval", Text: table.Column{Header: header, Drop: 3}},
		{Title: "drawing", Bar: true, Plain: true, Painted: true, Text: table.Column{Least: 10, Most: 32}},
		{Title: "reason", Text: table.Column{Drop: 1}},
		{Title: "reason", In: document.Nowhere}, // the sentence of a case and of a finding
	}
}

// suites is the rate of the whole suite as a list of one, or of none.
func suites(r *verdict.ThresholdResult) []*verdict.RateVerdict {
	if r.Suite == nil {
		return nil
	}
	return []*verdict.RateVerdict{r.Suite}
}

// rateRow is what there is to say of a rate, with the exact values for its case.
func rateRow(t *document.Table, r *verdict.ThresholdResult, x *verdict.RateVerdict, name string) *document.Row {
	row := t.Add(
		document.Told(x.Verdict.String()),
		document.Name(safe.Name(name)),
		document.Verdict(x.Verdict, fact("verdict", x.Verdict.String())),
		document.Told(fmt.Sprintf("%d/%d", x.Passes, x.Trials), count("passes", x.Passes), count("trials", x.Trials)),
		document.Told(fmt.Sprint(x.Errors), count("errors", x.Errors), number("threshold", r.Threshold)),
		numberCell("rate", x.Rate, figure.Rate),
		rateInterval(x.Interval),
		document.Cell{},
		// The reason twice: cut to a word or two for the column of the text, and
		// whole for pages.
		document.Told(shortReason(x.Reasons, figure.Exact(r.Threshold))),
		document.Told(reasonsText(x.Reasons)),
	)
	row.Verdict = x.Verdict
	if i := x.Interval; i != nil {
		row.Span = &document.Span{Low: i.Low, High: i.High, Estimate: x.Rate, Mark: r.Threshold}
	}
	return row
}

// rateCase is the case of a rate. Its name is what the row calls it, such as "all 12
// scenarios".
func rateCase(
	r *verdict.ThresholdResult, x *verdict.RateVerdict, parent *document.Table, row *document.Row,
) document.Case {
	c := document.Case{
		Scenario: row.Cells[1].Text, Name: "pass rate", Status: statusOf(x.Verdict, x.Reasons),
		Message: reasonsText(x.Reasons),
		Details: []string{fmt.Sprintf("%s passed, %s; threshold %s", figure.OfTrials(x.Passes, x.Trials),
			prose.Count(x.Errors, "error"), figure.Brief(r.Threshold))},
		Table: parent, Row: row,
	}
	switch {
	// No trial came to an end: the agent could not be run.
	case x.Trials == 0 && x.Errors > 0:
		c.Status = document.Broken
	// The file of a result that stops no pipeline must not have a failure in it.
	case c.Status == document.Failed && r.ExitCode == 0:
		c.Status = document.Open // it is below, and another rate decides
	}
	if i := x.Interval; i != nil {
		c.Details = append(c.Details, fmt.Sprintf("rate %s, %s %s interval %s", figure.Optional(x.Rate, figure.Rate),
			figure.Level(i.Level),
			i.Method, figure.IntervalText(i)))
	}
	if m := x.MoreTrials; m != nil {
		c.Details = append(c.Details, wouldDecide(m))
	}
	return c
}

// wouldDecide says how many further trials would settle a rate, if the observed rate
// is the true one. The chance is not exactly what was aimed at: trials are whole.
func wouldDecide(m *verdict.MoreTrials) string {
	return fmt.Sprintf("%s would decide with a chance of %s", prose.Count(m.Trials, "more trial"), figure.Chance(m.Chance))
}

// worstRates are the scenarios that say most, as many as the text has room for: those
// that fail, then by rate; and what was left out.
func worstRates(d *document.Document, r *verdict.ThresholdResult) (rows []*verdict.RateVerdict, left string) {
	for i := range r.Scenarios {
		rows = append(rows, &r.Scenarios[i])
	}
	// A rate that is not known counts as 0: it comes with those that look worst.
	slices.SortStableFunc(rows, func(a, b *verdict.RateVerdict) int {
		if fails := (a.Verdict == verdict.Fail); fails != (b.Verdict == verdict.Fail) {
			if fails {
				return -1
			}
			return 1
		}
		return cmp.Compare(orZero(a.Rate), orZero(b.Rate))
	})
	// What is left out is counted by its verdict, so that nobody misses a Fail below.
	if most := rowsOf(d, 0); len(rows) > most {
		left = andMore(d.Detail.Ellipsis, rows[most:])
		rows = rows[:most]
	}
	return rows, left
}

// andMore says what the scenarios that are not listed came to.
func andMore(ellipsis string, rest []*verdict.RateVerdict) string {
	counts := map[verdict.Verdict]int{}
	for _, v := range rest {
		counts[v.Verdict]++
	}
	text := fmt.Sprintf("%s and %d more:", ellipsis, len(rest))
	for _, v := range worstFirst {
		if counts[v] > 0 {
			text += fmt.Sprintf(" %d %s,", counts[v], v)
		}
	}
	return text[:len(text)-1]
}

// orZero is a rate for sorting.
func orZero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// shortReason fits a reason into a column.
func shortReason(reasons []verdict.Reason, threshold string) string {
	if len(reasons) == 0 {
		return ""
	}
	// The last reason is the most specific one: that there are too few trials to pass
	// follows that the interval spans the threshold.
	switch code := reasons[len(reasons)-1].Code; code {
	case verdict.CodeAboveThreshold:
		return "above " + threshold
	case verdict.CodeBelowThreshold:
		return "below " + threshold
	case verdict.CodeStraddlesThreshold:
		return "spans " + threshold
	case verdict.CodePassUnreachable:
		return "too few trials"
	case verdict.CodeCorrected:
		return "may be chance"
	case verdict.CodeErrorsMatter:
		return "errors decide"
	case verdict.CodeNoTrials:
		if strings.Contains(reasons[len(reasons)-1].Text, "ended in an error") {
			return "all errors"
		}
		return "no trials"
	default:
		return safe.Text(string(code))
	}
}

// thresholdHeadline stands beside the verdict.
func thresholdHeadline(r *verdict.ThresholdResult) string {
	if r.Labels != nil {
		return labelsHeadline(r)
	}
	threshold := phrase.Rate(r.Threshold)
	if r.By == verdict.ByScenario && r.Suite != nil {
		return scenariosHeadline(r, threshold)
	}
	v := deciding(r)
	if v == nil {
		return "there is nothing to judge against the " + threshold + " you require"
	}
	// The headline has the counts and whether the threshold is met: no statistics
	// yet.
	passed := passedShare(v.Passes, v.Trials)
	if r.Errors != verdict.FailErrors {
		passed += phrase.Omitted(v.Errors)
	}
	switch {
	case v.Trials == 0:
		return fmt.Sprintf("no trial to judge against the %s you require", threshold)
	case r.Verdict == verdict.Pass:
		return fmt.Sprintf("%s: at or above the %s you require", passed, threshold)
	case r.Verdict == verdict.Fail:
		return fmt.Sprintf("%s: below the %s you require", passed, threshold)
	case hasReason(r.Reasons, verdict.CodeScenariosFail):
		return passed + ", but a scenario has collapsed"
	}
	return fmt.Sprintf("%s: too few to tell whether that is below the %s you require", passed, threshold)
}

// passedShare is such as "43 of 50 passed (86%)".
func passedShare(passes, trials int) string {
	text := fmt.Sprintf("%d of %s passed", passes, prose.Count(trials, "trial"))
	if passes > 0 && passes < trials {
		text += " (" + phrase.Rate(float64(passes)/float64(trials)) + ")"
	}
	return text
}

// rateTiles are the figures that a reader looks for first.
func rateTiles(d *document.Document, r *verdict.ThresholdResult) {
	if v := deciding(r); v != nil && v.Rate != nil {
		d.Tile("passed", phrase.Rate(*v.Rate), new(r.Verdict))
		d.Tile("trials", figure.Quantity(float64(v.Trials)), nil)
		if v.Errors > 0 {
			d.Tile("errors", figure.Quantity(float64(v.Errors)), nil)
		}
	}
	d.Tile("required", phrase.Rate(r.Threshold), nil)
	if len(r.Scenarios) > 1 {
		below := 0
		for _, s := range r.Scenarios {
			if s.Verdict == verdict.Fail {
				below++
			}
		}
		d.Tile("scenarios", fmt.Sprint(len(r.Scenarios)), nil)
		d.Tile("of them below", fmt.Sprint(below), nil)
	}
	if r.Reliability != nil && r.Reliability.CostPerSuccess != nil {
		d.Tile("a success", figure.Money(*r.Reliability.CostPerSuccess), nil)
	}
}

// rateFindings are the scenarios that are below the threshold, and where each must hold those that are undecided.
func rateFindings(d *document.Document, r *verdict.ThresholdResult) {
	if r.Suite == nil || r.Labels != nil { // those that a judge finds below decide nothing
		return
	}
	passed := 0
	for _, v := range worstFirst {
		for i := range r.Scenarios {
			x := &r.Scenarios[i]
			switch {
			case x.Verdict != v:
			case v == verdict.Pass:
				passed++
			case v == verdict.Fail || r.By == verdict.ByScenario:
				f := document.Finding{Name: safe.Name(x.Name), Verdict: v, Sentence: reasonsText(x.Reasons)}
				if i := x.Interval; i != nil {
					f.Span = &document.Span{Low: i.Low, High: i.High, Estimate: x.Rate, Mark: r.Threshold}
				}
				d.Findings = append(d.Findings, f)
			}
		}
	}
	if len(d.Findings) > 0 && passed > 0 {
		d.Fine = phrase.ScenariosPass(passed, len(r.Scenarios))
	}
}

// scenariosHeadline counts scenarios in place of trials: with a verdict for each of
// them, the pooled rate says nothing about the verdict.
func scenariosHeadline(r *verdict.ThresholdResult, threshold string) string {
	counts := map[verdict.Verdict]int{}
	for _, v := range r.Scenarios {
		counts[v.Verdict]++
	}
	all := len(r.Scenarios)
	switch r.Verdict {
	case verdict.Pass:
		return fmt.Sprintf("each of %s is at or above the %s you require", prose.Count(all, "scenario"), threshold)
	case verdict.Fail:
		are := prose.Form(counts[verdict.Fail], "is", "are")
		return fmt.Sprintf("%d of %s %s below the %s you require", counts[verdict.Fail], prose.Count(all, "scenario"), are,
			threshold)
	}
	return fmt.Sprintf("%d of %s %s too few trials to tell whether they are below the %s you require",
		counts[verdict.Inconclusive], prose.Count(all, "scenario"), prose.Form(counts[verdict.Inconclusive], "has",
			"have"), threshold)
}

// decidingRate is the interval, the errors and the risks of the deciding rate.
func decidingRate(d *document.Document, r *verdict.ThresholdResult) {
	v := deciding(r)
	if v == nil {
		return
	}
	if r.Labels != nil {
		tellErrors(d, v.Errors, r.Warnings, r.Errors)
		return
	}
	if i := v.Interval; i != nil {
		d.StatLine("interval", fmt.Sprintf("%s, %s %s", figure.IntervalText(i), figure.Level(i.Level), i.Method))
	}
	tellErrors(d, v.Errors, r.Warnings, r.Errors)
	// The probability of a wrong verdict at the worst true rate, for this number of
	// trials: an exact bound, not an estimate.
	if v.Risk != nil {
		how := " (exact)"
		switch {
		case r.Anytime:
			how = ", over all analyses together"
		case v.Risk.Bound:
			how = ""
		}
		d.Statf("risk", "false Pass at most %s, false Fail at most %s%s", figure.Chance(v.Risk.FalsePass),
			figure.Chance(v.Risk.FalseFail), how)
		d.Stat("family", family(r))
	}
}

// lookLine says which look at its question a result is, where it is not the only one, and no warning says so.
func lookLine(d *document.Document, l *verdict.Looks) {
	if l != nil && (l.Number > 1 || l.Declared > 0) && !l.Open() {
		d.Line("analyses", l.Text())
	}
}

// family says which errors the risks are about; "" where there is one verdict only.
func family(r *verdict.ThresholdResult) string {
	switch n := len(r.Scenarios); {
	case n < 2:
		return ""
	case r.By == verdict.ByScenario:
		return fmt.Sprintf("one verdict on %d scenarios: Pass though one is below, Fail though none is; "+
			"their mean decides nothing", n)
	default:
		return fmt.Sprintf("one verdict on the pooled rate, and no Pass beside any of %d scenarios that collapsed", n)
	}
}

// reliability is pass^k and pass@k, and what a success costs.
func reliability(d *document.Document, r *verdict.Reliability, pooled *verdict.RateVerdict) {
	if r == nil {
		return
	}
	d.Fact("cost per success", figure.Optional(r.CostPerSuccess, figure.Money))
	factsOfPassK(d, r.PassHatK)
	ks := sortedKs(r.PassHatK, r.PassAtK)
	// Scenarios with one trial each have pass^1 alone. It is left out where it says
	// the same as the rate above, and stays where it differs: it weighs scenarios
	// equally, and the rate weighs trials.
	alone := len(ks) == 1 && pooled != nil && figure.Optional(pooled.Rate, figure.Rate) == figure.Rate(r.PassHatK[ks[0]])
	if !alone { // pass^1 alone is the rate that stands above
		passK(d, ks, passKRow{"pass^k", r.PassHatK}, passKRow{"pass@k", r.PassAtK})
	}
	d.Line("cost/success", costPerSuccess(r))
	if r.Cost != nil {
		d.Tell(verdict.WarnCostPartlyKnown)
	}
}

// scope says what the rate is of these scenarios, and of new ones.
func scope(d *document.Document, r *verdict.ThresholdResult) {
	if r.Suite == nil || r.Suite.Scope == nil {
		return
	}
	var parts []string
	s := r.Suite.Scope
	if s.ThisSuite != nil {
		parts = append(parts, "this suite "+figure.IntervalText(s.ThisSuite))
	}
	if s.NewScenarios != nil {
		parts = append(parts, "new scenarios "+figure.IntervalText(s.NewScenarios))
	}
	d.Stat("scope", strings.Join(parts, ", "))
}

// thresholdSentence says what was decided, on what evidence, and what it would take.
func thresholdSentence(r *verdict.ThresholdResult) string {
	text := prose.Capitalised(r.Verdict.String()) + ": "
	text += reasonsText(r.Reasons)
	if r.Labels != nil && r.Verdict == verdict.Inconclusive {
		return text + "; it takes more labels, or a better judge."
	}
	if would := thresholdWouldTake(r); would != "" && r.Verdict == verdict.Inconclusive {
		text += "; " + would + anotherLook(r)
	}
	return text + "."
}

// anotherLook says how more trials are judged without a greater risk: analyses are planned before the first, or need no
// plan. It is "" where none are counted, or another one is planned.
func anotherLook(r *verdict.ThresholdResult) string {
	more := slices.ContainsFunc(openRates(r), func(v *verdict.RateVerdict) bool { return v.MoreTrials != nil })
	switch l := r.Looks; {
	case l == nil || l.Number < l.Declared || !more:
		return ""
	case l.Declared > 0:
		return "; that is one more analysis than was planned, which --anytime allows"
	}
	return "; that is another analysis, which --looks 2 plans before the first and --anytime allows"
}

// thresholdWouldTake says what would decide; "" where the reasons do.
func thresholdWouldTake(r *verdict.ThresholdResult) string {
	// What the scenario that needs most further trials would take, and how many
	// scenarios no reasonable number of trials would decide: those have no
	// MoreTrials.
	open := openRates(r)
	most, beyond := 0, 0
	chanceOf := ""
	for _, v := range open {
		if v.MoreTrials == nil {
			beyond++
		} else if v.MoreTrials.Trials > most {
			most, chanceOf = v.MoreTrials.Trials, figure.Chance(v.MoreTrials.Chance)
		}
	}
	each := ""
	if len(open) > 1 {
		each = " of a scenario"
	}
	// All of these promises rest on the observed rates.
	const asObserved = "if the observed rates are the true ones"
	switch {
	case hasReason(r.Reasons, verdict.CodeScenariosFail):
		return "repair it, or judge every scenario by itself with --by scenario"
	case most == 0 && hasReason(r.Reasons, verdict.CodeNoTrials):
		return "it takes trials that end in a pass or a failure"
	// Without a number of further trials, the reason says what is missing.
	case most == 0 && strings.HasSuffix(reasonsText(r.Reasons), "run those trials again"):
		return ""
	case most == 0 && hasReason(r.Reasons, verdict.CodeErrorsMatter):
		return "it takes those trials again, without the errors"
	case most == 0:
		return "no reasonable number of further trials would decide, if the observed rate is the true one"
	case beyond > 0:
		return fmt.Sprintf(
			"up to %s%s would decide with a chance of %s each, %s, but for %d no reasonable number would",
			prose.Count(most, "more trial"), each, chanceOf, asObserved, beyond)
	case len(open) > 1:
		return fmt.Sprintf("up to %s%s would decide with a chance of %s each, %s", prose.Count(most, "more trial"),
			each, chanceOf, asObserved)
	}
	// Of a few trials the likelier end need not be the one that a reader hopes for.
	likely := ""
	if v := open[0]; v.Rate != nil && *v.Rate < r.Threshold {
		likely = " (a Fail, most likely)"
	}
	return fmt.Sprintf("%s would decide%s with a chance of %s, if the observed rate is the true one",
		prose.Count(most, "more trial"), likely, chanceOf)
}

// openRates are the rates that must still be decided.
func openRates(r *verdict.ThresholdResult) []*verdict.RateVerdict {
	if r.By != verdict.ByScenario || r.Suite == nil {
		if v := deciding(r); v != nil {
			return []*verdict.RateVerdict{v}
		}
		return nil
	}
	var open []*verdict.RateVerdict
	for i := range r.Scenarios {
		if v := &r.Scenarios[i]; v.Verdict == verdict.Inconclusive {
			open = append(open, v)
		}
	}
	return open
}
