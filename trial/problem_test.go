package trial

import (
	"errors"
	"math"
	"testing"
)

// badLines are lines that must be refused, and how: the message after the file
// and the line.
var badLines = []struct{ line, want string }{
	// outcome
	{`{"scenario":"a","outcome":"passed"}`,
		`27: outcome "passed" is not one of pass, fail, error; did you mean "pass"?`},
	{`{"scenario":"a","outcome":"PASS"}`, `27: outcome "PASS" is not one of pass, fail, error; did you mean "pass"?`},
	{`{"scenario":"a","outcome":"fial"}`, `27: outcome "fial" is not one of pass, fail, error; did you mean "fail"?`},
	{`{"scenario":"a","outcome":"timeout"}`,
		`27: outcome "timeout" is not one of pass, fail, error; did you mean "error"?`},
	{`{"scenario":"a","outcome":"skipped"}`,
		`27: outcome "skipped" is not one of pass, fail, error; a trial that was skipped is left out; one that reached no verdict is an error`},
	{`{"scenario":"a","outcome":""}`,
		`27: outcome "" is not one of pass, fail, error; a trial that was skipped is left out; one that reached no verdict is an error`},
	{`{"scenario":"a","outcome":"unjudged"}`,
		`27: outcome "unjudged" is not one of pass, fail, error; a trial that was skipped is left out; one that reached no verdict is an error`},
	{`{"scenario":"a","outcome":true}`,
		`27: outcome true must be a string, not true; write "outcome":"pass", "fail" or "error"`},
	{`{"scenario":"a","outcome":1}`,
		`27: outcome 1 must be a string, not a number; write "outcome":"pass", "fail" or "error"`},
	{`{"scenario":"a"}`, ` outcome is missing; it must be pass, fail or error`},
	{`{"scenario":"a","outcome":null}`, ` outcome is missing; it must be pass, fail or error`},
	{`{"scenario":"a","outcom":"pass"}`,
		` outcome is missing; is "outcom" meant? Names are written as here, in lower case`},
	{`{"scenario":"a","pased":true}`, ` outcome is missing; write "passed" for "pased"`},
	{`{"scenario":"a","score":1}`,
		` outcome is missing; there is a score: give the least score that passes with PassScore, or write the outcome`},
	// passed
	{`{"scenario":"a","passed":"false"}`,
		`26: passed "false" must be true or false, not a string; write "passed":false`},
	{`{"scenario":"a","passed":"true"}`, `26: passed "true" must be true or false, not a string; write "passed":true`},
	{`{"scenario":"a","passed":0}`, `26: passed 0 must be true or false, not a number; write "passed":false`},
	{`{"scenario":"a","passed":true,"outcome":"fail"}`,
		`26: passed true contradicts the outcome fail; leave one of the two out`},
	{`{"scenario":"a","outcome":"pass","passed":false}`,
		`43: passed false contradicts the outcome pass; leave one of the two out`},
	{`{"scenario":"a","outcome":"error","passed":true}`,
		`44: passed true contradicts the outcome error; leave one of the two out`},
	// scenario
	{`{"outcome":"pass"}`, ` scenario is missing; every trial needs the name of what was tried`},
	{`{"scenario":"","outcome":"pass"}`, ` scenario is missing; every trial needs the name of what was tried`},
	{`{"Scenario":"a","outcome":"pass"}`,
		` scenario is missing; is "Scenario" meant? Names are written as here, in lower case`},
	{`{"scenario":43,"outcome":"pass"}`, `13: scenario 43 must be a string, not a number; write "43" in quotes`},
	{`{"scenario":"a\ud800","outcome":"pass"}`,
		`13: scenario "a\ud800" holds half of a surrogate pair; write the whole character, or \ufffd`},
	// numbers
	{`{"scenario":"a","outcome":"pass","cost_usd":-1}`,
		`45: cost_usd -1 must not be negative; omit it where it is unknown`},
	{`{"scenario":"a","outcome":"pass","duration_s":-0.001}`,
		`47: duration_s -0.001 must not be negative; omit it where it is unknown`},
	{`{"scenario":"a","outcome":"pass","input_tokens":-7}`,
		`49: input_tokens -7 must not be negative; omit it where it is unknown`},
	{`{"scenario":"a","outcome":"pass","output_tokens":0.5}`, `50: output_tokens 0.5 must be a whole number`},
	{`{"scenario":"a","outcome":"pass","trial":-1}`,
		`42: trial -1 must not be negative; omit it where it is unknown`},
	{`{"scenario":"a","outcome":"pass","trial":-1e400}`,
		`42: trial -1e400 must not be negative; omit it where it is unknown`},
	{`{"scenario":"a","outcome":"pass","trial":"3"}`,
		`42: trial "3" must be a whole number, not a string; write 3 without quotes`},
	{`{"scenario":"a","outcome":"pass","trial":9223372036854775808}`,
		`42: trial 9223372036854775808 is too large for a count`},
	{`{"scenario":"a","outcome":"pass","trial":1e400}`, `42: trial 1e400 is too large for a count`},
	{`{"scenario":"a","outcome":"pass","attempt":true}`, `44: attempt true must be a whole number, not true`},
	{`{"scenario":"a","outcome":"pass","cost_usd":"0.1"}`,
		`45: cost_usd "0.1" must be a number, not a string; write 0.1 without quotes`},
	{`{"scenario":"a","outcome":"pass","cost_usd":"NaN"}`,
		`45: cost_usd "NaN" must be a number, not a string; leave the field out where the number is unknown`},
	{`{"scenario":"a","outcome":"pass","cost_usd":1e999}`, `45: cost_usd 1e999 is too large for a number`},
	{`{"scenario":"a","outcome":"pass","score":-1e999}`, `42: score -1e999 is too large for a number`},
	{`{"scenario":"a","outcome":"pass","score":NaN}`,
		`42: not valid JSON: invalid character 'N' at start of value in score; JSON has no NaN: leave the field out where the number is unknown`},
	{`{"scenario":"a","outcome":"pass","score":-Infinity}`,
		`43: not valid JSON: invalid character 'I' in number (expecting digit) in score; JSON has no infinity: leave the field out`},
	// parts
	{`{"scenario":"a","outcome":"pass","steps":{}}`, `42: steps {} must be an array of objects, not an object`},
	{`{"scenario":"a","outcome":"pass","steps":[1]}`,
		`43: steps[0] 1 must be an object, not a number; write one such as {"action":"call_tool","tool":"…"}`},
	{`{"scenario":"a","outcome":"pass","steps":[null]}`, `43: steps[0] null must be an object, not null`},
	{`{"scenario":"a","outcome":"pass","steps":[{"action":"x"},{"tool":"y"}]}`,
		` steps[1].action is missing; write reason, call_tool, respond or another word`},
	{`{"scenario":"a","outcome":"pass","steps":[{"action":"x"},{"action":"y","cost_usd":-1}]}`,
		`83: steps[1].cost_usd -1 must not be negative; omit it where it is unknown`},
	{`{"scenario":"a","outcome":"pass","steps":[{"action":"x","error":{}}]}`,
		`65: steps[0].error {} must be a string, not an object`},
	{`{"scenario":"a","outcome":"pass","error":"timeout"}`,
		`42: error "timeout" must be an object, not a string; write one such as {"origin":"infrastructure","type":"timeout","message":"…"}`},
	{`{"scenario":"a","outcome":"pass","error":{"type":4}}`,
		`50: error.type 4 must be a string, not a number; write "4" in quotes`},
	{`{"scenario":"a","outcome":"pass","started_at":"yesterday"}`,
		`47: started_at "yesterday" is not a time; write it as RFC 3339 does: 2026-02-26T09:25:37Z`},
	{`{"scenario":"a","outcome":"pass","tags":["x"]}`,
		`41: tags ["x"] must be an object, not an array; write one such as {"commit":"c9e1346"}`},
	// names given twice
	{`{"scenario":"a","outcome":"pass","outcome":"fail"}`,
		`34: outcome is given twice; a name may stand only once in a JSON object`},
	{`{"scenario":"a","outcome":"pass","outcom\u0065":"fail"}`,
		`34: outcome is given twice; a name may stand only once in a JSON object`},
	{`{"scenario":"a","outcome":"pass","tags":{"a":1,"a":2}}`,
		`48: tags.a is given twice; a name may stand only once in a JSON object`},
	{`{"scenario":"a","outcome":"pass","x":[{"a":1,"a":2}]}`,
		`46: x[0].a is given twice; a name may stand only once in a JSON object`},
	// not one JSON object
	{`{"scenario":"a","outcome":"pass"}{"scenario":"b"}`,
		`34: a second JSON value on one line; write one trial a line`},
	{`{"scenario":"a","outcome":"pass"} # fine`,
		`35: text after the end of the JSON object; write one trial a line, and nothing after it`},
	{`"pass"`, `1: a trial must be a JSON object, not a string; write one {"scenario":"…","outcome":"…"} a line`},
	{`12`, `1: a trial must be a JSON object, not a number; write one {"scenario":"…","outcome":"…"} a line`},
	{`{'scenario':'a'}`, `2: not valid JSON: invalid character '\'' at start of value; JSON strings stand in double quotes`},
	{`{"scenario":"a","passed":True}`,
		`26: not valid JSON: invalid character 'T' at start of value in passed; JSON writes true`},
	{`{"scenario":"a","model":None}`,
		`25: not valid JSON: invalid character 'N' at start of value in model; JSON writes null, or leaves the field out`},
	{`{"scenario":"a","outcome":"pass",}`,
		`33: not valid JSON: invalid character ',' at start of value; remove the comma before }`},
	{`{"scenario":"a" "outcome":"pass"}`,
		`17: not valid JSON: invalid character '"' after object value (expecting ',' or '}')`},
	{`{"scenario":"a","outcome":"pass","trial":01}`,
		`43: not valid JSON: invalid character '1' after object value (expecting ',' or '}')`},
	{`{"scenario":"a","tags":{"the_commit_of_the_agent":{"the_branch_that_it_was_built_from":tru3}}}`,
		`91: not valid JSON: invalid character '3' in literal true (expecting 'e') in ` +
			`tags.the_commit_of_the_agent.the_branch_that_it_was_built_from`},
	{"{\"scenario\":\"a\tb\"}",
		`15: not valid JSON: invalid character '\t' in string (expecting non-control character) in scenario`},
	{"{\"scenario\":\"a\xffb\",\"outcome\":\"pass\"}", `15: not UTF-8 text; save the file as UTF-8`},
	// cut off
	{`{"scenario":"a","outcome":"pa`,
		`30: the line ends inside outcome; it seems to be cut off: was the program that wrote it stopped?`},
	{`{"scenario":"a","steps":[{"action":"x"},{"output":{"b":"c`,
		`58: the line ends inside steps[1].output.b; it seems to be cut off: was the program that wrote it stopped?`},
	{`{"scenario":"a","cost_usd":12`,
		`30: the line ends inside the trial; it seems to be cut off: was the program that wrote it stopped?`},
	{`{"scenario":"a"`, `16: the line ends inside the trial; it seems to be cut off: was the program that wrote it stopped?`},
	{`{`, `2: the line ends inside the trial; it seems to be cut off: was the program that wrote it stopped?`},
	// names and values that a terminal would obey
	{"{\"scenario\":\"a\",\"outcome\":\"\u009b31m\u202ered\"}",
		`27: outcome "\u009b31m\u202ered" is not one of pass, fail, error; a trial that was skipped is left out; one that reached no verdict is an error`},
}

func TestBadLines(t *testing.T) {
	for _, c := range badLines {
		_, err := Decode([]byte(c.line), Options{File: "t.jsonl"})
		if err == nil {
			t.Errorf("%s: no error", c.line)
			continue
		}
		if want := "t.jsonl:1:" + c.want; err.Error() != want {
			t.Errorf("%s:\n got %s\nwant %s", c.line, err, want)
		}
		if !errors.As(err, new(*SyntaxError)) && !errors.As(err, new(*FieldError)) {
			t.Errorf("%s: %T", c.line, err)
		}
	}
}

// A part that is not wanted is checked all the same.
func TestBadLinesWithFewFields(t *testing.T) {
	for _, c := range badLines {
		_, whole := Decode([]byte(c.line), Options{})
		_, few := Decode([]byte(c.line), Options{Fields: BasicFields})
		if few == nil || whole.Error() != few.Error() {
			t.Errorf("%s:\n everything: %v\n few fields: %v", c.line, whole, few)
		}
	}
}

func TestFieldErrorParts(t *testing.T) {
	_, err := Decode([]byte(`{"scenario":"a","outcome":"pass","steps":[{"action":"x","depth":-2}]}`),
		Options{File: "f"})
	e, ok := errors.AsType[*FieldError](err)
	if !ok {
		t.Fatalf("%T: %v", err, err)
	}
	want := FieldError{Place: Place{File: "f", Line: 1, Column: 65}, Field: "steps[0].depth", Value: "-2",
		Problem: "must not be negative", Advice: "omit it where it is unknown"}
	if *e != want {
		t.Errorf("got %+v, want %+v", *e, want)
	}
}

func TestPlaceString(t *testing.T) {
	for _, c := range []struct {
		place Place
		want  string
	}{
		{Place{File: "a.jsonl", Line: 3, Column: 7}, "a.jsonl:3:7"},
		{Place{File: "a.jsonl", Line: 3}, "a.jsonl:3"},
		{Place{File: "a.jsonl"}, "a.jsonl"},
		{Place{File: "-", Line: 3}, "standard input:3"},
		{Place{Line: 3, Column: 7}, "line 3, column 7"},
		{Place{File: "a\n\x1b[31m", Line: 1}, `a\n\x1b[31m:1`},
		{Place{}, ""},
	} {
		if got := c.place.String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.place, got, c.want)
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	for _, o := range []Options{{PassScore: Some(math.NaN())}, {PassScore: Some(math.Inf(1))}, {MaxLineBytes: -1},
		{Workers: -1}} {
		if _, err := Decode([]byte(`{"scenario":"a","outcome":"pass"}`), o); !errors.As(err, new(*OptionError)) {
			t.Errorf("%+v: %v, want an OptionError", o, err)
		}
	}
}
