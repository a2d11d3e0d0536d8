package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/verdict"
)

// How large a document of Markdown may be: the comment of a pull request, and the
// summary of a step of GitHub Actions.
const (
	commentBytes  = 64_000 // 65,536 characters are the most
	summaryBytes  = 1_000_000
	leastMarkdown = 4000
)

// writeSummary writes Markdown as long as a step's summary may be.
func writeSummary(w io.Writer, d *document.Document, _ Options) error {
	return writeMarkdown(w, d, Options{Bytes: summaryBytes})
}

// writeMarkdown writes a document for a pull request: the verdict and its reasons first,
// then what failed, then the rest, as tables. What there is no room for is left out from
// the end, and counted.
func writeMarkdown(w io.Writer, d *document.Document, o Options) error {
	if o.Bytes <= 0 {
		o.Bytes = commentBytes
	}
	m := markdown{room: max(o.Bytes, leastMarkdown)}
	m.head(d)
	for _, s := range d.Sections() {
		m.section(s)
	}
	m.warnings(d.Notes)
	m.facts(d.Facts())
	if len(m.left) > 0 {
		m.text.WriteString("\n> Left out for want of room: " + strings.Join(m.left, ", ") +
			". The saved result has all of it.\n")
	}
	return write(w, []byte(m.text.String()))
}

// markdown is a document that is being written. It keeps room for its end.
type markdown struct {
	text strings.Builder
	room int
	left []string // what was left out
}

// What a part may take at most, and what is kept for the note at the end.
const (
	markdownReserve = 1500
	markdownCell    = 300 // characters of a cell
	markdownReason  = 600
	mostReasons     = 10
	mostWarnings    = 10
)

func (m *markdown) fits(text string) bool { return m.text.Len()+len(text)+markdownReserve <= m.room }

var verdictMarks = map[verdict.Verdict]string{verdict.Pass: "✅", verdict.Fail: "❌", verdict.Inconclusive: "❔"}

func (m *markdown) head(d *document.Document) {
	fmt.Fprintf(&m.text, "## %s %s\n\n%s\n\n", verdictMarks[d.Colour], markdownTitle(d),
		markdownText(prose.CutRunes(d.Said(), markdownReason)))
	for i, r := range d.Reasons {
		line := fmt.Sprintf("- %s\n", markdownText(prose.CutRunes(r.Text, markdownReason)))
		if i == mostReasons || m.text.Len()+len(line) > m.room/2 {
			m.left = append(m.left, fmt.Sprintf("%d reasons", len(d.Reasons)-i))
			break
		}
		m.text.WriteString(line)
	}
}

// markdownTitle says the verdict, or what is shown, and what was judged.
func markdownTitle(d *document.Document) string {
	word := d.Word
	if d.Judged {
		word = d.Verdict.String()
	}
	return titleOf(word, markdownText(prose.CutRunes(d.Subject, 100)))
}

// section is a table with as many rows as there is room for.
func (m *markdown) section(s document.Section) {
	open, end := "\n### "+markdownText(s.Title)+"\n\n", ""
	if s.Fold {
		open, end = "\n<details><summary>"+markdownText(s.Title)+"</summary>\n\n", "\n</details>\n"
	}
	if s.Note != "" {
		open += markdownText(s.Note) + "\n\n"
	}
	open += tableHead(s.Columns)
	for i, row := range s.Rows {
		line := tableRow(s.Cells(row))
		if !m.fits(open + line + end) {
			m.left = append(m.left, fmt.Sprintf("%d of %s (%s)", len(s.Rows)-i, prose.Count(len(s.Rows), "row"),
				markdownText(s.Title)))
			if i == 0 {
				return
			}
			break
		}
		m.text.WriteString(open + line)
		open = ""
	}
	m.text.WriteString(end)
}

func tableHead(columns []document.Column) string {
	head, rule := "|", "|"
	for _, c := range columns {
		head += " " + markdownText(c.Title) + " |"
		if c.Right {
			rule += " ---: |"
		} else {
			rule += " --- |"
		}
	}
	return head + "\n" + rule + "\n"
}

func tableRow(row []document.Cell) string {
	line := "|"
	for _, c := range row {
		text := markdownText(prose.CutRunes(c.Full(), markdownCell))
		switch {
		case c.Verdict != nil:
			text = verdictMarks[*c.Verdict] + " " + text
		case c.Foreign && c.Text != "":
			text = markdownCode(prose.CutRunes(c.Full(), markdownCell))
		}
		line += " " + text + " |"
	}
	return line + "\n"
}

func (m *markdown) warnings(list []string) {
	if len(list) == 0 {
		return
	}
	open := "\n### Warnings\n\n"
	for i, text := range list {
		line := "- " + markdownText(prose.CutRunes(text, markdownReason)) + "\n"
		if i == mostWarnings || !m.fits(open+line) {
			m.left = append(m.left, fmt.Sprintf("%d warnings", len(list)-i))
			return
		}
		m.text.WriteString(open + line)
		open = ""
	}
}

func (m *markdown) facts(facts []document.Fact) {
	var parts []string
	for _, f := range facts {
		parts = append(parts, markdownText(f.Name)+" "+markdownText(prose.CutRunes(f.Value, markdownCell)))
	}
	line := "\n<sub>" + strings.Join(parts, " · ") + "</sub>\n"
	if len(parts) > 0 && m.fits(line) {
		m.text.WriteString(line)
	}
}
