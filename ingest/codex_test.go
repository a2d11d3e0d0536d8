package ingest

import "testing"

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
