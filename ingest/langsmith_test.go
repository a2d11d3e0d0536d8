package ingest

import "testing"

// A trace without times of an end, whose leaves say nothing of tokens, and whose only
// score is nothing.
func TestLangSmithNested(t *testing.T) {
	text := `[{"id":"b","name":"other","run_type":"chain","start_time":"2025-08-22T11:00:00","end_time":null,"inputs":{"question":"Why?"},"outputs":null,
"error":"GraphRecursionError('limit')","status":"error","prompt_tokens":40,"completion_tokens":4,"total_cost":0.0625,"session_id":"exp-1","feedback_stats":{"right":{"n":1,"avg":0}},
"child_runs":[{"id":"m3","run_type":"llm","name":"ChatX","start_time":"2025-08-22T11:00:01","inputs":{},"outputs":{"generations":[[{"text":"Because."}]]},"child_runs":[]}]}]`
	checkWritten(t, streamOf(text, unjudged), `
1 {"scenario":"other","trial":0,"score":0,"error":{"message":"GraphRecursionError('limit')"},"started_at":"2025-08-22T11:00:00Z","duration_s":1,"cost_usd":0.0625,"input_tokens":40,"output_tokens":4,"steps":[{"action":"respond","output":"Because."}],"input":"Why?","output":"Because.","tags":{"session_id":"exp-1","feedback_stats.right":"0"}}`)
}

func TestLangSmithDialects(t *testing.T) {
	run := func(trace, id, kind, start, more string) string {
		return `{"id":"` + id + `","trace_id":"` + trace + `","name":"n","run_type":"` + kind +
			`","start_time":"2025-08-22T11:00:0` + start + `","inputs":{}` + more + `}`
	}
	root := func(trace string) string { return run(trace, trace, "chain", "0", `,"parent_run_id":null`) }
	checkDialects(t, "langsmith", true, []dialect{
		{"traces mixed", root("a") + "\n" + root("b") + "\n" + run("a", "2", "llm", "2",
			`,"parent_run_id":"a","outputs":{"generations":[[{"text":"x"}]]}`) + "\n" +
			run("b", "3", "llm", "1", `,"parent_run_id":"b","error":"RateLimitError","status":"error"`) + "\n" +
			run("a", "4", "tool", "1", `,"parent_run_id":"a","status":"error"`),
			"n: n! respond\nn: reason! [error infrastructure  RateLimitError]", ""},
		{"what the service answers", `{"runs":[` + root("a") + `,` + run("a", "2", "embedding", "1", `,"parent_run_id":"a"`) +
			`,` + run("a", "3", "prompt", "1", ``) + `],"cursors":{}}`, "n: embed", ""},
		{"OpenAI's client", run("a", "a", "llm", "0",
			`,"outputs":{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}}],`+
				`"usage":{"prompt_tokens":9,"completion_tokens":1}}`), "n: reason f (9, 1)", ""},
	})
}

func FuzzLangSmith(f *testing.F) {
	seed(f, "langsmith", `{"runs":[{"run_type":"llm","inputs":{},"trace_id":"","outputs":{"messages":[[]]}}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "langsmith") })
}
