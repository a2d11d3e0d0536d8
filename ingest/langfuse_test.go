package ingest

import "testing"

// TestLangfuse reads a list of exports: one with observations out of order, a tool
// that only its name shows, a tool with a model inside, cached tokens beside the
// input, a judge, and scores of which one is a verdict; one as the API gives it, with
// older names; one without its observations.
func TestLangfuse(t *testing.T) {
	s := Open([]string{"testdata/langfuse.json"}, unjudged)
	checkWritten(t, s, `
1 {"scenario":"refund-7","trial":0,"outcome":"pass","score":0.75,"started_at":"2026-02-26T09:25:37Z","duration_s":9.5,"model":"m-2","cost_usd":1,"input_tokens":440,"output_tokens":35,"steps":[`+
		`{"action":"reason","duration_s":1,"cost_usd":0.25,"input_tokens":100,"output_tokens":20,"model":"m-2"},`+
		`{"action":"call_tool","tool":"refund","arguments":{"order":"W1"},"error":"locked","duration_s":0.5},`+
		`{"action":"call_tool","tool":"ask_billing","arguments":{},"output":"unlocked","duration_s":2},`+
		`{"action":"respond","output":"Unlocked.","depth":1,"duration_s":1,"input_tokens":30,"output_tokens":3,"model":"m-3"},`+
		`{"action":"respond","output":"Refunded.","duration_s":2,"cost_usd":0.75,"input_tokens":310,"output_tokens":12,"model":"m-2"}],`+
		`"input":"Refund W1.","output":"Refunded.","tags":{"scores.hallucination":"true","scores.resolved":"true","scores.quality":"0.75","id":"t-1","name":"desk 0f8fad5b-d9cb-469f-a165-70867728950e","sessionId":"s-1","release":"r-9","tags":"nightly,de","metadata.run.seed":"3","metadata.task_id":"refund-7"}}
1 {"scenario":"desk","trial":0,"outcome":"fail","error":{"type":"verdict","message":"wrong order"},"started_at":"2026-02-26T09:25:57Z","duration_s":1.5,"model":"m-2","cost_usd":0.125,"input_tokens":12,"output_tokens":2,"steps":[`+
		`{"action":"respond","output":"No.","duration_s":1.5,"cost_usd":0.125,"input_tokens":12,"output_tokens":2,"model":"m-2"}],`+
		`"input":"Refund W2.","output":"No.","tags":{"scores.verdict":"Incorrect","id":"t-2","name":"desk"}}`)
	checkNotes(t, s, "testdata/langfuse.json: 2 trials (langfuse); left out: traces without their observations (1)")
}

func TestLangfuseForms(t *testing.T) {
	const one = `{"trace":{"id":"1","timestamp":"2026-02-26T09:25:37Z","projectId":"p"},"observations":[{"id":"a","type":"GENERATION","startTime":null}]}`
	for text, want := range map[string]string{
		one:                     "respond",
		one + "\n" + one + "\n": "respond\nrespond",
		"[" + one + "]":         "respond",
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
