package runs

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// SampledError says why a test of a run cannot be a baseline.
type SampledError struct {
	Test    string // its name
	Problem string // such as "has not ended"
	Advice  string // what a person might do about it
}

func (e *SampledError) Error() string { return fmt.Sprintf("the test %s %s", e.Test, e.Problem) }

// Message returns the problem, with the name of the test.
func (e *SampledError) Message() string { return e.Error() }

// Hint returns the advice.
func (e *SampledError) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *SampledError) ExitCode() int { return exit.Input }

// Sampled returns how the trials of a test were sampled, and what they came to: what a test
// against them as a baseline has to know. A sequential test is the sample of its boundaries.
// One that records, or looks once, has a number of trials that was fixed before; of these,
// trials that ended in an error are left out.
//
// A [SampledError] says that a sequential test has not ended, or that trials ended in an
// error: then it is not known where it would have stopped.
func (t *Test) Sampled() (design.Sampled, error) {
	s := design.Sampled{Passes: t.Passes, Trials: t.Passes + t.Fails}
	refuse := func(problem, advice string) (design.Sampled, error) {
		return s, &SampledError{t.Name, problem, advice}
	}
	if s.Trials == 0 {
		return refuse("holds no trial that passed or failed", "run it again")
	}
	switch t.Design.Kind {
	case sprt.RecordingKind.String(), sprt.FixedKind.String():
		return s, nil
	}
	if t.Errors > 0 {
		return refuse(fmt.Sprintf("is no baseline: %s of it ended in an error, and how they count decides where it ends",
			prose.Count(t.Errors, "trial")), "see to their cause, and run it again")
	}
	test, err := t.Replay()
	if err != nil {
		return s, err
	}
	if !test.Decided() {
		return refuse("is no baseline: it has not ended", "tribunal run --resume goes on with it")
	}
	s.Boundaries = new(design.Of(test.Design().Boundaries))
	return s, nil
}
