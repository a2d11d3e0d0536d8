package trial

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plainLines are those that the quick form decodes, and plain is false where it must leave
// them to the other one.
var plainLines = []struct {
	line  string
	plain bool
}{
	{`{"scenario":"a","outcome":"pass"}`, true},
	{`{"scenario": "a", "outcome": "fail", "trial": 0}`, true},
	{`{"outcome":"error","scenario":"a","trial":17,"variant":"","model":"m","cost_usd":0.010,"input_tokens":0,"output_tokens":9007199254740992,"duration_s":30,"score":1.5,"started_at":"2026-02-26T09:25:37Z"}`, true},
	{`{"scenario":"a","outcome":"pass","input":"what?","output":"\u00e9\ud800\n\/ é"}`, true},
	{`{"scenario":"a","outcome":"pass","input":{"a":[1,-2.5e+3,0,true,false,null,{}],"b": {"a" : [ ]}},"trial":1}`, true},
	{`{"scenario":"a","outcome":"pass","input":-0.0E-1,"output":[]}`, true},
	{`{"scenario":"a","input":{"outcome":"fail"},"outcome":"pass"}`, true},
	{`{"scenario":"a","outcome":"pass","input":{"a":1,"b":2,"a":3}}`, false},
	{`{"scenario":"a","outcome":"pass","input":{"a":1,"\u0061":3}}`, false},
	{`{"scenario":"a","outcome":"pass","input":{"a":{"b":1,"b":2}}}`, false},
	{`{"scenario":"a","outcome":"pass","input":1,"input":1}`, false},
	{`{"scenario":"a","outcome":"pass","input":null}`, false},
	{`{"scenario":"a","outcome":"pass","input":}`, false},
	{`{"scenario":"a","outcome":"pass","input":01}`, false},
	{`{"scenario":"a","outcome":"pass","input":-}`, false},
	{`{"scenario":"a","outcome":"pass","input":1.}`, false},
	{`{"scenario":"a","outcome":"pass","input":1e}`, false},
	{`{"scenario":"a","outcome":"pass","input":"\x"}`, false},
	{`{"scenario":"a","outcome":"pass","input":"\u00g0"}`, false},
	{`{"scenario":"a","outcome":"pass","input":"\u00`, false},
	{"{\"scenario\":\"a\",\"outcome\":\"pass\",\"input\":\"\xff\"}", false},
	{"{\"scenario\":\"a\",\"outcome\":\"pass\",\"input\":\"a\nb\"}", false},
	{`{"scenario":"a","outcome":"pass","input":[1,]}`, false},
	{`{"scenario":"a","outcome":"pass","input":[1}}`, false},
	{`{"scenario":"a","outcome":"pass","input":{"a":1,}}`, false},
	{`{"scenario":"a","outcome":"pass","input":{"a" 1}}`, false},
	{`{"scenario":"a","outcome":"pass","input":{a:1}}`, false},
	{`{"scenario":"a","outcome":"pass","input":tru}`, false},
	{`{"scenario":"a","outcome":"pass","input":{"a":1} }`, false},
	{`{"scenario":"a","outcome":"pass","input":` + strings.Repeat("[", 16) + strings.Repeat("]", 16) + `}`, true},
	{`{"scenario":"a","outcome":"pass","input":` + strings.Repeat("[", 17) + strings.Repeat("]", 17) + `}`, false},
	{`{"scenario":"a","outcome":"pass","input":{"a`, false},
	{`{"scenario":"a","outcome":"pass","outcome":"pass"}`, false},
	{`{"scenario":"a","outcome":"pass","trial":01}`, false},
	{`{"scenario":"a","outcome":"pass","trial":1.0}`, false},
	{`{"scenario":"a","outcome":"pass","trial":"1"}`, false},
	{`{"scenario":"a","outcome":"pass","trial":9999999999999999999}`, false},
	{`{"scenario":"a","outcome":"pass","cost_usd":-0.5}`, false},
	{`{"scenario":"a","outcome":"pass","cost_usd":.5}`, false},
	{`{"scenario":"a","outcome":"pass","cost_usd":5.}`, false},
	{`{"scenario":"a","outcome":"pass","cost_usd":1e3}`, false},
	{`{"scenario":"a","outcome":"pass","cost_usd":null}`, false},
	{`{"scenario":"a","outcome":"pass","started_at":""}`, false},
	{`{"scenario":"a","outcome":"pass","started_at":"yesterday"}`, false},
	{`{"scenario":"a\u0020b","outcome":"pass"}`, false},
	{`{"scenario":"é","outcome":"pass"}`, false},
	{"{\"scenario\":\"a\tb\",\"outcome\":\"pass\"}", false},
	{`{"scenario":"a","outcome":"passed"}`, false},
	{`{"scenario":"","outcome":"pass"}`, false},
	{`{"scenario":"a","score":1}`, false},
	{`{"scenario":"a","outcome":"pass","passed":true}`, false},
	{`{"scenario":"a","outcome":"pass","other":1}`, false},
	{`{"scenario":"a","outcome":"pass","steps":[]}`, false},
	{`{"scenario":"a","outcome":"pass"} `, false},
	{`{"scenario":"a","outcome":"pass",}`, false},
	{`{"scenario":"a","outcome":"pass"`, false},
	{`{"scenario":"a" ,"outcome":"pass"}`, false},
	{`{"scenario":"a","outcome":pass}`, false},
	{`{"scenario":"a","outcome":"pass"}}`, false},
	{`{"scenario"`, false},
	{`{"scenario":`, false},
	{`{"scenario":"`, false},
	{`{}`, false},
	{`{`, false},
	{``, false},
}

func TestPlainLines(t *testing.T) {
	for _, c := range plainLines {
		if got := checkPlain(t, []byte(c.line), Options{}); got != c.plain {
			t.Errorf("%s: decoded quickly: %t", c.line, got)
		}
	}
}

// checkPlain decodes a line in the quick form, and compares.
func checkPlain(t *testing.T, line []byte, o Options) bool {
	t.Helper()
	var quick, whole Trial
	if !newDecoder(o).plain(&quick, line) {
		if diff := cmp.Diff(Trial{}, quick); diff != "" {
			t.Errorf("%s: given up, and yet there is %s", line, diff)
		}
		return false
	}
	if err := newDecoder(o).whole(&whole, line); err != nil {
		t.Errorf("%s: decoded quickly, and refused otherwise: %v", line, err)
	}
	if diff := cmp.Diff(whole, quick); diff != "" {
		t.Errorf("%s (-whole +quick):\n%s", line, diff)
	}
	return true
}

func FuzzPlain(f *testing.F) {
	for _, seed := range seedLines(f) {
		f.Add(seed, uint8(0))
	}
	for _, c := range plainLines {
		f.Add([]byte(c.line), uint8(BasicFields))
	}
	f.Fuzz(func(t *testing.T, line []byte, fields uint8) {
		checkPlain(t, line, Options{Fields: Fields(fields)})
	})
}
