package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Parts that the documents of several kinds of results have.

// none stands where a number is unknown or undefined.
const none = document.None

// rowsOf is how many rows a table of the text has where the options do not say.
func rowsOf(d *document.Document, usual int) int {
	switch {
	case d.Detail.Rows > 0:
		return d.Detail.Rows
	case usual > 0:
		return usual
	}
	return defaultRows
}

// shorten is for names within a line of the text.
func shorten(d *document.Document, name string, width int) string {
	return table.Shorten(safe.Name(name), width, d.Detail.Ellipsis)
}

// fact is a value for programs, and for the facts of pages.
func fact(name, value string) document.Fact { return document.Fact{Name: name, Value: value} }

// count is a whole number as a fact.
func count(name string, n int) document.Fact { return fact(name, strconv.Itoa(n)) }

// number is a number as a fact, with all of its digits.
func number(name string, x float64) document.Fact { return fact(name, figure.Exact(x)) }

// numberCell is a number that may be unknown, with its exact value as a fact.
func numberCell(name string, x *float64, write func(float64) string) document.Cell {
	if x == nil {
		return document.Told(none)
	}
	return document.Told(write(*x), number(name, *x))
}

// intervalCell is an interval of a rate; pages add its level and method.
func intervalCell(low, high float64, unit string) document.Cell {
	c := document.Told(figure.Interval(figure.Rate(low), figure.Rate(high)), number("low", low), number("high", high))
	c.Unit = unit
	return c
}

// rateInterval is that of a rate, or a dash.
func rateInterval(i *verdict.Interval) document.Cell {
	if i == nil {
		return document.Told(none)
	}
	return intervalCell(i.Low, i.High, figure.Level(i.Level)+" "+i.Method)
}

// sortByVerdict puts the rows in order, the worst first. Those of no known verdict are
// left out.
func sortByVerdict(t *document.Table) {
	var rows []*document.Row
	for _, v := range worstFirst {
		rows = append(rows, t.Of(v)...)
	}
	t.Rows = rows
}

// statusOf is the status of a verdict, and of one that errors kept open.
func statusOf(v verdict.Verdict, reasons []verdict.Reason) document.Status {
	switch {
	case v == verdict.Pass:
		return document.Passed
	case v == verdict.Fail:
		return document.Failed
	case hasReason(reasons, verdict.CodeErrorsMatter):
		return document.Broken
	}
	return document.Open
}

// passKRow is a row of the table that passK makes: pass^k (all of k trials pass) or
// pass@k (at least one of them does) by k, which is a text since it is a key of JSON.
type passKRow struct {
	// In the first column, such as "pass^k".
	label  string
	values map[string]float64
}

// passK is a small table with a column for each k. Where there is no room for all, the
// last takes the place of those that are left out.
func passK(d *document.Document, ks []string, rows ...passKRow) {
	if len(ks) == 0 {
		return
	}
	// "0.9500" and the gap between two columns.
	const column = 8
	// The last k stays, as the largest that was measured.
	if most := max((d.Detail.Width-indent-labelWidth)/column, 2); len(ks) > most {
		ks = append(slices.Clone(ks[:most-1]), ks[len(ks)-1])
	}
	t := &document.Table{Title: "Repeated trials", Rank: rankCoverage, Fold: true, Columns: document.Columns("k"),
		In:   d.Statistics(),
		Note: "pass^k is the chance that all of k trials pass, and pass@k that at least one of them does."}
	// Padded so that the values begin where those of labelled lines do.
	t.Columns[0].Text.Header = "k" + strings.Repeat(" ", labelWidth-1-2)
	for _, k := range ks {
		t.Columns = append(t.Columns, document.Column{Title: k})
	}
	for _, row := range rows {
		cells := []document.Cell{document.Plain(row.label)}
		for _, k := range ks {
			cell := none
			if value, known := row.values[k]; known {
				cell = figure.Rate(value)
			}
			cells = append(cells, document.Plain(cell))
		}
		t.Rows = append(t.Rows, &document.Row{Cells: cells})
	}
	d.Table(t)
}

// errorsCountAs says in words what trials that ended in an error are taken for.
func errorsCountAs(p verdict.ErrorPolicy) string {
	switch p {
	case verdict.ExcludeErrors:
		return "nothing: they are left out"
	case verdict.FailErrors:
		return "failures"
	}
	return "passes or failures: the verdict holds for both"
}

// factsOfPassK are those of the ks that people quote.
func factsOfPassK(d *document.Document, values map[string]float64) {
	for _, k := range sortedKs(values) {
		if k == "1" || k == "3" || k == "10" {
			d.Fact(fmt.Sprintf("pass^%[1]s, that %[1]s of %[1]s pass", k), figure.Rate(values[k]))
		}
	}
}

// sortedKs are the keys of the maps that are whole numbers, by size.
func sortedKs(maps ...map[string]float64) []string {
	var numbers []int
	for _, m := range maps {
		for key := range m {
			// A saved result may have been edited: "03" is no key that we wrote.
			if k, err := strconv.Atoi(key); err == nil && strconv.Itoa(k) == key && !slices.Contains(numbers, k) {
				numbers = append(numbers, k)
			}
		}
	}
	slices.Sort(numbers)
	var keys []string
	for _, k := range numbers {
		keys = append(keys, strconv.Itoa(k))
	}
	return keys
}

// costPerSuccess is empty where no cost is known.
func costPerSuccess(r *verdict.Reliability) string {
	if r == nil || r.Cost == nil && r.CostPerSuccess == nil {
		return ""
	}
	// There is a cost and no success.
	text := "none"
	if r.CostPerSuccess != nil {
		text = figure.Money(*r.CostPerSuccess)
	}
	switch c := r.Cost; {
	case c == nil:
	case c.KnownTrials < c.Trials:
		text += fmt.Sprintf(" (%s over the %s of known cost)", figure.Money(c.TotalUSD), figure.OfTrials(c.KnownTrials,
			c.Trials))
	default:
		text += fmt.Sprintf(" (%s in all)", figure.Money(c.TotalUSD))
	}
	return text
}

// tellErrors shows errors whenever there are any, in the words of their warning.
func tellErrors(d *document.Document, count int, warnings []verdict.Warning, policy verdict.ErrorPolicy) {
	if count == 0 {
		return
	}
	text := fmt.Sprintf("%s ended in an error (policy %s)", prose.Count(count, "trial"), policy)
	for _, w := range warnings {
		if w.Code == verdict.WarnErrors {
			text = w.Text
		}
	}
	d.TextLine("errors", text)
	d.Tell(verdict.WarnErrors)
}

// verdictOf is the verdict as a word; "" where the result has none.
func verdictOf(d *document.Document) string {
	if !d.Judged {
		return ""
	}
	return d.Verdict.String()
}

// reasonsText is the reasons as parts of a sentence.
func reasonsText(reasons []verdict.Reason) string {
	var parts []string
	for i, r := range reasons {
		// Two that rest on the same counts say them once.
		counts, rest, found := strings.Cut(r.Text, ": ")
		if !found || i == 0 || !strings.HasPrefix(reasons[0].Text, counts+": ") {
			rest = r.Text
		}
		parts = append(parts, rest)
	}
	if len(parts) == 0 {
		return "no reason is given"
	}
	return strings.Join(parts, "; ")
}

// hasReason reports whether a code is among the reasons. Texts are for people; what
// is decided here is decided by codes.
func hasReason(reasons []verdict.Reason, code verdict.Code) bool {
	return slices.ContainsFunc(reasons, func(r verdict.Reason) bool { return r.Code == code })
}
