package ingest

import (
	"strings"
	"testing"
)

func TestGeminiSessionForms(t *testing.T) {
	const meta = `{"sessionId":"a","projectHash":"b","startTime":"2026-01-01T00:00:00Z"}` + "\n"
	const head = `1 {"scenario":"f","trial":0,`
	const tail = `"tags":{"sessionId":"a","projectHash":"b"}}`
	const at = `"started_at":"2026-01-01T00:00:00Z",`
	said := func(id, text string) string {
		return `{"id":"` + id + `","timestamp":"2026-01-01T00:00:00Z","type":"gemini","content":"` + text + `"}` + "\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"messages that replace all before": {
			meta + said("1", "x") + `{"$set":{"messages":[` + strings.TrimSpace(said("2", "y")) + `]}}` + "\n" + said("3", "z"),
			head + at + `"steps":[{"action":"respond","output":"y"},{"action":"respond","output":"z"}],"output":"z",` + tail},
		"all is taken back where the message is not known": {
			meta + said("1", "x") + `{"$rewindTo":"7"}` + "\n" + said("2", "y"),
			head + at + `"steps":[{"action":"respond","output":"y"}],"output":"y",` + tail},
		"a session that is resumed": {
			meta + said("1", "x") + meta + said("2", "y"),
			head + at + `"steps":[{"action":"respond","output":"x"},{"action":"respond","output":"y"}],"output":"y",` + tail},
		"an error that the model goes on after, and commands to the program": {
			meta + `{"id":"1","timestamp":"2026-01-01T00:00:00Z","type":"user","content":"/model"}` + "\n" +
				`{"id":"2","timestamp":"2026-01-01T00:00:00Z","type":"error","content":"503"}` + "\n" + said("3", "x"),
			head + at + `"steps":[{"action":"respond","output":"x"}],"output":"x",` + tail},
	} {
		t.Run(name, func(t *testing.T) { checkWritten(t, codingLog(c.text), c.want) })
	}
}

// What ends a run is told from what the agent or a person does, as in the stream of events.
func TestGeminiOutputForms(t *testing.T) {
	checkWritten(t, codingLog(`{"session_id":"a","error":{"type":"FatalAuthenticationError","message":"no key","code":41}}
{"session_id":"b","error":{"type":"FatalTurnLimitedError","message":"too many","code":53}}
{"response":"x","stats":{"models":{},"tools":{}}}`), `
1 {"scenario":"f","trial":0,"outcome":"error","error":{"origin":"infrastructure","type":"FatalAuthenticationError","message":"no key"},"tags":{"session_id":"a"}}
2 {"scenario":"f","trial":1,"error":{"type":"FatalTurnLimitedError","message":"too many"},"tags":{"session_id":"b"}}
3 {"scenario":"f","trial":2,"output":"x"}`)
}

func FuzzGeminiSession(f *testing.F) {
	seed(f, "gemini-session", `{"$rewindTo":""}`,
		`{"$set":{"messages":[{"id":"a","type":"gemini","toolCalls":[{"result":{}}]}]}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "gemini-session") })
}
