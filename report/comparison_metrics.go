package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// medianColumn is the column of the metrics table that is left out first.
const medianColumn = 6

// metrics compares what the trials took: means, with medians beside or below them.
func (c *comparisonPage) metrics() {
	r := c.result
	if len(r.Metrics) == 0 {
		c.labelled("cost/success", c.costs())
		return
	}
	title := "mean"
	if slices.ContainsFunc(r.Metrics, func(m compare.Metric) bool { return m.Changed }) {
		title = "mean (* changed)"
	}
	c.told = append(c.told, compare.WarnMetricsChanged)
	t := table.Table{Width: c.options.Width, Indent: indent, Columns: []table.Column{
		{Header: title},
		{Header: "baseline", Align: table.Right},
		{Header: "candidate", Align: table.Right},
		{Header: "change", Align: table.Right},
		{Header: differenceHeader(r.Metrics), Drop: 1},
		{Header: "p holm", Align: table.Right},
		medianColumn: {Header: "medians", Drop: 2},
	}}
	var medians []string
	for _, m := range r.Metrics {
		median := fmt.Sprintf("%s -> %s", amount(m, m.Baseline.Median), amount(m, m.Candidate.Median))
		medians = append(medians, fmt.Sprintf("%s %s", metricName(m), median))
		mark := "  "
		if m.Changed {
			mark = "* "
		}
		interval := none
		if d := m.Difference; d.Low != nil && d.High != nil {
			interval = limits(signedAmount(m, *d.Low), signedAmount(m, *d.High))
		}
		t.Rows = append(t.Rows, []string{
			mark + metricName(m), amount(m, m.Baseline.Mean), amount(m, m.Candidate.Mean),
			percentChange(m.Difference.Ratio), interval, pValue(m.PAdjusted), median,
		})
	}
	c.table(t)
	if !t.Shown()[medianColumn] {
		c.labelled("medians", strings.Join(medians, ", "))
	}
	c.labelled("known", known(r.Metrics))
	if slices.ContainsFunc(r.Metrics, func(m compare.Metric) bool { return m.Name == recording.CostMetric }) {
		c.told = append(c.told, verdict.WarnCostPartlyKnown)
	}
	c.labelled("cost/success", c.costs())
}

func differenceHeader(metrics []compare.Metric) string {
	for _, m := range metrics {
		if m.Difference.Low != nil {
			return "difference, " + level(m.Difference.Level)
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
	return clean(strings.ReplaceAll(m.Name.String(), "_", " "))
}

func amount(m compare.Metric, x float64) string {
	if m.Name == recording.CostMetric {
		return money(x)
	}
	return quantity(x)
}

func signedAmount(m compare.Metric, x float64) string {
	if x > 0 {
		return "+" + amount(m, x)
	}
	return amount(m, x)
}

func signedQuantity(x float64) string {
	if x > 0 {
		return "+" + quantity(x)
	}
	return quantity(x)
}

// known names the metrics that some trials lack, with the numbers that have them.
func known(metrics []compare.Metric) string {
	var parts []string
	for _, m := range metrics {
		if b, k := m.Baseline, m.Candidate; b.Known < b.Trials || k.Known < k.Trials {
			parts = append(parts, fmt.Sprintf("%s %d/%d and %d/%d", metricName(m), b.Known, b.Trials, k.Known, k.Trials))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " trials"
}

// costs are the costs of a success and in all, of both sides.
func (c *comparisonPage) costs() string {
	b, k := c.result.Baseline.Reliability, c.result.Candidate.Reliability
	if costPerSuccess(b) == "" && costPerSuccess(k) == "" {
		return ""
	}
	each := func(r *verdict.Reliability) string {
		switch {
		case costPerSuccess(r) == "":
			return "unknown"
		case r.CostPerSuccess == nil:
			return "none"
		}
		return money(*r.CostPerSuccess)
	}
	all := func(r *verdict.Reliability) string {
		if r == nil || r.Cost == nil {
			return "unknown"
		}
		return money(r.Cost.TotalUSD)
	}
	partly := func(r *verdict.Reliability) bool {
		return r != nil && r.Cost != nil && r.Cost.KnownTrials < r.Cost.Trials
	}
	ofKnown := ""
	if partly(b) || partly(k) {
		ofKnown = ", where known"
	}
	return fmt.Sprintf("%s -> %s (%s -> %s in all%s)", each(b), each(k), all(b), all(k), ofKnown)
}
