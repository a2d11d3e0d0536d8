package ingest

import (
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// trace is a trial that is put together from the events of a log, in their order.
// An answer of the model is one step: it reasons where it calls tools, and responds
// where it does not. Each call of a tool is one step, with its result.
type trace struct {
	trial.Trial
	waiting     []waitingCall // in the order of the calls
	first, last time.Time
}

// waitingCall is a call of a tool whose result is not known.
type waitingCall struct {
	id   string // may be ""
	step int
}

// newTrace begins a trial at a line of a file. Its steps are known, if only that
// there are none.
func newTrace(in *input, line int) *trace {
	return &trace{Trial: trial.Trial{Place: in.place(line), Steps: []trial.Step{}}}
}

// usage is what one answer of a model took, where it is known. Input tokens are with
// cached ones.
type usage struct {
	input, output trial.Optional[int64]
	cost          trial.Optional[float64]
}

// answer adds an answer of the model, and returns its step to complete. It reasons
// if it calls tools: then the calls follow, by [trace.call].
func (t *trace) answer(text string, callsTools bool, u usage) *trial.Step {
	step := trial.Step{Action: trial.Respond, InputTokens: u.input, OutputTokens: u.output, CostUSD: u.cost}
	if callsTools {
		step.Action = trial.Reason
	}
	if text != "" {
		step.Output = trial.RawString(text)
	}
	t.Steps = append(t.Steps, step)
	return &t.Steps[len(t.Steps)-1]
}

// call adds a call of a tool, and returns its step to complete. The id, which may be
// "", is the one that its result will name.
func (t *trace) call(id, tool string, arguments node) *trial.Step {
	t.waiting = append(t.waiting, waitingCall{id, len(t.Steps)})
	t.Steps = append(t.Steps, trial.Step{Action: trial.CallTool, Tool: validText(tool), Arguments: arguments.parsed().raw()})
	return &t.Steps[len(t.Steps)-1]
}

// result returns the step of the call that a result belongs to, to complete; nil if
// there is none. A result without an id belongs to the oldest call of the tool that
// waits, and one that names no tool either to the oldest call.
func (t *trace) result(id, tool string) *trial.Step {
	for i, w := range t.waiting {
		if id != "" && w.id == id || id == "" && (tool == "" || t.Steps[w.step].Tool == tool) {
			t.waiting = slices.Delete(t.waiting, i, i+1)
			return &t.Steps[w.step]
		}
	}
	return nil
}

// seen takes in the time of an event: the trial lasts from the first to the last. A
// year that no timestamp can hold is none.
func (t *trace) seen(at time.Time) {
	if at.IsZero() || at.UTC().Year() < 0 || at.UTC().Year() > 9999 {
		return
	}
	if t.first.IsZero() || at.Before(t.first) {
		t.first = at
	}
	if at.After(t.last) {
		t.last = at
	}
}

// spend adds to the totals of the trial.
func (t *trace) spend(u usage) {
	add(&t.InputTokens, u.input)
	add(&t.OutputTokens, u.output)
	add(&t.CostUSD, u.cost)
}

// add adds what is known; nothing known leaves the sum unknown.
func add[T int64 | float64](sum *trial.Optional[T], x trial.Optional[T]) {
	if x.Known {
		*sum = trial.Some(sum.Value + x.Value)
	}
}

// plus returns the sum of parts, unknown if none is known.
func plus[T int64 | float64](parts ...trial.Optional[T]) (sum trial.Optional[T]) {
	for _, p := range parts {
		add(&sum, p)
	}
	return sum
}

// tag keeps a text about the trial under a name, where rules for scenarios and
// outcomes find it.
func (t *trace) tag(name string, value node) {
	if text := value.text(); text != "" && name != "" {
		setTag(&t.Trial, name, text)
	}
}

// fail makes the trial an error of infrastructure.
func (t *trace) fail(kind, message string) {
	t.Outcome = trial.Error
	t.Error = &trial.Cause{Origin: trial.InfrastructureOrigin, Type: validText(kind), Message: validText(cut(message))}
}

// finish completes the trial: its time, and the totals that its steps give where no
// better ones are known.
func (t *trace) finish() *trial.Trial {
	if t.StartedAt == "" && !t.first.IsZero() {
		t.StartedAt = trial.Timestamp(t.first.UTC().Format(time.RFC3339Nano))
	}
	if !t.DurationSeconds.Known && t.last.After(t.first) {
		t.DurationSeconds = trial.Some(t.last.Sub(t.first).Seconds())
	}
	sum := usage{}
	for _, s := range t.Steps {
		add(&sum.input, s.InputTokens)
		add(&sum.output, s.OutputTokens)
		add(&sum.cost, s.CostUSD)
	}
	if !t.InputTokens.Known {
		t.InputTokens = sum.input
	}
	if !t.OutputTokens.Known {
		t.OutputTokens = sum.output
	}
	if !t.CostUSD.Known {
		t.CostUSD = sum.cost
	}
	return &t.Trial
}

// stepFailed is the error of a step whose log says that it failed and not why.
const stepFailed = "failed"

// failure returns the message of a step that failed, never "".
func failure(message string) string {
	if message = validText(cut(message)); message != "" {
		return message
	}
	return stepFailed
}

// cut keeps the beginning of a long message.
func cut(text string) string {
	if len(text) <= longestMessage {
		return text
	}
	return text[:longestMessage]
}

func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
