package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Parts that both kinds of page have.

// reliability is pass^k and pass@k, and what a success costs.
func (p *page) reliability(r *verdict.Reliability, pooled *verdict.RateVerdict) {
	if r == nil {
		return
	}
	ks := sortedKs(r.PassHatK, r.PassAtK)
	alone := len(ks) == 1 && pooled != nil && rateOf(pooled.Rate) == rate(r.PassHatK[ks[0]])
	if !alone { // pass^1 alone is the rate that stands above
		p.passK(ks, []passKRow{{"pass^k", r.PassHatK}, {"pass@k", r.PassAtK}})
	}
	p.labelled("cost/success", costPerSuccess(r))
	if r.Cost != nil {
		p.told = append(p.told, verdict.WarnCostPartlyKnown)
	}
}

type passKRow struct {
	label  string
	values map[string]float64
}

// passK is a small table with a column for each k. Where there is no room for all,
// the last takes the place of those that are left out.
func (p *page) passK(ks []string, rows []passKRow) {
	if len(ks) == 0 {
		return
	}
	const column = 8
	if most := max((p.options.Width-indent-labelWidth)/column, 2); len(ks) > most {
		ks = append(slices.Clone(ks[:most-1]), ks[len(ks)-1])
	}
	t := table.Table{Columns: []table.Column{{Header: "k" + strings.Repeat(" ", labelWidth-1-2)}}}
	for _, k := range ks {
		t.Columns = append(t.Columns, table.Column{Header: k})
	}
	for _, row := range rows {
		cells := []string{row.label}
		for _, k := range ks {
			cell := none
			if value, known := row.values[k]; known {
				cell = rate(value)
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	p.table(t)
}

// sortedKs are the keys of both maps that are whole numbers, by size.
func sortedKs(maps ...map[string]float64) []string {
	var numbers []int
	for _, m := range maps {
		for key := range m {
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
	text := "none"
	if r.CostPerSuccess != nil {
		text = money(*r.CostPerSuccess)
	}
	switch c := r.Cost; {
	case c == nil:
	case c.KnownTrials < c.Trials:
		text += fmt.Sprintf(" (%s over the %s of known cost)", money(c.TotalUSD), ofTrials(c.KnownTrials, c.Trials))
	default:
		text += fmt.Sprintf(" (%s in all)", money(c.TotalUSD))
	}
	return text
}

// withoutColumn removes a column and its texts.
func withoutColumn(columns []table.Column, rows [][]string, header string) ([]table.Column, [][]string) {
	at := slices.IndexFunc(columns, func(c table.Column) bool { return c.Header == header })
	for i, row := range rows {
		rows[i] = slices.Delete(row, at, at+1)
	}
	return slices.Delete(columns, at, at+1), rows
}

// errors are shown whenever there are any, in the words of their warning.
func (p *page) errors(count int, warnings []verdict.Warning, policy verdict.ErrorPolicy) {
	if count == 0 {
		return
	}
	text := fmt.Sprintf("%s ended in an error (policy %s)", plural(count, "trial"), policy)
	for _, w := range warnings {
		if w.Code == verdict.WarnErrors {
			text = w.Text
		}
	}
	p.labelled("errors", text)
	p.told = append(p.told, verdict.WarnErrors)
}

// warnings are those that the page has not told yet.
func (p *page) warnings(list []verdict.Warning) {
	for _, w := range list {
		if !slices.Contains(p.told, w.Code) {
			p.labelled("warning", w.Text)
		}
	}
}

// capitalised is a verdict at the beginning of a sentence.
func capitalised(v verdict.Verdict) string {
	switch v {
	case verdict.Pass:
		return "Pass"
	case verdict.Fail:
		return "Fail"
	}
	return "Inconclusive"
}

// reasonsText is the reasons as parts of a sentence.
func reasonsText(reasons []verdict.Reason) string {
	var parts []string
	for _, r := range reasons {
		parts = append(parts, r.Text)
	}
	if len(parts) == 0 {
		return "no reason is given"
	}
	return strings.Join(parts, "; ")
}

func hasReason(reasons []verdict.Reason, code verdict.Code) bool {
	return slices.ContainsFunc(reasons, func(r verdict.Reason) bool { return r.Code == code })
}
