package mutation

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff is a unified diff of each component that differs, in the order of a configuration; "" where none does. JSON that
// stands on one line is shown on several, and texts as they are: who prints them makes them printable.
func Diff(before, after Configuration) string {
	var b strings.Builder
	for _, component := range before.Changed(after) {
		old, now := before.shown(component), after.shown(component)
		text := diff.Diff("a/"+string(component), []byte(old), "b/"+string(component), []byte(now))
		_, text, _ = bytes.Cut(text, []byte("\n")) // the command that would make it
		b.Write(text)
	}
	return b.String()
}

// shown is a component as a text of lines.
func (c Configuration) shown(component Component) string {
	var b strings.Builder
	switch component {
	case PromptComponent:
		return ended(c.Prompt)
	case ToolsComponent:
		for _, t := range c.Tools {
			b.WriteString(ended(indented(t.Raw)))
		}
	case ModelComponent:
		b.WriteString(ended(c.Model))
		if c.Temperature.Known {
			b.WriteString("temperature: " + strconv.FormatFloat(c.Temperature.Value, 'g', -1, 64) + "\n")
		}
	case ContextComponent:
		for i, s := range c.Context {
			if i > 0 {
				b.WriteString("---\n")
			}
			b.WriteString(ended(s.Raw))
		}
	case OrchestrationComponent:
		return ended(indented([]byte(c.Orchestration)))
	default:
		for _, f := range c.Results {
			b.WriteString(f.String() + "\n")
		}
	}
	return b.String()
}

// ended is a text that ends with the end of a line, unless it is empty.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// indented is JSON on several lines.
func indented(raw []byte) string {
	var b bytes.Buffer
	if bytes.ContainsRune(raw, '\n') || json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// hunk is a place where lines of a text are new.
type hunk struct {
	after int // the first of them, from 1
	added int
}

// hunks are the places where a text has lines that an earlier one does not have.
func hunks(before, after string) (all []hunk) {
	at := 0
	for line := range strings.SplitSeq(string(diff.Diff("a", []byte(ended(before)), "b", []byte(ended(after)))), "\n") {
		switch {
		case strings.HasPrefix(line, "@@ "): // @@ -1,2 +3,4 @@
			_, rest, _ := strings.Cut(line, "+")
			number, _, _ := strings.Cut(rest, ",")
			at, _ = strconv.Atoi(number)
		case at == 0: // the names
		case strings.HasPrefix(line, "+"):
			if n := len(all); n > 0 && all[n-1].after+all[n-1].added == at {
				all[n-1].added++
			} else {
				all = append(all, hunk{at, 1})
			}
			at++
		case strings.HasPrefix(line, " "):
			at++
		}
	}
	return all
}
