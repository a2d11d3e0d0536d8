package testreports

import (
	"encoding/xml"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// robot is an output.xml of Robot Framework that is being read (doc/schema/result.xsd):
//
//	<robot generator="Robot 7.3"><suite name="Cart"><test name="Adds"><kw name="Setup" type="SETUP">…</kw>
//	  <tag>slow</tag><status status="FAIL" start="2026-11-29T21:00:00.000000" elapsed="0.5">1 != 2</status></test>
//	<status status="FAIL"/></suite><statistics>…</statistics></robot>
//
// Schemas before 5 have starttime and endtime in place of start and elapsed.
type robot struct {
	*xmlReport
	kept map[string]int // runs before the last of a test that are in the file, by its name
}

// Robot decodes the output.xml of Robot Framework.
var Robot = record.Decoder{Read: readRobot, Empty: "holds no test", Hint: "did the tests run?"}

// readRobot makes a trial of each run of a test.
func readRobot(in *record.Input) error {
	r := robot{xmlReport: newXMLReport(in), kept: map[string]int{}}
	r.deepest = deepestRobot
	if _, err := r.root("an output.xml of Robot Framework", "robot"); err != nil {
		return err
	}
	err := r.children(func(e xml.StartElement) error {
		if e.Name.Local == "suite" {
			return r.suite(attr(e, "name"))
		}
		_, err := r.text() // statistics, and errors of the program
		return err
	})
	if err != nil {
		return err
	}
	return r.rest()
}

// deepestRobot is how deep elements may nest: keywords call keywords, a hundred deep, and control structures take two
// or three elements each. It is chosen.
const deepestRobot = 512

// suite reads a suite of that full name.
func (r robot) suite(name string) error {
	return r.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "suite":
			return r.suite(name + "." + attr(e, "name"))
		case "test":
			return r.test(e, name)
		}
		_, err := r.text()
		return err
	})
}

// test hands out the trials of a test.
func (r robot) test(e xml.StartElement, suite string) error {
	t := report{line: r.place().Line}
	name, index := scenarioOf(suite, attr(e, "name"), "")
	t.name = name
	var attributes []attribute
	status, message := "", ""
	err := r.children(func(e xml.StartElement) error {
		text, err := r.text()
		switch e.Name.Local {
		case "status":
			status, message = attr(e, "status"), strings.TrimSpace(text)
			t.seconds = secondsOf(attr(e, "elapsed"))
			if from, to := robotTime(attr(e, "starttime")), robotTime(attr(e, "endtime")); !t.seconds.Known {
				t.seconds = record.SecondsBetween(from, to)
			}
		case "tag":
			if text == "robot:exit" { // a failure ended the run: tests behind it are failed, too
				t.omission = record.UnrunTest
			}
		case "meta":
			attributes = append(attributes, attribute{attr(e, "name"), strings.TrimSpace(text)})
		}
		return err
	})
	if err != nil {
		return err
	}
	if attr(e, "name") == "" {
		r.in.Notes.Skip(record.NamelessTest)
		return nil
	}
	t.robotOutcome(status, message)
	if err := r.before(&t, message); err != nil || t.omission != "" {
		if err == nil {
			err = t.handOut(r.in)
		}
		return err
	}
	x := t.trial(r.in)
	x.Index = index
	if err := annotate(x, attributes); err != nil {
		return err
	}
	return r.in.Emit(x, true)
}

// What messages of tests begin or end with that are no failures of the test itself (running/status.py), or that tell
// of other runs: what rebot --merge writes (result/merger.py), and the listener RetryFailed.
var (
	robotAround = lazy.Regexp(`^(?:\*HTML\* )?((?:Parent suite )?(?:[Ss]etup|[Tt]eardown)) failed:\n`)
	robotSkip   = lazy.Regexp(`^Failed (?:test|task) skipped using `)
	robotNew    = lazy.Regexp(`>New message:</span> (.*?)<br><hr>`)
	robotOld    = lazy.Regexp(`>Old status:</span> <span class="\w+">(PASS|FAIL|SKIP)<`)
	robotRetry  = lazy.Regexp(`\[RETRY\] (?:PASS|FAIL) on (\d{1,4})\. retry\.$`)
)

// robotAgain ends the message of a run that RetryFailed follows by another one.
const robotAgain = "\nSkipped for Retry"

// robotOutcome sets what a status and its message say of the last run of a test. A test that failed is skipped where
// its tags or the command line say so, or where the listener RetryFailed runs it once more: it was run all the same.
func (t *report) robotOutcome(status, message string) {
	if m := robotNew().FindStringSubmatch(message); m != nil {
		message = m[1]
	}
	switch status {
	case "PASS":
		t.outcome = trial.Pass
	case "FAIL":
		t.outcome, t.cause = trial.Fail, failure("", message)
		if m := robotAround().FindStringSubmatch(message); m != nil {
			t.outcome, t.cause = trial.Error, broken(strings.ToLower(m[1]), message)
		}
	case "SKIP":
		message, isRetried := strings.CutSuffix(message, robotAgain)
		if isRetried || robotSkip().MatchString(message) {
			t.outcome, t.cause = trial.Fail, failure("", message)
			return
		}
		t.omission = record.SkippedTest
	case "NOT RUN":
		t.omission = record.UnrunTest
	default:
		t.omission = otherOutcome
	}
}

// before hands out the runs of a test before its last, of which only the message tells.
func (r robot) before(t *report, message string) error {
	if strings.HasSuffix(message, robotAgain) {
		r.kept[t.name]++
		t.attempt = trial.Some(r.kept[t.name])
		return nil
	}
	var runs []trial.Outcome // the last one first
	for _, m := range robotOld().FindAllStringSubmatch(message, mostRuns) {
		switch m[1] {
		case "PASS":
			runs = append(runs, trial.Pass)
		case "FAIL":
			runs = append(runs, trial.Fail)
		}
	}
	slices.Reverse(runs)
	known := 0
	if m := robotRetry().FindStringSubmatch(message); m != nil {
		known = record.WholeNumber(m[1]).Value
		for range min(known, mostRuns) - r.kept[t.name] {
			runs = append(runs, trial.Fail)
		}
	}
	for i, outcome := range runs {
		run := report{name: t.name, line: t.line, outcome: outcome, attempt: trial.Some(i + 1)}
		if err := run.handOut(r.in); err != nil {
			return err
		}
	}
	if n := max(known, len(runs)); n > 0 {
		t.attempt = trial.Some(n + 1)
	}
	delete(r.kept, t.name)
	return nil
}

// robotTime is a time such as 20261129 21:00:00.125; the zero time if it is none.
func robotTime(text string) time.Time {
	at, err := time.Parse("20060102 15:04:05.999", text)
	if err != nil {
		return time.Time{}
	}
	return at
}
