// Package table lays text out in columns for a terminal or a log, in the width it is
// given.
//
// The main type is [Table]:
//
//	t := table.Table{
//		Columns: []table.Column{{Header: "scenario", Least: 8}, {Header: "passes", Align: table.Right}},
//		Rows:    [][]string{{"refund", "45/50"}},
//		Width:   80,
//	}
//	lines, err := t.Lines()
//
// Lines first chooses the columns that are shown and their widths (layout.go): a
// column that may be dropped goes before any text is shortened. Then it makes the
// texts of each row (table.go), shortens them by what a terminal shows ([Shorten],
// with [Wrap], [Cut] and [Pad] in width.go), and lets tablewriter draw them
// (writer.go).
//
// The width of text is what a terminal shows by Unicode's rules, with characters of
// ambiguous width counted as narrow; neither the locale nor the environment has a
// say. It is the only package that knows tablewriter.
package table
