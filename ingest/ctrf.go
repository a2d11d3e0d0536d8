package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// Reports in the Common Test Report Format are {results: {tool, summary, tests}}.
func showsCTRF(s *shape) bool {
	n := s.first()
	if s.array {
		return false
	}
	return n.at("reportFormat").text() == "CTRF" || n.at("results", "tool", "name").exists() && n.at("results").has("summary")
}

func readCTRF(in *input) error {
	document, err := in.document()
	if err != nil {
		return err
	}
	results := document.at("results")
	if !results.at("tests").isList() {
		return &trial.FileError{File: in.file, Problem: "holds no tests", Advice: "a CTRF report has them in results.tests"}
	}
	c := &ctrf{in: in, start: results.at("summary", "start")}
	for _, test := range results.at("tests").list() {
		if err := c.test(test); err != nil {
			return err
		}
	}
	return nil
}

// ctrf is a report.
type ctrf struct {
	in    *input
	start node // of all tests
}

// seconds converts a duration. The format says milliseconds, and some writers use
// seconds for all times: those since 1970 tell.
func (c *ctrf) seconds(duration, start node) trial.Optional[float64] {
	d, since := duration.amount(), start.amount()
	if !since.Known {
		since = c.start.amount()
	}
	switch {
	case !since.Known || since.Value <= 0:
		return trial.Optional[float64]{}
	case since.Value >= 1e11: // the year 5138 in seconds
		d.Value /= 1000
	}
	return d
}

// test hands out the trials of a test: its attempts, if it was retried.
func (c *ctrf) test(n node) error {
	name := n.at("name").text()
	if name == "" {
		c.in.notes.skip(namelessTest)
		return nil
	}
	retries := n.at("retries").index()
	attempts := n.at("retryAttempts").list()
	for _, a := range attempts {
		number := a.at("attempt").index()
		if !number.Known || number.Value > retries.Or(len(attempts)) {
			continue // the last attempt is the test itself
		}
		if err := c.attempt(n, a, number); err != nil {
			return err
		}
	}
	last := trial.Optional[int]{}
	if retries.Value > 0 {
		last = trial.Some(min(retries.Value, maxAttempts) + 1)
		if len(attempts) == 0 {
			c.in.notes.remark("tests were retried, and only the last attempt is in the report")
		}
	}
	return c.attempt(n, n, last)
}

// maxAttempts keeps a nonsensical number of retries from overflowing.
const maxAttempts = 1 << 30

// attempt hands out a trial of a test.
func (c *ctrf) attempt(test, n node, number trial.Optional[int]) error {
	t := newTrace(c.in, 1)
	t.Steps = nil
	t.Scenario, t.Index = scenarioOf("", validText(ctrfName(test)), "")
	switch n.at("status").text() {
	case "passed":
		t.Outcome = trial.Pass
	case "failed":
		t.Outcome = trial.Fail
		if message := n.either("message", "trace").text(); message != "" {
			t.Error = newCause("", message)
		}
	case "skipped", "pending":
		c.in.notes.pass(skippedTest)
		return nil
	default:
		c.in.notes.skip("tests of other statuses")
		return nil
	}
	t.Attempt = number
	t.addTime(n.at("start").time())
	t.DurationSeconds = c.seconds(n.at("duration"), n.at("start"))
	for _, name := range []string{"labels", "extra"} {
		annotateWith(t, name, test.at(name))
	}
	t.setTag("parameters", test.at("parameters"))
	return c.in.emitTrace(t)
}

// ctrfName is the name of a test within its suites.
func ctrfName(n node) string {
	var parts []string
	for _, suite := range n.at("suite").list() {
		parts = append(parts, suite.text())
	}
	if suite := n.at("suite"); suite.isText() {
		parts = append(parts, suite.text())
	}
	return strings.Join(append(parts, n.at("name").text()), " > ")
}
