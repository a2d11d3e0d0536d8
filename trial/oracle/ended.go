package oracle

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Status is a way in which an agent ends. The zero value is not known.
type Status string

// The ways, as a suite writes them.
const (
	Completed Status = "completed" // by itself with exit code 0, or with an answer
	Failed    Status = "failed"    // with another exit code, a crash or what cannot be read; or it told a failure
	TimedOut  Status = "timed-out" // it ran into its timeout
	Errored   Status = "errored"   // something failed that is not its own doing, or it told an error
	Stopped   Status = "stopped"   // by a limit of the trial or by a guardrail, which nobody may expect
)

// stopping are the types of errors of trials that a limit or a guardrail ended.
var stopping = []string{"max_turns", "max_cost_usd", "max_tokens", "guardrail"}

// IsStop reports whether an error of this type says that a limit or a guardrail ended the trial.
func IsStop(kind string) bool { return slices.Contains(stopping, kind) }

// Statuses are the ways in which an agent may be expected to end.
func Statuses() []Status { return []Status{Completed, Failed, TimedOut, Errored} }

// End is how an agent ended, whatever it is worth. The zero value is not known.
type End struct {
	Status Status
	// IsError says that what ended it counts as an error of the trial and not as the agent's failure, as a suite may
	// say of a timeout.
	IsError bool
	Text    string // what ended it, for a person; may be ""
}

// Known reports whether it is known.
func (e End) Known() bool { return e.Status != "" }

// Is reports whether the end has the status: what counts as an error of the trial is errored beside what it is.
func (e End) Is(s Status) bool { return s != "" && (e.Status == s || e.IsError && s == Errored) }

// String says it in words, such as "timed out: the agent did not end within 2s".
func (e End) String() string {
	words := map[Status]string{
		"": "ended nobody knows how", Completed: "completed", Failed: "failed", TimedOut: "timed out",
		Errored: "ended in an error", Stopped: "was stopped",
	}
	text := words[e.Status]
	if e.Text != "" {
		text += ": " + prose.PrintableUpTo(e.Text, mostMessage)
	}
	return text
}

// endJSON is the JSON form of an end.
type endJSON struct {
	Status  Status `json:"status"`
	IsError bool   `json:"is_error,omitempty"`
	Text    string `json:"text,omitempty"`
}

// MarshalJSON writes the end.
func (e End) MarshalJSON() ([]byte, error) { return json.Marshal(endJSON(e)) }

// UnmarshalJSON reads what [End.MarshalJSON] writes.
func (e *End) UnmarshalJSON(text []byte) error {
	var form endJSON
	if err := json.Unmarshal(text, &form); err != nil {
		return err
	}
	if known := append(Statuses(), Stopped, ""); !slices.Contains(known, form.Status) {
		return fmt.Errorf("status %q of an end is none of %v", form.Status, Statuses())
	}
	*e = End(form)
	return nil
}

// unbegun are the types of errors of trials that never began, or whose end nobody saw. They say nothing of an agent.
var unbegun = []string{"start", "input", "template", "cancelled", "stopped", "lost", "replaced", "void"}

// EndOf reads from the record of a trial how its agent ended: what was noted when the trial was judged against an
// [Expectation], or else what its error and its outcome say. It is not known of a trial that never began, and of one
// whose judging failed.
func EndOf(t *trial.Trial) End {
	judgement, judged := Recorded(t)
	switch {
	case judgement.Ended.Known():
		return judgement.Ended
	case t.Error != nil && t.Error.Origin == JudgeOrigin:
		return End{}
	case t.Outcome == trial.Error:
		return endOfError(t.Error)
	case t.Error != nil && t.Error.Type == "timeout":
		return End{Status: TimedOut, Text: t.Error.Message}
	case t.Error != nil && IsStop(t.Error.Type):
		return End{Status: Stopped, Text: t.Error.Message}
	case t.Error != nil:
		return End{Status: Failed, Text: t.Error.Message}
	case t.Outcome == trial.Fail && !judged:
		return End{Status: Failed, Text: "reported as failed"}
	}
	return End{Status: Completed}
}

// endOfError is the end of a trial that is an error.
func endOfError(cause *trial.Cause) End {
	e := End{Status: Errored, IsError: true}
	if cause == nil {
		return e
	}
	e.Text = cause.Message
	if cause.Origin != trial.InfrastructureOrigin {
		return e
	}
	switch {
	case cause.Type == "timeout":
		e.Status = TimedOut
	case cause.Type == "exit", cause.Type == "output", cause.Type == "status":
		e.Status = Failed
	case slices.Contains(unbegun, cause.Type):
		return End{}
	}
	return e
}
