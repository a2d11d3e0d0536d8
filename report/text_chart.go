package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict"
)

// A chart of characters: failures against trials, with the regions in which a test ends.

// chart draws the regions, the path if there is one, both axes and a legend.
func (p *page) chart(c boundaryChart) {
	// The labels of the rows, a blank and the axis stand to the left of the points.
	margin := indent + chartLabel + 2
	if c.last < 1 {
		p.note("there are no boundaries to draw")
		return
	}
	with := p.chartGlyphs()
	g := c.grid(p.width - margin)
	// The path covers the region that it goes through.
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
		// About five rows have their number, counted from 0 at the bottom.
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

// cells is one row, coloured by its regions. Neighbours of one region are coloured
// together, so that a row has few colour sequences.
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
		// Centred below its tick, within the line, and with a blank on each side; a
		// number without room is left out with its tick.
		from := min(column-(len(text)-1)/2, len(labels)-len(text))
		if from < 0 || strings.TrimSpace(string(labels[max(from-1, 0):min(from+len(text)+1, len(labels))])) != "" {
			return
		}
		copy(labels[from:], text)
		line[column] = []rune(with.tick)[0]
	}
	// The last number is the most important one and comes first.
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

// chartGlyphs are the characters of a chart: of the points by their region, and of
// the axes with their ticks.
type chartGlyphs struct {
	// By region: going on, Pass, Fail, on the path.
	regions                    [4]string
	side, bottom, tick, corner string
}

func (p *page) chartGlyphs() chartGlyphs {
	if p.ascii {
		return chartGlyphs{regions: [4]string{" ", ".", "#", "o"}, side: "|", bottom: "-", tick: "+", corner: "+"}
	}
	return chartGlyphs{regions: [4]string{" ", "░", "▓", "●"}, side: "│", bottom: "─", tick: "┴", corner: "└"}
}
