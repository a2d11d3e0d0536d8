package table

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// tablewriter's names of our sides.
var alignments = [...]tw.Align{Left: tw.AlignLeft, Right: tw.AlignRight}

// newWriter returns a writer of rows without borders and lines, with half of the gap on each side of a column. All
// that it does to them is pinned: left to itself it trims texts, wraps, hides and asks the locale for widths.
func newWriter(w io.Writer, widths tw.Mapper[int, int], aligns []tw.Align) *tablewriter.Table {
	writer := tablewriter.NewTable(w, tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Symbols:  tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})))
	// As an option it would be merged with the defaults, and what is the zero value would not count.
	return writer.Configure(func(c *tablewriter.Config) {
		*c = tablewriter.Config{
			Row: tw.CellConfig{
				Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
				Merging:    tw.CellMerging{Mode: tw.MergeNone},
				Padding:    tw.CellPadding{Global: tw.PaddingDefault},
				Alignment:  tw.CellAlignment{Global: tw.AlignLeft, PerColumn: aligns},
			},
			Widths: tw.CellWidth{PerColumn: widths},
			Behavior: tw.Behavior{
				AutoHide: tw.Off, TrimSpace: tw.Off, TrimTab: tw.Off, TrimLine: tw.Off,
				Compact: tw.Compact{Merge: tw.Off}, Structs: tw.Struct{AutoHeader: tw.Off},
			},
		}
	})
}

// measured returns texts whose widths tablewriter finds as [Width] does, and what puts back the others. It adds up the
// widths of characters, so that an emoji of several is too wide to it: letters for private use, a column each, stand
// for a text with one.
func measured(texts []string) (plain []string, back *strings.Replacer) {
	var pairs []string
	for i, text := range texts {
		if width := Width(text); width != twwidth.WidthWithOptions(text, twwidth.Options{}) {
			texts[i] = strings.Repeat(string(rune(0xF0000+i)), width)
			pairs = append(pairs, texts[i], text)
		}
	}
	return texts, strings.NewReplacer(pairs...)
}
