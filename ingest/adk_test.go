package ingest

import "testing"

func TestADKDialects(t *testing.T) {
	ask := `{"invocationId":"i","author":"user","content":{"parts":[{"text":"a"}]}}`
	say := `{"invocationId":"i","author":"bot","content":{"parts":[{"text":"b"}]},"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1}}`
	cut := `{"invocationId":"i","author":"bot","errorCode":"MAX_TOKENS","content":{"parts":[{"text":"b"}]}}`
	checkDialects(t, "adk", true, []dialect{
		{"sessions one a line", `{"id":"s","appName":"x","events":[` + ask + `,` + say + `]}` + "\n" +
			`{"id":"s","appName":"x","events":[]}`, "f: respond (3, 1)", "; left out: sessions without events (1)"},
		{"events one a line", ask + "\n" + say + "\n" + `{"x":1}`, "f: respond (3, 1)",
			"; left out: records that are no sessions or events (1)"},
		{"lists of events", `[[` + ask + `,` + say + `],[` + ask + `]]`, "f: respond (3, 1)\nf: ", ""},
		{"an answer that is cut off", `[` + ask + `,` + cut + `]`, "f: respond! [unjudged  MAX_TOKENS ]", ""},
		{"an answer after that", `[` + ask + `,` + cut + `,` + say + `]`, "f: respond! respond (3, 1)", ""},
		{"a case alone", `{"evalId":"e","finalEvalStatus":2,"evalMetricResultPerInvocation":[{"actualInvocation":{"intermediateData":{"invocationEvents":[` +
			`{"author":"bot","content":{"parts":[{"functionCall":{"name":"f"}}]}},{"author":"bot","content":{"parts":[{"functionResponse":{"name":"f","response":{"error":null}}}]}}]}}}]}`,
			"e: reason f", ""},
	})
	checkDialects(t, "adk", false,
		[]dialect{{"JSON inside a string", `"{\"eval_case_results\":[{\"eval_id\":\"e\",\"final_eval_status\":1}]}"`, "e: ",
			""}})
}

func FuzzADK(f *testing.F) {
	seed(f, "adk", `{"id":"","app_name":"","events":[{"author":"a","content":{"parts":[{"code_execution_result":{}}]}}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "adk") })
}
