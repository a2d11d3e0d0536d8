package testreports

import (
	"cmp"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// pytest-json-report writes {created, exitcode, summary, tests}.
//
//	{"created":1772097937.5,"exitcode":1,"summary":{"passed":1},"tests":[{"nodeid":"test_a.py::test_b[trial3]",
//	  "outcome":"failed","setup":{},"call":{"duration":0.5,"crash":{"message":"assert 0"}},"teardown":{}}]}
//
// Reports of version 0.8 were recorded; user_properties are those of 1.x.
func showsPytestJSON(s *record.Shape) bool {
	n := s.First()
	return !s.Array && n.Has("created", "exitcode") && (n.Has("summary") || n.Has("tests"))
}

// PytestJSON decodes pytest-json-report.
var PytestJSON = record.Decoder{Shows: showsPytestJSON, Read: readPytestJSON}

// readPytestJSON makes a trial of each test.
func readPytestJSON(in *record.Input) error {
	document, err := in.Document()
	if err != nil {
		return err
	}
	tests := document.At("tests")
	if !tests.IsList() {
		return &trial.FileError{
			File: in.File, Problem: "holds no tests",
			Advice: "was it written with --json-report-summary or --json-report-omit? The tests are needed",
		}
	}
	numbered := numberedTests{}
	for _, test := range tests.List() {
		numbered.add(test.At("nodeid").Text())
		if err := readPytest(in, test); err != nil {
			return err
		}
	}
	numbered.note(in.Notes)
	return pytestFiles(in, document)
}

// pytestFiles makes an error of each file whose tests could not be collected, and did not run. With pytest-xdist each
// worker says so.
//
//	"collectors":[{"nodeid":"test_b.py","outcome":"failed","result":[],"longrepr":"E   ModuleNotFoundError: …"}]
func pytestFiles(in *record.Input, document record.Node) error {
	told := map[string]bool{}
	for _, n := range document.At("collectors").List() {
		name := record.ValidText(n.At("nodeid").Text())
		if n.At("outcome").Text() != "failed" || told[name] {
			continue
		}
		told[name] = true
		message := cmp.Or(n.At("longrepr").Text(), "the tests could not be collected")
		t := report{name: cmp.Or(name, "collection"), line: 1, outcome: trial.Error, cause: broken("file", message)}
		if err := t.handOut(in); err != nil {
			return err
		}
	}
	return nil
}

// readPytest hands out the trial of a test.
func readPytest(in *record.Input, n record.Node) error {
	name := n.At("nodeid").Text()
	if name == "" {
		in.Notes.Skip(record.NamelessTest)
		return nil
	}
	t := record.NewTrace(in, 1)
	t.Steps = nil
	t.Scenario, t.Index = scenarioOf("", record.ValidText(name), "")
	// xpassed is a test that was expected to fail and passed: the agent did what was asked.
	switch n.At("outcome").Text() {
	case "passed", "xpassed":
		t.Outcome = trial.Pass
	// pytest-rerunfailures: the test was run again, and the word stays where the last run passed (plugin.py). The runs
	// before have no record of their own.
	case "rerun":
		in.Notes.Remark(runsUnknown)
		before := record.NewTrace(in, 1)
		before.Steps, before.Scenario, before.Outcome = nil, t.Scenario, trial.Fail
		before.Attempt = trial.Some(1)
		if err := in.EmitTrace(before); err != nil {
			return err
		}
		t.Outcome, t.Attempt = trial.Pass, trial.Some(2)
		if n.At("call", "outcome").Text() == "failed" {
			t.Outcome = trial.Fail
		}
	case "failed":
		t.Outcome = trial.Fail
		if message := n.At("call", "crash", "message").Text(); message != "" {
			t.Error = record.NewCause("", message)
		}
	case "error":
		pytestError(t, n)
	case "skipped":
		in.Notes.Pass(record.SkippedTest)
		return nil
	// Whoever expects a failure does not count it against the agent.
	case "xfailed":
		in.Notes.Pass(expectedFailure)
		return nil
	default:
		in.Notes.Skip(otherOutcome)
		return nil
	}
	// The call alone, without setting up and tearing down.
	t.DurationSeconds = n.At("call", "duration").Amount()
	// pytest's record_property gives a list of objects of one member each.
	for _, property := range n.At("user_properties").List() {
		annotateWith(t, "user_properties", property)
	}
	annotateWith(t, "metadata", n.At("metadata"))
	return in.EmitTrace(t)
}

// pytestError says that what surrounds the test failed.
// pytest calls a failure of the test itself failed, and one of a fixture an error.
func pytestError(t *record.Trace, n record.Node) {
	stage := "setup"
	for _, s := range []string{"setup", "teardown"} {
		if outcome := n.At(s, "outcome").Text(); outcome == "failed" || outcome == "error" {
			stage = s
			break
		}
	}
	t.SetInfrastructureError(stage, n.At(stage, "crash", "message").Text())
}
