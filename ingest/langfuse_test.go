package ingest

import (
	"strings"
	"testing"
)

func TestLangfuseForms(t *testing.T) {
	const one = `{"trace":{"id":"1","timestamp":"2026-02-26T09:25:37Z","projectId":"p"},"observations":[{"id":"a","type":"GENERATION","startTime":null}]}`
	for text, want := range map[string]string{
		one: "respond",
		one + "\n" + strings.Replace(one, `"1"`, `"2"`, 1) + "\n": "respond\nrespond",
		one + "\n" + one + "\n":                                   "respond", // a trace counts once
		"[" + one + "]":                                           "respond",
		`{"data":[{"id":"1","timestamp":"x","projectId":"p","observations":[{"id":"a","type":"TOOL","name":"x","level":"ERROR"}]}],"meta":{}}`:                                                          "call_tool:x!",
		`{"id":"1","timestamp":"x","projectId":"p","observations":[{"id":"a","name":"x","type":"SPAN","output":"{\"type\":\"tool\",\"content\":\"no\",\"tool_call_id\":\"c\",\"status\":\"error\"}"}]}`: "call_tool:x!",
		`{"id":"1","timestamp":"x","projectId":"p","observations":[{"id":"a","name":"x","type":"SPAN"},7,{"id":[]}]}`:                                                                                   "",
	} {
		o := unjudged
		o.From = "langfuse"
		if got := shortSteps(streamOf(text, o)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}
