package ingest

import "github.com/tribunal-dev/tribunal/trial"

// pytest-json-report writes {created, exitcode, summary, tests}.
func showsPytestJSON(s *shape) bool {
	n := s.first()
	return !s.array && n.has("created", "exitcode") && (n.has("summary") || n.has("tests"))
}

func readPytestJSON(in *input) error {
	document, err := in.document()
	if err != nil {
		return err
	}
	tests := document.at("tests")
	if !tests.isList() {
		return &trial.FileError{
			File: in.file, Problem: "holds no tests",
			Advice: "was it written with --json-report-summary or --json-report-omit? The tests are needed",
		}
	}
	for _, test := range tests.list() {
		if err := readPytest(in, test); err != nil {
			return err
		}
	}
	return nil
}

// readPytest hands out the trial of a test.
func readPytest(in *input, n node) error {
	name := n.at("nodeid").text()
	if name == "" {
		in.notes.skip(namelessTest)
		return nil
	}
	t := newTrace(in, 1)
	t.Steps = nil
	t.Scenario, t.Index = scenarioOf("", validText(name), "")
	switch n.at("outcome").text() {
	case "passed", "xpassed":
		t.Outcome = trial.Pass
	case "failed":
		t.Outcome = trial.Fail
		if message := n.at("call", "crash", "message").text(); message != "" {
			t.Error = newCause("", message)
		}
	case "error":
		pytestError(t, n)
	case "skipped":
		in.notes.pass(skippedTest)
		return nil
	case "xfailed":
		in.notes.pass("tests that were expected to fail, and did")
		return nil
	default:
		in.notes.skip("tests of other outcomes")
		return nil
	}
	t.DurationSeconds = n.at("call", "duration").amount()
	for _, property := range n.at("user_properties").list() {
		annotateWith(t, "user_properties", property)
	}
	annotateWith(t, "metadata", n.at("metadata"))
	return in.emitTrace(t)
}

// pytestError says that what surrounds the test failed.
func pytestError(t *trace, n node) {
	stage := "setup"
	for _, s := range []string{"setup", "teardown"} {
		if outcome := n.at(s, "outcome").text(); outcome == "failed" || outcome == "error" {
			stage = s
			break
		}
	}
	t.setInfrastructureError(stage, n.at(stage, "crash", "message").text())
}
