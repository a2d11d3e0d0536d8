package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/ingest/internal/format/agents"
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

func TestMCPForms(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"sessions that alternate, with the same ids": {
			`{"ts":1000000000,"session_id":"a","msg":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}}
{"ts":1000000001,"session_id":"b","msg":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"y\"}}"}
{"ts":1000000002,"session_id":"b","msg":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"of b"}]}}}
{"ts":1000000004,"session_id":"a","msg":{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"of a"}]}}}`, `
1 {"scenario":"f","trial":0,"started_at":"2001-09-09T01:46:40Z","duration_s":4,"steps":[{"action":"call_tool","tool":"x","output":"of a","duration_s":4}],"tags":{"session_id":"a"}}
2 {"scenario":"f","trial":1,"started_at":"2001-09-09T01:46:41Z","duration_s":1,"steps":[{"action":"call_tool","tool":"y","output":"of b","duration_s":1}],"tags":{"session_id":"b"}}`},
		"ids that are numbers and texts, answered in another order": {
			`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}},{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"y"}},
{"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":"of y"}]}},{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"of x"}}]`,
			`1 {"scenario":"f","trial":0,"steps":[{"action":"call_tool","tool":"x","error":"of x"},{"action":"call_tool","tool":"y","output":"of y"}]}`},
		"an id used again": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"y"}}
{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`,
			`1 {"scenario":"f","trial":0,"steps":[{"action":"call_tool","tool":"x"},{"action":"call_tool","tool":"y","output":""}]}`},
		"a batch on a line after a time": {
			`[2026-01-01T00:00:00Z] recv [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":"{\"a\":1}"}}]
[2026-01-01T00:00:02Z] send [{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"image","data":"="}],"isError":true}}]`,
			`1 {"scenario":"f","trial":0,"started_at":"2026-01-01T00:00:00Z","duration_s":2,"steps":[{"action":"call_tool","tool":"x","arguments":{"a":1},"output":[{"data":"=","type":"image"}],"error":"failed","duration_s":2}]}`},
		"a client that offers another version": {
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2"}}
{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"too new"}}
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1"}}`,
			`1 {"scenario":"f","trial":0,"steps":[],"tags":{"protocolVersion":"1"}}`},
	} {
		t.Run(name, func(t *testing.T) { checkWritten(t, codingLog(c.text), c.want) })
	}
}

// Other protocols are JSON-RPC, too.
func TestNotMCP(t *testing.T) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":1,"capabilities":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"message":"{\"jsonrpc\""}`,
	} {
		if agents.MCP.Shows(record.ShapeOf([]byte(text))) {
			t.Error(text)
		}
	}
}

func TestLogLines(t *testing.T) {
	for text, want := range map[string]bool{
		"[info] x": true, "[2026-01-01] x": true, "[INFO] {}": true, "[weather]": true,
		"[": false, "[]": false, "[ {": false, "[{}]": false, "[true]": false, "[null]": false, "[\"a\"]": false,
		"[1]": false, "{": false,
	} {
		if got := record.IsLogLine([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
