package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict"
)

// PlanChart writes the boundaries of a plan as a chart of characters: failures
// against trials, with the regions in which the test ends.
func PlanChart(w io.Writer, p *verdict.Plan, o TextOptions) error {
	if p == nil {
		return ErrNoResult
	}
	t := newPage(o.withDefaults(defaultScenarios))
	t.chart(newBoundaryChart(p.Design.Boundaries, p.Design.MaxTrials))
	return t.flush(w)
}

// boundaryChart is what a chart of characters shows of a test. Every character
// stands for one exact point: so many trials, so many failures.
type boundaryChart struct {
	boundaries verdict.PlanBoundaries
	last       int   // trials
	top        int   // failures
	path       []int // failures after each trial; nil where nothing has run
}

const (
	chartHeight = 16 // most rows
	chartLabel  = 5  // columns of the failure counts
	mostShown   = 1 << 20
)

// newBoundaryChart shows the first trials of a test, with room for all that the
// boundaries reach there.
func newBoundaryChart(b verdict.PlanBoundaries, trials int) boundaryChart {
	c := boundaryChart{boundaries: b, last: max(min(trials, len(b.PassAtOrBelow), len(b.FailAtOrAbove), mostShown), 0)}
	for i := range c.last {
		if pass := b.PassAtOrBelow[i]; pass <= i+1 {
			c.top = max(c.top, pass+1)
		}
		if fail := b.FailAtOrAbove[i]; fail != nil && *fail <= i+1 {
			c.top = max(c.top, *fail)
		}
	}
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
			if nearest := g.rows[max(rows[i], 0)]; rows[i] < 0 || distance(f, path[n-1]) < distance(nearest, path[n-1]) {
				rows[i] = r
			}
		}
	}
	return rows
}

func distance(a, b int) int {
	if a < b {
		return b - a
	}
	return a - b
}

// chart draws the regions, the path if there is one, both axes and a legend.
func (p *page) chart(c boundaryChart) {
	margin := indent + chartLabel + 2
	if c.last < 1 {
		p.note("there are no boundaries to draw")
		return
	}
	with := p.chartGlyphs()
	g := c.grid(p.options.Width - margin)
	walk := g.walk(c.path)
	p.lines = append(p.lines, strings.Repeat(" ", indent)+"failures")
	for r, f := range g.rows {
		cells := make([]region, len(g.columns))
		for i, n := range g.columns {
			if cells[i] = c.at(n, f); walk[i] == r {
				cells[i] = walked
			}
		}
		label := ""
		if every := len(g.rows)/5 + 1; (len(g.rows)-1-r)%every == 0 {
			label = strconv.Itoa(f)
		}
		p.lines = append(p.lines, fmt.Sprintf("%*s %s%s", indent+chartLabel, label, with.side, p.cells(cells, with)))
	}
	p.axis(g, margin-1, with)
	legend := fmt.Sprintf("%s Fail, %s Pass, blank: go on", with.regions[fails], with.regions[passes])
	if c.path != nil {
		legend += fmt.Sprintf(", %s this test", with.regions[walked])
	}
	p.note(legend)
}

// cells is one row, coloured by its regions.
func (p *page) cells(cells []region, with chartGlyphs) string {
	var row strings.Builder
	for from := 0; from < len(cells); {
		to := from + 1
		for to < len(cells) && cells[to] == cells[from] {
			to++
		}
		text := strings.Repeat(with.regions[cells[from]], to-from)
		switch cells[from] {
		case passes:
			text = p.paint(verdict.Pass, text)
		case fails:
			text = p.paint(verdict.Fail, text)
		}
		row.WriteString(text)
		from = to
	}
	return strings.TrimRight(row.String(), " ")
}

// axis draws the axis of trials with ticks at round numbers and at the last.
func (p *page) axis(g grid, margin int, with chartGlyphs) {
	last := g.columns[len(g.columns)-1]
	line := []rune(strings.Repeat(with.bottom, len(g.columns)))
	labels := []byte(strings.Repeat(" ", len(g.columns)))
	put := func(column int, text string) {
		from := min(column-(len(text)-1)/2, len(labels)-len(text))
		if from < 0 || strings.TrimSpace(string(labels[max(from-1, 0):min(from+len(text)+1, len(labels))])) != "" {
			return
		}
		copy(labels[from:], text)
		line[column] = []rune(with.tick)[0]
	}
	put(len(g.columns)-1, strconv.Itoa(last))
	step := roundStep(float64(last) / 5)
	for n, column := step, 0; n < last; n += step {
		for column < len(g.columns)-1 && g.columns[column] < n {
			column++
		}
		put(column, strconv.Itoa(n))
	}
	p.lines = append(p.lines,
		strings.Repeat(" ", margin)+with.corner+string(line),
		strings.TrimRight(strings.Repeat(" ", margin+1)+string(labels), " "))
}

// roundStep is the largest of 1, 2, 5, 10, 20, 50 and so on up to x, at least 1.
func roundStep(x float64) int {
	step := 1
	for _, factor := range []int{2, 5, 10} {
		if float64(factor) <= x {
			step = factor
		}
	}
	if x >= 20 {
		return 10 * roundStep(x/10)
	}
	return step
}

// chartGlyphs are the characters of a chart.
type chartGlyphs struct {
	regions                    [4]string
	side, bottom, tick, corner string
}

func (p *page) chartGlyphs() chartGlyphs {
	if p.options.ASCII {
		return chartGlyphs{regions: [4]string{" ", ".", "#", "o"}, side: "|", bottom: "-", tick: "+", corner: "+"}
	}
	return chartGlyphs{regions: [4]string{" ", "░", "▓", "●"}, side: "│", bottom: "─", tick: "┴", corner: "└"}
}
