package deliver

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
)

// InASCII writes other characters as Go escapes them, and an ellipsis as dots.
func InASCII(text string) string {
	quoted := strconv.QuoteToASCII(strings.ReplaceAll(text, "…", "..."))
	return strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}

// FactLines are a name and a text beside it, wrapped.
func FactLines(name, text string, width int) (lines []string) {
	const indent = 15
	start := fmt.Sprintf("  %-*s", indent-2, name)
	for _, part := range table.Wrap(text, max(width-indent, 20)) {
		lines = append(lines, start+part)
		start = strings.Repeat(" ", indent)
	}
	return lines
}

// ScreenOf is the terminal, or none where the result goes to a file.
func ScreenOf(a *world.World, to *outfile.File) world.Screen {
	if to != nil {
		return world.NewScreen(nil, a.Env, a.TerminalWidth)
	}
	return world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth)
}

// WriteFacts writes a word and a sentence beside it, and below them names with a text each.
func WriteFacts(w io.Writer, word, sentence string, facts [][2]string, s world.Screen) error {
	indent := len(word) + 2
	lines, start := []string{}, word+"  "
	for _, line := range table.Wrap(sentence, max(s.Width-indent, 20)) {
		lines = append(lines, start+line)
		start = strings.Repeat(" ", indent)
	}
	for _, fact := range facts {
		lines = append(lines, FactLines(fact[0], fact[1], s.Width)...)
	}
	return WriteLines(w, lines, s)
}

// WriteLines writes lines as a screen can show them.
func WriteLines(w io.Writer, lines []string, s world.Screen) error {
	text := strings.Join(lines, "\n") + "\n"
	if s.Ascii {
		text = InASCII(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

// PrintTable prints a table to standard output, and lines below it.
func PrintTable(a *world.World, t table.Table, below ...string) error {
	s := world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth)
	lines, err := s.Lines(t)
	if err != nil {
		return err
	}
	for _, line := range below {
		lines = append(lines, prose.Printable(line))
	}
	_, err = io.WriteString(a.Out, strings.Join(lines, "\n")+"\n")
	return err
}

// DollarText writes an amount with four digits.
func DollarText(x float64) string { return "$" + strconv.FormatFloat(x, 'g', 4, 64) }
