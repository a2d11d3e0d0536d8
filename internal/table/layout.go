package table

import "math"

// gap is the number of blanks between columns.
const gap = 2

// layout is the columns that are shown, and their widths; both have an entry for
// every column of the table. The width of a column that is not shown means nothing.
type layout struct {
	shown  []bool
	widths []int
}

// fit chooses the columns and their widths. Columns start at the least width that
// they allow. While that is too wide, optional columns go; if it still is, all
// columns are squeezed below what they allow. Room that is left is given back at
// last.
func (t *Table) fit() layout {
	natural, least := make([]int, len(t.Columns)), make([]int, len(t.Columns))
	l := layout{shown: make([]bool, len(t.Columns)), widths: make([]int, len(t.Columns))}
	for i, column := range t.Columns {
		l.shown[i] = true
		natural[i] = t.natural(i)
		least[i] = natural[i]
		switch {
		// A drawing can be as narrow as it says, and a text that may be shortened as
		// its header; any other text keeps its full width.
		case column.Draw != nil:
			least[i] = column.Least
		case column.Least > 0:
			least[i] = min(natural[i], max(column.Least, Width(column.Header)))
		}
	}
	// The condition does the work: dropOne hides columns until it finds none to hide.
	for t.total(l.shown, least) > t.Width && t.dropOne(l.shown) {
	}
	copy(l.widths, least)
	t.squeeze(l)
	t.spread(l, natural)
	return l
}

// natural is the width that shows everything in the column.
func (t *Table) natural(i int) int {
	column := t.Columns[i]
	if column.Draw != nil {
		return column.Most
	}
	width := Width(column.Header)
	for _, row := range t.Rows {
		if i < len(row) {
			width = max(width, Width(row[i]))
		}
	}
	return width
}

// total is the width of a line with these columns: the indent, the columns and the
// gaps between them.
func (t *Table) total(shown []bool, widths []int) int {
	sum, columns := t.Indent, 0
	for i, width := range widths {
		if shown[i] {
			sum += width
			columns++
		}
	}
	return sum + gap*max(columns-1, 0)
}

// dropOne hides the columns of the highest Drop that are still shown.
func (t *Table) dropOne(shown []bool) bool {
	// Columns without Drop have 0 and are never hidden.
	highest := 0
	for i, column := range t.Columns {
		if shown[i] {
			highest = max(highest, column.Drop)
		}
	}
	for i, column := range t.Columns {
		if highest > 0 && column.Drop == highest {
			shown[i] = false
		}
	}
	return highest > 0
}

// squeeze makes the widest column narrower until the table fits, if that is
// possible at all.
func (t *Table) squeeze(l layout) {
	for t.total(l.shown, l.widths) > t.Width {
		// One column at a time, from the widest shown: so the widths even out, and no
		// column is narrower than one.
		widest := -1
		for i, width := range l.widths {
			if l.shown[i] && width > 1 && (widest < 0 || width > l.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		l.widths[widest]--
	}
}

// spread gives room that is left to shortened text first, then to drawings.
func (t *Table) spread(l layout, natural []int) {
	// One column at a time as well, to the narrowest that wants more.
	for _, drawn := range []bool{false, true} {
		for t.total(l.shown, l.widths) < t.Width {
			narrowest, width := -1, math.MaxInt
			for i, column := range t.Columns {
				if l.shown[i] && (column.Draw != nil) == drawn && l.widths[i] < natural[i] && l.widths[i] < width {
					narrowest, width = i, l.widths[i]
				}
			}
			if narrowest < 0 {
				break
			}
			l.widths[narrowest]++
		}
	}
}
