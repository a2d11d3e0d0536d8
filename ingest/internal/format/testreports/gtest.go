package testreports

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// GoogleTest with --gtest_output=json writes {tests, failures, disabled, testsuites} (docs/advanced.md):
//
//	{"tests":1,"failures":1,"disabled":0,"testsuites":[{"name":"Cart","testsuite":[{"name":"Sums","status":"RUN",
//	  "result":"COMPLETED","time":"0.002s","classname":"Cart","failures":[{"failure":"c.cc:10","type":""}]}]}]}
func showsGoogleTest(s *record.Shape) bool {
	n := s.First()
	return !s.Array && n.Has("tests", "failures", "disabled") && (n.At("testsuites").IsList() || n.Has("errors", "name"))
}

// GoogleTest decodes the JSON of GoogleTest.
var GoogleTest = record.Decoder{Shows: showsGoogleTest, Read: readGoogleTest}

// readGoogleTest makes a trial of each test that ran, however many failures it has.
func readGoogleTest(in *record.Input) error {
	document, err := in.Document()
	if err != nil {
		return err
	}
	if !document.At("testsuites").IsList() {
		return noTestsIn(in, "a report of GoogleTest has them in testsuites")
	}
	for _, suite := range document.At("testsuites").List() {
		for _, n := range suite.At("testsuite").List() {
			if err := googleTest(in, suite, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// googleTest hands out the trial of a test.
func googleTest(in *record.Input, suite, n record.Node) error {
	class := n.At("classname").OrElse(suite.At("name")).Text()
	r := report{line: 1, outcome: trial.Pass}
	r.name, _ = scenarioOf(record.ValidText(class), record.ValidText(n.At("name").Text()), "")
	if n.At("name").Text() == "" {
		in.Notes.Skip(record.NamelessTest)
		return nil
	}
	r.seconds = record.Node{Value: strings.TrimSuffix(n.At("time").Text(), "s")}.Amount()
	switch {
	case n.At("status").Text() == "NOTRUN" || n.At("result").Text() == "SKIPPED" || n.At("result").Text() == "SUPPRESSED":
		r.omission = record.SkippedTest
	case n.At("failures").Length() > 0:
		r.outcome, r.cause = trial.Fail, failure("", n.At("failures").First().At("failure").Text())
	}
	if r.omission != "" {
		return r.handOut(in)
	}
	// What RecordProperty sets stands beside the test's own members.
	t := record.Trace{Trial: *r.trial(in), Notes: in.Notes}
	for name, value := range n.Members() {
		switch name {
		case "name", "file", "line", "status", "result", "timestamp", "time", "classname", "failures", "value_param",
			"type_param":
		default:
			annotateWith(&t, "properties", record.Node{Value: map[string]any{name: value.Value}})
		}
	}
	return in.EmitTrace(&t)
}
