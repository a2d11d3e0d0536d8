package runner

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
)

// unansweredRule says what comes of an attempt at an address without an answer that can be used.
type unansweredRule struct {
	timeout time.Duration
	// What is the trial's error and not the agent's failure.
	timeoutIsError, statusIsError, outputIsError bool
}

// unansweredOf is what a suite says of it.
func unansweredOf(a suite.Agent) unansweredRule {
	return unansweredRule{
		a.Timeout, a.IsError(suite.TimeoutCause), a.IsError(suite.NoOutputCause), a.IsError(suite.OutputCause),
	}
}

// attempt is one without an answer.
func (a unansweredRule) attempt(r Request, err error, took time.Duration) Attempt {
	var why *endpoint.Error
	if !errors.As(err, &why) {
		return Attempt{Err: err} // not reached
	}
	switch why.Kind {
	case endpoint.Timeout:
		return a.failed(r, string(why.Kind), why, nil, took, a.timeoutIsError)
	case endpoint.Unreadable:
		return a.failed(r, outputProblem, why, why.Body, took, a.outputIsError)
	case endpoint.TooLong:
		return a.failed(r, outputProblem, why, nil, took, a.outputIsError)
	case endpoint.Status:
		return a.failed(r, string(why.Kind), why, why.Body, took, a.statusIsError)
	}
	e := &InfrastructureError{
		Type: string(why.Kind), Problem: why.Problem, Err: why.Err, Unbegun: why.Unbegun, After: why.After,
	}
	// What it asks to wait for longer than a trial may take is not waited for.
	if a.timeout > 0 && e.After > a.timeout {
		e.Problem += fmt.Sprintf(", and asks to wait %v, which is longer than the timeout of %v", e.After, a.timeout)
		e.Unbegun = false
	}
	return Attempt{Err: e, came: why.Body}
}

// failed is the agent's failure, with what came as a text, or an error of the trial.
func (a unansweredRule) failed(
	r Request, kind string, why error, body []byte, took time.Duration, isError bool,
) Attempt {
	if isError {
		return Attempt{Err: &InfrastructureError{Type: kind, Problem: why.Error(), Err: errors.Unwrap(why)}, came: body}
	}
	t, _ := plainOutput(r, body) // which reads everything
	t.Outcome = trial.Fail
	t.Error = &trial.Cause{Type: kind, Message: strings.ToValidUTF8(why.Error(), "\uFFFD")}
	t.DurationSeconds = trial.Some(took.Seconds())
	return Attempt{Trial: t, Broken: true, came: body}
}
