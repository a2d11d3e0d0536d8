package ingest

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// The outcomes are counted by hand in what the tools wrote.
func TestRecordedTestReports(t *testing.T) {
	for _, c := range []struct {
		name, notes string
		format      Format
		scenarios   []string
		outcomes    string
	}{
		{"jest.json", "3 trials (jest); left out: skipped tests (1), tests that are to be written (1)", "jest",
			[]string{"a.test.js > agent > refund", "a.test.js > agent > cancel", "a.test.js > broken setup > x"},
			"pass fail error"},
		{"mocha.tap", "3 trials (tap); left out: skipped tests (2)", "tap",
			[]string{"agent refund", "agent cancel", `broken "before all" hook for "x"`}, "pass fail error"},
		{"vitest.tap", "4 trials (tap); left out: skipped tests (2), tests that are to be written (1)", "tap",
			[]string{"a.test.mjs > agent > refund", "a.test.mjs > agent > cancel", "a.test.mjs > agent > flaky",
				"a.test.mjs > broken setup"},
			"pass fail pass error"},
	} {
		stream := Open([]string{sample(t, "formats-unread", c.name)}, Options{})
		var scenarios, outcomes []string
		for x, err := range stream.Trials(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			scenarios, outcomes = append(scenarios, x.Scenario), append(outcomes, x.Outcome.String())
		}
		if strings.Join(scenarios, "|") != strings.Join(c.scenarios, "|") || strings.Join(outcomes, " ") != c.outcomes {
			t.Errorf("%s: %q, %q", c.name, scenarios, outcomes)
		}
		if notes := stream.Notes()[0]; notes.Format != c.format || !strings.HasSuffix(notes.String(), ": "+c.notes) {
			t.Errorf("%s: %s", c.name, notes)
		}
	}
}

// What a report itself says that failed, and does not list, is an error and not lost.
func TestFailuresThatAreNotListed(t *testing.T) {
	const infra = `"outcome":"error","error":{"origin":"infrastructure","type":`
	const passed = `1 {"scenario":"a","trial":0,"outcome":"pass"}` + "\n"
	const declared = infra + `"report","message":"the report declares 3 failures and lists none"}}`
	for text, want := range map[string]string{
		`<testsuites><testsuite name="s" tests="5" failures="3"><testcase name="a" classname="a"/></testsuite></testsuites>`: strings.Replace(passed, `"a"`, `"a.a"`, 1) +
			`1 {"scenario":"s","trial":0,` + declared,
		`<testsuites failures="3"><testsuite><testcase name="a"/></testsuite></testsuites>`: passed +
			`1 {"scenario":"suite","trial":0,` + declared,
		// One that is listed tells, whoever counts more.
		`<testsuite errors="3"><testsuite errors="3"><testcase name="b"><skipped/></testcase></testsuite><testcase name="a"/>` +
			`</testsuite>`: strings.TrimSpace(passed),
		`{"results":{"tool":{"name":"vitest"},"summary":{"failed":3},"tests":[{"name":"a","status":"passed"}]}}`: passed +
			`1 {"scenario":"vitest","trial":0,` + declared,
		`{"created":1,"exitcode":2,"tests":[{"nodeid":"a","outcome":"passed"}],"collectors":[{"nodeid":"","outcome":"passed"},` +
			`{"nodeid":"b.py","outcome":"failed","longrepr":"no module"},{"nodeid":"b.py","outcome":"failed"}]}`: passed +
			`1 {"scenario":"b.py","trial":0,` + infra + `"file","message":"no module"}}`,
	} {
		checkWritten(t, streamOf(text, Options{}), want)
	}
}

// XML of other reports is refused as JUnit is: with entities of its own, cut off, nested without end, or
// in another encoding.
func TestBadTestReports(t *testing.T) {
	for _, c := range []struct {
		text string
		from Format
		want string
	}{
		{`<!DOCTYPE t [<!ENTITY b "c">]><test-run><test-case fullname="&b;"/></test-run>`, Auto,
			"f:1: not valid XML: invalid character entity &b;"},
		{"<TestRun>\n<Results>\n<UnitTestResult testName=", Auto,
			"f:3: the XML ends inside an element; it seems to be cut off: was the program that wrote it stopped?"},
		{"<assemblies>\n<assembly>", Auto,
			"f:2: the XML ends inside an element; it seems to be cut off: was the program that wrote it stopped?"},
		{"<test-run>" + strings.Repeat("<test-suite>", 100), Auto, "f:1:779: elements are nested more than 64 deep"},
		{`<?xml version="1.0" encoding="utf-16"?><assemblies/>`, "xunit",
			"f:1: the XML is declared to be utf-16, not UTF-8; convert the file to UTF-8"},
		{"<html/>", "trx", "f:1:8: the root element is html, not TestRun; is this TRX?"},
		{"<test-run/><more", Auto,
			"f:1: the XML ends inside an element; it seems to be cut off: was the program that wrote it stopped?"},
		{"<assembly/>", Auto, "f holds no test; did the tests run?"},
		{`<TestRun><Results><UnitTestResult testName="a"/></Results></TestRun>`, Auto,
			"f holds no trials: every record was skipped (1); did anything run?"},
		{`<assembly><test name="a" result="Pass"><traits><trait name="cost_usd" value="dear"/></traits></test></assembly>`,
			Auto,
			`f:1: cost_usd "dear" is not a number; leave it empty where it is unknown`},
		{`{"numTotalTests":1,"testResults":{}}`, Auto,
			"f holds no tests; a report of Jest or Vitest has them in testResults"},
		{`{"stats":{"suites":1,"tests":0,"passes":0,"failures":0},"tests":1,"passes":[],"failures":[]}`, Auto,
			"f holds no tests; a report of Mocha has them in tests"},
		{`{"config":{"rootDir":"/","projects":[]}}`, Auto,
			"f holds no tests; a report of Playwright Test has them in suites"},
		{"TAP version 13\n", Auto, "f holds no test; did the tests run?"},
		{"1..0 # SKIP no db\n", Auto, "f holds no trials: every record was skipped (1); did anything run?"},
	} {
		if _, err := written(streamOf(c.text, Options{From: c.from})); err == nil || err.Error() != c.want {
			t.Errorf("%.60q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// What is not TAP, although it has the word ok in it, is not taken for it.
func TestTAPIsToldFromOtherText(t *testing.T) {
	for text, want := range map[string]Format{
		"> npm test\n\nok 1 a\n1..1\n":             "tap",
		"not ok 1\n":                               "tap",
		"1..0 # skip\n":                            "tap",
		"TAP version 13\n{\"resourceSpans\":[]}\n": "tap",
		"ok  \texample.com/agent\t0.5s\n":          Auto,
		"ok\n":                                     Auto,
		"not ok, or so\n":                          Auto,
		"scenario,outcome\n\"a\nok 1 b\",pass\n":   "csv",
		"pass\nok 1\n":                             "lines",
		"log {\"Action\":\"run\"}\nit took 1..2 seconds\n\n\n": Auto,
	} {
		if got, _ := Detect([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// A report is known by how it begins, however long its lists are.
func TestLongTestReportsAreDetected(t *testing.T) {
	long := strings.Repeat(`{"title":"a","fullTitle":"a","err":{},"status":"passed","ancestorTitles":[],"duration":1},`,
		2000)
	for text, want := range map[string]Format{
		`{"stats":{"suites":1,"tests":2000,"passes":2000,"pending":0,"failures":0},"tests":[` +
			long: "mocha",
		`{"numTotalTestSuites":1,"numTotalTests":2000,"testResults":[{"assertionResults":[` +
			long: "jest",
		`{"config":{"rootDir":"/","projects":[]},"suites":[` +
			long: "playwright",
		`<?xml version="1.0"?><!-- ` + strings.Repeat("x", 1000) + ` --><TestRun><Results>` +
			strings.Repeat(" ", 70_000): "trx",
	} {
		if got, err := Detect([]byte(text)[:65536]); got != want {
			t.Errorf("%.40q: %v, %v, want %v", text, got, err, want)
		}
	}
}

// A plan of many tests of which none came is one error, and no more.
func TestTAPPlanOfMany(t *testing.T) {
	checkWritten(t, streamOf("1..999999999\nok 1 - a\n", Options{Options: trial.Options{File: "f"}}), `
2 {"scenario":"a","trial":0,"outcome":"pass"}
1 {"scenario":"f","trial":0,"outcome":"error","error":{"origin":"infrastructure","type":"plan","message":"the plan announces 999999999 tests, and 1 ran"}}`)
}

func FuzzTAP(f *testing.F) {
	seed(f, "tap", "1..2\n    ok 1\n        ok 2\n}\nok 1 - a {\n    1..1\nBail out!\n",
		"ok\n  ---\n a: [\n  ...\nnot ok # TODO \\# x\n")
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "tap") })
}

func FuzzTRX(f *testing.F) {
	seed(f, "trx", `<TestRun><Results><UnitTestResult testName="a" outcome="Passed" duration="99999999.23:59:59.9"/></Results></TestRun>`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "trx") })
}

func FuzzNUnit(f *testing.F) {
	seed(f, "nunit", `<test-suite><properties><property name="trial" value="3"/></properties><test-case name="a"/></test-suite>`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "nunit") })
}

func FuzzXUnit(f *testing.F) {
	seed(f, "xunit", `<assembly><class><test name="a" result="Fail"><failure/></test></class></assembly>`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "xunit") })
}
