package testreports

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// testcase is what a testcase element says.
// time is the text of the attribute, checked only when a trial is made of it.
type testcase struct {
	place      trial.Place
	scenario   string
	index      trial.Optional[int]
	time       string
	attributes []attribute
	outcome    trial.Outcome
	cause      *trial.Cause
	skipped    bool
	forgiven   bool   // it may fail, and is skipped then
	detected   bool   // Boost.Test says that it failed
	omission   string // why it is no trial, if not skipped
	notRun     bool   // its status says that it did not run
	flaky      bool   // it is failed for being flaky alone
	playwright bool   // of whom an error is what the test threw
	before     []run  // that the tool repeated until one passed
	after      []run  // that the tool repeated, and none passed
}

// run is one more run of a testcase.
// Maven Surefire writes them where rerunFailingTestsCount is set: flakyFailure and flakyError
// of a test that passed in the end, rerunFailure and rerunError of one that never did.
type run struct {
	outcome trial.Outcome
	cause   *trial.Cause
	time    string
}

// testcase reads a testcase to its end, and hands out its trials.
// c.place has the line alone: a trial is named by its line.
func (r *junit) testcase(e xml.StartElement) error {
	c := testcase{place: r.place(), time: attr(e, "time"), outcome: trial.Pass}
	c.place.Column = 0
	// There is one: the root element is a suite.
	suite := r.suites[len(r.suites)-1]
	c.attributes = inherited(suite.attributes)
	class, name := attr(e, "classname"), attr(e, "name")
	if class == "test" && suite.group != "" { // that is what node calls every test
		class = suite.group
	}
	isUnittest := unittestSuite().MatchString(suite.name)
	if isUnittest && class != "" {
		name = subtest().ReplaceAllString(name, "")
	}
	if isUnittest && class == "" {
		suite.name = ""
	}
	c.scenario, c.index = scenarioOf(class, name, suite.name)
	r.numbered.add(c.scenario)
	c.playwright = r.hasID && !r.isTap && attr(e, "classname") == suite.name && specFile().MatchString(suite.name)
	c.setStatus(attr(e, "status"), attr(e, "result"))
	if err := r.children(func(e xml.StartElement) error { return r.inTestcase(&c, e) }); err != nil {
		return err
	}
	if c.outcome != trial.Pass || c.cause != nil || c.skipped || len(c.before)+len(c.after) > 0 {
		r.suites[len(r.suites)-1].isListed = true
	}
	if c.cause != nil && c.cause.Type == ranOut { // of gotestsum: the test that hung is told, too
		r.in.Notes.Pass("packages that a test let run out of time")
		return nil
	}
	c.settle(r.isTap)
	if c.playwright {
		c.setAnnotated()
	}
	if around := r.around(&c, class, name); around != "" {
		c.outcome, c.cause = trial.Error, broken(around, c.cause.Message)
		c.scenario = cmp.Or(c.scenario, class, suite.name)
	}
	if r.isForgiving && c.outcome == trial.Pass && !c.skipped {
		r.in.Notes.Remark("the report may have tests that failed as passed: see docs/hides.md#test-runners")
	}
	if holding := &r.suites[len(r.suites)-1]; isUnittest || holding.tests.Known {
		if err := r.in.Memory.Take(bytesHeld, r.in.File); err != nil {
			return err
		}
		held := c
		holding.held, holding.isUnittest = append(holding.held, &held), isUnittest
		return nil
	}
	return r.handOut(&c)
}

// bytesHeld is what a testcase takes that is held: about what was measured.
const bytesHeld = 512

// handOutHeld hands out the testcases of a suite of pytest. The plugin flaky runs tests again, and pytest then writes a
// testcase without a failure for each run before the last, whatever came of it, but counts the test once
// (box/flaky#136): where a suite has more testcases than tests, the last one of a name alone tells.
// Where rerunfailures or xdist is used, or the test failed, an error of its tear-down is a testcase of its own
// (pytest 7.2): it ends the run before it, which counts once.
func (r *junit) handOutHeld(suite *junitSuite) error {
	last, ended := map[string]*testcase{}, map[string]*testcase{}
	for _, c := range suite.held {
		run := ended[c.key()]
		if suite.isUnittest && run != nil && !c.skipped {
			if run.skipped || c.outcome == trial.Fail && run.outcome != trial.Fail {
				run.skipped, run.outcome, run.cause = false, c.outcome, c.cause
			}
			c.omission = "failures of a test that counts once, of subtests and clean-ups"
			continue
		}
		if ended[c.key()] = c; run != nil && c.isTeardown() && !run.isTeardown() && !run.skipped {
			if run.outcome == trial.Pass {
				run.outcome, run.cause = c.outcome, c.cause
			}
			c.omission = "errors of a tear-down, which count with their test"
		}
	}
	if len(suite.held) > suite.tests.Value {
		for _, c := range suite.held {
			last[c.key()] = c
		}
	}
	for _, c := range suite.held {
		if after := last[c.key()]; after != nil && after != c && c.outcome == trial.Pass && !c.skipped {
			r.in.Notes.Skip("runs before the last of a test")
			r.in.Notes.Remark(runsUnknown)
			continue
		}
		if err := r.handOut(c); err != nil {
			return err
		}
	}
	r.in.Memory.Give(int64(len(suite.held)) * bytesHeld)
	suite.held = nil
	return nil
}

// unittestSuite is the name of a suite of unittest-xml-reporting 3.2: a class, and when it ran. It writes a testcase of
// each subtest that failed, none of those that passed, and one of a test whose subtests all did
// (findings/unittest-subtest.sh). Errors of clean-ups are testcases too.
var (
	unittestSuite = lazy.Regexp(`-\d{14}$`)
	subtest       = lazy.Regexp(` (?:\[.*\]|\(.*\)|\[.*\] \(.*\))$`)
)

// isTeardown reports whether pytest tells an error of a tear-down by it.
func (c *testcase) isTeardown() bool {
	return c.outcome == trial.Error && strings.HasPrefix(c.cause.Message, "failed on teardown")
}

// key tells the tests of a file apart.
func (c *testcase) key() string {
	return fmt.Sprintf("%s %d %t", c.scenario, c.index.Value, c.index.Known)
}

// setStatus takes in what the attributes of a testcase say of it: GoogleTest and CTest write
// disabled tests so, and others failures without an element.
func (c *testcase) setStatus(status, result string) {
	for _, word := range []string{status, result} {
		switch strings.ToLower(word) {
		case "notrun", "disabled", "skipped", "suppressed", "ignored":
			c.skipped = true
			c.notRun = c.notRun || strings.EqualFold(word, "notrun")
		case "fail", "failed", "failure":
			c.outcome = trial.Fail
		case "error", "errored":
			c.outcome, c.cause = trial.Error, broken("", "")
		}
	}
}

// settle decides where a testcase has several elements, or properties in their place. GoogleTest 1.12 and pytest 7.2
// write failures beside skipped: what failed before the test skipped itself, or in its tear-down. Only one that may
// fail, a todo of node or [!mayfail] of Catch2 2.13, is skipped then. node-tap 21.8 tells skipped tests by properties,
// and Boost.Test 1.74 writes failures that were expected without saying that the test failed.
func (c *testcase) settle(isTap bool) {
	c.skipped = c.skipped && (c.forgiven || c.cause == nil) || isTap && slices.ContainsFunc(c.attributes,
		func(a attribute) bool { return a.name == "skip" || a.name == "todo" })
	if c.cause != nil && c.cause.Type == boostFailure && c.cause.Message == "failure" && !c.detected {
		c.omission = expectedFailure
	}
}

// boostFailure is the type of a failed assertion of Boost.Test.
const boostFailure = "assertion error"

// setAnnotated takes in what Playwright 1.65 tells by annotations alone, which are properties: whether somebody skipped
// a test, and whether it was expected to fail. One that was skipped otherwise did not run.
func (c *testcase) setAnnotated() {
	annotated := func(names ...string) bool {
		return slices.ContainsFunc(c.attributes, func(a attribute) bool { return slices.Contains(names, a.name) })
	}
	switch {
	case c.skipped && !annotated("skip", "fixme"):
		c.skipped, c.outcome, c.cause = false, trial.Error, broken(notRun, unrunBehind)
	case !c.skipped && c.outcome == trial.Pass && annotated("fail"):
		c.omission = expectedFailure
	}
}

// inTestcase reads an element of a testcase.
// A testcase may have a failure and an error, as of its teardown: the failure counts.
// CTest calls skipped, besides a test that skipped itself (SKIP_RETURN_CODE, SKIP_REGULAR_EXPRESSION_MATCHED), one
// that it could not start, and counts that among the failed (cmCTestTestHandler.cxx).
func (r *junit) inTestcase(c *testcase, e xml.StartElement) error {
	switch name := e.Name.Local; name {
	case "failure":
		cause, err := r.cause(e, "")
		if cause.Type == "WARN" { // of doctest 2.4, which does not fail the test
			return err
		}
		c.outcome, c.cause = trial.Fail, cause
		c.flaky = cause.Type == "flaky failure"
		return err
	case "error":
		cause, err := r.cause(e, trial.InfrastructureOrigin)
		if r.isVerdict(c, cause) {
			cause.Origin = ""
			c.outcome, c.cause = trial.Fail, cause
		}
		if c.outcome != trial.Fail { // a failure has been established otherwise
			c.outcome, c.cause = trial.Error, cause
		}
		return err
	case "skipped", "disabled":
		c.skipped = true
		message := attr(e, "message")
		c.forgiven = attr(e, "type") == "todo" || strings.HasSuffix(message, "!mayfail")
		unrun, isGinkgo := strings.CutPrefix(message, "skipped - ")
		switch {
		case isGinkgo && strings.HasPrefix(unrun, ginkgoUnrun):
			c.skipped, c.outcome, c.cause = false, trial.Error, broken(notRun, unrun)
		case robotSkip().MatchString(message):
			c.skipped, c.outcome, c.cause = false, trial.Fail, failure("", message)
		case c.notRun && message != "" && !strings.HasPrefix(message, "SKIP_"):
			c.skipped, c.outcome, c.cause = false, trial.Error, broken(notRun, message)
		}
		_, err := r.text()
		return err
	case "flakyFailure", "rerunFailure":
		cause, err := r.cause(e, "")
		c.repeat(name, run{trial.Fail, cause, attr(e, "time")})
		return err
	case "flakyError", "rerunError":
		cause, err := r.cause(e, trial.InfrastructureOrigin)
		again := run{trial.Error, cause, attr(e, "time")}
		if r.isVerdict(c, cause) {
			cause.Origin, again.outcome = "", trial.Fail
		}
		c.repeat(name, again)
		return err
	case "property":
		a, err := r.property(e)
		c.attributes = append(c.attributes, a)
		return err
	case "system-err":
		text, err := r.text()
		c.detected = c.detected || strings.HasPrefix(strings.TrimSpace(text), "Failures detected in:")
		if r.ginkgo {
			c.tries(text)
		}
		return err
	case "properties":
		return r.children(func(e xml.StartElement) error { return r.inTestcase(c, e) })
	}
	_, err := r.text()
	return err
}

// around is what surrounds tests and failed, where a writer tells that as a failure of a test; "" if it was the test
// itself: a hook of Mocha, a package of Go, a file of Bats, a parent in node --test, set-up or tear-down in Robot
// Framework, a node of Ginkgo, and a group of Vitest, which stands behind its tests.
func (r *junit) around(c *testcase, class, name string) string {
	parts := strings.Split(name, " > ")
	for i := 1; r.groups != nil && i < len(parts); i++ {
		r.groups[class+" "+strings.Join(parts[:i], " > ")] = true
	}
	if c.skipped || c.outcome == trial.Pass || c.cause == nil {
		return ""
	}
	switch kind := c.cause.Type; {
	case name == "", name == "(unnamed)": // GoogleTest and Bun
		return "hook"
	case c.outcome != trial.Fail:
		return ""
	case mochaHook().MatchString(name), r.groups[class+" "+name], strings.HasSuffix(name, "-setup-teardown"):
		return "hook"
	case name == "TestMain" && class == "": // so gotestsum calls a package
		return "package"
	case batsFile().MatchString(name), r.ginkgo && ginkgoHook().MatchString(kind), nodeAround(kind):
		return cmp.Or(batsFile().FindString(name), kind)
	case strings.HasPrefix(strings.TrimSpace(name), "Test execution failure: could be caused by test hooks"):
		return "hook" // afterAll, of jest-junit 17
	case strings.HasPrefix(c.cause.Message, "Not run because a beforeAll function failed"): // of Jasmine 7
		return "hook"
	case unittestAround().MatchString(name), kind == `PHPUnit\Framework\SyntheticError`:
		return "hook"
	case batsTeardown().MatchString(c.cause.Message):
		return "teardown_file"
	case kind == "AssertionError":
		if m := robotAround().FindStringSubmatch(c.cause.Message); m != nil {
			return strings.ToLower(m[1])
		}
	}
	return ""
}

// batsTeardown begins the failure of a teardown_file, which Bats 1.13 writes in place of the last test
// (findings/bats-teardown.sh).
var batsTeardown = lazy.Regexp("^\\(from function `teardown_file' in ")

// unittestAround is how unittest calls the set-up or tear-down of a class or module.
var unittestAround = lazy.Regexp(`^(?:setUp|tearDown)(?:Class|Module) \(`)

// ginkgoHook is a node of Ginkgo that is no spec, and ginkgoNode tells where a spec failed.
var (
	ginkgoHook = lazy.Regexp(`^(?:Just|Synchronized)?(?:Before|After)[A-Z]|^DeferCleanup`)
	ginkgoNode = lazy.Regexp(`(?m)^In \[([^]]+)\] at:`)
)

// specFile is the name of a file of tests of Playwright.
var specFile = lazy.Regexp(`\.[cm]?[jt]sx?$`)

// isVerdict reports whether an error is one on the test: Playwright 1.65 writes so whatever a test throws but what its
// expect does (reporters/junit.ts), PHPUnit a risky test, and unittest-xml-reporting one that was expected to fail.
func (r *junit) isVerdict(c *testcase, cause *trial.Cause) bool {
	return c.playwright || cause.Type == "UnexpectedSuccess" || r.ginkgo && cause.Type == "panicked" ||
		strings.HasPrefix(cause.Type, `PHPUnit\Framework\Risky`)
}

// tries keeps the runs before the last of a spec that Ginkgo ran again. Its JUnit tells them in the text of the spec
// alone: a testcase that passed at its second try has the status "passed" (Ginkgo 2.34.0).
func (c *testcase) tries(text string) {
	message, isNext := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		said, isFailure := strings.CutPrefix(line, "[FAILED] ")
		switch {
		case isNext:
			message, isNext = line, false
		case isFailure:
			message, isNext = said, strings.HasPrefix(said, ginkgoAttempt)
		case !strings.HasPrefix(line, "Attempt #"):
		case strings.Contains(line, " Failed.  Retrying"):
			c.before = append(c.before, run{outcome: trial.Fail, cause: &trial.Cause{Message: message}})
		case strings.Contains(line, " Passed.  Repeating"):
			c.before = append(c.before, run{outcome: trial.Pass})
		}
	}
}

// repeat keeps one more run: flaky ones came before the last, the others after the first.
func (c *testcase) repeat(name string, again run) {
	if strings.HasPrefix(name, "flaky") {
		c.before = append(c.before, again)
		return
	}
	c.after = append(c.after, again)
}

// cause reads a failure or an error to its end.
// The message is an attribute, or in older writers the text of the element.
func (r *junit) cause(e xml.StartElement, origin trial.Origin) (*trial.Cause, error) {
	text, err := r.text()
	message := attr(e, "message")
	if message == "" {
		message = strings.TrimSpace(text)
	}
	kind := attr(e, "type")
	if m := ginkgoNode().FindStringSubmatch(text); r.ginkgo && m != nil && m[1] != "It" {
		kind = m[1]
	}
	if message == "Failed" && strings.HasPrefix(text, "panic: test timed out") {
		kind = ranOut
	}
	return &trial.Cause{Origin: origin, Type: kind, Message: message}, err
}

// ranOut is the type of the failure of a package of Go of which a test hung.
const ranOut = "package timeout"

// handOut hands out the trials of a testcase: each run of it is one, so that a
// test that passes on its second try counts as a fail and a pass. (To count the
// last try alone would turn a pass rate p into 1-(1-p)².)
func (r *junit) handOut(c *testcase) error {
	if c.scenario == "" {
		r.in.Notes.Skip(record.NamelessTest)
		return nil
	}
	if c.omission != "" || c.skipped {
		r.in.Notes.Pass(cmp.Or(c.omission, record.SkippedTest))
		return nil
	}
	// Under --bail Vitest 4 writes the tests behind the one that failed as those that passed, but for a time of 0.
	if r.bailing && c.outcome == trial.Pass && c.time == "0" {
		r.in.Notes.Pass(record.UnrunTest)
		return nil
	}
	// nextest with flaky-result = "fail" fails a test whose last run passed.
	if c.flaky && len(c.before) > 0 {
		c.outcome, c.cause = trial.Pass, nil
	}
	runs := append(append(c.before, run{c.outcome, c.cause, c.time}), c.after...)
	for i, run := range runs {
		t := &trial.Trial{Scenario: c.scenario, Outcome: run.outcome, Error: run.cause, Place: c.place}
		if err := setTime(t, run.time); err != nil {
			return err
		}
		// The attributes are those of the run that the testcase stands for. The others have its
		// model and variant, and no number, cost or score.
		isMain := i == len(c.before)
		if isMain {
			t.Index = c.index
			if err := annotate(t, c.attributes); err != nil {
				return err
			}
		} else if err := annotate(t, inherited(c.attributes)); err != nil {
			return err
		}
		if len(runs) > 1 {
			t.Attempt = trial.Some(i + 1)
		}
		if err := r.in.Emit(t, isMain || !c.index.Known); err != nil {
			return err
		}
	}
	return nil
}

// setTime sets the duration, in seconds.
func setTime(t *trial.Trial, text string) (err error) {
	t.DurationSeconds, err = record.Amount(t, "time", plainNumber(strings.TrimSpace(text)))
	return err
}
