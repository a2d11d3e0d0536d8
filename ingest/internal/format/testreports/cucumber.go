package testreports

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Cucumber writes messages, an envelope a line (cucumber/messages):
//
//	{"meta":{"protocolVersion":"32.2.0","implementation":{"name":"cucumber-js"}}}
//	{"pickle":{"id":"p-1","uri":"features/cart.feature","name":"total","steps":[...]}}
//	{"testCase":{"id":"c-1","pickleId":"p-1","testSteps":[{"id":"s-1"},{"id":"s-2","hookId":"h-1"}]}}
//	{"testCaseStarted":{"id":"r-1","testCaseId":"c-1","attempt":0,"timestamp":{"seconds":1795875195,"nanos":0}}}
//	{"testStepFinished":{"testCaseStartedId":"r-1","testStepId":"s-1","testStepResult":{"status":"PASSED"}}}
//	{"testCaseFinished":{"testCaseStartedId":"r-1","willBeRetried":false,"timestamp":{"seconds":1795875195,"nanos":0}}}
//
// or, older and without the runs of a test before the last, a list of features:
//
//	[{"uri":"features/cart.feature","keyword":"Feature","name":"Cart","elements":[{"keyword":"Scenario","name":"total",
//	  "type":"scenario","steps":[{"name":"it adds","result":{"status":"passed","duration":1000000}}]}]}]
func showsCucumber(s *record.Shape) bool {
	n := s.First()
	return n.At("meta").Has("protocolVersion", "implementation") || isCucumberFeature(n) && s.Array
}

// isCucumberFeature reports whether n is a feature of the older report.
func isCucumberFeature(n record.Node) bool {
	return n.Has("uri", "keyword") && n.At("elements").IsList() || n.Has("uri", "keyword", "id", "line")
}

// Cucumber decodes the messages and the JSON of Cucumber.
var Cucumber = record.Decoder{Shows: showsCucumber, Read: readCucumber}

// cucumber reads the messages of a run.
type cucumber struct {
	in      *record.Input
	pickles map[string]string       // the scenario of each
	named   map[string]int          // how many have a name
	cases   map[string]cucumberCase // by id
	runs    map[string]*cucumberRun // that did not end
	order   []string                // of those
	ended   bool
}

// cucumberCase is a test case: its scenario, and which of its steps are hooks.
type cucumberCase struct {
	name  string
	hooks map[string]bool
}

// cucumberRun is one run of a test case.
type cucumberRun struct {
	report
	tested  cucumberCase
	from    record.Node // its timestamp
	attempt int
	began   bool // a step of it was run, or was to be
}

// readCucumber makes a trial of each run of a test case, also of one that was tried again.
func readCucumber(in *record.Input) error {
	c := &cucumber{in: in, pickles: map[string]string{}, named: map[string]int{}, cases: map[string]cucumberCase{},
		runs: map[string]*cucumberRun{}}
	isOld := false
	err := in.Records(func(n record.Node, line int) error {
		if n.Has("uri", "keyword") {
			isOld = true
			return c.feature(n)
		}
		return c.envelope(n, line)
	})
	if err != nil || isOld {
		return err
	}
	for _, id := range c.order {
		if r := c.runs[id]; r != nil {
			r.outcome, r.cause = trial.Error, &trial.Cause{Type: "unfinished", Message: "the test began and did not end"}
			if err := r.handOut(in); err != nil {
				return err
			}
		}
	}
	if !c.ended {
		in.Notes.Remark("the run did not end: tests are missing")
	}
	return nil
}

// envelope takes in a message. Sources, definitions and attachments say nothing of what came of a test.
func (c *cucumber) envelope(n record.Node, line int) error {
	for kind, m := range n.Members() {
		switch kind {
		case "pickle":
			c.pickles[m.At("id").Text()] = c.name(m.At("uri").Text(), m.At("name").Text())
		case "testCase":
			t := cucumberCase{name: c.pickles[m.At("pickleId").Text()], hooks: map[string]bool{}}
			for _, step := range m.At("testSteps").List() {
				t.hooks[step.At("id").Text()] = step.At("hookId").Exists()
			}
			c.cases[m.At("id").Text()] = t
		case "testCaseStarted":
			id := m.At("id").Text()
			t := c.cases[m.At("testCaseId").Text()]
			c.runs[id] = &cucumberRun{tested: t, from: m.At("timestamp"), attempt: int(m.At("attempt").Count().Value),
				report: report{name: t.name, line: line, outcome: trial.Pass}}
			c.order = append(c.order, id)
		case "testStepFinished":
			if r := c.runs[m.At("testCaseStartedId").Text()]; r != nil {
				result := m.At("testStepResult")
				message := result.At("exception", "message").OrElse(result.At("message")).Text()
				r.step(result.At("status").Text(), message, r.tested.hooks[m.At("testStepId").Text()])
			}
		case "testCaseFinished":
			return c.finish(m)
		case "testRunFinished":
			c.ended = true
		}
	}
	return nil
}

// name is the scenario of a test: the rows of a table may share a name.
func (c *cucumber) name(uri, title string) string {
	name := joined(baseName(uri), title)
	if name == "" {
		return ""
	}
	if c.named[name]++; c.named[name] > 1 {
		name = record.Shared(fmt.Sprintf("%s (%d)", name, c.named[name]))
	}
	return name
}

// step takes in what came of a step. The first that did not pass tells: those behind it are skipped.
func (r *cucumberRun) step(status, message string, isHook bool) {
	r.began = true
	if r.outcome != trial.Pass || r.omission != "" {
		return
	}
	switch status {
	case "FAILED", "failed":
		r.outcome, r.cause = trial.Fail, failure("", message)
		if isHook {
			r.outcome, r.cause = trial.Error, broken("hook", message)
		}
	case "AMBIGUOUS", "ambiguous": // two definitions of a step: it could not be run
		r.outcome, r.cause = trial.Error, broken("ambiguous", message)
	case "UNDEFINED", "undefined", "PENDING", "pending":
		r.omission = todoTest
	case "SKIPPED", "skipped":
		r.omission = record.SkippedTest
	}
}

// end hands out a run. One without a step passes for Cucumber: it is to be written.
func (r *cucumberRun) end(in *record.Input) error {
	if r.name == "" {
		in.Notes.Skip(record.NamelessTest)
		return nil
	}
	if !r.began {
		r.omission = todoTest
	}
	return r.handOut(in)
}

// finish hands out a run that ended.
func (c *cucumber) finish(m record.Node) error {
	id := m.At("testCaseStartedId").Text()
	r := c.runs[id]
	if r == nil {
		c.in.Notes.Skip(record.UnknownEvent)
		return nil
	}
	delete(c.runs, id)
	if seconds := cucumberSeconds(m.At("timestamp")); seconds.Known && cucumberSeconds(r.from).Known {
		r.seconds = trial.Some(max(0, seconds.Value-cucumberSeconds(r.from).Value))
	}
	if r.attempt > 0 || m.At("willBeRetried").IsTrue() {
		r.report.attempt = trial.Some(r.attempt + 1)
	}
	return r.end(c.in)
}

// cucumberSeconds is a timestamp in milliseconds, as it is written, in seconds.
func cucumberSeconds(n record.Node) trial.Optional[float64] {
	seconds, nanos := n.At("seconds").Number(), n.At("nanos").Number()
	seconds.Value += nanos.Value / 1e9
	return seconds
}

// feature reads a feature of the older report: a trial of each scenario. What stands before a scenario, as its
// background does in the report of the JVM, is of it.
func (c *cucumber) feature(n record.Node) error {
	var before []record.Node
	for _, element := range n.At("elements").List() {
		steps := append(before, element.At("steps").List()...)
		if element.At("type").Text() == "background" {
			before = steps
			continue
		}
		before = nil
		r := cucumberRun{report: report{line: 1, outcome: trial.Pass,
			name: c.name(n.At("uri").Text(), element.At("name").Text())}}
		for _, hook := range element.At("before").List() {
			r.stepOf(hook, true)
		}
		for _, step := range steps {
			r.stepOf(step, step.At("hidden").IsTrue())
		}
		for _, hook := range element.At("after").List() {
			r.stepOf(hook, true)
		}
		if err := r.end(c.in); err != nil {
			return err
		}
	}
	return nil
}

// stepOf takes in a step of the older report, whose durations are nanoseconds.
func (r *cucumberRun) stepOf(n record.Node, isHook bool) {
	result := n.At("result")
	r.step(result.At("status").Text(), result.At("error_message").Text(), isHook)
	seconds := result.At("duration").Amount()
	seconds.Value /= 1e9
	record.Add(&r.seconds, seconds)
}
