package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Where pages show the tables of a comparison after those of both sides.
const (
	rankScenarios = 1 + iota
	rankMetrics
	rankFlips
)

// buildComparison is both rates and their difference, the tests, the pairs that flipped,
// the size of the effect and what could have been found, scenarios and metrics.
func buildComparison(d *document.Document, r *compare.Result) {
	d.Begin(r.Header(), "compare")
	d.Metrics = metricsOfBoth(r.Baseline.Usage, r.Candidate.Usage)
	d.Headline = comparisonHeadline(r)
	// The facts come first, so that the case of the comparison can take them over
	// before further facts follow.
	comparisonFacts(d, r)
	sideNames(d, r)
	if b, k := r.Baseline.Name, r.Candidate.Name; b != "" && k != "" && b != k {
		d.Heading = fmt.Sprintf("%s against %s", safe.Name(k), safe.Name(b))
	}
	d.Break()
	comparisonFindings(d, r)
	d.Parts = append(d.Parts, document.FindingList{})
	pairs(d, r)
	d.Break()
	sides(d, r)
	d.Break()
	metrics(d, r)
	d.Break()
	columns(d, r.Columns)
	d.Break()
	usageOfBoth(d, r.Baseline.Usage, r.Candidate.Usage)
	guardrailsOfBoth(d, r.Baseline.Guardrails, r.Candidate.Guardrails)
	d.Break()
	comparedScenarios(d, r)
	d.Break()
	comparisonTests(d, r)
	d.Break()
	effect(d, r)
	reliabilities(d, r)
	addPosterior(d, r)
	d.Break()
	addBehaviour(d, r.Behaviour, r.Baseline.Name, r.Candidate.Name)
	behaviourChanges(d, r.Behaviour)
	if text := familyLine(r); text != "" {
		d.Stat("alarms", text)
	}
	lookLine(d, r.Looks)
	tellErrors(d, r.Baseline.Errors+r.Candidate.Errors, r.Warnings, r.Errors)
	d.Warn(r.Warnings)
	comparisonTiles(d, r)
	d.Close(comparisonSentence(r))
	if r.Verdict == verdict.Inconclusive {
		d.DoBefore = strings.TrimPrefix(comparisonWouldTake(r), "; ")
	}
	if b := r.Behaviour; b != nil {
		d.Cases = append(d.Cases, behaviourCase(b, behaviourStatus(b, r.Reasons)))
	}
	comparisonTimes(d, r)
	d.Outputs = []document.Fact{
		count("trials", r.Baseline.Trials+r.Candidate.Trials), fact("difference", figure.OptionalExact(r.Difference.Value)),
	}
}

// comparisonTiles are the figures of a comparison that a reader looks for first.
func comparisonTiles(d *document.Document, r *compare.Result) {
	if r.Baseline.Rate != nil && r.Candidate.Rate != nil {
		d.Tile("baseline", phrase.Rate(*r.Baseline.Rate), nil)
		d.Tile("candidate", phrase.Rate(*r.Candidate.Rate), new(r.Verdict))
	}
	if f := r.Pairs; f != nil {
		d.Tile("broke", fmt.Sprint(f.Regressed), nil)
		d.Tile("fixed", fmt.Sprint(f.Fixed), nil)
	}
	d.Tile("trials", fmt.Sprintf("%d and %d", r.Baseline.Trials, r.Candidate.Trials), nil)
	for _, m := range r.Metrics {
		if m.Name == recording.CostMetric {
			d.Tile("cost", figure.PercentChange(m.Difference.Ratio), nil)
		}
	}
	if r.Commit != "" {
		d.Commit = r.Commit
		d.Fact("commit", safe.Text(r.Commit))
	}
}

// comparisonTimes are what the trials of the candidate took, where all say it: those of a scenario are its case's, and
// where there is one scenario alone those of the comparison's.
func comparisonTimes(d *document.Document, r *compare.Result) {
	if r.Trials == nil {
		return
	}
	series := r.Trials.Candidate.Metrics[recording.DurationMetric.String()]
	seconds := map[string]float64{}
	for i, took := range series {
		at, ok := r.Trials.Candidate.Scenario.Whole(i, len(r.Trials.Scenarios)-1)
		if !ok || !took.Known {
			return
		}
		seconds[r.Trials.Scenarios[at]] += took.Value
		d.Seconds += took.Value
	}
	for i := range d.Cases {
		c := &d.Cases[i]
		switch {
		case c.Name == regressionCaseName && c.Row != nil:
			c.Seconds = seconds[c.Scenario]
		case i == 0 && len(r.Scenarios) == 0:
			c.Seconds = d.Seconds
		}
	}
}

// comparisonFacts are what the comparison was decided by; its first case has them too.
func comparisonFacts(d *document.Document, r *compare.Result) {
	d.Fact("rule", r.Rule.String())
	d.Fact("delta", figure.Brief(r.Delta))
	d.Fact("alpha", figure.Brief(r.Alpha))
	d.Fact("beta", figure.Brief(r.Beta))
	d.Fact("decided by", r.DecidedBy.String())
	if p := r.Power; p != nil {
		d.Fact("power at delta", figure.Chance(p.AtDelta))
	}
	if m := r.MoreTrials; m != nil {
		d.Fact("would decide", fmt.Sprintf("%d and %s, with a chance of %s", m.Baseline,
			prose.Count(m.Candidate, "trial"), figure.Chance(m.Chance)))
	}
	d.Cases = append(d.Cases, comparisonCase(r, d.Facts()))
}

// comparisonCase is the case of the whole comparison. A side of which every trial
// ended in an error was not run.
func comparisonCase(r *compare.Result, facts []document.Fact) document.Case {
	c := document.Case{
		Scenario: "all", Name: regressionCaseName, Status: statusOf(r.Verdict, r.Reasons), Message: reasonsText(r.Reasons),
		Details: []string{fmt.Sprintf("baseline %s, candidate %s",
			figure.OfTrials(r.Baseline.Passes, r.Baseline.Trials), figure.OfTrials(r.Candidate.Passes, r.Candidate.Trials))},
		Facts: append([]document.Fact{
			fact("verdict", r.Verdict.String()),
			count("baseline_passes", r.Baseline.Passes), count("baseline_trials", r.Baseline.Trials),
			count("candidate_passes", r.Candidate.Passes), count("candidate_trials", r.Candidate.Trials),
		}, facts...),
	}
	for _, side := range []compare.Side{r.Baseline, r.Candidate} {
		if side.Trials == 0 && side.Errors > 0 {
			c.Status = document.Broken
		}
	}
	// Whoever reads a line alone wants to know what broke, by name.
	if fell := fallen(r); r.Verdict != verdict.Pass && len(fell) > 0 {
		c.Message += fmt.Sprintf("; %s less often: %s", prose.Count(len(fell), "scenario")+" passed", someNames(fell))
	}
	c.Weight = math.Inf(1)
	if x := r.Difference; x.Value != nil {
		c.Details = append(c.Details, fmt.Sprintf("difference %s, %s %s interval %s",
			figure.Points(*x.Value), figure.Level(x.Level), x.Method, figure.Interval(figure.Signed(x.Low),
				figure.Signed(x.High))))
	}
	return c
}

// behaviourStatus is the status of the behaviour within a comparison: a change fails
// only where the comparison counts it, as its reasons tell. Else it stays open, for a
// person to look at.
func behaviourStatus(b *behaviour.Comparison, reasons []verdict.Reason) document.Status {
	switch {
	case b.Changed && hasReason(reasons, behaviour.CodeChanged):
		return document.Failed
	case b.Changed || !b.Tested:
		return document.Open
	}
	return document.Passed
}

// sideNames says what was compared, where that has names of its own.
func sideNames(d *document.Document, r *compare.Result) {
	b, k := r.Baseline.Name, r.Candidate.Name
	if (b == "" || b == "baseline") && (k == "" || k == "candidate") {
		return
	}
	// Both names share a line, half of the room each.
	room := max((d.Detail.Width-len("baseline , candidate ")-indent)/2, 8)
	d.Note(fmt.Sprintf("baseline %s, candidate %s", shorten(d, b, room), shorten(d, k, room)))
}

// sides is the table of both rates and of their difference, which has its own scale.
func sides(d *document.Document, r *compare.Result) {
	t := &document.Table{
		Title: "Pass rates", Main: true, Note: strings.TrimSpace(deltaNote(r) + " " + widerNote(r)),
		Columns: []document.Column{
			{Title: "side", Plain: true},
			{Title: "name", In: document.Pages},
			{Title: "passes", Right: true},
			{Title: "errors", Right: true, In: document.TextIf(r.Baseline.Errors != 0 || r.Candidate.Errors != 0)},
			{Title: "rate", Right: true},
			{Title: "interval", Text: table.Column{Header: sideIntervalHeader(r), Least: 18}},
			{Title: "drawing", Bar: true, Plain: true, Text: table.Column{Least: 8, Most: 40, Drop: 1}},
		},
	}
	// One bar alone would have nothing to be compared with.
	both := r.Baseline.Interval != nil && r.Candidate.Interval != nil && r.Baseline.Rate != nil
	for i, side := range []compare.Side{r.Baseline, r.Candidate} {
		cells := []document.Cell{
			document.Plain([]string{"baseline", "candidate"}[i]), document.Name(safe.Name(side.Name)),
			document.Plain(fmt.Sprintf("%d/%d", side.Passes, side.Trials)), document.Plain(fmt.Sprint(side.Errors)),
			document.Plain(figure.Optional(side.Rate, phrase.Rate)),
			percentInterval(side.Interval),
		}
		row := &document.Row{Cells: cells}
		if x := side.Interval; x != nil && both {
			row.Span = &document.Span{Low: x.Low, High: x.High, Estimate: side.Rate,
				Mark: *r.Baseline.Rate - r.Delta, MarkName: "the baseline less delta"}
			t.Drawn = true
		}
		t.Rows = append(t.Rows, row)
	}
	// The first axis is that of the rates, drawn where both are known; the second is
	// that of the difference, from -1 to 1, with marks at no difference and at the
	// most that is tolerated.
	t.Axes = []document.Axis{{Percent: true}, {Least: -1, Most: 1, Marks: []float64{-r.Delta, 0}, Percent: true}}
	if both {
		t.Axes[0].Most = 1
	}
	if r.Difference.Value != nil {
		t.Rows = append(t.Rows, differenceRows(r.Difference, r.Delta)...)
		t.Drawn = true
	}
	d.Table(t)
	if note := widerNote(r); note != "" {
		d.Note(note)
	}
}

// widerNote says why the interval of the difference has in it what the verdict excludes: it has two sides, and the rule
// one. "" is that it has not.
func widerNote(r *compare.Result) string {
	x, excluded, level, beyond := r.Difference, "", r.Beta, ""
	switch {
	case x.Value == nil || r.Rule != compare.MarginRule:
		return ""
	case r.Verdict == verdict.Pass && x.Low < -r.Delta:
		excluded, beyond = "a drop of "+phrase.Points(r.Delta)+" is ruled out", "below "+figure.Signed(-r.Delta)
	case r.Verdict == verdict.Fail && x.High > 0 && hasReason(r.Reasons, compare.CodeWorse):
		excluded, level, beyond = "it is worse", r.Alpha, "above 0"
	default:
		return ""
	}
	return fmt.Sprintf("The interval has two sides, at %s: %s on one side, at %s, so it may reach %s.",
		figure.Level(x.Level), excluded, figure.Level(1-level), beyond)
}

// deltaNote says on pages which drop was asked about.
func deltaNote(r *compare.Result) string {
	if !(r.Delta > 0) {
		return ""
	}
	return fmt.Sprintf("Delta, the drop that matters, is %s.", phrase.Points(r.Delta))
}

// differenceRows are the difference, below its own heading in the text.
func differenceRows(x compare.Difference, delta float64) []*document.Row {
	// The first of both rows is a heading of the text: the method of the interval,
	// and the scale above the bar of the difference.
	text := document.Plain(figure.Interval(figure.Signed(x.Low), figure.Signed(x.High)))
	text.Unit = "points, " + figure.Level(x.Level) + " " + x.Method
	return []*document.Row{
		{In: document.Text, Axis: 1, Scale: true,
			Cells: []document.Cell{{}, {}, {}, {}, {}, document.Plain(figure.Level(x.Level) + " " + safe.Text(x.Method))}},
		{
			Axis: 1, Span: &document.Span{Low: x.Low, High: x.High, Estimate: x.Value, Signed: true,
				Mark: -delta, MarkName: "delta", Unmarked: !(delta > 0)},
			Cells: []document.Cell{document.Plain("difference"), {}, {}, {},
				document.Plain(figure.Points(*x.Value)), text},
		},
	}
}

// percentInterval is an interval of a rate in per cent.
func percentInterval(i *verdict.Interval) document.Cell {
	cell := rateInterval(i)
	if i != nil {
		cell.Brief = ""
		cell.Text = figure.Interval(phrase.Rate(i.Low), phrase.Rate(i.High))
	}
	return cell
}

// sideIntervalHeader is the level and the method of the intervals, which both sides
// share.
func sideIntervalHeader(r *compare.Result) string {
	for _, i := range []*verdict.Interval{r.Baseline.Interval, r.Candidate.Interval} {
		if i != nil {
			return figure.Level(i.Level) + " " + safe.Text(i.Method)
		}
	}
	return "interval"
}

// effect is the size of the difference, what could have been found, and the Bayesian
// view.
func effect(d *document.Document, r *compare.Result) {
	var parts []string
	// Cohen's h is the difference of the rates on the arcsine scale. Where the counts
	// allow no odds ratio, the result says why.
	if h := r.Effect.CohensH; h != nil {
		parts = append(parts, fmt.Sprintf("Cohen's h %s (%s)", figure.SignedQuantity(*h), r.Effect.Magnitude))
	}
	switch {
	case r.Effect.OddsRatio != nil:
		parts = append(parts, "odds ratio "+figure.Quantity(*r.Effect.OddsRatio))
	case r.Effect.OddsRatioReason != "":
		parts = append(parts, fmt.Sprintf("odds ratio none (%s)", r.Effect.OddsRatioReason))
	}
	d.Stat("effect", strings.Join(parts, ", "))
	if p := r.Power; p != nil {
		// Two questions about the same test: how likely it finds a drop of delta, and
		// from which drop on it finds one with the chance that was asked for (the
		// minimal detectable effect).
		text := fmt.Sprintf("%s for a drop of %s, ", figure.Chance(p.AtDelta), figure.Exact(r.Delta))
		if p.Draws > 0 || p.Normal {
			text = "about " + text
		}
		if p.MDE != nil {
			text += fmt.Sprintf("%s from a drop of %s on", figure.Chance(1-r.Beta), figure.Rate(*p.MDE))
		} else {
			text += fmt.Sprintf("no drop reaches %s", figure.Chance(1-r.Beta))
		}
		d.Stat("power", text)
	}
	if p := r.Bayes.Probability; p != nil {
		drop := fmt.Sprintf("P(drop > %s)", figure.Exact(r.Delta))
		d.Statf("bayes", "%s (the bayes rule says %s)", figure.Equals(drop, figure.PValue(*p)), r.Bayes.Verdict)
	}
}

// reliabilities are pass^k and pass@k of both sides, where scenarios were tried twice or
// more.
func reliabilities(d *document.Document, r *compare.Result) {
	b, k := r.Baseline.Reliability, r.Candidate.Reliability
	if b == nil || k == nil {
		return
	}
	if ks := sortedKs(b.PassHatK, k.PassHatK, b.PassAtK, k.PassAtK); len(ks) > 1 {
		passK(d, ks, passKRow{"pass^k base", b.PassHatK}, passKRow{"pass^k cand", k.PassHatK},
			passKRow{"pass@k base", b.PassAtK}, passKRow{"pass@k cand", k.PassAtK})
	}
}

// comparisonHeadline stands beside the verdict.
func comparisonHeadline(r *compare.Result) string {
	if r.Baseline.Rate == nil || r.Candidate.Rate == nil {
		return "no trials to compare"
	}
	rates := fmt.Sprintf("pass rate %s -> %s: ", phrase.Rate(*r.Baseline.Rate), phrase.Rate(*r.Candidate.Rate))
	// Judged by scenario, the headline counts scenarios: the pooled rates do not
	// decide.
	switch {
	case hasReason(r.Reasons, compare.CodeMetricRose) && !ratesFail(r):
		return rates + rose(r) + alsoChanged(r)
	case hasReason(r.Reasons, compare.CodeMetricOpen):
		return rates + "a rise of " + openRises(r) + " is not excluded" + alsoChanged(r)
	case r.By == verdict.ByScenario && len(r.Scenarios) > 0:
		return rates + comparedHeadline(r) + alsoChanged(r)
	case hasReason(r.Reasons, behaviour.CodeChanged):
		return rates + "the behaviour changed" + alsoChanged(r)
	case r.Verdict == verdict.Fail:
		return rates + "worse" + alsoChanged(r)
	case r.Verdict == verdict.Pass && hasReason(r.Reasons, compare.CodeWorseWithinDelta):
		return rates + fmt.Sprintf("worse, but by less than the %s that you allow", phrase.Points(r.Delta)) + alsoChanged(r)
	case r.Verdict == verdict.Pass:
		return rates + fmt.Sprintf("not worse by %s or more", phrase.Points(r.Delta)) + alsoChanged(r)
	case hasReason(r.Reasons, verdict.CodeErrorsMatter):
		return rates + "undecided because of errors" + alsoChanged(r)
	case hasReason(r.Reasons, verdict.CodeScenariosFail):
		return rates + "a scenario is worse" + alsoChanged(r)
	case hasReason(r.Reasons, compare.CodeMissing):
		return rates + prose.Count(r.OneSided.Gone, "scenario") + " of the baseline not tried" + alsoChanged(r)
	case hasReason(r.Reasons, behaviour.CodeOpen), hasReason(r.Reasons, behaviour.CodeUntested):
		return rates + "a change of behaviour is not ruled out" + alsoChanged(r)
	}
	return rates + "too few trials to tell" + alsoChanged(r)
}

// ratesFail reports whether the comparison would fail without its metrics.
func ratesFail(r *compare.Result) bool {
	if r.By == verdict.ByScenario && len(r.Scenarios) > 0 {
		return slices.ContainsFunc(r.Scenarios, func(s compare.Scenario) bool { return s.Verdict == verdict.Fail })
	}
	return hasReason(r.Reasons, compare.CodeWorse) || r.Rule == compare.BayesRule && r.Bayes.Verdict == verdict.Fail
}

// rose are the metrics that failed the comparison, with how far they rose: "cost rose by 700%".
func rose(r *compare.Result) string {
	var parts []string
	for _, m := range r.Metrics {
		if failed(r, m) {
			part := shortMetricName(m) + " rose"
			if m.Difference.Ratio != nil {
				part += " by " + strings.TrimPrefix(figure.PercentChange(m.Difference.Ratio), "+")
			}
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// failed reports whether a metric failed the comparison.
func failed(r *compare.Result, m compare.Metric) bool {
	return slices.ContainsFunc(r.FailOn, func(f compare.MetricRise) bool {
		return f.Metric == m.Name && f.Verdict == verdict.Fail
	})
}

// metricsKnown reports whether all metrics that may fail the comparison are known of both sides.
func metricsKnown(r *compare.Result) bool {
	return !slices.ContainsFunc(r.FailOn, func(f compare.MetricRise) bool { return f.P == nil })
}

// openRises are the metrics that leave the comparison open: "cost by more than 20%".
func openRises(r *compare.Result) string {
	var parts []string
	for _, f := range r.FailOn {
		if f.Verdict == verdict.Inconclusive {
			part := shortMetricName(compare.Metric{Name: f.Metric})
			if allowed := f.Allowed(); allowed != "" {
				part += " by more than " + allowed
			}
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// alsoChanged is what else changed, for the headline: who reads no further should know that a success costs twice as
// much now, or that the agent works in another way.
func alsoChanged(r *compare.Result) string {
	var parts []string
	for _, m := range r.Metrics {
		if m.Changed && (ratesFail(r) || !failed(r, m)) {
			parts = append(parts, shortMetricName(m)+" "+figure.PercentChange(m.Difference.Ratio))
		}
	}
	if b := r.Behaviour; b != nil && b.Changed && !hasReason(r.Reasons, behaviour.CodeChanged) {
		parts = append(parts, "the behaviour changed")
	}
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}

// comparedHeadline counts the scenarios that decide: those that are worse where the
// verdict is Fail, those that are undecided where it is Inconclusive.
func comparedHeadline(r *compare.Result) string {
	counts, all := map[verdict.Verdict]int{}, 0
	for _, s := range r.Scenarios {
		isOneSided := s.Baseline.Trials+s.Baseline.Errors == 0 || s.Candidate.Trials+s.Candidate.Errors == 0
		if isOneSided && r.OneSided != nil && r.OneSided.Policy == compare.MissingIgnore {
			continue
		}
		counts[s.Verdict]++
		all++
	}
	if r.Verdict == verdict.Pass {
		return fmt.Sprintf("none of %s is worse by %s or more", prose.Count(all, "scenario"), phrase.Points(r.Delta))
	}
	n, word := counts[verdict.Inconclusive], "undecided"
	if r.Verdict == verdict.Fail {
		n, word = counts[verdict.Fail], "worse"
	}
	return fmt.Sprintf("%d of %s %s %s", n, prose.Count(all, "scenario"), prose.Form(n, "is", "are"), word)
}

// comparisonSentence says what was decided, on what evidence, and what it would take.
func comparisonSentence(r *compare.Result) string {
	text := prose.Capitalised(r.Verdict.String()) + ": "
	if r.Baseline.Trials > 0 && r.Candidate.Trials > 0 {
		text += fmt.Sprintf("the baseline passed %s and the candidate %d of %d",
			figure.OfTrials(r.Baseline.Passes, r.Baseline.Trials), r.Candidate.Passes, r.Candidate.Trials)
		if f := r.Pairs; f != nil {
			text += fmt.Sprintf(" (of %s %d broke, %d were fixed)", prose.Count(f.Pairs, "pair"), f.Regressed, f.Fixed)
		}
		if r.Errors != verdict.FailErrors {
			text += phrase.Omitted(r.Baseline.Errors + r.Candidate.Errors)
		}
		text += "; "
	}
	text += reasonsText(r.Reasons)
	if r.Verdict == verdict.Inconclusive {
		text += comparisonWouldTake(r)
	}
	return text + "."
}

// comparisonWouldTake says what would decide. Where the result does not say, nothing is
// promised.
func comparisonWouldTake(r *compare.Result) string {
	// Every promise of a number of trials rests on this, so it says so.
	const asObserved = "if the observed rates are the true ones"
	m := r.MoreTrials
	switch {
	case m != nil && m.Baseline == m.Candidate:
		return fmt.Sprintf("; a new comparison of %s a side would decide with a chance of %s, %s",
			prose.Count(m.Baseline, "trial"), figure.Chance(m.Chance), asObserved)
	case m != nil:
		return fmt.Sprintf("; a new comparison of %s of the baseline and %d of the candidate "+
			"would decide with a chance of %s, %s",
			prose.Count(m.Baseline, "trial"), m.Candidate, figure.Chance(m.Chance), asObserved)
	case hasReason(r.Reasons, verdict.CodeNoTrials):
		return "; it takes trials that end in a pass or a failure"
	case hasReason(r.Reasons, verdict.CodeErrorsMatter):
		return "" // the reason says it
	case hasReason(r.Reasons, verdict.CodeScenariosFail) && r.By == verdict.BySuite:
		return "; repair it, or judge every scenario by itself with --by scenario"
	case hasReason(r.Reasons, compare.CodeMissing):
		return "; try what is missing too, or omit it with --missing ignore"
	case hasReason(r.Reasons, compare.CodeMetricOpen) && metricsKnown(r):
		return "; it takes more trials"
	case hasReason(r.Reasons, compare.CodeMetricOpen):
		return "; it takes trials that tell it"
	case r.Rule == compare.MarginRule && r.By == verdict.BySuite:
		return "; no reasonable number of trials would decide, " + asObserved
	}
	return "; it takes more trials"
}
