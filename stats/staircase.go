package stats

// staircase is an event on the tables of two independent binomial counts: the
// column count is at most a cut that never falls as the row count grows.
//
// Barnard's convexity makes such events: with a table, all those that speak more clearly against the null
// hypothesis belong too. One number a row says it all.
//
// Where only rates in a range are asked for, it is enough to know the rows and columns that count there: a window of
// them, which grows with the root of the numbers of trials. All rows have an index less than their number then.
type staircase struct {
	cuts      []int // of the rows from row.first on, -1 where no column belongs to the event
	row, col  *binomialMasses
	cumulated []float64 // P(column <= k) for k in [col.low, col.high], from col.first on
}

// newStaircase returns the event of so many rows and columns, before its cuts are set.
func newStaircase(rows, columns int) *staircase {
	return newStaircaseWithin(rows, columns, window{0, rows}, window{0, columns})
}

// newStaircaseWithin is newStaircase for rates at which the rows and columns that count are in windows.
func newStaircaseWithin(rows, columns int, ofRows, ofColumns window) *staircase {
	return &staircase{
		cuts: make([]int, ofRows.size()),
		row:  newBinomialWindow(rows, ofRows), col: newBinomialWindow(columns, ofColumns),
		cumulated: make([]float64, ofColumns.size()),
	}
}

// cut is the largest column of a row, of the window, that belongs to the event; -1 where none does.
func (s *staircase) cut(row int) int { return s.cuts[row-s.row.first] }

// walk sets the cuts to the tables that belong, asked along the edge only: it
// needs belongs to be monotone, true for more rows and for fewer columns. It
// calls outside with each table just beyond the edge. The edge has at most rows + columns tables, so that
// is how often belongs is asked.
func (s *staircase) walk(belongs func(row, column int) bool, outside func(row, column int)) {
	cut, columns := -1, s.col.n
	if first := s.row.first; first > 0 {
		cut = lastBefore(-1, columns, func(column int) bool { return belongs(first, column) })
	}
	for i := range s.cuts {
		row := s.row.first + i
		for cut < columns && belongs(row, cut+1) {
			cut++
		}
		s.cuts[i] = cut
		if cut < columns {
			outside(row, cut+1)
		}
	}
}

// probability returns the event's probability at the two rates and its partial
// derivatives; the complements are given apart so that neither rate is rounded.
//
// With the columns' sum S(cut), the derivative by a rate p of a binomial mass is mass·(k - n·p)/(p·q), and
// that of P(X <= k) is -(n-k)·P(X = k)/q.
func (s *staircase) probability(
	rowRate, rowComplement, colRate, colComplement float64,
) (value, byRow, byCol float64) {
	s.row.fill(rowRate, rowComplement)
	s.fillCumulated(colRate, colComplement)
	mean := float64(s.row.n) * rowRate
	columns := float64(s.col.n)
	for r := s.row.low; r <= s.row.high; r++ {
		cut := s.cuts[r-s.row.first]
		// No column of this row has a probability to speak of.
		if cut < s.col.low {
			continue
		}
		weight, below := s.row.mass[r-s.row.first], 1.0
		if cut <= s.col.high {
			below = s.cumulated[cut-s.col.first]
			byCol -= weight * s.col.mass[cut-s.col.first] * (columns - float64(cut))
		}
		value += weight * below
		byRow += weight * below * (float64(r) - mean)
	}
	return value, byRow / (rowRate * rowComplement), byCol / colComplement
}

// chance returns the event's probability at the two rates; unlike probability it
// allows rates of 0 and 1.
func (s *staircase) chance(rowRate, rowComplement, colRate, colComplement float64) float64 {
	s.row.fill(rowRate, rowComplement)
	s.fillCumulated(colRate, colComplement)
	sum := 0.0
	for r := s.row.low; r <= s.row.high; r++ {
		sum += s.row.mass[r-s.row.first] * s.below(s.cut(r))
	}
	return sum
}

// below returns P(column <= k) at the rate that was filled in last.
func (s *staircase) below(k int) float64 {
	switch {
	case k < s.col.low:
		return 0
	case k > s.col.high:
		return 1
	}
	return s.cumulated[k-s.col.first]
}

// fillCumulated sums the columns' probabilities at a rate from the lowest on.
func (s *staircase) fillCumulated(rate, complement float64) {
	s.col.fill(rate, complement)
	first, last := s.col.low-s.col.first, s.col.high-s.col.first
	into := s.cumulated[first : last+1]
	sum := 0.0
	for i, m := range s.col.mass[first : last+1] {
		sum += m
		if into[i] = sum; sum > 1 {
			into[i] = 1
		}
	}
}
