package calibration

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/bench"
)

// pageLine sums up the rows of one error of one decision.
//
// A page has a line where [Result.Records] has hundreds of rows: what is shown of them is the one
// that is worst, and how many there are.
// The fields: rows in the order of measurement; worst is the one of them with the most strain.
type pageLine struct {
	rows  []Row
	worst Row
}

// lines sums the rows up, in their order.
//
// Rows of one error of one decision are in one line, also where they are not next to each other,
// as a setting adds rows of several errors.
func (r *Result) lines() (list []*pageLine) {
	at := map[[3]string]*pageLine{}
	for _, row := range r.Rows {
		key := [3]string{row.Group, row.Decision, row.Error}
		line, ok := at[key]
		if !ok {
			line = &pageLine{worst: row}
			at[key] = line
			list = append(list, line)
		}
		line.rows = append(line.rows, row)
		if row.strain() > line.worst.strain() {
			line.worst = row
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

// promised is the promise as people read it.
func (r Row) promised() string {
	switch {
	case r.Promise == nil:
		return "-"
	case r.Printed:
		return "printed"
	}
	return "<= " + strconv.FormatFloat(math.Round(*r.Promise*1e4)/1e2, 'f', -1, 64) + "%"
}

// Page returns the tables for people: the rows that break their promise, a line for each
// error of each decision, and those of the lines that exceed what was asked for without
// a promise.
//
// The table of what is broken comes first, and is missing where nothing is.
func (r *Result) Page() bench.Page {
	verdict := "Every promise holds"
	var broken, known []Row
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
	for _, line := range r.lines() {
		// Only the worst of a line: the others tell the same of milder settings.
		if line.worst.exceeds() {
			known = append(known, line.worst)
		}
	}
	if len(broken) > 0 {
		verdict = fmt.Sprintf("%d of the promises are BROKEN", len(broken))
	}
	const title = "Error rates of every decision. %s: %d rates, %d of them exact and %d simulated; " +
		"of %d nothing is promised."
	p := bench.Page{Title: fmt.Sprintf(title, verdict, len(r.Rows), exact, len(r.Rows)-exact, without)}
	if len(broken) > 0 {
		p.Tables = append(p.Tables, rowTable("BROKEN", broken))
	}
	p.Tables = append(p.Tables, r.lineTable())
	if audited := r.audited(); len(audited) > 0 {
		p.Tables = append(p.Tables, auditTable(audited))
	}
	if len(known) > 0 {
		p.Tables = append(p.Tables, rowTable("Known: above what is asked for, where nothing is promised", known))
	}
	p.Notes = []string{
		"worst is the rate that comes nearest to its promise of so many rows, or is furthest above it; * marks " +
			"a simulated one, all others are exact. \"printed\" promises that the decision prints this rate with " +
			"its result. A sequential test is named by its two rates, alpha and beta: 0.9/0.8, 5/10%. --csv has " +
			"all rows.",
		fmt.Sprintf("An exact rate must be at most what is promised, a simulated one at most three standard errors "+
			"above. With another seed than %d, some simulated rate that just keeps its promise would break it with "+
			"a chance of at most %.2g%%.", r.Seed, 100*r.FalseAlarm),
	}
	return p
}

// audited are the rows that an audit measured before, in their order.
func (r *Result) audited() (rows []Row) {
	for _, row := range r.Rows {
		if row.Before != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// auditTable lists single rows with what an audit measured in their settings before, under the name
// of their decision.
func auditTable(rows []Row) bench.Table {
	t := bench.Table{Title: "What an audit found: the rate it measured, and the rate now", Columns: []bench.Column{
		{Name: "setting", Header: "decision, where", Words: true, Least: 16},
		{Name: "error", Header: "error", Words: true},
		{Name: "before", Header: "before"},
		{Name: "now", Header: "now"},
		{Name: "promise", Header: "promise", Words: true},
	}}
	decision := ""
	for _, row := range rows {
		if row.Decision != decision {
			decision = row.Decision
			t.Rows = append(t.Rows, []bench.Cell{bench.Word(decision)})
		}
		t.Rows = append(t.Rows, []bench.Cell{
			bench.Word("  " + row.Setting), bench.Word(row.Error), bench.Percent(*row.Before, 2), row.rate(),
			bench.Word(row.promised()),
		})
	}
	return t
}

// lineTable holds the lines, with the name of each group above its own.
func (r *Result) lineTable() bench.Table {
	t := bench.Table{Columns: []bench.Column{
		{Name: "decision", Header: "decision", Words: true},
		{Name: "error", Header: "error", Words: true},
		{Name: "rows", Header: "rows"},
		{Name: "worst", Header: "worst"},
		{Name: "promise", Header: "promise", Words: true},
		{Name: "where", Header: "where", Words: true, Least: 8},
	}}
	group := ""
	for _, line := range r.lines() {
		w := line.worst
		if w.Group != group {
			group = w.Group
			t.Rows = append(t.Rows, []bench.Cell{bench.Word(strings.ToUpper(group))})
		}
		t.Rows = append(t.Rows, []bench.Cell{
			bench.Word(w.Decision), bench.Word(w.Error), bench.Count(len(line.rows)), w.rate(),
			bench.Word(w.promised()), bench.Word(w.Setting),
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

// rowTable lists single rows.
func rowTable(title string, rows []Row) bench.Table {
	t := bench.Table{Title: title, Columns: []bench.Column{
		{Name: "decision", Header: "decision", Words: true},
		{Name: "error", Header: "error", Words: true},
		{Name: "rate", Header: "worst"},
		{Name: "asked", Header: "asked"},
		{Name: "setting", Header: "where", Words: true, Least: 8},
	}}
	for _, row := range rows {
		t.Rows = append(t.Rows, []bench.Cell{
			bench.Word(row.Decision), bench.Word(row.Error), row.rate(), bench.Percent(row.Nominal, 2),
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
