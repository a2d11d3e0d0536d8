package runner

import (
	"errors"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// endOfAttempt is how the agent ended, whatever an error counts as; not known of an attempt that never began.
func endOfAttempt(a *Attempt) oracle.End {
	if a.Err != nil {
		return endOfFailed(a)
	}
	t, message := a.Trial, ""
	if t.Error != nil {
		message = t.Error.Message
	}
	switch {
	case t.Outcome == trial.Error:
		return oracle.End{Status: oracle.Errored, IsError: true, Text: message}
	case a.Broken && t.Error != nil && t.Error.Type == timeoutProblem:
		return oracle.End{Status: oracle.TimedOut, Text: message}
	case a.Broken && t.Error != nil && oracle.IsStop(t.Error.Type):
		return oracle.End{Status: oracle.Stopped, Text: message}
	case a.Broken:
		return oracle.End{Status: oracle.Failed, Text: message}
	case a.Process != nil && (a.Process.ExitCode != 0 || a.Process.Signal != ""):
		return oracle.End{Status: oracle.Failed, Text: endOf(a.Process)}
	case t.Outcome == trial.Fail && message != "":
		return oracle.End{Status: oracle.Failed, Text: message}
	case t.Outcome == trial.Fail:
		return oracle.End{Status: oracle.Failed, Text: "reported as failed"}
	}
	return oracle.End{Status: oracle.Completed}
}

// endOfFailed is the end of an attempt that is an error of its trial: that which its record would tell, but for a
// crash.
func endOfFailed(a *Attempt) oracle.End {
	end := oracle.EndOf(&trial.Trial{Outcome: trial.Error, Error: causeOfFailed(a.Err)})
	if end.Known() && a.Process != nil && a.Process.Crashed {
		end.Status = oracle.Failed
	}
	return end
}

// causeOfFailed is what a record says of an attempt that is an error.
func causeOfFailed(err error) *trial.Cause {
	cause := &trial.Cause{
		Origin: trial.InfrastructureOrigin, Message: strings.ToValidUTF8(err.Error(), "\uFFFD"),
	}
	if why, ok := errors.AsType[*InfrastructureError](err); ok {
		cause.Type = why.Type
	}
	return cause
}

// expecting notes how the agent ended, where that is asked. An end that was declared is judged, and not repeated,
// though it is an error: the trial is then what the agent left until then.
func (a *Attempt) expecting(x oracle.Expectation, r Request, o *Options, took time.Duration) {
	if !x.Asked() {
		return
	}
	a.end = endOfAttempt(a)
	a.expects, a.declared = true, x.Declares(a.end)
	if !a.declared || a.Err == nil {
		return
	}
	cause := causeOfFailed(a.Err)
	if why, ok := errors.AsType[*InfrastructureError](a.Err); ok {
		a.unbegun = why.Unbegun
	}
	t := a.left(r)
	if t.Outcome = trial.Unjudged; !t.DurationSeconds.Known {
		t.DurationSeconds = trial.Some(took.Seconds())
	}
	if err := complete(t, r, o); err != nil {
		return // not reached: it is no error yet
	}
	if a.unbegun { // which has no price
		t.CostUSD = trial.Optional[float64]{}
	}
	t.Outcome, t.Error = trial.Error, cause
	a.Trial, a.Err, a.Broken = t, nil, true
}

// left is the trial of an attempt that is an error: as the agent recorded it, or of what it wrote.
func (a *Attempt) left(r Request) *trial.Trial {
	if t := a.Trial; t != nil {
		if len(t.Output) == 0 {
			t.Output = trial.RawString("")
		}
		return t
	}
	output := a.came
	if a.Process != nil {
		output = a.Process.Stdout
	}
	if a.written != nil {
		output = a.written
	}
	t, _ := plainOutput(r, output) // which reads everything
	return t
}
