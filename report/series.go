package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
)

// sparks are the characters of a line of blocks, the lowest first; a blank is not known.
func (p *page) sparks() []string {
	if p.ascii {
		return []string{"_", ".", "-", "=", "+", "*", "%", "#"}
	}
	return []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
}

// series draws a quantity over time as a line of blocks beside its name, with what the lowest and the highest stand
// for, and its changes marked below. Where there are more points than columns, each column is the mean of some.
func (p *page) series(s *document.Series) {
	low, high, known := s.Range()
	if !known {
		return
	}
	columns := min(len(s.Points), p.width-2*indent-labelWidth)
	if columns < 1 {
		return
	}
	sparks := p.sparks()
	var line strings.Builder
	for c := range columns {
		mean, some := meanKnown(s.Points[c*len(s.Points)/columns : (c+1)*len(s.Points)/columns])
		if !some {
			line.WriteByte(' ')
			continue
		}
		// A quantity that does not change is a line in the middle.
		level := len(sparks) / 2
		if high > low {
			level = min(int((mean-low)/(high-low)*float64(len(sparks))), len(sparks)-1)
		}
		line.WriteString(sparks[level])
	}
	margin := strings.Repeat(" ", indent+labelWidth)
	label := table.Shorten(s.Name, labelWidth-1, p.ellipsis())
	p.lines = append(p.lines, strings.TrimRight(strings.Repeat(" ", indent)+p.dim(label)+
		strings.Repeat(" ", labelWidth-table.Width(label))+line.String(), " "))
	if len(s.Changes) > 0 {
		marks := []rune(strings.Repeat(" ", columns))
		for _, c := range s.Changes {
			marks[min(c.At*columns/len(s.Points), columns-1)] = p.changeMark()
		}
		p.lines = append(p.lines, strings.TrimRight(margin+string(marks), " "))
	}
	p.labelled("", fmt.Sprintf("%s %s to %s %s, from %s to %s%s", sparks[0], s.Write(low), sparks[len(sparks)-1],
		s.Write(high), s.First,
		s.Last, p.legendOfChanges(s)))
}

// changeMark stands below a change.
func (p *page) changeMark() rune {
	if p.ascii {
		return '^'
	}
	return '▲'
}

// legendOfChanges says what the mark of changes is, where there are any.
func (p *page) legendOfChanges(s *document.Series) string {
	if len(s.Changes) == 0 {
		return ""
	}
	return fmt.Sprintf("; %c a change", p.changeMark())
}

// meanKnown is the mean of the points that are known.
func meanKnown(points []document.SeriesPoint) (mean float64, known bool) {
	n := 0.0
	for _, p := range points {
		if p.Value != nil && !math.IsNaN(*p.Value) {
			mean += *p.Value
			n++
		}
	}
	return mean / n, n > 0
}
