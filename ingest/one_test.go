package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestReadOne(t *testing.T) {
	for _, c := range []struct {
		text  string
		from  Format
		found bool
		want  string // "" is none
	}{
		{"billing", Auto, false, ""},
		{"pass", Auto, false, ""},
		{"", Auto, false, ""},
		{`{"department":"billing"}`, Auto, false, ""},
		{`[1,2]`, Auto, false, ""},
		{`<p>hello</p>`, Auto, false, ""},
		{` {"outcome":"pass","cost_usd":1} `, Auto, true, `{"scenario":"s","outcome":"pass","cost_usd":1}`},
		{`{"steps":[],"output":"x"}`, Auto, true, `{"scenario":"s","steps":[],"output":"x"}`},
		{`{"scenario":"t","outcome":"fail"}`, Trials, true, `{"scenario":"t","outcome":"fail"}`},
		{`<testsuite><testcase name="a"/></testsuite>`, Auto, true, `{"scenario":"a","trial":0,"outcome":"pass"}`},
	} {
		x, found, err := ReadOne([]byte(c.text), c.from, "s")
		got := ""
		if x != nil {
			line, err := trial.Append(nil, x)
			if err != nil {
				t.Fatal(err)
			}
			got = string(line)
		}
		if err != nil || found != c.found || got != c.want {
			t.Errorf("%q: %v, %s, %v", c.text, found, got, err)
		}
	}
	for _, text := range []string{`{"outcome":"passed"}`, `{"outcome":"pass"}{"outcome":"pass"}`, `{"outcome":"pa`} {
		if _, found, err := ReadOne([]byte(text), Trials, "s"); err == nil || !found {
			t.Errorf("%q is read", text)
		}
	}
	if _, _, err := ReadOne([]byte(`<testsuite><testcase name="a"/><testcase name="b"/></testsuite>`), "junit",
		"s"); err == nil {
		t.Error("two trials are one")
	}
}
