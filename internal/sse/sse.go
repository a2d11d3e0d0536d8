// Package sse reads streams of server-sent events, as models and services send their answers.
package sse

import (
	"bytes"
	"strings"
)

// Events reads a stream of server-sent events, and returns the data of each that has any, in their order (WHATWG HTML,
// 9.2.6). Data of several lines are joined by newlines. An event that was begun and not ended by a blank line counts:
// streams are often cut there. What follows a datum [DONE] is not read.
func Events(text []byte) (data []string) {
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	all := strings.ReplaceAll(strings.ReplaceAll(string(text), "\r\n", "\n"), "\r", "\n")
	var lines []string
	flush := func() {
		if lines != nil {
			data = append(data, strings.Join(lines, "\n"))
		}
		lines = nil
	}
	for line := range strings.SplitSeq(all, "\n") {
		if line == "" {
			flush()
			if n := len(data); n > 0 && data[n-1] == "[DONE]" {
				return data[:n-1]
			}
			continue
		}
		// Comments begin with a colon, and have a field without a name.
		if name, value, _ := strings.Cut(line, ":"); name == "data" {
			lines = append(lines, strings.TrimPrefix(value, " "))
		}
	}
	flush()
	if n := len(data); n > 0 && data[n-1] == "[DONE]" {
		return data[:n-1]
	}
	return data
}
