package calibration

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/bench"
)

// worst returns a row for each error of each decision, in the order of measurement: of the hundreds that
// [Result.Records] may have, the one with the most strain.
//
// Rows of one error of one decision are one line, also where they are not next to each other,
// as a setting adds rows of several errors.
func (r *Result) worst() (list []Row) {
	at := map[[3]string]int{}
	for _, row := range r.Rows {
		key := [3]string{row.Group, row.Decision, row.Error}
		i, found := at[key]
		switch {
		case !found:
			at[key] = len(list)
			list = append(list, row)
		case row.strain() > list[i].strain():
			list[i] = row
		}
	}
	return list
}

// strain says how near a row is to breaking what is asked of it; what is broken comes
// before what is not.
//
// The unit differs: standard errors of a simulated row, a share of the nominal rate of an exact
// one, points of one that is printed. Within a line all rows are mostly of one kind.
func (r Row) strain() float64 {
	excess := r.Rate - r.Nominal
	if r.Printed {
		excess = math.Abs(excess)
	}
	switch {
	case math.IsNaN(r.Rate):
		excess = math.Inf(1)
	// Of simulated rows, one far above with few runs may say less than one just above with many.
	case r.StdErr > 0:
		excess /= r.StdErr
	case r.Nominal > 0 && !r.Printed:
		excess /= r.Nominal
	}
	if r.broken() {
		// Beyond every strain of a row that holds.
		excess += 1e6
	}
	return excess
}

// bound is what the rate is to be at most, as people read it.
func (r Row) bound() string {
	if r.Printed {
		return "printed"
	}
	return strconv.FormatFloat(math.Round(r.Nominal*1e4)/1e2, 'f', -1, 64) + "%"
}

// Page returns the tables for people: the rows that break their promise, a line for each error of each
// decision, and the lines that exceed what was asked for without a promise.
//
// The table of what is broken comes first, and is missing where nothing is.
func (r *Result) Page() bench.Page {
	verdict := "Every promise holds"
	var broken, promised, known []Row
	exact, without := 0, 0
	for _, row := range r.Rows {
		if row.broken() {
			broken = append(broken, row)
		}
		if row.Exact {
			exact++
		}
		if row.Promise == nil {
			without++
		}
	}
	for _, row := range r.worst() {
		switch {
		case row.Promise != nil:
			promised = append(promised, row)
		case row.exceeds():
			known = append(known, row)
		}
	}
	if len(broken) > 0 {
		verdict = fmt.Sprintf("%d of the promises are BROKEN", len(broken))
	}
	const title = "Error rates of every decision. %s: %d rates, %d exact and %d simulated, %d without a promise."
	p := bench.Page{Title: fmt.Sprintf(title, verdict, len(r.Rows), exact, len(r.Rows)-exact, without)}
	if len(broken) > 0 {
		p.Tables = append(p.Tables, brokenTable(broken))
	}
	p.Tables = append(p.Tables, lineTable("", "at most", promised))
	if len(known) > 0 {
		p.Tables = append(p.Tables, lineTable("Known: above the nominal rate, where nothing is promised", "nominal", known))
	}
	p.Notes = []string{
		"worst is the rate nearest to its bound, or furthest above it; * marks a simulated rate, all others are " +
			"exact. \"printed\": the decision prints this rate with its result. --csv has all rows with their settings.",
		fmt.Sprintf("A simulated rate may exceed its bound by three standard errors. With another seed than %d, some "+
			"rate that just keeps its promise would break it with a chance of at most %.2g%%.", r.Seed, 100*r.FalseAlarm),
	}
	return p
}

// lineTable holds lines with the name of each group above its own, and what a rate is compared with as the header says.
func lineTable(title, header string, rows []Row) bench.Table {
	t := bench.Table{Title: title, Columns: []bench.Column{
		{Name: "decision", Header: "decision", Words: true},
		{Name: "error", Header: "error", Words: true},
		{Name: "worst", Header: "worst"},
		{Name: "bound", Header: header, Words: true},
	}}
	group := ""
	for _, row := range rows {
		if row.Group != group {
			group = row.Group
			t.Rows = append(t.Rows, []bench.Cell{bench.Word(strings.ToUpper(group))})
		}
		t.Rows = append(t.Rows, []bench.Cell{
			bench.Word(row.Decision), bench.Word(row.Error), row.rate(), bench.Word(row.bound()),
		})
	}
	return t
}

// rate is the rate as people read it.
func (r Row) rate() bench.Cell {
	c := bench.Percent(r.Rate, 2)
	// The blank of exact rates keeps the digits of a right-aligned column in line.
	if c.Text += " "; !r.Exact {
		c.Text = c.Text[:len(c.Text)-1] + "*"
	}
	return c
}

// brokenTable lists single rows with their settings.
func brokenTable(rows []Row) bench.Table {
	t := bench.Table{Title: "BROKEN", Columns: []bench.Column{
		{Name: "decision", Header: "decision", Words: true},
		{Name: "error", Header: "error", Words: true},
		{Name: "rate", Header: "rate"},
		{Name: "bound", Header: "at most", Words: true},
		{Name: "setting", Header: "where", Words: true, Least: 8},
	}}
	for _, row := range rows {
		t.Rows = append(t.Rows, []bench.Cell{
			bench.Word(row.Decision), bench.Word(row.Error), row.rate(), bench.Word(row.bound()),
			bench.Word(row.Setting),
		})
	}
	return t
}

// Records returns all rows.
//
// Promise and holds are empty where nothing is promised, before where no audit measured the setting;
// std_err and runs are 0 for exact rates.
func (r *Result) Records() bench.Table {
	t := bench.Table{Columns: []bench.Column{
		{Name: "group", Words: true},
		{Name: "decision", Words: true},
		{Name: "setting", Words: true},
		{Name: "error", Words: true},
		{Name: "nominal"},
		{Name: "promise"},
		{Name: "as_printed", Words: true},
		{Name: "rate"},
		{Name: "std_err"},
		{Name: "runs"},
		{Name: "exact", Words: true},
		{Name: "holds", Words: true},
		{Name: "before"},
	}}
	for _, row := range r.Rows {
		promise, holds, before := bench.Cell{}, bench.Cell{}, bench.Cell{}
		if row.Promise != nil {
			promise = bench.Number(*row.Promise, 6)
		}
		if row.Holds != nil {
			holds = bench.Word(strconv.FormatBool(*row.Holds))
		}
		if row.Before != nil {
			before = bench.Number(*row.Before, 6)
		}
		t.Rows = append(t.Rows, []bench.Cell{
			bench.Word(row.Group), bench.Word(row.Decision), bench.Word(row.Setting), bench.Word(row.Error),
			bench.Number(row.Nominal, 6), promise, bench.Word(strconv.FormatBool(row.Printed)),
			bench.Number(row.Rate, 6), bench.Number(row.StdErr, 6), bench.Count(row.Runs),
			bench.Word(strconv.FormatBool(row.Exact)), holds, before,
		})
	}
	return t
}
