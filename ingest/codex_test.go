package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestCodex(t *testing.T) {
	s := Open([]string{"testdata/codex.jsonl"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"codex","trial":0,"input_tokens":150,"output_tokens":12,"steps":[`+
		`{"action":"reason","output":"I look."},`+
		`{"action":"call_tool","tool":"command_execution","arguments":{"command":"go test"},"output":"FAIL\n","error":"exit code 1"},`+
		`{"action":"call_tool","tool":"mcp__docs__find","arguments":{"q":"x"},"output":"found"},`+
		`{"action":"call_tool","tool":"web_search","arguments":{"query":"go 1.26"}},`+
		`{"action":"call_tool","tool":"command_execution","arguments":{"command":"rm -r /"},"output":"","error":"declined"},`+
		`{"action":"respond","output":"It fails."},{"action":"respond","output":"Bye."}],"output":"Bye.","tags":{"thread_id":"th-1"}}
19 {"scenario":"codex","trial":1,"outcome":"error","error":{"origin":"infrastructure","type":"turn.failed","message":"stream disconnected"},"steps":[],"tags":{"thread_id":"th-2"}}
24 {"scenario":"codex","trial":2,"steps":[{"action":"call_tool","tool":"file_change","arguments":{"changes":[{"kind":"add","path":"a.go"}]},"error":"failed"}],"tags":{"thread_id":"th-3"}}`)
	checkNotes(t, s, "testdata/codex.jsonl: 3 trials (codex); left out: warnings (1), calls that did not end (1); "+
		"the log of the thread that begins in line 24 ends inside a turn; was the program stopped?")
}

func TestCodexForms(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a thread that was resumed": {`{"type":"thread.started","thread_id":"a"}
{"type":"turn.started"}
{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":1}}
{"type":"thread.started","thread_id":"a"}
{"type":"turn.started"}
{"type":"turn.completed","usage":{"input_tokens":8,"output_tokens":2}}`,
			`1 {"scenario":"f","trial":0,"input_tokens":18,"output_tokens":3,"steps":[],"tags":{"thread_id":"a"}}`},
		"an error without a turn": {`{"type":"thread.started","thread_id":"a"}
{"type":"error","message":"no key"}`,
			`1 {"scenario":"f","trial":0,"outcome":"error","error":{"origin":"infrastructure","type":"error","message":"no key"},"steps":[],"tags":{"thread_id":"a"}}`},
		"an error that is overcome, thoughts alone, and agents": {`Reading the prompt
{"type":"error","message":"Reconnecting... 1/5"}
{"type":"item.completed","item":{"type":"reasoning","text":"a"}}
{"type":"item.completed","item":{"type":"reasoning","text":"b"}}
{"type":"item.completed","item":{"type":"collab_tool_call","tool":"spawn_agent","prompt":"help","receiver_thread_ids":["x"],"agents_states":{"x":{"status":"errored"}},"status":"failed"}}
{"type":"turn.completed","usage":{}}`,
			`2 {"scenario":"f","trial":0,"steps":[{"action":"reason","output":"a\nb"},` +
				`{"action":"call_tool","tool":"spawn_agent","arguments":{"prompt":"help","receiver_thread_ids":["x"]},"output":{"x":{"status":"errored"}},"error":"failed"}]}`},
	} {
		t.Run(name, func(t *testing.T) { checkWritten(t, codingLog(c.text), c.want) })
	}
}
