package ingest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestCSVForms(t *testing.T) {
	for _, c := range []struct {
		text string
		o    trial.Options
		want string
	}{
		{"scenario;passed\na;true\nb;FALSE\nc;1\nd;0", trial.Options{}, `
2 {"scenario":"a","outcome":"pass"}
3 {"scenario":"b","outcome":"fail"}
4 {"scenario":"c","outcome":"pass"}
5 {"scenario":"d","outcome":"fail"}`},
		{"Scenario\tSCORE\r\na\t0.5\r\n\r\nb\t0.25\r\n", trial.Options{PassScore: trial.Some(0.5)}, `
2 {"scenario":"a","outcome":"pass","score":0.5}
4 {"scenario":"b","outcome":"fail","score":0.25}`},
		{"scenario\ttrial\toutcome\na\t\tpass\n", trial.Options{}, `2 {"scenario":"a","outcome":"pass"}`},
		{",scenario, outcome ,Rounds,Turns,attempt\n0,a, pass ,7,3,2.0\n1, \"a,b\",fail,,,\n", trial.Options{}, `
2 {"scenario":"a","outcome":"pass","turns":3,"attempt":2,"tags":{"Rounds":"7"}}
3 {"scenario":"a,b","outcome":"fail"}`},
		{"scenario,outcome,error_type,input,output\na,error,timeout,hello,\"say \"\"x\"\"\"\n", trial.Options{}, `
2 {"scenario":"a","outcome":"error","error":{"type":"timeout"},"input":"hello","output":"say \"x\""}`},
	} {
		checkWritten(t, streamOf(c.text, Options{Options: c.o}), c.want)
	}
}

func TestBadCSV(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"scenario,outcome\na,passed\n", `f:2:3: outcome "passed" is not one of pass, fail, error; did you mean "pass"? Or add Map '{scenario: scenario, outcome: {path: outcome, pass: [passed]}}'`},
		{"scenario,outcome\na,True\n",
			`f:2:3: outcome "True" is not one of pass, fail, error; add Map '{scenario: scenario, outcome: outcome}'`},
		{"scenario,outcome\na,\n", `f:2: outcome is missing; it must be pass, fail or error`},
		{"scenario,outcome\n,pass\n", `f:2: scenario is missing; every trial needs the name of what was tried`},
		{"scenario,passed\na,maybe\n", `f:2:3: passed "maybe" must be true, false, 1 or 0; add Map '{scenario: scenario, outcome: {path: passed, pass: [...], fail: [...]}}', with its words "maybe" in place of the dots`},
		{"scenario,passed,outcome\na,true,fail\n", `f:2: passed true contradicts the outcome fail; leave one of the two out`},
		{"scenario,score\na,1\n", `f:2: outcome is missing; there is a score: give the least score that passes with PassScore, or write the outcome`},
		{"scenario,Variant,result\na,x,1\nb,y,0\n",
			`f:1: header has no column that tells the outcome; add Map '{scenario: scenario, outcome: result, variant: Variant}'`},
		{"scenario,cost_usd\na,1\n",
			`f:1: header has no column that tells the outcome; add outcome (pass, fail or error), passed (true or false), or score with PassScore`},
		{"scenario,outcome,Outcome\n", `f:1: column outcome is given twice; name the columns apart`},
		{"scenario,outcome,cost_usd\na,pass,NaN\n",
			`f:2:8: cost_usd "NaN" is not a number; leave it empty where it is unknown`},
		{"scenario,outcome,cost_usd\na,pass,0x10\n",
			`f:2:8: cost_usd "0x10" is not a number; leave it empty where it is unknown`},
		{"scenario,outcome,cost_usd\na,pass,inf\n",
			`f:2:8: cost_usd "inf" is not a number; leave it empty where it is unknown`},
		{"scenario,outcome,cost_usd\na,pass,1e999\n", `f:2:8: cost_usd "1e999" is too large for a number`},
		{"scenario;outcome;cost_usd\na;pass;0,5\n", `f:2:8: cost_usd "0,5" is not a number; write 0.5, with a point`},
		{"scenario,outcome,cost_usd\na,pass,-1\n",
			`f:2:8: cost_usd "-1" must not be negative; leave it empty where it is unknown`},
		{"scenario,outcome,trial\na,pass,1.5\n", `f:2:8: trial "1.5" must be a whole number`},
		{"scenario,outcome,trial\na,pass,-1\n", `f:2:8: trial "-1" must not be negative; leave it empty where it is unknown`},
		{"scenario,outcome,trial\na,pass,1e19\n", `f:2:8: trial "1e19" is too large for a count`},
		{"scenario,outcome,started_at\na,pass,now\n",
			`f:2:8: started_at "now" is not a time; write it as RFC 3339 does: 2026-02-26T09:25:37Z`},
		{"scenario,outcome\na,pass\nb,pass,1\n",
			`f:3: the row has 3 cells, and the header 2; a cell that holds the delimiter stands in double quotes`},
		{"scenario,outcome\na,\"pass\n",
			`f:2:9: a quoted cell does not end where it should; a quote inside a quoted cell is doubled: ""`},
		{"scenario,outcome\na \"b\",pass\n",
			`f:2:3: a double quote inside a cell that is not quoted; quote the cell, and double the quote: ""`},
		{"scenario,outcome\n\xff,pass\n", `f:2:1: scenario "\\xff" is not UTF-8 text; save the file as UTF-8`},
		{"scenario,outcome\n\"x\ny\",pass\nz,\"a\nb\"\n",
			`f:4:3: outcome "a\\nb" is not one of pass, fail, error; add Map '{scenario: scenario, outcome: {path: outcome, pass: [pass, ...], fail: [...]}}', with its words "a\\nb" in place of the dots`},
	} {
		_, err := written(streamOf(c.text, Options{}))
		if err == nil || err.Error() != strings.ReplaceAll(c.want, `\\`, `\`) {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
		if !errors.As(err, new(*trial.FieldError)) && !errors.As(err, new(*trial.SyntaxError)) {
			t.Errorf("%q: %T", c.text, err)
		}
	}
}

func TestLines(t *testing.T) {
	for text, want := range map[string]string{
		"pass\nfail\nmaybe\n":  `f:3: outcome "maybe" is not an outcome; write one of pass, fail, error, 1, 0, true, false a line`,
		"1\n0\n2\n":            `f:3: outcome "2" is not an outcome; write one of pass, fail, error, 1, 0, true, false a line`,
		"pass\n\x1b[2Jpass":    `f:2: outcome "\x1b[2Jpass" is not an outcome; write one of pass, fail, error, 1, 0, true, false a line`,
		"pass\n\xff\n":         `f:2: outcome "\xff" is not an outcome; write one of pass, fail, error, 1, 0, true, false a line`,
		"pass\npass, though\n": `f:2: outcome "pass, though" is not an outcome; write one of pass, fail, error, 1, 0, true, false a line`,
	} {
		if _, err := written(streamOf(text, Options{})); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestBadJUnit(t *testing.T) {
	bomb := `<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>` + "\n"
	for _, c := range []struct{ text, want string }{
		{"<testsuite>\n<testcase name=\"a\">",
			"f:2: the XML ends inside an element; it seems to be cut off: was the program that wrote it stopped?"},
		{"<testsuite>\n<testcase na",
			"f:2: the XML ends inside an element; it seems to be cut off: was the program that wrote it stopped?"},
		{"<testsuite>\n</testsuites>", "f:2: not valid XML: element <testsuite> closed by </testsuites>"},
		{bomb + `<testsuite><testcase name="&b;"/></testsuite>`, "f:2: not valid XML: invalid character entity &b;"},
		{`<testsuite><testcase name="a" time="fast"/></testsuite>`,
			`f:1: time "fast" is not a number; leave it empty where it is unknown`},
		{`<testsuite><testcase name="a" time="-1"/></testsuite>`,
			`f:1: time "-1" must not be negative; leave it empty where it is unknown`},
		{`<testsuite><testcase/></testsuite>`, "f holds no trials: every record was skipped (1); did anything run?"},
		{`<testsuite>` + "\n" + `<testcase name="a"><properties><property name="cost_usd" value="dear"/></properties></testcase></testsuite>`,
			`f:2: cost_usd "dear" is not a number; leave it empty where it is unknown`},
		{`<results><testcase name="a"/></results>`,
			"f:1:10: the root element is results, not testsuites or testsuite; is this JUnit XML?"},
		{strings.Repeat("<testsuite>", 100), "f:1:716: elements are nested more than 64 deep"},
		{`<?xml version="1.0" encoding="ISO-8859-1"?><testsuite/>`,
			"f:1: the XML is declared to be ISO-8859-1, not UTF-8; convert the file to UTF-8"},
		{"<testsuite><testcase name=\"\xff\"/></testsuite>", "f:1: not valid XML: invalid UTF-8"},
	} {
		_, err := written(streamOf(c.text, Options{}))
		if err == nil || err.Error() != c.want {
			t.Errorf("%.60q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	checkWritten(t, streamOf(bomb+`<testsuite name="&lt;"><testcase name="&#65;"/></testsuite>`, Options{}), `
2 {"scenario":"<.A","trial":0,"outcome":"pass"}`)
}

// Vitest 4.1.12 with --bail=1 writes a test that it did not run as one that passed, with a time of 0: beside it the tests
// that ran have the time that they took. Without a failure there was nothing to stop at.
func TestJUnitOfABailedRunOfVitest(t *testing.T) {
	const report = `<testsuites name="vitest tests" tests="3" failures="%d"><testsuite name="a.test.js">` +
		`<testcase classname="a.test.js" name="one" time="0.004"></testcase>%s` +
		`<testcase classname="a.test.js" name="three" time="0"></testcase></testsuite></testsuites>`
	const one = `1 {"scenario":"a.test.js.one","trial":0,"outcome":"pass","duration_s":0.004}`
	failed := fmt.Sprintf(report, 1, `<testcase classname="a.test.js" name="two" time="0.041"><failure/></testcase>`)
	s := streamOf(failed, Options{})
	checkWritten(t, s, one+"\n"+`1 {"scenario":"a.test.js.two","trial":0,"outcome":"fail","error":{},"duration_s":0.041}`)
	checkNotes(t, s, "f: 2 trials (junit); left out: tests that were not run (1)")
	checkWritten(t, streamOf(fmt.Sprintf(report, 0, ""), Options{}), one+"\n"+
		`1 {"scenario":"a.test.js.three","trial":0,"outcome":"pass","duration_s":0}`)
}

// Ginkgo 2.34.0 with FlakeAttempts writes a spec that passed at its second try as one that passed: the first try stands
// in its text alone. What a program of another tool prints is no try.
func TestJUnitOfASpecThatGinkgoTriedAgain(t *testing.T) {
	const report = `<testsuites><testsuite name="all"><properties>%s</properties><testcase name="[It] tries" ` +
		`classname="all" status="passed" time="0.5"><system-err>&gt; Enter [It] tries - a_test.go:13&#xA;` +
		`[FAILED] Failure recorded during attempt 1:&#xA;Expected&#xA;    &lt;int&gt;: 1&#xA;` +
		`In [It] at: a_test.go:15&#xA;&#xA;Attempt #1 Failed.  Retrying ↺ @ 11/29/26` +
		`&#xA;&#xA;&gt; Enter [It] tries - a_test.go:13&#xA;</system-err></testcase></testsuite></testsuites>`
	const passed = `"outcome":"pass","duration_s":0.5`
	checkWritten(t, streamOf(fmt.Sprintf(report, `<property name="FlakeAttempts" value="2"></property>`), Options{}),
		`1 {"scenario":"all.[It] tries","trial":0,"outcome":"fail","error":{"message":"Expected"},`+
			`"attempt":1,"tags":{"FlakeAttempts":"2"}}`+"\n"+
			`1 {"scenario":"all.[It] tries","trial":1,`+passed+`,"attempt":2,"tags":{"FlakeAttempts":"2"}}`)
	checkWritten(t, streamOf(fmt.Sprintf(report, ""), Options{}), `1 {"scenario":"all.[It] tries","trial":0,`+passed+`}`)
}

func TestGoTestForms(t *testing.T) {
	run := `{"Action":"run","Package":"p","Test":"T"}` + "\n"
	pass := `{"Action":"pass","Package":"p","Test":"T"}` + "\n"
	for _, c := range []struct{ text, want, notes string }{
		// Of two packages at once, the first comes from the test cache.
		{run + strings.ReplaceAll(run+pass, `"p"`, `"q"`) + pass + `{"Action":"output","Package":"q","Output":"ok  \tq\t0.1s\n"}` +
			"\n" + `{"Action":"output","Package":"p","Output":"ok  \tp\t(cached)\n"}` + "\n",
			`2 {"scenario":"q.T","trial":0,"outcome":"pass"}`,
			"f: 1 trial (gotest); left out: cached results (1); a result of the test cache repeats an earlier run and is no " +
				"trial: use -count=1"},
		{run, `1 {"scenario":"p.T","trial":0,"outcome":"error","error":{"type":"unfinished","message":"the test began and did not end: a crash or a timeout"}}`,
			"f: 1 trial (gotest)"},
		{`{"Action":"fail","Package":"p"}`,
			`1 {"scenario":"p","trial":0,"outcome":"error","error":{"origin":"infrastructure","type":"package","message":"the package failed before its first test"}}`,
			"f: 1 trial (gotest)"},
		{run + pass + `{"Action":"output","Package":"p","Output":"PASS\n"}` + "\n" +
			`{"Action":"output","Package":"p","Output":"panic: outside\n"}` + "\n" +
			`{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}` + "\n" + `{"Action":"fail","Package":"p"}`, `
1 {"scenario":"p.T","trial":0,"outcome":"pass"}
6 {"scenario":"p","trial":0,"outcome":"error","error":{"origin":"infrastructure","type":"package","message":"the package failed, and none of its tests did: panic: outside"}}`,
			"f: 2 trials (gotest)"},
		{run + strings.Replace(run+pass, `"T"`, `"T/a"`, 2) +
			`{"Action":"output","Package":"p","Test":"T","Output":"    a_test.go:3: leak\n"}` + "\n" +
			strings.Replace(pass, "pass", "fail", 1) + `{"Action":"fail","Package":"p"}`, `
2 {"scenario":"p.T/a","trial":0,"outcome":"pass"}
1 {"scenario":"p.T","trial":0,"outcome":"error","error":{"type":"subtests","message":"the test failed, and none of its subtests did: a_test.go:3: leak"}}`,
			"f: 2 trials (gotest)"},
		{run + `{"Action":"attr","Package":"p","Test":"T","Key":"trial","Value":"7"}` + "\n" +
			`{"Action":"attr","Package":"p","Test":"T","Key":"seed","Value":"x"}` + "\n" + pass + run + pass,
			`1 {"scenario":"p.T","trial":7,"outcome":"pass","tags":{"seed":"x"}}` + "\n" +
				`5 {"scenario":"p.T","trial":8,"outcome":"pass"}`, "f: 2 trials (gotest)"},
		{run + strings.Replace(run, `"T"`, `"BenchmarkX"`, 1) + pass + `{"level":"info"}` + "\nplain\n" +
			`{"Action":"pass","Package":"p"}`,
			`1 {"scenario":"p.T","trial":0,"outcome":"pass"}`,
			"f: 1 trial (gotest); left out: lines of other programs (2), benchmarks (1)"},
	} {
		s := streamOf(c.text, Options{})
		checkWritten(t, s, c.want)
		checkNotes(t, s, c.notes)
	}
	for text, want := range map[string]string{
		run + pass + `{"Action":"output","Package":"p","Output":"ok  \tp\t(cached)\tcoverage: 9.0% of statements\n"}`: "f " +
			"holds no trials: every record was skipped (1); a result of the test cache repeats an earlier run and is no trial: " +
			"use -count=1",
		run + `{"Time":"2026-02-26T09:25:37Z","Action":"pa`: "f:2: not a whole " +
			"event of go test -json: unexpected end of JSON input; it seems to be cut off: was the program that wrote it " +
			"stopped?",
		run + `{"Action":"attr","Package":"p","Test":"T","Key":"cost_usd","Value":"-1"}` + "\n" +
			pass: `f:1: cost_usd "-1" must not be negative; leave it empty where it is unknown`,
		run + `{"Action":"pass","Package":"p","Test":"T","Elapsed":-1}`: `f:1: duration_s -1 must not be negative; omit it where it is unknown`,
	} {
		if _, err := written(streamOf(text, Options{})); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}
