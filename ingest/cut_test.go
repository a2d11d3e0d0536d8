package ingest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// TestLogsThatEndEarly cuts logs of a run after each line before the one with which the run ends: whatever is missing, no
// such run may be judged by what is not there, so each trial has an error, or the log is refused.
func TestLogsThatEndEarly(t *testing.T) {
	for _, c := range []struct{ file, end string }{
		{"claude-stream/input.jsonl", `"type":"result"`},
		{"codex/input.jsonl", `"type":"turn.completed"`},
		{"gemini-cli/input.jsonl", `"type":"result"`},
		{"copilot/input.jsonl", `"turnId":"1"},"timestamp":"2026-02-26T09:25:41Z"`},
		{"opencode/input.jsonl", `"reason":"stop"`},
		{"qwen-session/input.jsonl", `"text":"The note says 42."`},
		{"openai/stream/input.sse", `"finish_reason":"tool_calls"`},
		{"openai/events/input.sse", `"type":"response.completed"`},
		{"anthropic/stream/input.sse", `"type":"message_stop"`},
	} {
		t.Run(c.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(samplesFolder, c.file))
			if err != nil {
				t.Fatal(err)
			}
			whole, _, found := strings.Cut(string(text), c.end)
			if !found {
				t.Fatal("no line ends the run")
			}
			lines := strings.SplitAfter(whole, "\n")
			cut, seen := "", 0
			for i, line := range lines[:len(lines)-1] {
				cut += line
				s := NewStream(bytes.NewReader([]byte(cut)), Options{Options: trial.Options{File: "f.jsonl", Unjudged: true}})
				for x, err := range s.Trials(t.Context()) {
					if err != nil {
						break // no trial, or no format
					}
					if seen++; x.Error == nil {
						t.Errorf("%d lines: nothing says that the log ends early", i+1)
					}
				}
			}
			if seen == 0 {
				t.Error("no part of it is read")
			}
		})
	}
}
