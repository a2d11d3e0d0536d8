package ingest

import "testing"

func TestSemanticKernelDialects(t *testing.T) {
	ask := `{"Role":{"Label":"user"},"Items":[{"$type":"TextContent","Text":"a"}]}`
	say := `{"Role":{"Label":"Assistant"},"Content":"b"}`
	checkDialects(t, "semantic-kernel", true, []dialect{
		{"lists of histories", `[[` + ask + `,` + say + `],[` + ask + `]]`, "f: respond\nf: ", ""},
		{"messages one a line", ask + "\n" + say + "\n" + `{"x":1}`, "f: respond",
			"; left out: records without messages (1)"},
		{"a role that is a text", `[{"Role":"assistant","Items":[{"$type":"ImageContent"},{"$type":"TextContent","Text":"b"}]}]`, "f: respond", ""},
	})
}

func FuzzSemanticKernel(f *testing.F) {
	seed(f, "semantic-kernel", `[{"Role":{"Label":"tool"},"Items":[{"$type":"FunctionResultContent"}]}]`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "semantic-kernel") })
}
