package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
)

// How large a document of Markdown may be: the comment of a pull request, and the
// summary of a step of GitHub Actions.
const (
	commentBytes = 64_000 // 65,536 characters are the most
	summaryBytes = 1_000_000
	// Below this, the reserve and the reasons would fill most of the document.
	leastMarkdown = 4000
)

// writeSummary writes Markdown as long as a step's summary may be.
func writeSummary(w io.Writer, d *document.Document, _ Options) error {
	return writeMarkdown(w, d, Options{Bytes: summaryBytes})
}

// writeMarkdown writes a document for a pull request: the verdict and its reasons first,
// then what failed, then the rest, as tables, folded where the first says enough. What there is
// no room for is left out from the end, and counted.
func writeMarkdown(w io.Writer, d *document.Document, o Options) error {
	if o.Bytes <= 0 {
		o.Bytes = commentBytes
	}
	m := markdown{room: max(o.Bytes, leastMarkdown)}
	m.head(d)
	m.causes(d)
	end := ""
	if d.Told {
		m.text.WriteString("\n<details><summary>Details</summary>\n")
		end = "\n</details>\n"
	}
	// The sections come with the most important first, so what is left out is what
	// matters least.
	for _, s := range d.Sections() {
		// The findings have told of these trials.
		if s.Table != nil && s.Table.Carded && s.Table.Rank == rankFailures && len(d.Findings) > 0 {
			continue
		}
		m.section(s)
	}
	m.warnings(d.Notes)
	m.facts(d.Facts())
	m.text.WriteString(end)
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
	// Kept for the line that tells what was left out.
	markdownReserve = 1500
	markdownCell    = 300 // characters of a cell
	markdownReason  = 600
	mostReasons     = 10
	mostWarnings    = 10
)

// fits reports whether a text, as it would be written, leaves the reserve for the
// end.
func (m *markdown) fits(text string) bool { return m.text.Len()+len(text)+markdownReserve <= m.room }

// The marks of verdicts: a comment has no colours, and they are seen before any word.
var verdictMarks = map[verdict.Verdict]string{verdict.Pass: "✅", verdict.Fail: "❌", verdict.Inconclusive: "❔"}

// head is the title, the headline and the reasons. The reasons take at most half of
// the room, so that the tables have some.
func (m *markdown) head(d *document.Document) {
	m.text.WriteString("## ")
	if d.Word != "" && !d.Plain {
		m.text.WriteString(verdictMarks[d.Colour] + " ")
	}
	m.text.WriteString(markdownTitle(d) + "\n")
	if d.Headline != "" {
		headline := strings.TrimPrefix(d.Headline, safe.Text(d.Subject)+": ") // the title has the name
		m.text.WriteString("\n" + markdownText(prose.CutRunes(headline, markdownReason)) + "\n")
	}
	if d.Against != "" {
		m.text.WriteString("\n" + markdownText(prose.CutRunes(d.Against, markdownReason)) + "\n")
	}
	if len(d.Findings) > 0 {
		m.text.WriteString("\n")
		m.findings(d)
		m.next(d)
		return
	}
	defer m.next(d)
	for i, r := range d.Reasons {
		// One that the headline ends with is said.
		if len(d.Reasons) == 1 && strings.HasSuffix(d.Headline, r.Text) {
			break
		}
		if i == 0 {
			m.text.WriteString("\n")
		}
		line := fmt.Sprintf("- %s\n", markdownText(prose.CutRunes(r.Text, markdownReason)))
		if i == mostReasons || m.text.Len()+len(line) > m.room/2 {
			m.left = append(m.left, fmt.Sprintf("%d reasons", len(d.Reasons)-i))
			break
		}
		m.text.WriteString(line)
	}
}

// next is what to do next.
func (m *markdown) next(d *document.Document) {
	switch {
	case d.Do != "":
		before := cmp.Or(d.DoBefore, "see the first of these trials again: ")
		m.text.WriteString("\nNext, " + markdownText(before) + markdownCode(d.Do) + "\n")
	case d.DoBefore != "":
		m.text.WriteString("\n" + markdownText(prose.Capitalised(d.DoBefore)) + ".\n")
	}
}

// findings are what did not pass, the worst first, each with why its trials did not, and what is fine.
func (m *markdown) findings(d *document.Document) {
	for i, f := range d.Findings {
		name := markdownCode(prose.CutRunes(f.Name, markdownCell))
		line := fmt.Sprintf("- %s %s %s\n", verdictMarks[f.Verdict], name, markdownText(prose.CutRunes(f.Sentence,
			markdownReason)))
		for _, text := range slices.Concat(f.More, answersOf(f.Pair)) {
			line += fmt.Sprintf("  - %s\n", markdownText(prose.CutRunes(text, markdownReason)))
		}
		line += causeLines("  ", f.Causes)
		if i == defaultRows || m.text.Len()+len(line) > m.room/2 {
			m.left = append(m.left, fmt.Sprintf("%d that did not pass", len(d.Findings)-i))
			break
		}
		m.text.WriteString(line)
	}
	if fine := markdownText(prose.CutRunes(d.Fine, markdownReason)); fine != "" && m.fits(fine) {
		fmt.Fprintf(&m.text, "- %s %s\n", verdictMarks[verdict.Pass], fine)
	}
}

// causeLines are an indented list of causes: the most frequent ones, the page has all.
func causeLines(indented string, list []document.Cause) (lines string) {
	const most = 2 // chosen
	for i, c := range list {
		if i == most {
			return lines + fmt.Sprintf("%s- and %s\n", indented, prose.Count(len(list)-i, "further reason"))
		}
		lines += fmt.Sprintf("%s- %d × %s", indented, c.Count, markdownText(prose.CutRunes(c.Text, markdownReason)))
		if len(c.Trials) > 0 {
			lines += ": " + markdownCode(prose.CutRunes(c.Trials[0], markdownCell)) +
				markdownText(strings.TrimPrefix(c.Names(1), c.Trials[0]))
		}
		lines += "\n"
	}
	return lines
}

// causes are why trials did not pass where all is well.
func (m *markdown) causes(d *document.Document) {
	for _, part := range d.Parts {
		if list, is := part.(document.CauseList); is && len(list) > 0 {
			m.text.WriteString("\nTrials that did not pass:\n\n" + causeLines("", list))
		}
	}
}

// markdownTitle says the verdict, the decision of a gate or what is shown, and what was judged.
func markdownTitle(d *document.Document) string {
	return document.TitleOf(d.Word, markdownText(prose.CutRunes(cmp.Or(d.Heading, d.Subject), 100)))
}

// section is a table with as many rows as there is room for.
func (m *markdown) section(s document.Section) {
	// A section that is folded needs its closing tag whatever is cut, so the tag
	// counts in every question for room.
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
			// Without room for its first row, a section leaves no heading behind
			// either.
			if i == 0 {
				return
			}
			break
		}
		m.text.WriteString(open + line)
		// The heading is written with the first row.
		open = ""
	}
	m.text.WriteString(end)
}

// tableHead is the head of a table with the rule below it, which aligns the columns.
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

// tableRow is a row: verdicts with their marks, and texts of others as code.
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

// warnings are a list, as many as there is room for.
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

// facts are one line of small print, whole or not at all.
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
