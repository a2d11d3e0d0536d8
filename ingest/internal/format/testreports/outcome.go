package testreports

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Why records of these reports gave no trial, besides the words of package record.
const (
	todoTest        = "tests that are to be written"
	expectedFailure = "tests that were expected to fail, and did"
	otherOutcome    = "tests of other outcomes"
)

// notRun is the type of the error of a test that could not be started.
const notRun = "notrun"

// unrunBehind is why Playwright did not run a test that nobody skipped.
const unrunBehind = "the test did not run: a hook or a test before it failed"

// passedAlthough is why a test failed that was expected to.
const passedAlthough = "the test was expected to fail, and passed"

// runsUnknown is said of reports of tests that were run again, which do not have all of the runs.
const runsUnknown = "tests were run again, and not all runs are in the report: see docs/hides.md#retries"

// report is a test as a report tells it, on its way to a trial.
type report struct {
	name     string // scenario
	line     int
	outcome  trial.Outcome
	cause    *trial.Cause
	seconds  trial.Optional[float64]
	attempt  trial.Optional[int]
	started  trial.Timestamp
	omission string // why it is no trial; "" for a trial
	expected bool   // it was expected to fail
	again    int    // how often it failed before, where the report says no more of that
}

// trial is the trial of the report.
func (t *report) trial(in *record.Input) *trial.Trial {
	return &trial.Trial{
		Scenario: t.name, Outcome: t.outcome, Error: t.cause, DurationSeconds: t.seconds, Attempt: t.attempt,
		StartedAt: t.started, Place: in.Place(t.line),
	}
}

// handOut hands out the trial of a report, or counts why it is none.
func (t *report) handOut(in *record.Input) error {
	if t.omission != "" {
		in.Notes.Pass(t.omission)
		return nil
	}
	err := t.retries(in, min(t.again, mostRuns), func(int) *trial.Cause { return nil })
	if err != nil {
		return err
	}
	return in.Emit(t.trial(in), true)
}

// failure is why a test failed; nil where the report does not say.
func failure(kind, message string) *trial.Cause {
	message = plainMessage(message)
	if kind == "" && message == "" {
		return nil
	}
	return record.NewCause(kind, message)
}

// broken is why a test reached no verdict by no doing of what it tests.
func broken(kind, message string) *trial.Cause {
	cause := record.NewCause(kind, plainMessage(message))
	cause.Origin = trial.InfrastructureOrigin
	return cause
}

// colors are what terminals take for colors.
var colors = lazy.Regexp("\x1b\\[[0-9;]*m")

// plainMessage is a message without colors, and without the stack that JavaScript adds to it.
func plainMessage(text string) string {
	text = colors().ReplaceAllString(text, "")
	text, _, _ = strings.Cut(text, "\n    at ")
	return strings.TrimSpace(text)
}

// unlisted is the error of a report that counts failures, and lists passes alone.
func unlisted(failures int) *trial.Cause {
	return broken("report", "the report declares "+prose.Count(failures, "failure")+" and lists none")
}
