package suggest

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/tribunal-dev/tribunal/internal/arbitrary"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
)

// comment columns; chosen, as lines of a suite are about so wide.
const commentWidth = 100

// YAML writes suggestions as a part of a suite, which can include the file: scenarios, and variants. The lines of the
// header stand above it as comments, and of each suggestion what it is to reach and why, with the lines that said
// returns of it, which may be nil. Whatever is in the texts, they stay comments and values.
func YAML(header []string, list []*Suggestion, said func(*Suggestion) []string) []byte {
	var b bytes.Buffer
	comment(&b, "", header...)
	for _, part := range []struct {
		key     string
		variant bool
	}{{"variants", true}, {"scenarios", false}} {
		begun := false
		for _, s := range list {
			if (s.Variant != nil) != part.variant {
				continue
			}
			if !begun {
				fmt.Fprintf(&b, "%s:\n", part.key)
			}
			begun = true
			var lines []string
			if s.Aim != "" {
				lines = append(lines, fmt.Sprintf("%s: %s", s.Dimension, s.Aim))
			}
			lines = append(lines, s.Why)
			if said != nil {
				lines = append(lines, said(s)...)
			}
			comment(&b, "  ", lines...)
			entry(&b, s)
		}
	}
	return b.Bytes()
}

// entry writes a scenario, or a variant. Values are JSON, which YAML reads.
func entry(b *bytes.Buffer, s *Suggestion) {
	fmt.Fprintf(b, "  - name: %s\n", Flow(s.Name))
	if s.Variant != nil {
		for _, key := range []string{"command", "env", "model"} {
			if value, there := s.Variant[key]; there {
				fmt.Fprintf(b, "    %s: %s\n", key, Flow(value))
			}
		}
		return
	}
	if s.Input != nil {
		fmt.Fprintf(b, "    input: %s\n", Flow(s.Input))
	}
	if len(s.Tags) > 0 {
		fmt.Fprintf(b, "    tags: %s\n", Flow(s.Tags))
	}
	if len(s.Evaluate) > 0 {
		fmt.Fprintf(b, "    evaluate: %s\n", Flow(s.Evaluate))
	}
}

// Flow writes a value as JSON that YAML reads: characters that do not print, which are within texts alone, are escaped.
func Flow(value any) string {
	var b strings.Builder
	for _, r := range string(arbitrary.Encoded(value)) {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// comment writes lines behind number signs, each wrapped.
func comment(b *bytes.Buffer, indent string, lines ...string) {
	for _, line := range lines {
		for _, part := range table.Wrap(prose.Printable(line), commentWidth-len(indent)) {
			fmt.Fprintf(b, "%s# %s\n", indent, part)
		}
	}
}
