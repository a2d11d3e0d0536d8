package table

import (
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// tablewriter's names of our sides.
var alignments = [...]tw.Align{Left: tw.AlignLeft, Right: tw.AlignRight}

// pinned is tablewriter's whole configuration. Left to itself it rewrites
// headers, trims texts, wraps, merges, hides and asks the locale for widths.
func pinned(aligns []tw.Align) tablewriter.Config {
	// The same for the header and the rows: texts come as they are to be shown.
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Merging:    tw.CellMerging{Mode: tw.MergeNone},
		Padding:    tw.CellPadding{Global: tw.Padding{Overwrite: true}},
		Alignment:  tw.CellAlignment{Global: tw.AlignLeft, PerColumn: aligns},
	}
	return tablewriter.Config{
		Header: cell,
		Row:    cell,
		Footer: cell,
		Behavior: tw.Behavior{
			AutoHide: tw.Off, TrimSpace: tw.Off, TrimTab: tw.Off, TrimLine: tw.Off,
			Header: tw.Control{Hide: tw.Off}, Footer: tw.Control{Hide: tw.Off},
			Compact: tw.Compact{Merge: tw.Off},
			Structs: tw.Struct{AutoHeader: tw.Off},
		},
	}
}

// measured takes the rows that tablewriter has prepared and pads them by [Width]:
// tablewriter's own renderers pad by widths that depend on the locale, and ignore
// write errors.
type measured struct {
	tw.Renderer // for what is not drawn here: it has no borders and no lines
	// Blanks before each line.
	indent string
	// In columns of the terminal, of the columns that are shown.
	widths []int
	// What was drawn, without line ends.
	lines []string
}

// newMeasured is a renderer with an empty style behind it: what tablewriter asks for
// besides headers and rows draws nothing.
func newMeasured(indent int) *measured {
	return &measured{
		indent: strings.Repeat(" ", indent),
		Renderer: renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Symbols:  tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		}),
	}
}

// Header draws one line of the header.
func (m *measured) Header(_ [][]string, f tw.Formatting) { m.line(f.Row.Current) }

// Row draws one line of a row.
func (m *measured) Row(_ []string, f tw.Formatting) { m.line(f.Row.Current) }

// line pads the cells of a line and keeps it. A missing cell is blank, and blanks at
// the end of the line are cut off.
func (m *measured) line(cells map[int]tw.CellContext) {
	var line strings.Builder
	line.WriteString(m.indent)
	for i, width := range m.widths {
		if i > 0 {
			line.WriteString(strings.Repeat(" ", gap))
		}
		cell := cells[i]
		blanks := strings.Repeat(" ", max(width-Width(cell.Data), 0))
		if cell.Align == tw.AlignRight {
			line.WriteString(blanks + cell.Data)
		} else {
			line.WriteString(cell.Data + blanks)
		}
	}
	m.lines = append(m.lines, strings.TrimRight(line.String(), " "))
}
