package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// metrics compares what the trials took: means, with medians beside or below them.
func metrics(d *document.Document, r *compare.Result) {
	if len(r.Metrics) > 0 {
		metricTable(d, r.Metrics)
	}
	d.Stat("cost/success", bothCosts(r))
}

// metricTable is a row for each metric, such as cost, tokens and duration. A star
// marks in the text what the test found changed, at the level of all metrics
// together; pages have a column for that.
func metricTable(d *document.Document, metrics []compare.Metric) {
	d.Tell(compare.WarnMetricsChanged)
	title := "mean"
	changed := slices.ContainsFunc(metrics, func(m compare.Metric) bool { return m.Changed })
	if changed {
		title = "mean (* changed)"
	}
	t := &document.Table{
		Title: "Metrics", Rank: rankMetrics, Fold: !changed, Lead: []int{0, 2, 3, 4, 1},
		Columns: changeColumns("metric", title,
			document.Column{Title: "difference", Text: table.Column{Header: differenceHeader(metrics), Drop: 1}}),
	}
	t.Columns = append(t.Columns, document.Column{Title: "medians", In: d.Statistics(), Text: table.Column{Drop: 2}})
	// The medians are the first column for which there is no room: then a line below
	// the table has them all.
	var medians []string
	for _, m := range metrics {
		median := none
		if before, after := m.Baseline.Median, m.Candidate.Median; before != nil && after != nil {
			median = fmt.Sprintf("%s -> %s", amount(m, *before), amount(m, *after))
			medians = append(medians, fmt.Sprintf("%s %s", metricName(m), median))
		}
		addMetric(t, m, median)
		// How many trials tell their cost stands in the line "known" below, so the
		// warning about it need not be in the text again.
		if m.Name == recording.CostMetric {
			d.Tell(verdict.WarnCostPartlyKnown)
		}
	}
	if d.Detail.Explain && len(medians) > 0 {
		t.Columns[len(t.Columns)-1].Instead = document.Line{Name: "medians", Value: strings.Join(medians, ", ")}
	}
	within, by := "", ""
	if m := metrics[0]; m.Test == compare.MeansTest {
		within, by = "group of like trials", "permutation of means by group; p after Holm, intervals before"
		if m.Difference.ByPairs {
			within, by = "pair", "permutation of means by pair; p after Holm, intervals before"
		}
		t.Note = fmt.Sprintf("A permutation test of means within each %s. An interval leaves 0 out where its p is at "+
			"most %s; the adjusted p is after Holm's correction for all %d.", within,
			figure.Brief(math.Round((1-m.Difference.Level)*1e9)/1e9), len(metrics))
	}
	if metrics[0].Test == compare.SumsTest {
		by = "Welch's test of sums by scenario; p after Holm, intervals before"
		t.Note = fmt.Sprintf("Welch's test of means within each group of like trials, from sums and sums of squares. An "+
			"interval leaves 0 out where its p is at most %s; the adjusted p is after Holm's correction for all %d.",
			figure.Brief(math.Round((1-metrics[0].Difference.Level)*1e9)/1e9), len(metrics))
	}
	d.Table(t)
	d.StatLine("metrics by", by)
	d.Line("known", knownOf(metrics))
}

// changeColumns are those of a table of means of both sides: what is compared, under a title that differs in the text,
// its means and their change, more of it, and the p-values. What changed has a star in the text, and a column on pages.
func changeColumns(name, title string, more ...document.Column) []document.Column {
	columns := []document.Column{
		{Title: name, Text: table.Column{Header: title}},
		{Title: "changed", In: document.Pages},
		{Title: "baseline", Right: true},
		{Title: "candidate", Right: true},
		{Title: "change", Right: true},
	}
	return append(append(columns, more...), document.Column{Title: "p", Right: true, In: document.Pages},
		document.Column{Title: "adjusted p", Right: true, Text: table.Column{Header: "p holm"}})
}

// columns compares measures of behaviour of which only sums are known.
func columns(d *document.Document, list []compare.ColumnChange) {
	if len(list) == 0 {
		return
	}
	d.Tell(compare.WarnColumnsChanged)
	changed := slices.ContainsFunc(list, func(c compare.ColumnChange) bool { return c.Changed })
	title := "behaviour"
	if changed {
		title = "behaviour (* changed)"
	}
	t := &document.Table{
		Title: "Behaviour, by sums", Rank: rankMetrics, Fold: !changed, Main: changed,
		Columns: changeColumns("measure", title),
		Note: "Welch's test of each measure alone, within scenarios, from sums and sums of squares; the adjusted p is " +
			"after Holm's correction for all measures. How measures go together is not in sums.",
	}
	for _, c := range list {
		mark, word := "  ", "no"
		if c.Changed {
			mark, word = "* ", "yes"
		}
		name := safe.Text(c.Name)
		t.Add(document.Plain(name).InBrief(mark+name), word, figure.Quantity(c.Baseline.Mean),
			figure.Quantity(c.Candidate.Mean), figure.PercentChange(c.Difference.Ratio), figure.PValue(c.P),
			figure.PValue(c.PAdjusted))
	}
	d.Table(t)
}

// addMetric is the row of a metric.
func addMetric(t *document.Table, m compare.Metric, median string) {
	// Both marks are two characters wide, so that the names stay below each other.
	mark, changed := "  ", "no"
	if m.Changed {
		mark, changed = "* ", "yes"
	}
	difference := document.Plain(none)
	// The interval of the difference is absent where a side has too few known values.
	if x := m.Difference; x.Low != nil && x.High != nil {
		difference = document.Plain(figure.Interval(signedAmount(m, *x.Low), signedAmount(m, *x.High)))
		difference.Unit = figure.Level(x.Level)
	}
	t.Add(
		document.Plain(shortMetricName(m)).InBrief(mark+metricName(m)),
		changed,
		document.Plain(figure.MetricAmount(m.Name, m.Baseline.Mean)).InBrief(amount(m, m.Baseline.Mean)),
		document.Plain(figure.MetricAmount(m.Name, m.Candidate.Mean)).InBrief(amount(m, m.Candidate.Mean)),
		figure.PercentChange(m.Difference.Ratio),
		difference,
		figure.PValue(m.P),
		figure.PValue(m.PAdjusted),
		median,
	)
}

// differenceHeader names the level of the intervals, which is the same for all
// metrics: that of the first that has one.
func differenceHeader(metrics []compare.Metric) string {
	for _, m := range metrics {
		if m.Difference.Low != nil {
			return "difference, " + figure.Level(m.Difference.Level)
		}
	}
	return "difference"
}

// metricName is the name as a person says it.
func metricName(m compare.Metric) string {
	switch m.Name {
	case recording.CostMetric:
		return "cost"
	case recording.DurationMetric:
		return "duration (s)"
	}
	return safe.Text(strings.ReplaceAll(m.Name.String(), "_", " "))
}

// shortMetricName is the name without its unit, for a sentence.
func shortMetricName(m compare.Metric) string { return strings.TrimSuffix(metricName(m), " (s)") }

// amount writes an amount without its unit: dollars keep their sign, and of all
// others the name of the metric says the unit, as in "duration (s)".
func amount(m compare.Metric, x float64) string {
	if m.Name == recording.CostMetric {
		return figure.Money(x)
	}
	return figure.Quantity(x)
}

// signedAmount is an amount with a plus where it rose: candidate minus baseline.
func signedAmount(m compare.Metric, x float64) string {
	if x > 0 {
		return "+" + amount(m, x)
	}
	return amount(m, x)
}

// knownOf names the metrics that some trials lack, with the numbers that have them.
func knownOf(metrics []compare.Metric) string {
	var parts []string
	for _, m := range metrics {
		if b, k := m.Baseline, m.Candidate; b.Known < b.Trials || k.Known < k.Trials {
			parts = append(parts, fmt.Sprintf("%s %d/%d and %d/%d", metricName(m), b.Known, b.Trials, k.Known,
				k.Trials))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " trials"
}

// bothCosts are the costs of a success and in all, of both sides.
func bothCosts(r *compare.Result) string {
	b, k := r.Baseline.Reliability, r.Candidate.Reliability
	if costPerSuccess(b) == "" && costPerSuccess(k) == "" {
		return ""
	}
	// A side without a success has a cost and no cost per success: "none". One whose
	// trials do not tell their cost is "unknown".
	each := func(r *verdict.Reliability) string {
		switch {
		case costPerSuccess(r) == "":
			return "unknown"
		case r.CostPerSuccess == nil:
			return "none"
		}
		return figure.Money(*r.CostPerSuccess)
	}
	all := func(r *verdict.Reliability) string {
		if r == nil || r.Cost == nil {
			return "unknown"
		}
		return figure.Money(r.Cost.TotalUSD)
	}
	partly := func(r *verdict.Reliability) bool {
		return r != nil && r.Cost != nil && r.Cost.KnownTrials < r.Cost.Trials
	}
	// One remark covers both sides: the totals are of the trials that tell their
	// cost.
	ofKnown := ""
	if partly(b) || partly(k) {
		ofKnown = ", where known"
	}
	return fmt.Sprintf("%s -> %s (%s -> %s in all%s)", each(b), each(k), all(b), all(k), ofKnown)
}
