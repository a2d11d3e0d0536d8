// Package sse reads streams of server-sent events, as models and services send their answers.
package sse

import (
	"bytes"
	"iter"
	"slices"
	"strings"
)

// Events reads a stream of server-sent events, and returns the data of each that has any, in their order (WHATWG HTML,
// 9.2.6). Data of several lines are joined by newlines. An event that was begun and not ended by a blank line counts:
// streams are often cut there. What follows a datum [DONE] is not read.
func Events(text []byte) (data []string) { return slices.Collect(All(text)) }

// All is [Events] one by one.
func All(text []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
		all := strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\r", "\n")
		var lines []string
		flush := func() (more bool) {
			if len(lines) == 0 {
				return true
			}
			event := strings.Join(lines, "\n")
			lines = lines[:0]
			return event != "[DONE]" && yield(event)
		}
		for line := range strings.SplitSeq(all, "\n") {
			if line == "" {
				if !flush() {
					return
				}
				continue
			}
			// Comments begin with a colon, and have a field without a name.
			if name, value, _ := strings.Cut(line, ":"); name == "data" {
				lines = append(lines, strings.TrimPrefix(value, " "))
			}
		}
		flush()
	}
}
