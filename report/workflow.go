package report

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
)

// mostAnnotations is how many GitHub shows of one kind and step.
const mostAnnotations = 10

// writeAnnotations writes commands for the log of a workflow of GitHub Actions, at most
// ten: an ::error for what failed, then a ::warning for what else did not pass. The last says how
// many there is no room for.
func writeAnnotations(w io.Writer, d *document.Document, _ Options) error {
	var list []document.Case
	for _, c := range d.Cases {
		if c.Status != document.Passed {
			list = append(list, c)
		}
	}
	// What failed comes before what is open, so that the limit cuts warnings first, and of either the most important.
	slices.SortStableFunc(list, func(a, b document.Case) int {
		if first, second := annotationKind(a), annotationKind(b); first != second {
			return cmp.Compare(first, second) // "error" before "warning"
		}
		return cmp.Compare(b.Weight, a.Weight)
	})
	var lines []string
	for i, c := range list {
		// The last of the ten tells how many more there are. Exactly ten need no such line.
		if more := len(list) - i; i == mostAnnotations-1 && more > 1 {
			lines = append(lines, fmt.Sprintf("::%s title=%s::%d more are in the summary", annotationKind(c),
				commandProperty(d.Subject), more))
			break
		}
		title := prose.CutRunes(aboutOf(d, c)+": "+c.Name, 120)
		lines = append(lines, fmt.Sprintf("::%s %stitle=%s::%s", annotationKind(c), commandPlace(c),
			commandProperty(title), commandLines(append([]string{c.Message}, c.Why...))))
	}
	text := ""
	for _, line := range lines {
		text += line + "\n"
	}
	return write(w, []byte(text))
}

// aboutOf names what a case is about: its scenario, or what was judged where it is of no scenario.
func aboutOf(d *document.Document, c document.Case) string {
	return safe.Name(cmp.Or(c.Scenario, d.Subject))
}

// annotationKind is the command for a case that did not pass.
func annotationKind(c document.Case) string {
	if c.Status == document.Failed {
		return "error"
	}
	return "warning"
}

// commandPlace are the properties that put an annotation beside the scenario in its suite, each followed by a comma.
func commandPlace(c document.Case) string {
	if c.File == "" {
		return ""
	}
	text := "file=" + commandProperty(c.File) + ","
	if c.Line > 0 {
		text += fmt.Sprintf("line=%d,", c.Line)
	}
	return text
}

// commandLines is a message of several lines: what others wrote begins none.
func commandLines(lines []string) string {
	var text []string
	for _, line := range lines {
		text = append(text, commandData(prose.CutRunes(line, 1000)))
	}
	return strings.Join(text, "%0A")
}

// commandData escapes the message of a workflow command.
func commandData(text string) string {
	// GitHub decodes these three in a message, and : and , in a property besides.
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(safe.Text(text))
}

// commandProperty escapes a property of a workflow command.
func commandProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(commandData(text))
}

// writeOutputs writes the values of a step for the file that GITHUB_OUTPUT names:
// verdict, exit_code, schema, subject, headline, reasons, failed and inconclusive with how
// many they are, and what the kind of result has besides, such as trials or cost_usd. A
// value of several lines stands between delimiters that are drawn from random, so that no
// value can end it and set another.
func writeOutputs(w io.Writer, d *document.Document, o Options) error {
	random := o.Random
	if random == nil {
		random = rand.Reader
	}
	reasons := ""
	for _, r := range d.Reasons {
		reasons += safe.Text(r.Text) + "\n"
	}
	var failed, inconclusive []string
	for _, c := range d.Cases {
		name := safe.Text(aboutOf(d, c) + ": " + c.Name)
		switch c.Status {
		case document.Failed:
			failed = append(failed, name)
		case document.Open, document.Broken:
			inconclusive = append(inconclusive, name)
		}
	}
	facts := []document.Fact{
		fact("verdict", verdictOf(d)), count("exit_code", d.ExitCode), fact("schema", d.Schema),
		fact("subject", safe.Text(d.Subject)), fact("headline", safe.Text(d.Said())),
		fact("reasons", strings.TrimSuffix(reasons, "\n")), fact("failed", strings.Join(failed, "\n")),
		count("failed_count", len(failed)), fact("inconclusive", strings.Join(inconclusive, "\n")),
		count("inconclusive_count", len(inconclusive)),
	}
	var text strings.Builder
	for _, f := range append(facts, d.Outputs...) {
		if !strings.Contains(f.Value, "\n") {
			fmt.Fprintf(&text, "%s=%s\n", f.Name, f.Value)
			continue
		}
		// 128 random bits: what an agent wrote cannot have guessed them.
		delimiter := make([]byte, 16)
		if _, err := io.ReadFull(random, delimiter); err != nil {
			return fmt.Errorf("no random delimiter: %w", err)
		}
		mark := "end_" + hex.EncodeToString(delimiter)
		fmt.Fprintf(&text, "%s<<%s\n%s\n%s\n", f.Name, mark, f.Value, mark)
	}
	return write(w, []byte(text.String()))
}
