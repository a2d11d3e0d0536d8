package ingest

import "testing"

func TestClaudeSessionForms(t *testing.T) {
	const user = `{"type":"user","uuid":"1","parentUuid":null,"sessionId":"s","message":{"content":"go"}}` + "\n"
	for name, c := range map[string]struct{ text, want, notes string }{
		"a session that was forked goes on": {user +
			`{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"t","message":{"id":"m","content":"gone"}}`,
			`1 {"scenario":"f","trial":0,"steps":[{"action":"respond","output":"gone"}],"input":"go","output":"gone","tags":{"sessionId":"s"}}`,
			"f: 1 trial (claude-session)"},
		"a parent that is not there": {user +
			`{"type":"assistant","uuid":"2","parentUuid":"lost","sessionId":"s","message":{"id":"m","content":"gone"}}`,
			`1 {"scenario":"f","trial":0,"steps":[{"action":"respond","output":"gone"}],"input":"go","output":"gone","tags":{"sessionId":"s"}}`,
			"f: 1 trial (claude-session)"},
		"no parents at all: the order of the file": {user +
			`{"type":"assistant","uuid":"2","parentUuid":null,"sessionId":"s","message":{"id":"m","content":"one"}}
{"type":"user","uuid":"3","parentUuid":null,"sessionId":"s","message":{"content":"on"}}
{"type":"assistant","uuid":"4","parentUuid":null,"sessionId":"s","message":{"id":"n","content":"two"}}`,
			`1 {"scenario":"f","trial":0,"steps":[{"action":"respond","output":"one"},{"action":"respond","output":"two"}],"input":"go","output":"two","tags":{"sessionId":"s"}}`,
			"f: 1 trial (claude-session)"},
		"a circle": {`{"type":"assistant","uuid":"1","parentUuid":"2","sessionId":"s","message":{"id":"m","content":"a"}}
{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"n","content":"b"}}`,
			`1 {"scenario":"f","trial":0,"steps":[{"action":"respond","output":"a"},{"action":"respond","output":"b"}],"output":"b","tags":{"sessionId":"s"}}`,
			"f: 1 trial (claude-session)"},
		"a message in three parts, the largest in the middle": {
			`{"type":"assistant","uuid":"1","parentUuid":null,"sessionId":"s","message":{"id":"m","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":1,"output_tokens":1}}}
{"type":"assistant","uuid":"2","parentUuid":"1","sessionId":"s","message":{"id":"m","content":[{"type":"text","text":"b"}],"usage":{"input_tokens":5,"output_tokens":9}}}
{"type":"assistant","uuid":"3","parentUuid":"2","sessionId":"s","message":{"id":"m","content":[{"type":"text","text":"c"}],"usage":{"input_tokens":5,"output_tokens":2}}}`,
			`1 {"scenario":"f","trial":0,"input_tokens":5,"output_tokens":9,"steps":[{"action":"respond","output":"a\nb\nc","input_tokens":5,"output_tokens":9}],"output":"a\nb\nc","tags":{"sessionId":"s"}}`,
			"f: 1 trial (claude-session)"},
		"the first line of the next session is not a message": {user +
			`{"type":"attachment","uuid":"2","parentUuid":null,"sessionId":"t"}
{"type":"user","uuid":"3","parentUuid":"2","sessionId":"t","message":{"content":"stop"}}`, `
1 {"scenario":"f","trial":0,"steps":[],"input":"go","tags":{"sessionId":"s"}}
3 {"scenario":"f","trial":1,"steps":[],"input":"stop","tags":{"sessionId":"t"}}`,
			"f: 2 trials (claude-session)"},
	} {
		t.Run(name, func(t *testing.T) {
			s := codingLog(c.text)
			checkWritten(t, s, c.want)
			checkNotes(t, s, c.notes)
		})
	}
	_, err := written(codingLog(`{"type":"user","uuid":"1","isSidechain":true,"sessionId":"s","message":{"content":"go"}}`))
	if want := "f holds no trials: every record was skipped (1)"; err == nil || err.Error()[:len(want)] != want {
		t.Error(err)
	}
}
