package testreports

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Reports of Jest are {numTotalTests, testResults}, one result a file of tests; Vitest writes them,
// too.
//
//	{"numTotalTests":1,"testResults":[{"name":"/evals/a.test.js","status":"failed","assertionResults":[
//	 {"ancestorTitles":["booking"],"title":"refund","status":"failed","duration":7,"invocations":1,
//	  "failureMessages":["…"]}]}]}
func showsJest(s *record.Shape) bool {
	n := s.First()
	return !s.Array && n.Has("numTotalTests") && (n.Has("testResults") || n.Has("numTotalTestSuites"))
}

// Jest decodes the JSON reports of Jest and Vitest.
var Jest = record.Decoder{Shows: showsJest, Read: readJest}

// readJest makes a trial of each run of a test. A file that could not be run, or that failed
// although no test in it did, is one trial that is an error.
func readJest(in *record.Input) error {
	document, err := in.Document()
	if err != nil {
		return err
	}
	if !document.At("testResults").IsList() {
		return noTestsIn(in, "a report of Jest or Vitest has them in testResults")
	}
	if document.At("wasInterrupted").IsTrue() {
		in.Notes.Remark("the run was interrupted: tests that did not run are not in the report")
	}
	fell := map[string]bool{} // files and groups with a failed test, or that failed themselves
	isVitest := !document.Has("numRuntimeErrorTestSuites")
	read := map[string]any{} // files, by name
	for _, file := range document.At("testResults").List() {
		// Of several runs of a test --merge-reports writes the last in place of each, to the parts of a millisecond
		// (findings/vitest-merge.sh).
		name := file.At("name").Text()
		if isVitest && file.At("assertionResults").Length() > 0 && reflect.DeepEqual(read[name], file.Value) {
			in.Notes.Pass("copies of a file's run, which Vitest merges runs to: see docs/hides.md#test-runners")
			continue
		}
		read[name] = file.Value
		if err := jestFile(in, file); err != nil {
			return err
		}
		addFailed(fell, file)
	}
	// Vitest counts groups among the suites, and tells the tests of one whose beforeAll failed as skipped.
	failed := document.At("numFailedTestSuites").Index().Value
	if isVitest && failed > len(fell) {
		in.Notes.Remark("groups of tests failed in a hook, and the report tells their tests as skipped: " +
			strconv.Itoa(failed-len(fell)))
	}
	return nil
}

// addFailed adds a file and the groups in it that failed by their tests.
func addFailed(fell map[string]bool, file record.Node) {
	name := file.At("name").Text()
	fell[name] = fell[name] || file.At("status").Text() == "failed"
	for _, test := range file.At("assertionResults").List() {
		if test.At("status").Text() != "failed" {
			continue
		}
		group := name
		fell[group] = true
		for _, title := range texts(test.At("ancestorTitles")) {
			group += "\x00" + title
			fell[group] = true
		}
	}
	if !fell[name] {
		delete(fell, name)
	}
}

// noTestsIn says that the list of tests is not there.
func noTestsIn(in *record.Input, advice string) error {
	return &trial.FileError{File: in.File, Problem: "holds no tests", Advice: advice}
}

// jestFile hands out the trials of a file of tests.
func jestFile(in *record.Input, file record.Node) error {
	name := baseName(file.At("name").Text())
	fell := false
	for _, test := range file.At("assertionResults").List() {
		fell = fell || test.At("status").Text() == "failed"
		if err := jestTest(in, name, test); err != nil {
			return err
		}
	}
	if file.At("status").Text() != "failed" || fell {
		return nil
	}
	message := file.At("message").Text()
	if message == "" {
		message = "the file failed outside of its tests"
	}
	t := report{name: joined(name), line: 1, outcome: trial.Error, cause: broken("file", message)}
	return t.handOut(in)
}

// jestTest hands out the trials of a test: one for each time that it was run. What is known of
// it besides the outcome is that of the last.
func jestTest(in *record.Input, file string, n record.Node) error {
	parts := []string{file}
	for _, title := range n.At("ancestorTitles").List() {
		parts = append(parts, title.Text())
	}
	if n.At("title").Text() == "" {
		in.Notes.Skip(record.NamelessTest)
		return nil
	}
	t := report{name: joined(append(parts, n.At("title").Text())...), line: 1, started: stampOf(n.At("startAt").Time())}
	t.seconds = n.At("duration").Millis()
	reasons := texts(n.At("failureMessages"))
	switch n.At("status").Text() {
	case "passed":
		t.outcome = trial.Pass
		if n.At("failing").IsTrue() { // test.failing, which passes if the test fails
			t.omission = expectedFailure
		}
	case "failed":
		t.outcome, t.cause = jestFailure(strings.Join(reasons, "\n"))
	case "pending", "skipped", "disabled":
		t.omission = record.SkippedTest
	case "todo":
		t.omission = todoTest
	default:
		t.omission = otherOutcome
	}
	if t.omission == "" {
		if err := jestRetries(in, &t, n, reasons); err != nil {
			return err
		}
		x := record.Trace{Trial: *t.trial(in), Notes: in.Notes}
		annotateWith(&x, "meta", n.At("meta"))
		return in.EmitTrace(&x)
	}
	return t.handOut(in)
}

// jestFailure tells a failure of a test from one of what sets it up, by what Jest says of it.
// Vitest skips the tests then, and fails the file.
func jestFailure(message string) (trial.Outcome, *trial.Cause) {
	isHook := strings.Contains(message, "_callCircusHook") && !strings.Contains(message, "_callCircusTest")
	if isHook || strings.Contains(message, " ms for a hook.") {
		return trial.Error, broken("hook", message)
	}
	return trial.Fail, failure("", message)
}

// jestRetries hands out the runs of a test before the last: a test is run again only after a
// failure. Jest says how many there were, and if so asked why each failed. Vitest leaves their errors with a
// test that passed; those of a test that failed may also be several of one run.
func jestRetries(in *record.Input, t *report, n record.Node, reasons []string) error {
	before := 0
	if runs := n.At("invocations").Index(); runs.Known {
		before = min(runs.Value, mostRuns) - 1
		reasons = texts(n.At("retryReasons"))
	} else if t.outcome == trial.Pass {
		if before = len(reasons); before > 0 {
			t.seconds = trial.Optional[float64]{} // Vitest tells that of all runs together
		}
	} else if len(reasons) > 1 {
		in.Notes.Remark("some failed tests have several errors, of retries or of one run: " +
			"each test counts as one failed trial")
	}
	return t.retries(in, before, func(i int) *trial.Cause {
		if i < len(reasons) {
			return failure("", reasons[i])
		}
		return nil
	})
}

// mostRuns is the most runs of a test that are believed. It is chosen: more than any tool is asked for.
const mostRuns = 1000

// retries hands out so many failed runs of a test before the one that is reported, and gives that
// its number. All that is known of them is why they failed, if that.
func (t *report) retries(in *record.Input, before int, cause func(i int) *trial.Cause) error {
	for i := range before {
		failed := report{name: t.name, line: t.line, outcome: trial.Fail, cause: cause(i), attempt: trial.Some(i + 1)}
		if err := failed.handOut(in); err != nil {
			return err
		}
	}
	if before > 0 {
		t.attempt = trial.Some(before + 1)
	}
	return nil
}

// texts returns the texts of a list.
func texts(n record.Node) (list []string) {
	for _, element := range n.List() {
		list = append(list, element.Text())
	}
	return list
}
