package report

import (
	"math"

	"github.com/tribunal-dev/tribunal/verdict/design"
)

// boundaryChart is what a chart of characters shows of a test. Every character
// stands for one exact point: so many trials, so many failures.
type boundaryChart struct {
	boundaries design.Boundaries
	last       int   // trials
	top        int   // failures
	path       []int // failures after each trial; nil where nothing has run
}

const (
	// Chosen: with its axis and legend the chart takes twenty lines.
	chartHeight = 16 // most rows
	chartLabel  = 5  // columns of the failure counts
	// A guard on boundaries that a file claims to have.
	mostShown = 1 << 20
)

// newBoundaryChart shows the first trials of a test, with room for all that the
// boundaries reach there.
func newBoundaryChart(b design.Boundaries, trials int) boundaryChart {
	c := boundaryChart{boundaries: b, last: max(min(trials, len(b.PassAtOrBelow), len(b.FailAtOrAbove), mostShown), 0)}
	for i := range c.last {
		if pass := b.PassAtOrBelow[i]; pass <= i+1 {
			c.top = max(c.top, pass+1)
		}
		if fail := b.FailAtOrAbove[i]; fail != nil && *fail <= i+1 {
			c.top = max(c.top, *fail)
		}
	}
	// There are no more failures than trials.
	c.top = min(c.top, c.last)
	return c
}

// along adds the path of a test.
func (c boundaryChart) along(path []int) boundaryChart {
	c.path = path[:min(len(path), c.last)]
	for _, failures := range c.path {
		c.top = max(c.top, min(failures, c.last))
	}
	return c
}

// region says where a point lies.
type region uint8

const (
	goingOn region = iota
	passes
	fails
	walked // on the path
)

// at is the region of a point; the boundaries count trials from 1, their lists from
// 0.
func (c boundaryChart) at(trials, failures int) region {
	pass, fail := c.boundaries.PassAtOrBelow[trials-1], c.boundaries.FailAtOrAbove[trials-1]
	switch {
	case failures > trials:
		return goingOn // there is no such point
	case failures <= pass:
		return passes
	case fail != nil && failures >= *fail:
		return fails
	}
	return goingOn
}

// grid are the points that the characters stand for.
type grid struct {
	columns []int // trials
	rows    []int // failures, from the top
}

// grid chooses the points. A short test is stretched, up to four columns for a trial;
// of a long one the columns are spread evenly and then moved to the looks. Rows are
// at equal steps, from the top down to 0.
func (c boundaryChart) grid(width int) grid {
	var g grid
	if stretch := width / c.last; stretch >= 1 {
		for i := range c.last * min(stretch, 4) {
			g.columns = append(g.columns, 1+i/min(stretch, 4))
		}
	} else {
		for i := range width {
			g.columns = append(g.columns, 1+int(math.Round(float64(i)*float64(c.last-1)/float64(width-1))))
		}
	}
	c.look(g.columns)
	step := c.top/chartHeight + 1
	for f := c.top / step * step; f >= 0; f -= step {
		g.rows = append(g.rows, f)
	}
	return g
}

// look moves a column to the last trial since the column before at which the test
// may end, so that no look is missed where there are few.
func (c boundaryChart) look(columns []int) {
	for i := len(columns) - 1; i > 0; i-- {
		for n := columns[i]; n > columns[i-1]; n-- {
			if c.boundaries.PassAtOrBelow[n-1] >= 0 || c.boundaries.FailAtOrAbove[n-1] != nil {
				columns[i] = n
				break
			}
		}
	}
}

// walk are the rows of the path by column; -1 where it has ended.
func (g grid) walk(path []int) []int {
	rows := make([]int, len(g.columns))
	for i, n := range g.columns {
		rows[i] = -1
		if n > len(path) {
			continue
		}
		for r, f := range g.rows {
			// The row that is nearest to the failures: where a row stands for
			// several, the exact one may not be among them.
			if nearest := g.rows[max(rows[i], 0)]; rows[i] < 0 ||
				distance(f, path[n-1]) < distance(nearest, path[n-1]) {
				rows[i] = r
			}
		}
	}
	return rows
}

// distance is between two counts of failures.
func distance(a, b int) int {
	if a < b {
		return b - a
	}
	return a - b
}
