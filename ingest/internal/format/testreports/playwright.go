package testreports

import (
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Reports of Playwright Test are {config, suites, errors, stats}; suites nest, the outermost one
// being a file.
//
//	{"config":{"rootDir":"/evals"},"suites":[{"title":"a.spec.js","suites":[{"title":"booking","specs":[
//	 {"title":"refund",
//	 "tests":[{"projectName":"m-1","expectedStatus":"passed","results":[{"status":"failed","retry":0,"duration":7,
//	 "startTime":"2026-02-26T09:25:37Z","error":{"message":"…"}}]}]}]}]}],"errors":[],"stats":{}}
func showsPlaywright(s *record.Shape) bool {
	n := s.First()
	return !s.Array && n.At("config").Has("rootDir", "projects")
}

// Playwright decodes the JSON reports of Playwright Test.
var Playwright = record.Decoder{Shows: showsPlaywright, Read: readPlaywright}

// readPlaywright makes a trial of each run of a test. Errors outside of all tests, such as of a
// file that cannot be read, are trials that are errors.
func readPlaywright(in *record.Input) error {
	document, err := in.Document()
	if err != nil {
		return err
	}
	if !document.At("suites").IsList() {
		return noTestsIn(in, "a report of Playwright Test has them in suites")
	}
	p := playwright{in}
	for _, suite := range document.At("suites").List() {
		if err := p.suite(nil, suite, 0); err != nil {
			return err
		}
	}
	for _, e := range document.At("errors").List() {
		name := joined(baseName(e.At("location", "file").Text()))
		if name == "" {
			name = record.AnyScenario
		}
		t := report{name: name, line: 1, outcome: trial.Error, cause: broken("file", e.At("message").Text())}
		if err := t.handOut(in); err != nil {
			return err
		}
	}
	return nil
}

// playwright is a report.
type playwright struct{ in *record.Input }

// suite hands out the trials of a suite and of those in it.
func (p playwright) suite(around []string, n record.Node, depth int) error {
	titles := append(slices.Clip(around), n.At("title").Text())
	if depth == 0 {
		titles[0] = baseName(titles[0])
	}
	for _, spec := range n.At("specs").List() {
		for _, test := range spec.At("tests").List() {
			if err := p.test(append(slices.Clip(titles), spec.At("title").Text()), test); err != nil {
				return err
			}
		}
	}
	if depth == deepest {
		return nil // a report of any tool ends before
	}
	for _, inner := range n.At("suites").List() {
		if err := p.suite(titles, inner, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// test hands out the trials of a test in one project, whose name stands before those of the
// suites.
func (p playwright) test(names []string, n record.Node) error {
	if project := n.At("projectName").Text(); project != "" {
		names = append([]string{"[" + project + "]"}, names...)
	}
	var annotations []attribute
	for _, a := range n.At("annotations").List() {
		annotations = append(annotations, attribute{a.At("type").Text(), a.At("description").Text()})
	}
	results := n.At("results").List()
	for i, result := range results {
		t := report{
			name: joined(names...), line: 1, seconds: result.At("duration").Millis(),
			started: stampOf(result.At("startTime").Time()),
		}
		if len(results) > 1 {
			t.attempt = trial.Some(i + 1)
		}
		playwrightOutcome(&t, result, n.At("expectedStatus").Text())
		if i < len(results)-1 && t.cause != nil && t.cause.Type == notRun {
			t.omission = record.UnrunTest // the last try tells
		}
		if t.omission != "" {
			p.in.Notes.Pass(t.omission)
			continue
		}
		x := t.trial(p.in)
		// A number, such as a cost, is one of the last run.
		said := annotations
		if i < len(results)-1 {
			said = inherited(annotations)
		}
		if err := annotate(x, said); err != nil {
			return err
		}
		if err := p.in.Emit(x, true); err != nil {
			return err
		}
	}
	if len(results) == 0 {
		p.in.Notes.Pass(record.SkippedTest) // it was to run, and the run ended before
	}
	return nil
}

// playwrightOutcome sets what a run of a test says. Playwright fails a test that was expected to fail, and passed.
func playwrightOutcome(t *report, n record.Node, expected string) {
	message := n.At("error", "message").Text()
	switch status := n.At("status").Text(); {
	case status == "skipped" && expected == "passed":
		t.outcome, t.cause = trial.Error, broken(notRun, unrunBehind)
	case status == "skipped":
		t.omission = record.SkippedTest
	case status == "failed" && expected == "failed":
		t.omission = expectedFailure
	case status == "passed" && expected == "failed":
		t.outcome, t.cause = trial.Fail, failure("", passedAlthough)
	case status == "passed":
		t.outcome = trial.Pass
	case status == "failed":
		t.outcome, t.cause = trial.Fail, failure("", message)
	case status == "timedOut":
		t.outcome, t.cause = trial.Fail, failure("timeout", message)
	case status == "interrupted":
		t.outcome, t.cause = trial.Error, broken(status, message)
	default:
		t.omission = otherOutcome
	}
}
