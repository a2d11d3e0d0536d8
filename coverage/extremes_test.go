package coverage

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// What is extreme, value by value, and what is just beside it. All of these have a parameter p of all types.
func TestExtremes(t *testing.T) {
	all := map[string]Domain{"p": {Types: []string{"array", "integer", "object", "string"}}}
	for _, c := range []struct{ value, want string }{
		{`0`, "zero"}, {`-0.0`, "zero"}, {`0e7`, "zero"}, {`1e-300`, ""}, {`1`, ""},
		{`-1`, "negative"}, {`-1e-300`, "negative"}, {`-1e999`, "negative"},
		{`999999999`, ""}, {`1000000000`, "large 1000000000"}, {`1e9`, "large 1000000000"}, {`1e999`, "large 1000000000"},
		{`""`, "emptyString"}, {`" "`, ""}, {`"a"`, ""},
		{`"` + strings.Repeat("a", 999) + `"`, ""}, {`"` + strings.Repeat("a", 1000) + `"`, "longString 1000"},
		{`"é"`, "unicodeString"}, {`"\u00e9"`, "unicodeString"}, {`"\u007f"`, ""},
		// 999 characters are not 1,000, however many bytes they have.
		{`"` + strings.Repeat("é", 999) + `"`, "unicodeString"},
		{`"` + strings.Repeat("é", 1000) + `"`, "longString 1000,unicodeString"},
		{`[]`, "emptyArray"}, {`[ ]`, "emptyArray"}, {`[null]`, ""}, {`{}`, "emptyObject"}, {`{"a": 1}`, ""},
		{`null`, ""}, {`true`, ""}, {`"0"`, ""},
	} {
		var got []string
		for _, l := range touchedBy(all, `{"p": `+c.value+`}`) {
			got = append(got, strings.TrimPrefix(l, "p "))
		}
		if text := strings.Join(got, ","); text != c.want {
			t.Errorf("%.40s touches %q, want %q", c.value, text, c.want)
		}
	}
}

// Each type has its own extremes, and an argument of another type touches none. What has a limit has no extremes.
func TestExtremesOfTypes(t *testing.T) {
	for _, c := range []struct {
		domain Domain
		want   []string
	}{
		{Domain{Types: []string{"number"}}, []string{"zero", "negative", "large 1000000000"}},
		{Domain{Types: []string{"integer", "number"}, Integer: true}, []string{"zero", "negative", "large 1000000000"}},
		{Domain{Types: []string{"string"}}, []string{"emptyString", "longString 1000", "unicodeString"}},
		{Domain{Types: []string{"array"}}, []string{"emptyArray"}},
		{Domain{Types: []string{"object"}}, []string{"emptyObject"}},
		{Domain{Types: []string{"null"}}, nil},
		{Domain{}, nil},
		{Domain{Types: []string{"number"}, Minimum: trial.Some(1.0)}, []string{"minimum 1"}},
		{Domain{Types: []string{"string"}, Enum: []trial.Raw{trial.Raw(`"a"`)}}, []string{`enum "a"`}},
	} {
		var got []string
		for _, l := range append(c.domain.limits("t", "p"), c.domain.extremes("t", "p")...) {
			got = append(got, l.Limit())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.domain, diff)
		}
	}
	if got := touchedBy(map[string]Domain{"p": {Types: []string{"number"}}}, `{"p": ""}`); got != nil {
		t.Error(got)
	}
}

// They count where they are asked for alone. A text of two parameters: find's query is empty once, which is one of
// three.
func TestExtremesAreAskedFor(t *testing.T) {
	list, err := read(`[{"name": "find", "inputSchema": {"properties": {"query": {"type": "string"}}}},
		{"name": "pay", "inputSchema": {"properties": {"amount": {"type": "number", "maximum": 5}}}}]`)
	if err != nil {
		t.Fatal(err)
	}
	for _, asked := range []bool{false, true} {
		d := Declaration{DefaultExtremes: asked}
		d.Use(list)
		r := collect(t, d, of("s", "m", "find", `{"query": ""}`))
		want := BoundaryCoverage{Declared: 1,
			Untouched: []Boundary{{Tool: "pay", Parameter: "amount", Kind: maximumBoundary, Value: []byte("5")}}}
		if asked {
			want.Declared, want.Touched = 4, 1
			want.Untouched = append([]Boundary{{Tool: "find", Parameter: "query", Kind: longString, Value: []byte("1000")},
				{Tool: "find", Parameter: "query", Kind: unicodeString}}, want.Untouched...)
		}
		if diff := cmp.Diff(want, *r.Boundaries); diff != "" {
			t.Errorf("asked %v (-want +got):\n%s", asked, diff)
		}
		const advice = "add a scenario that leads to extreme arguments: find query longString 1000, find query " +
			"unicodeString, " +
			"pay amount maximum 5"
		// Tools are at 1/2.
		if asked && (*r.Dimensions[3].Value != 0.25 || r.Advice != advice) {
			t.Error(*r.Dimensions[3].Value, r.Advice)
		}
	}
}
