package growth

import (
	"fmt"
	"math"
	"strconv"

	"github.com/tribunal-dev/tribunal/bench"
)

// Page implements [bench.Report].
func (r *Result) Page() bench.Page {
	t := bench.Table{Columns: []bench.Column{
		{Header: "growth of", Words: true}, {Header: "by", Words: true}, {Header: "up to"}, {Header: "time"},
		{Header: "CPU"}, {Header: "bytes"}, {Header: "takes"}, {Header: "peak"},
	}}
	for _, row := range r.Rows {
		last := row.Points[len(row.Points)-1]
		upTo := grouped(last.Size)
		if row.LeftOut {
			upTo += "*"
		}
		t.Rows = append(t.Rows, []bench.Cell{
			bench.Word(row.Operation), bench.Word(row.Against), bench.Word(upTo), bench.Number(row.Time, 2),
			bench.Number(row.CPU, 2),
			bench.Number(row.Allocated, 2), bench.Word(duration(last.Seconds)), bench.Word(size(last.Peak)),
		})
	}
	notes := []string{
		"The first three figures are exponents b of n^b, slopes in log-log: of the time over all sizes, and, between the " +
			"last two sizes, where constants weigh least, of the CPU time and of all bytes that are allocated. The last " +
			"size takes so long and, at its peak, so much of the heap.",
		"Every worker has as many trials: a time of n^0 is a run that takes as long with more workers, n^1 one that " +
			"more workers do not help. There are 50 scenarios where trials or traces are counted, and 10 trials of each " +
			"where scenarios are; runs of a store have 20 trials.",
	}
	for _, row := range r.Rows {
		if row.LeftOut {
			notes = append(notes, "* The next size would have taken minutes.")
			break
		}
	}
	title := fmt.Sprintf("How time and memory grow, on %s with %d processors, %s", r.System, r.CPUs, r.Version)
	return bench.Page{Title: title, Tables: []bench.Table{t}, Notes: notes}
}

// Records implements [bench.Report]: a row for each size, with the exponent of the time since the size before.
func (r *Result) Records() bench.Table {
	t := bench.Table{Columns: []bench.Column{
		{Name: "operation", Words: true}, {Name: "against", Words: true}, {Name: "size"}, {Name: "seconds"},
		{Name: "cpu_seconds"}, {Name: "allocated_bytes"}, {Name: "allocations"}, {Name: "peak_bytes"}, {Name: "exponent"},
	}}
	for _, row := range r.Rows {
		for i, p := range row.Points {
			b := math.NaN()
			if i > 0 {
				b = slope(row.Points[i-1:i+1], seconds)
			}
			t.Rows = append(t.Rows, []bench.Cell{
				bench.Word(row.Operation), bench.Word(row.Against), bench.Count(p.Size), bench.Number(p.Seconds, 3),
				bench.Number(p.CPU, 3),
				bench.Word(strconv.FormatUint(p.Allocated, 10)), bench.Word(strconv.FormatUint(p.Objects, 10)),
				bench.Word(strconv.FormatUint(p.Peak, 10)), bench.Number(b, 2),
			})
		}
	}
	return t
}

// grouped writes a number with its thousands apart.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// duration and size have three digits, in the largest unit of which there is one.
func duration(seconds float64) string {
	return inUnits(seconds, []unit{{1, " s"}, {1e-3, " ms"}, {1e-6, " us"}})
}

func size(n uint64) string {
	return inUnits(float64(n), []unit{{1e9, " GB"}, {1e6, " MB"}, {1e3, " kB"}, {1, " B"}})
}

// unit is a unit of a size, with its name.
type unit struct {
	size float64
	name string
}

// inUnits writes a quantity in the first unit that is not larger, or in the last.
func inUnits(x float64, units []unit) string {
	for i, u := range units {
		if y := x / u.size; y >= 1 || i == len(units)-1 {
			decimals := 2 - min(int(math.Floor(math.Log10(max(y, 1)))), 2)
			return strconv.FormatFloat(y, 'f', decimals, 64) + u.name
		}
	}
	return ""
}
