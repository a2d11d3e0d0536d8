package sse_test

import (
	"bufio"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/sse"
)

func TestEvents(t *testing.T) {
	// The examples of WHATWG HTML, 9.2.6.
	for text, want := range map[string][]string{
		"data: YHOO\ndata: +2\ndata: 10\n\n": {"YHOO\n+2\n10"},
		": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n": {
			"first event", "second event", " third event",
		},
		"data\n\ndata\ndata\n\ndata:\n\n": {"", "\n", ""},
		"data:test\n\ndata: test\n\n":     {"test", "test"},
		"":                                nil,
	} {
		if diff := cmp.Diff(want, sse.Events([]byte(text))); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// Whatever a body says, reading it as a stream ends and loses no text of an event.
func FuzzEvents(f *testing.F) {
	f.Add("data: a\n\ndata: b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, event := range sse.Events([]byte(text)) {
			lines := bufio.NewScanner(strings.NewReader(event))
			lines.Buffer(nil, len(event)+1)
			for lines.Scan() {
				if !strings.Contains(text, lines.Text()) {
					t.Errorf("%q is not in %q", lines.Text(), text)
				}
			}
		}
	})
}
