package testreports

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Reports in the Common Test Report Format are {results: {tool, summary, tests}}.
//
//	{"reportFormat":"CTRF","results":{"tool":{"name":"jest"},"summary":{"tests":5,"start":1772097937000},
//	 "tests":[{"name":"books a seat","suite":["evals"],"status":"passed","duration":1500,"start":1772097937250}]}}
//
// pytest-json-ctrf leaves reportFormat out, so that the tool and the summary tell, too.
func showsCTRF(s *record.Shape) bool {
	n := s.First()
	if s.Array {
		return false
	}
	return n.At("reportFormat").Text() == "CTRF" || n.At("results", "tool", "name").Exists() &&
		n.At("results").Has("summary")
}

// CTRF decodes Common Test Report Format.
var CTRF = record.Decoder{Shows: showsCTRF, Read: readCTRF}

// readCTRF makes a trial of each test, and of each attempt at it that the report holds.
func readCTRF(in *record.Input) error {
	document, err := in.Document()
	if err != nil {
		return err
	}
	results := document.At("results")
	if !results.At("tests").IsList() {
		return &trial.FileError{File: in.File, Problem: "holds no tests",
			Advice: "a CTRF report has them in results.tests"}
	}
	c := &ctrf{in: in, start: results.At("summary", "start"), tool: results.At("tool", "name").Text()}
	for _, test := range results.At("tests").List() {
		if err := c.test(test); err != nil {
			return err
		}
	}
	failed := results.At("summary", "failed").Index()
	if failed.Value == 0 || slices.ContainsFunc(results.At("tests").List(), func(n record.Node) bool {
		return n.At("status").Text() != "passed" || len(n.At("retryAttempts").List()) > 0 || n.At("flaky").IsTrue()
	}) {
		return nil
	}
	name := cmp.Or(record.ValidText(c.tool), "tests")
	t := report{name: name, line: 1, outcome: trial.Error, cause: unlisted(failed.Value)}
	return t.handOut(in)
}

// ctrf is a report.
type ctrf struct {
	in    *record.Input
	start record.Node // of all tests
	tool  string      // that ran them
}

// seconds converts a duration. The format says milliseconds, and some writers use
// seconds for all times: those since 1970 tell.
// pytest-json-ctrf is such a writer. Without any time the unit is not known, and neither is
// the duration.
func (c *ctrf) seconds(duration, start record.Node) trial.Optional[float64] {
	d, since := duration.Amount(), start.Amount()
	if !since.Known {
		since = c.start.Amount()
	}
	switch {
	case !since.Known || since.Value <= 0:
		return trial.Optional[float64]{}
	// The year 5138 in seconds. playwright-ctrf-json-reporter has starts in seconds, beside durations in milliseconds.
	case since.Value >= 1e11, c.tool == "playwright":
		d.Value /= 1000
	}
	return d
}

// test hands out the trials of a test: its attempts, if it was retried.
func (c *ctrf) test(n record.Node) error {
	name := n.At("name").Text()
	if name == "" {
		c.in.Notes.Skip(record.NamelessTest)
		return nil
	}
	// retries is how often the test was tried again, so that its last attempt has that number
	// and one; retryAttempts are those before, and with some writers the last one as well.
	retries := n.At("retries").Index()
	attempts := n.At("retryAttempts").List()
	for i, a := range attempts {
		number := a.At("attempt").Index()
		if !number.Known { // as playwright-ctrf-json-reporter leaves them
			number = trial.Some(i + 1)
		}
		isLast := !retries.Known && number.Value >= len(attempts) && sameRun(a, n)
		if number.Value > retries.Or(len(attempts)) || isLast {
			continue // the last attempt is the test itself
		}
		if err := c.attempt(n, a, number); err != nil {
			return err
		}
	}
	last := trial.Optional[int]{}
	if retries.Value > 0 {
		last = trial.Some(min(retries.Value, maxAttempts) + 1)
	}
	// A test is flaky that passed after it had failed.
	if len(attempts) == 0 && (retries.Value > 0 || n.At("flaky").IsTrue()) {
		c.in.Notes.Remark("tests were retried, and only the last attempt is in the report: see docs/hides.md#retries")
	}
	return c.attempt(n, n, last)
}

// sameRun reports whether an attempt is the run that the test itself tells of.
func sameRun(attempt, test record.Node) bool {
	if start := attempt.At("start"); start.Exists() && start.Amount() != test.At("start").Amount() {
		return false
	}
	return attempt.At("status").Text() == test.At("status").Text() &&
		attempt.At("duration").Amount() == test.At("duration").Amount()
}

// maxAttempts keeps a nonsensical number of retries from overflowing.
// It is chosen: within an int of 32 bits, with room for one more.
const maxAttempts = 1 << 30

// attempt hands out a trial of a test.
// test names the trial and n tells how it went: n is the test itself, or one of its attempts,
// which has no name of its own.
func (c *ctrf) attempt(test, n record.Node, number trial.Optional[int]) error {
	t := record.NewTrace(c.in, 1)
	t.Steps = nil
	t.Scenario, t.Index = scenarioOf("", record.ValidText(ctrfName(test)), "")
	switch n.At("status").Text() {
	case "passed":
		t.Outcome = trial.Pass
	case "failed":
		t.Outcome = trial.Fail
		message := n.Either("message", "trace").Text()
		switch {
		case mochaHook().MatchString(test.At("name").Text()): // by mocha-ctrf-json-reporter 0.0.11
			t.Outcome, t.Error = trial.Error, broken("hook", message)
		case message != "":
			t.Error = record.NewCause("", message)
		}
	case "skipped", "pending":
		c.in.Notes.Pass(record.SkippedTest)
		return nil
	// The format's "other" may be anything.
	default:
		c.in.Notes.Skip("tests of other statuses")
		return nil
	}
	t.Attempt = number
	t.AddTime(n.At("start").Time())
	t.DurationSeconds = c.seconds(n.At("duration"), n.At("start"))
	for _, name := range []string{"labels", "extra"} {
		annotateWith(t, name, test.At(name))
	}
	t.SetTag("parameters", test.At("parameters"))
	return c.in.EmitTrace(t)
}

// ctrfName is the name of a test within its suites.
// The suites are a list from the outermost inwards, or one text.
func ctrfName(n record.Node) string {
	var parts []string
	for _, suite := range n.At("suite").List() {
		parts = append(parts, suite.Text())
	}
	if suite := n.At("suite"); suite.IsText() {
		parts = append(parts, suite.Text())
	}
	return strings.Join(append(parts, n.At("name").Text()), " > ")
}
