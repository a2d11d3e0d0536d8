package suggest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/suite"
)

// A program is told what is missing in full, and what it answers is taken word by word and no further.
func TestGapAndAnswer(t *testing.T) {
	m := materialOf(t, suiteText, tools, recorded)
	furthest := coverage.Standing{Dimension: coverage.ToolDimension, Value: 0.5, Target: 0.9, Share: 0.5 / 0.9}
	g := GapOf(furthest, For(coverage.ToolDimension, m), m)
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"schema":"tribunal/gap/v1"`, `"dimension":"tool"`, `"missing":["close"]`, `"target":0.9`,
		`"name":"find","inputSchema":{`,
		`"from":"refund"`, `"count":3`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s has no %s", text, want)
		}
	}
	found, err := Answered([]byte(`{"scenarios":[{"name":"a b","input":[1.50],"why":"x\ny","tags":["t"]},{"input":null}]}`), g, m)
	if err != nil || len(found.List) != 2 {
		t.Fatal(found, err)
	}
	if s := found.List[0]; s.Name != "a b" || string(s.Input) != "[1.50]" || s.Why != "x y" ||
		s.Dimension != coverage.ToolDimension {
		t.Errorf("%+v", s)
	}
	for answer, want := range map[string]string{
		``:                               "cannot be read",
		`[]`:                             "cannot be read",
		`{"scenarios":[]}`:               "has no scenarios",
		`{"scenarios":[{}]}`:             "has no scenarios[0].input",
		`{"scenarios":[{"input":1}]} {}`: "more than one JSON value",
		`{"scenarios":[{"input":1,"evaluate":[{"command":["rm"]}]}]}`:     `unknown field "evaluate"`,
		`{"scenarios":[{"input":1,"name":"refund"}]}`:                     "which a scenario has already",
		`{"scenarios":[{"input":1,"name":"x"},{"input":1,"name":"x"}]}`:   "which a scenario has already",
		`{"scenarios":[{"input":1,"name":"x\n- y"}]}`:                     "not one printable line",
		`{"scenarios":[{"input":1},{"input":1},{"input":1},{"input":1}]}`: "has 4 scenarios, and 3 are asked for",
		"{\"scenarios\":[{\"input\":\"\xff\"}]}":                          "no UTF-8",
	} {
		if _, err := Answered([]byte(answer), g, m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", answer, err, want)
		}
	}
}

func FuzzAnswered(f *testing.F) {
	f.Add([]byte(`{"scenarios":[{"name":"a","input":{"text":"x"},"why":"y","tags":["t"]}]}`))
	f.Add([]byte(`{"scenarios":[{"input":[]}]}`))
	s, err := suite.Parse("tribunal.yaml", []byte(strings.ReplaceAll(suiteText, "tools_file: tools.json, ", "")))
	if err != nil {
		f.Fatal(err)
	}
	m := Material{Suite: s, Count: 3}
	f.Fuzz(func(t *testing.T, answer []byte) {
		found, err := Answered(answer, Gap{Count: 3}, m)
		if err != nil {
			return
		}
		if len(found.List) == 0 || len(found.List) > 3 {
			t.Fatalf("%d scenarios of %q", len(found.List), answer)
		}
		for _, one := range found.List {
			if !json.Valid(one.Input) || strings.ContainsAny(one.Name+one.Why, "\n\r") {
				t.Fatalf("%+v of %q", one, answer)
			}
		}
	})
}
