package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Threshold writes a threshold verdict as text: a headline, the rates of the suite
// and its scenarios, what the verdict rests on, and a closing sentence. Every line
// is at most as wide as the options say, and every write error is returned.
func Threshold(w io.Writer, r *verdict.ThresholdResult, o TextOptions) error {
	if r == nil {
		return ErrNoResult
	}
	t := thresholdPage{page: newPage(o.withDefaults(defaultScenarios)), result: r}
	t.headline(r.Verdict, t.about())
	t.blank()
	t.rates()
	t.blank()
	t.details()
	t.reliability(r.Reliability, t.deciding())
	t.scope()
	t.warnings(r.Warnings)
	t.blank()
	t.paragraph(t.sentence())
	return t.flush(w)
}

type thresholdPage struct {
	*page
	result *verdict.ThresholdResult
}

// deciding is the rate of all trials; nil if there is none.
func (t *thresholdPage) deciding() *verdict.RateVerdict {
	switch {
	case t.result.Suite != nil:
		return t.result.Suite
	case len(t.result.Scenarios) == 1:
		return &t.result.Scenarios[0]
	}
	return nil
}

// rates is the table of the suite and the scenarios.
func (t *thresholdPage) rates() {
	rows, hidden := t.rows()
	if len(rows) == 0 {
		return
	}
	cells := make([][]string, len(rows))
	errors := false
	for i, v := range rows {
		cells[i] = t.cells(v)
		errors = errors || v.Errors > 0
	}
	columns := t.columns(rows)
	if !errors {
		columns, cells = withoutColumn(columns, cells, "errors")
	}
	t.table(table.Table{Columns: columns, Rows: cells})
	if hidden != "" {
		t.note(hidden)
	}
}

func (t *thresholdPage) cells(v *verdict.RateVerdict) []string {
	name, interval := nameOf(v.Name), none
	if v == t.result.Suite {
		name = fmt.Sprintf("all %d scenarios", len(t.result.Scenarios))
	}
	if v.Interval != nil {
		interval = rateLimits(v.Interval)
	}
	return []string{
		clean(v.Verdict.String()), name, fmt.Sprintf("%d/%d", v.Passes, v.Trials), fmt.Sprint(v.Errors),
		rateOf(v.Rate), interval, "", shortReason(v.Reasons, given(t.result.Threshold)),
	}
}

func (t *thresholdPage) columns(rows []*verdict.RateVerdict) []table.Column {
	var spans []span
	for _, v := range rows {
		if v.Interval != nil {
			spans = append(spans, spanOf(v))
		}
	}
	scale := newAxis(spans, 0, 1, t.result.Threshold)
	draw := func(row, width int) string {
		switch {
		case row < 0:
			return scale.scale(width)
		case rows[row].Interval == nil:
			return ""
		}
		return scale.draw(spanOf(rows[row]), width, t.strokes())
	}
	paint := func(row int, text string) string {
		if row < 0 {
			return text
		}
		return t.paint(rows[row].Verdict, text)
	}
	return []table.Column{
		{Header: "verdict", Paint: paint},
		{Header: "scenario", Least: 16},
		{Header: "passes", Align: table.Right},
		{Header: "errors", Align: table.Right},
		{Header: "rate", Align: table.Right, Drop: 2},
		{Header: intervalHeader(rows), Drop: 3},
		{Least: 10, Most: 32, Draw: draw, Paint: paint},
		{Header: "reason", Drop: 1},
	}
}

func spanOf(v *verdict.RateVerdict) span { return span{v.Interval.Low, v.Interval.High, v.Rate} }

// rows returns the suite, then the scenarios that say most: those that fail, then
// by rate; and what was left out.
func (t *thresholdPage) rows() (rows []*verdict.RateVerdict, hidden string) {
	for i := range t.result.Scenarios {
		rows = append(rows, &t.result.Scenarios[i])
	}
	fails := func(v *verdict.RateVerdict) int {
		if v.Verdict == verdict.Fail {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(rows, func(a, b *verdict.RateVerdict) int {
		return cmp.Or(cmp.Compare(fails(a), fails(b)), cmp.Compare(orZero(a.Rate), orZero(b.Rate)))
	})
	if most := t.options.Scenarios; len(rows) > most {
		hidden = andMore(t.ellipsis(), rows[most:])
		rows = rows[:most]
	}
	if t.result.Suite != nil {
		rows = append([]*verdict.RateVerdict{t.result.Suite}, rows...)
	}
	return rows, hidden
}

// andMore says what the scenarios that are not listed came to.
func andMore(ellipsis string, rest []*verdict.RateVerdict) string {
	counts := map[verdict.Verdict]int{}
	for _, v := range rest {
		counts[v.Verdict]++
	}
	text := fmt.Sprintf("%s and %d more:", ellipsis, len(rest))
	for _, v := range []verdict.Verdict{verdict.Fail, verdict.Inconclusive, verdict.Pass} {
		if counts[v] > 0 {
			text += fmt.Sprintf(" %d %s,", counts[v], v)
		}
	}
	return text[:len(text)-1]
}

func orZero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

func rateLimits(i *verdict.Interval) string { return limits(rate(i.Low), rate(i.High)) }

// intervalHeader names the level of the intervals.
func intervalHeader(rows []*verdict.RateVerdict) string {
	for _, v := range rows {
		if v.Interval != nil {
			return level(v.Interval.Level) + " interval"
		}
	}
	return "interval"
}

// shortReason fits a reason into a column.
func shortReason(reasons []verdict.Reason, threshold string) string {
	if len(reasons) == 0 {
		return ""
	}
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
		return "no trials"
	default:
		return clean(string(code))
	}
}
