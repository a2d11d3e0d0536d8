package trial

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// scannedLines are those that the scanner reads, and scanned is false where it must leave them, or what is wrong with
// them, to jsontext.
var scannedLines = []struct {
	line    string
	scanned bool
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
	{`{"scenario":"a","outcome":"pass","input":null}`, true},
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
	{`{"scenario":"a","outcome":"pass","input":{"a":1} }`, true},
	{`{"scenario":"a","outcome":"pass","input":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, true},
	{`{"scenario":"a","outcome":"pass","input":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`, false},
	{`{"scenario":"a","outcome":"pass","input":{"a`, false},
	{`{"scenario":"a","outcome":"pass","steps":[{"action":"reason","x":{"y":[1, 2]}} , {"action":"respond","output":"12345678\\9"}],"tags":{"a":1,"b":null},"error":{"type":"timeout"}}`, true},
	{`{"scenario":"a","outcome":"pass","steps":[{"action":"reason"},]}`, false},
	{`{"scenario":"a","outcome":"pass","steps":[{"action":"reason","action":"reason"}]}`, false},
	{`{"scenario":"a","outcome":"pass","steps":[null]}`, false},
	{`{"scenario":"a","outcome":"pass","tags":{"a":1,"a":2}}`, false},
	{`{"scenario":"a","outcome":"pass","tags":[]}`, false},
	{"{\"scenario\":\"a\",\"outcome\":\"pass\",\"output\":\"1234567\x1f\"}", false},
	{"{\"scenario\":\"a\",\"outcome\":\"pass\",\"output\":\"12345678\u0080\u00ff\U0001f600\"}", true},
	{`{"scenario":"a","outcome":"pass","outcome":"pass"}`, false},
	{`{"scenario":"a","outcome":"pass","trial":1,"outcome":"pass"}`, false},
	{`{"scenario":"a","trial":1,"outcome":"pass","tags":{"trial":1},"trial":1}`, false},
	{`{"scenario":"a","outcome":"pass","trial":01}`, false},
	{`{"scenario":"a","outcome":"pass","trial":1.0}`, true},
	{`{"scenario":"a","outcome":"pass","trial":"1"}`, false},
	{`{"scenario":"a","outcome":"pass","trial":9999999999999999999}`, false},
	{`{"scenario":"a","outcome":"pass","cost_usd":-0.5}`, false},
	{`{"scenario":"a","outcome":"pass","cost_usd":.5}`, false},
	{`{"scenario":"a","outcome":"pass","cost_usd":5.}`, false},
	{`{"scenario":"a","outcome":"pass","cost_usd":1e3}`, true},
	{`{"scenario":"a","outcome":"pass","cost_usd":null}`, true},
	{`{"scenario":"a","outcome":"pass","started_at":""}`, true},
	{`{"scenario":"a","outcome":"pass","started_at":"yesterday"}`, false},
	{`{"scenario":"a\u0020b","outcome":"pass"}`, true},
	{`{"scenario":"é","outcome":"pass"}`, true},
	{"{\"scenario\":\"a\tb\",\"outcome\":\"pass\"}", false},
	{`{"scenario":"a","outcome":"passed"}`, false},
	{`{"scenario":"","outcome":"pass"}`, false},
	{`{"scenario":"a","score":1}`, false},
	{`{"scenario":"a","outcome":"pass","passed":true}`, true},
	{`{"scenario":"a","outcome":"pass","other":1}`, true},
	{`{"scenario":"a","outcome":"pass","steps":[]}`, true},
	{`{"scenario":"a","outcome":"pass"} `, true},
	{`{"scenario":"a","outcome":"pass",}`, false},
	{`{"scenario":"a","outcome":"pass"`, false},
	{`{"scenario":"a" ,"outcome":"pass"}`, true},
	{`{"scenario":"a","outcome":pass}`, false},
	{`{"scenario":"a","outcome":"pass"}}`, false},
	{`{"scenario"`, false},
	{`{"scenario":`, false},
	{`{"scenario":"`, false},
	{`{}`, false},
	{`{`, false},
	{``, false},
}

func TestScannedLines(t *testing.T) {
	for _, c := range scannedLines {
		if got := checkScanned(t, []byte(c.line), Options{}); got != c.scanned {
			t.Errorf("%s: read by the scanner: %t", c.line, got)
		}
	}
}

// What a line says does not depend on the lines before it, whose names the scanner expects again.
func TestScannedLineAfterAnother(t *testing.T) {
	scan := func(d *decoder, line string) (found Trial, ok bool) {
		d.quick = true
		return found, d.whole(&found, []byte(line)) == nil
	}
	for _, before := range scannedLines {
		for _, c := range scannedLines {
			d := newDecoder(Options{})
			scan(d, `{"scenario":"a","outcome":"pass","trial":1,"cost_usd":1}`)
			scan(d, before.line)
			if got, ok := scan(d, c.line); ok != c.scanned {
				t.Errorf("%s after %s: read by the scanner: %t", c.line, before.line, ok)
			} else if want, _ := scan(newDecoder(Options{}), c.line); ok && !cmp.Equal(want, got) {
				t.Errorf("%s after %s: %s", c.line, before.line, cmp.Diff(want, got))
			}
		}
	}
}

// A text is one value where jsontext says so.
func TestValidValues(t *testing.T) {
	for _, c := range scannedLines {
		for end := range len(c.line) + 1 {
			checkValid(t, Raw(c.line[:end]))
		}
		checkValid(t, Raw("["+c.line+","+c.line+"]"))
		checkValid(t, Raw(c.line+" \x00"))
		checkValid(t, Raw(c.line+c.line))
	}
}

// checkValid compares whether a text is one value with what jsontext makes of it.
func checkValid(t *testing.T, text Raw) {
	t.Helper()
	if got, want := text.valid(), jsontext.Value(text).IsValid(anySurrogate); got != want {
		t.Errorf("%q is one value: %t, want %t", text, got, want)
	}
}

// checkScanned decodes a line with the scanner, and compares it with what jsontext makes of it.
func checkScanned(t *testing.T, line []byte, o Options) bool {
	t.Helper()
	var quick, whole Trial
	d := newDecoder(o)
	d.quick = true
	if d.whole(&quick, line) != nil {
		return false
	}
	if err := newDecoder(o).whole(&whole, line); err != nil {
		t.Errorf("%s: read by the scanner, and refused otherwise: %v", line, err)
	}
	if diff := cmp.Diff(whole, quick); diff != "" {
		t.Errorf("%s (-jsontext +scanner):\n%s", line, diff)
	}
	return true
}

func FuzzScan(f *testing.F) {
	for _, seed := range seedLines(f) {
		f.Add(seed, uint8(0))
	}
	for _, c := range scannedLines {
		f.Add([]byte(c.line), uint8(BasicFields))
	}
	f.Fuzz(func(t *testing.T, line []byte, fields uint8) {
		checkScanned(t, line, Options{Fields: Fields(fields)})
		checkValid(t, line)
	})
}
