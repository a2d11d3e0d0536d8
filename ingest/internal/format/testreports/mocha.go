package testreports

import (
	"bytes"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// Reports of Mocha are {stats, tests, pending, failures, passes}, or with the reporter json-stream
// events, a line each.
//
//	{"stats":{"tests":1},"tests":[{"title":"refund","fullTitle":"booking refund","file":"/evals/a.js","duration":7,
//	 "currentRetry":0,"err":{"message":"1 == 2"}}],"pending":[],"failures":[…],"passes":[]}
//
//	["pass",{"title":"refund","fullTitle":"booking refund","file":"/evals/a.js","duration":7,"currentRetry":0}]
func showsMocha(s *record.Shape) bool {
	n := s.First()
	// The lists may be longer than the beginning of the file, which ends in the first of them.
	return !s.Array && n.Has("stats", "tests") && n.At("stats").Has("suites", "tests", "passes", "failures") ||
		isMochaStream(s.Text)
}

// isMochaStream reports whether a text begins as the events of Mocha do.
func isMochaStream(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte(`["start",{"total":`))
}

// Mocha decodes the JSON reports of Mocha.
var Mocha = record.Decoder{Shows: showsMocha, Read: readMocha}

// readMocha makes a trial of each run of a test, and one of each hook that failed: an error.
func readMocha(in *record.Input) error {
	start, _ := in.Text.Peek(len(`["start",{"total":`) + len("\r\n"))
	if isMochaStream(start) {
		return readMochaStream(in)
	}
	document, err := in.Document()
	if err != nil {
		return err
	}
	if !document.At("tests").IsList() {
		return noTestsIn(in, "a report of Mocha has them in tests")
	}
	// The list of all tests is in their order, and does not say which were skipped.
	pending := map[string]int{}
	for _, test := range document.At("pending").List() {
		pending[mochaName(test)]++
	}
	for _, test := range document.At("tests").List() {
		event := "pass"
		switch name := mochaName(test); {
		case test.At("err").Length() > 0:
			event = "fail"
		case pending[name] > 0 && !test.At("speed").Exists():
			pending[name]--
			event = "pending"
		}
		if err := mochaTest(in, test, event, test.At("err", "message").Text(), 1); err != nil {
			return err
		}
	}
	for _, test := range document.At("failures").List() {
		if !mochaHook().MatchString(test.At("title").Text()) {
			continue // it is among the tests
		}
		if err := mochaTest(in, test, "fail", test.At("err", "message").Text(), 1); err != nil {
			return err
		}
	}
	return nil
}

// readMochaStream reads events. Skipped tests are none.
func readMochaStream(in *record.Input) error {
	ended := false
	err := in.EachLine(func(text []byte, line int) error {
		n, err := record.DecodeNode(text)
		event := n.List()
		if err != nil || len(event) < 2 {
			in.Unread(text, line)
			return nil
		}
		switch kind := event[0].Text(); kind {
		case "pass", "fail":
			return mochaTest(in, event[1], kind, event[1].At("err").Text(), line)
		case "end":
			ended = true
		case "start":
		default:
			in.Notes.Skip(record.UnknownEvent)
		}
		return nil
	})
	if err == nil && !ended {
		in.Notes.Remark("the run did not end: tests are missing")
	}
	return err
}

// mochaHook is the title of what stands for a hook that failed.
var mochaHook = lazy.Regexp(`"(before|after) (all|each)" hook`)

// mochaName is the name of a test: Mocha joins the titles of the suites around it by spaces.
func mochaName(n record.Node) string {
	title := n.At("fullTitle").Text()
	if title == "" {
		title = n.At("title").Text()
	}
	if title == "" {
		return ""
	}
	return joined(baseName(n.At("file").Text()), title)
}

// mochaTest hands out the trials of a test: Mocha says how often it was tried again, which is
// after a failure.
func mochaTest(in *record.Input, n record.Node, event, message string, line int) error {
	t := report{name: mochaName(n), line: line, outcome: trial.Pass, seconds: n.At("duration").Millis()}
	if t.name == "" {
		in.Notes.Skip(record.NamelessTest)
		return nil
	}
	switch {
	case event == "pending":
		t.omission = record.SkippedTest
		return t.handOut(in)
	case event == "fail" && mochaHook().MatchString(n.At("title").Text()):
		t.outcome, t.cause = trial.Error, broken("hook", message)
		return t.handOut(in)
	case event == "fail":
		kind := ""
		if strings.Contains(n.At("err", "code").Text()+n.At("code").Text(), "TIMEOUT") {
			kind = "timeout"
		}
		t.outcome, t.cause = trial.Fail, failure(kind, message)
	}
	before := min(n.At("currentRetry").Index().Value, mostRuns)
	if err := t.retries(in, before, func(int) *trial.Cause { return nil }); err != nil {
		return err
	}
	return t.handOut(in)
}
