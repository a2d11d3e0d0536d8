package ingest

import "testing"

func TestADK(t *testing.T) {
	s := Open([]string{"testdata/adk.json"}, unjudged)
	checkWritten(t, s, `
1 {"scenario":"book","trial":0,"outcome":"pass","score":0.75,"started_at":"2025-06-15T15:06:40Z","duration_s":6.5,"model":"g-1","input_tokens":220,"output_tokens":18,"steps":[{"action":"reason","output":"Let me see.","input_tokens":100,"output_tokens":15,"model":"g-1"},{"action":"call_tool","tool":"free","arguments":{"day":1},"output":{"error":"closed"},"error":"closed"},{"action":"call_tool","tool":"free","arguments":{"day":2},"output":{"result":"yes"}},{"action":"reason","depth":1},{"action":"call_tool","tool":"code_execution","arguments":{"code":"1/0","language":"PYTHON"},"output":"ZeroDivisionError","error":"ZeroDivisionError","depth":1},{"action":"respond","output":"Day 2.","input_tokens":120,"output_tokens":3}],"input":"Book\na room","output":"Day 2.","tags":{"eval_set_result_id":"set-1","session_id":"s9","overall_eval_metric_results.match":"0.75"}}
1 {"scenario":"cancel","trial":0,"outcome":"fail","started_at":"2025-06-15T15:08:20Z","steps":[{"action":"reason"},{"action":"call_tool","tool":"cancel","arguments":{"n":1}},{"action":"respond","output":"Done."}],"input":"Cancel","output":"Done.","tags":{"eval_set_result_id":"set-1","overall_eval_metric_results.match":"0","overall_eval_metric_results.tone":"1"}}
1 {"scenario":"idle","trial":0,"outcome":"error","error":{"origin":"infrastructure","type":"RESOURCE_EXHAUSTED","message":"quota"},"steps":[{"action":"reason","error":"RESOURCE_EXHAUSTED: quota"}],"input":"Hi","tags":{"eval_set_result_id":"set-1"}}`)
	checkNotes(t, s, "testdata/adk.json: 3 trials (adk); left out: results without their call (1)")
}

func TestADKDialects(t *testing.T) {
	ask := `{"invocationId":"i","author":"user","content":{"parts":[{"text":"a"}]}}`
	say := `{"invocationId":"i","author":"bot","content":{"parts":[{"text":"b"}]},"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1}}`
	cut := `{"invocationId":"i","author":"bot","errorCode":"MAX_TOKENS","content":{"parts":[{"text":"b"}]}}`
	checkDialects(t, "adk", true, []dialect{
		{"sessions one a line", `{"id":"s","appName":"x","events":[` + ask + `,` + say + `]}` + "\n" + `{"id":"s","appName":"x","events":[]}`, "f: respond (3, 1)\nf: ", ""},
		{"events one a line", ask + "\n" + say + "\n" + `{"x":1}`, "f: respond (3, 1)", "; left out: records that are no sessions or events (1)"},
		{"lists of events", `[[` + ask + `,` + say + `],[` + ask + `]]`, "f: respond (3, 1)\nf: ", ""},
		{"an answer that is cut off", `[` + ask + `,` + cut + `]`, "f: respond! [unjudged  MAX_TOKENS ]", ""},
		{"an answer after that", `[` + ask + `,` + cut + `,` + say + `]`, "f: respond! respond (3, 1)", ""},
		{"a case alone", `{"evalId":"e","finalEvalStatus":2,"evalMetricResultPerInvocation":[{"actualInvocation":{"intermediateData":{"invocationEvents":[` +
			`{"author":"bot","content":{"parts":[{"functionCall":{"name":"f"}}]}},{"author":"bot","content":{"parts":[{"functionResponse":{"name":"f","response":{"error":null}}}]}}]}}}]}`,
			"e: reason f", ""},
	})
	checkDialects(t, "adk", false, []dialect{{"JSON inside a string", `"{\"eval_case_results\":[{\"eval_id\":\"e\",\"final_eval_status\":1}]}"`, "e: ", ""}})
}

func FuzzADK(f *testing.F) {
	seed(f, "adk.json", `{"id":"","app_name":"","events":[{"author":"a","content":{"parts":[{"code_execution_result":{}}]}}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "adk") })
}
