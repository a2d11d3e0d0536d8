package ingest

import "testing"

func TestSemanticKernel(t *testing.T) {
	s := Open([]string{"testdata/semantic-kernel.jsonl"}, unjudged)
	checkWritten(t, s, `
1 {"scenario":"semantic-kernel","trial":0,"started_at":"2025-07-16T16:00:00Z","model":"m-1","input_tokens":110,"output_tokens":11,"steps":[{"action":"reason","output":"Looking.","input_tokens":50,"output_tokens":5,"model":"m-1"},{"action":"call_tool","tool":"Lights-Get","arguments":{"id":"1"},"output":"on"},{"action":"call_tool","tool":"Time","output":"noon"},{"action":"respond","output":"On.","input_tokens":60,"output_tokens":6}],"input":"Lights?","output":"On."}
2 {"scenario":"semantic-kernel","trial":1,"model":"m-2","input_tokens":7,"output_tokens":1,"steps":[{"action":"reason","input_tokens":7,"output_tokens":1,"model":"m-2"},{"action":"call_tool","tool":"heat-get","arguments":{"room":2},"output":{"on":true}}],"input":"Heat?"}`)
	checkNotes(t, s, "testdata/semantic-kernel.jsonl: 2 trials (semantic-kernel); left out: results without their call (1)")
}

func TestSemanticKernelDialects(t *testing.T) {
	ask := `{"Role":{"Label":"user"},"Items":[{"$type":"TextContent","Text":"a"}]}`
	say := `{"Role":{"Label":"Assistant"},"Content":"b"}`
	checkDialects(t, "semantic-kernel", true, []dialect{
		{"lists of histories", `[[` + ask + `,` + say + `],[` + ask + `]]`, "f: respond\nf: ", ""},
		{"messages one a line", ask + "\n" + say + "\n" + `{"x":1}`, "f: respond", "; left out: records without messages (1)"},
		{"a role that is a text", `[{"Role":"assistant","Items":[{"$type":"ImageContent"},{"$type":"TextContent","Text":"b"}]}]`, "f: respond", ""},
	})
}

func FuzzSemanticKernel(f *testing.F) {
	seed(f, "semantic-kernel.jsonl", `[{"Role":{"Label":"tool"},"Items":[{"$type":"FunctionResultContent"}]}]`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "semantic-kernel") })
}
