package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/scale"
)

const (
	histogramHeight = 8 // rows; chosen
	// A guard on what a file claims to have.
	mostBins = 1000
)

// histogram draws a distribution with characters: a column for each part of its range, denser within an interval.
func (p *page) histogram(h *document.Histogram) {
	if len(h.Shares) == 0 || len(h.Shares) > mostBins || !(h.High > h.Low) {
		return
	}
	shares := narrowed(h.Shares, p.width-2*indent)
	top := 0.0
	for _, share := range shares {
		top = math.Max(top, share)
	}
	if !(top > 0) {
		return
	}
	with := p.chartGlyphs()
	inner, outer := with.regions[fails], with.regions[passes]
	each := (h.High - h.Low) / float64(len(shares))
	margin := strings.Repeat(" ", indent)
	for row := histogramHeight; row > 0; row-- {
		var line strings.Builder
		for i, share := range shares {
			middle := h.Low + (float64(i)+0.5)*each
			switch {
			// A column reaches a row from its middle on, and the lowest of all where it is not next to nothing.
			case share/top*histogramHeight < float64(row)-0.5:
				line.WriteByte(' ')
			case h.From <= middle && middle <= h.To:
				line.WriteString(inner)
			default:
				line.WriteString(outer)
			}
		}
		p.lines = append(p.lines, strings.TrimRight(margin+line.String(), " "))
	}
	p.histogramAxis(h, len(shares), with)
	p.note(fmt.Sprintf("%s, in points; %s the %s interval, %s beyond it", h.Name, inner, h.Inner, outer))
}

// histogramAxis is the line below the columns, with ticks at the marks and the ends.
func (p *page) histogramAxis(h *document.Histogram, width int, with chartGlyphs) {
	s := scale.Scale{Low: h.Low, High: h.High}
	line, labels := []rune(strings.Repeat(with.bottom, width)), []byte(strings.Repeat(" ", width+indent))
	// The marks first, which matter most; a label without room is left out with its tick.
	for _, at := range append(append([]float64{}, h.Marks...), h.Low, h.High) {
		if at < h.Low || at > h.High {
			continue
		}
		column := min(int(s.At(at)*float64(width)), width-1)
		text := strings.Fields(phrase.Points(at))[0]
		from := min(max(column-(len(text)-1)/2, 0), width-len(text))
		if from < 0 || strings.TrimSpace(string(labels[max(from-1, 0):min(from+len(text)+1, len(labels))])) != "" {
			continue
		}
		copy(labels[from:], text)
		line[column] = []rune(with.tick)[0]
	}
	margin := strings.Repeat(" ", indent)
	p.lines = append(p.lines, margin+string(line), strings.TrimRight(margin+string(labels), " "))
}

// narrowed joins neighbours until the columns have room.
func narrowed(shares []float64, width int) []float64 {
	by := (len(shares) + width - 1) / width
	if by <= 1 {
		return shares
	}
	joined := make([]float64, (len(shares)+by-1)/by)
	for i, share := range shares {
		joined[i/by] += share
	}
	return joined
}
