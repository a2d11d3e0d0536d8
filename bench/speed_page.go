package bench

import (
	"fmt"
	"math"
	"strconv"
)

// Page implements [Report].
func (r *SpeedReport) Page() Page {
	return Page{
		Title:  "SPEED  on " + r.Machine.String(),
		Tables: []Table{r.pathTable(), r.growthTable()},
		Notes:  r.notes(),
	}
}

func (r *SpeedReport) notes() []string {
	return []string{
		fmt.Sprintf("Hot paths: the median and the least of %d rounds; a second holds so many at the median.", r.Rounds),
		"Growth: n^b is the slope in log-log over all sizes; end is that of the time between the last two sizes, where " +
			"constants weigh least. Memory is all that was allocated on the way. The last size takes so long; peak is its heap at the " +
			"largest, above where it began.",
	}
}

func (r *SpeedReport) pathTable() Table {
	t := Table{Columns: []Column{
		{Header: "hot path", Words: true}, {Header: "median"}, {Header: "least", Drop: 1}, {Header: "a second"},
	}}
	for _, p := range r.Paths {
		t.Rows = append(t.Rows, []Cell{
			Word(p.Name), duration(p.MedianNS / 1e9), duration(p.LeastNS / 1e9), perSecond(p),
		})
	}
	return t
}

func (r *SpeedReport) growthTable() Table {
	t := Table{Columns: []Column{
		{Header: "growth of", Words: true}, {Header: "up to"},
		{Header: "time"}, {Header: "end"}, {Header: "memory"}, {Header: "takes"}, {Header: "peak", Drop: 1},
	}}
	for _, g := range r.Growth {
		last := g.Points[len(g.Points)-1]
		t.Rows = append(t.Rows, []Cell{
			Word(g.Name), Word(inThousands(last.Size) + " " + g.Against),
			exponent(g.TimeExponent), exponent(g.TimeExponentEnd), exponent(g.MemoryExponent),
			duration(last.Seconds), byteSize(last.PeakBytes),
		})
	}
	return t
}

// Records implements [Report].
func (r *SpeedReport) Records() Table {
	t := Table{Columns: []Column{
		{Name: "kind", Words: true}, {Name: "name", Words: true}, {Name: "against", Words: true}, {Name: "size"},
		{Name: "seconds"}, {Name: "median_seconds"}, {Name: "per_second"}, {Name: "unit", Words: true},
		{Name: "allocated_bytes"}, {Name: "peak_bytes"},
	}}
	for _, p := range r.Paths {
		t.Rows = append(t.Rows, []Cell{
			Word("path"), Word(p.Name), {}, {}, Number(p.LeastNS/1e9, 9), Number(p.MedianNS/1e9, 9), Number(p.PerSecond, 0), Word(p.Unit), {}, {},
		})
	}
	for _, g := range r.Growth {
		for _, point := range g.Points {
			t.Rows = append(t.Rows, []Cell{
				Word("growth"), Word(g.Name), Word(g.Against), Count(point.Size), Number(point.Seconds, 9), {}, {}, {},
				Word(strconv.FormatUint(point.AllocatedBytes, 10)), Word(strconv.FormatUint(point.PeakBytes, 10)),
			})
		}
	}
	return t
}

// exponent is a cell such as n^1.02.
func exponent(b *float64) Cell {
	if b == nil {
		return Unknown()
	}
	// Rounding must leave no -0.00.
	return Word("n^" + strconv.FormatFloat(math.Round(*b*100)/100+0, 'f', 2, 64))
}

// duration is a cell of seconds, in the unit that suits it.
func duration(seconds float64) Cell {
	for _, u := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}} {
		if seconds >= 0.9995*u.size || u.name == "ns" {
			return Word(threeDigits(seconds/u.size) + " " + u.name)
		}
	}
	return Unknown()
}

// perSecond is a cell such as "11.5 M intervals".
func perSecond(p PathSpeed) Cell {
	for _, u := range []struct {
		name string
		size float64
	}{{"M", 1e6}, {"k", 1e3}} {
		if x := p.PerSecond / u.size; x >= 0.9995 {
			return Word(threeDigits(x) + " " + u.name + " " + p.Unit)
		}
	}
	return Word(threeDigits(p.PerSecond) + " " + p.Unit)
}

func byteSize(n uint64) Cell {
	for _, u := range []struct {
		name string
		size float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if x := float64(n) / u.size; x >= 0.9995 {
			return Word(threeDigits(x) + " " + u.name)
		}
	}
	return Word(strconv.FormatUint(n, 10) + " B")
}

// threeDigits writes a positive number with three significant digits, and at least its
// whole part.
func threeDigits(x float64) string {
	switch {
	case x >= 999.5:
		return inThousands(int(math.Round(x)))
	case x >= 99.95:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 9.995:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// inThousands writes a number with commas.
func inThousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
