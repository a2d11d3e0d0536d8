package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestCodexSessionForms(t *testing.T) {
	const meta = `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"a","cwd":"/w"}}` + "\n"
	item := func(payload string) string {
		return `{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":` + payload + `}` + "\n"
	}
	event := func(payload string) string {
		return `{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":` + payload + `}` + "\n"
	}
	call := func(id string) string {
		return item(`{"type":"function_call","name":"shell","arguments":"{}","call_id":"` + id + `"}`)
	}
	result := func(id, output string) string {
		return item(`{"type":"function_call_output","call_id":"` + id + `","output":` + output + `}`)
	}
	const head, tail = `1 {"scenario":"f","trial":0,`, `"tags":{"thread_id":"a","cwd":"/w"}}`
	const at = `"started_at":"2026-01-01T00:00:00Z",`
	for name, c := range map[string]struct{ text, want string }{
		"outputs of commands, in the ways of several versions": {
			meta + call("1") + call("2") + call("3") + call("4") + call("5") + call("6") + call("7") +
				result("1", `"Exit code: 3\nWall time: 2 seconds\nTotal output lines: 1\nOutput:\nno\n"`) +
				result("2", `"Exit code: 0\nWall time: 0.5 seconds\nOutput:\nyes"`) +
				result("3", `"Output:\nnot of Codex"`) +
				result("4", `{"content":"denied","success":false}`) +
				result("5", `"failed to parse function arguments: missing field"`) +
				result("6", `"aborted by user after 3.2s"`) +
				result("7", `"aborted transactions: 0"`),
			head + at + `"steps":[{"action":"reason"},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"no\n","error":"exit code 3","duration_s":2},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"yes","duration_s":0.5},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"Output:\nnot of Codex"},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"denied","error":"failed"},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"failed to parse function arguments: missing field","error":"failed to parse function arguments: missing field"},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"aborted by user after 3.2s","error":"aborted by user after 3.2s"},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"aborted transactions: 0"}],` + tail},
		"events say how calls ended, before their outputs": {
			meta + call("1") + call("2") + call("3") + call("4") +
				event(`{"type":"exec_command_end","call_id":"1","exit_code":7,"duration":{"secs":0,"nanos":250000000}}`) +
				event(`{"type":"patch_apply_end","call_id":"2","success":false,"stderr":"no such file"}`) +
				event(`{"type":"item_completed","item":{"type":"CommandExecution","id":"3","status":"declined","exit_code":null}}`) +
				event(`{"type":"mcp_tool_call_end","call_id":"4","result":{"Err":"no server"}}`) +
				result("1", `"a"`) + result("2", `"b"`) + result("3", `"c"`) + result("4", `"d"`),
			head + at + `"steps":[{"action":"reason"},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"a","error":"exit code 7","duration_s":0.25},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"b","error":"no such file"},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"c","error":"declined"},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"d","error":"no server"}],` + tail},
		"an error that the model goes on after": {
			meta + event(`{"type":"error","message":"503","codex_error_info":{"http_connection_failed":{"http_status_code":503}}}`) +
				item(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}`),
			head + at + `"steps":[{"action":"respond","output":"x"}],"output":"x",` + tail},
		"an error that ends it, with what kind it is": {
			meta + event(`{"type":"error","message":"503","codex_error_info":{"http_connection_failed":{"http_status_code":503}}}`),
			head + `"outcome":"error","error":{"origin":"infrastructure","type":"http_connection_failed","message":"503"},` +
				at + `"steps":[],` + tail},
		"a context that grew too long is the agent's doing": {
			meta + event(`{"type":"error","message":"too long","codex_error_info":"context_window_exceeded"}`),
			head + `"error":{"type":"context_window_exceeded","message":"too long"},` + at + `"steps":[],` + tail},
		"sums that start again, and come again": {
			meta + call("1") +
				event(`{"type":"token_count","info":{"total_token_usage":{"input_tokens":10,"output_tokens":1},"last_token_usage":{"input_tokens":10,"output_tokens":1}}}`) +
				result("1", `"a"`) +
				event(`{"type":"token_count","info":{"total_token_usage":{"input_tokens":10,"output_tokens":1},"last_token_usage":{"input_tokens":10,"output_tokens":1}}}`) +
				call("2") +
				event(`{"type":"token_count","info":{"total_token_usage":{"input_tokens":8,"output_tokens":2},"last_token_usage":{"input_tokens":8,"output_tokens":2}}}`),
			head + at + `"input_tokens":18,"output_tokens":3,"steps":[{"action":"reason","input_tokens":10,"output_tokens":1},` +
				`{"action":"call_tool","tool":"shell","arguments":{},"output":"a"},` +
				`{"action":"reason","input_tokens":8,"output_tokens":2},{"action":"call_tool","tool":"shell","arguments":{}}],` +
				tail},
	} {
		t.Run(name, func(t *testing.T) { checkWritten(t, codingLog(c.text), c.want) })
	}
}

// The figures are those of the conversation that was recorded: three answers, a call that works
// and one that fails.
func TestRecordedSessions(t *testing.T) {
	for name, want := range map[string]string{
		"codex-0.169.0-rollout.jsonl": "codex-0.169.0-rollout - gpt-5-codex 3300/33 $? 0.278s: " +
			"reason[1000/10] (exec_command) reason[1100/11] (exec_command)! respond[1200/12]",
		"gemini-0.61.0-session.jsonl": "gemini-0.61.0-session - gemini-2.5-flash 3300/33 $? 0.523s: " +
			"reason[1000/10] (run_shell_command) reason[1100/11] (run_shell_command)! respond[1200/12]",
		"gemini-0.61.0-output.json": "gemini-0.61.0-output - gemini-fake 3300/33 $? ?s:",
	} {
		s := Open([]string{sample(t, "formats-unread", name)}, Options{Options: trial.Options{Unjudged: true}})
		for x, err := range s.Trials(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if got := codingGist(x); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if x.Output.Text() != "The answer is 42." || name != "gemini-0.61.0-output.json" &&
				x.Input.Text() != "Say the answer" {
				t.Errorf("%s: %s, %s", name, x.Input, x.Output)
			}
		}
		if n := s.Notes()[0]; skippedIn(n) > 0 || n.Remarks != nil {
			t.Error(n)
		}
	}
}

func FuzzCodexSession(f *testing.F) {
	seed(f, "codex-session", `{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":9223372036854775807}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "codex-session") })
}
