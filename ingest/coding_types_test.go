package ingest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// A field of another type than the format says is unknown: the rest is read all the
// same, and nothing is an error but a whole that is no JSON.
func TestFieldsOfOtherTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads many files")
	}
	for name, format := range map[string]Format{
		"claude-stream": "claude-stream", "claude-session": "claude-session", "codex": "codex",
		"codex-session": "codex-session", "gemini-cli": "gemini-cli", "gemini-session": "gemini-session",
		"anthropic": "anthropic", "mcp": "mcp", "bedrock": "bedrock",
	} {
		text, err := os.ReadFile(ownSample(name))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if format == "anthropic" {
			lines = []string{string(text)}
		}
		replaced := 0
		for i, line := range lines {
			start, end := strings.IndexByte(line, '{'), strings.LastIndex(line, " { metadata")
			if end < 0 {
				end = len(line)
			}
			if start < 0 || end < start {
				continue
			}
			n, err := record.DecodeNode([]byte(line[start:end]))
			if err != nil {
				continue // the line that is cut off
			}
			variants(n.Value, func() {
				altered, err := json.Marshal(n.Value)
				if err != nil {
					t.Fatal(err)
				}
				before, after := lines[:i:i], lines[i+1:]
				whole := strings.Join(append(append(before, line[:start]+string(altered)+line[end:]), after...), "\n")
				sound(t, []byte(whole), format)
				if _, err := written(NewStream(strings.NewReader(whole),
					Options{From: format, Options: trial.Options{Unjudged: true}})); err != nil {
					t.Errorf("%s: %v in %s", name, err, altered)
				}
				replaced++
			})
		}
		if replaced < thorough.Draws(10, 50) {
			t.Errorf("%s: only %d values were replaced", name, replaced)
		}
	}
}

// variants calls try with each value inside another replaced by one of another type, in turn; with every fifth unless
// all are asked for.
func variants(value any, try func()) {
	others := []any{nil, true, json.Number("-1.5"), "text", []any{"a", nil}, map[string]any{"a": []any{}},
		json.Number("9007199254740993"), []any{map[string]any{}}}
	next, every := 0, thorough.Draws(5, 1)
	var walk func(any)
	replace := func(old any, set func(any)) {
		if next++; next%every == 0 {
			set(others[next%len(others)])
			try()
			set(old)
		}
		walk(old)
	}
	walk = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			for name, member := range (record.Node{Value: v}).Members() {
				replace(member.Value, func(x any) { v[name] = x })
			}
		case []any:
			for i, element := range v {
				replace(element, func(x any) { v[i] = x })
			}
		}
	}
	walk(value)
}
