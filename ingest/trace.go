package ingest

import (
	"iter"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// trace is a trial that is put together from the events of a log, in their order.
// An answer of the model is one step: it reasons where it calls tools, and responds
// where it does not. Each call of a tool is one step, with its result.
//
// The output of the trial is the text of the last answer that calls no tools; a
// decoder whose log says better sets it after the answers.
type trace struct {
	trial.Trial

	// lastTextIsOutput lets the text of an answer that calls tools be the output, too,
	// until a later answer has one: of a run that was cut off there.
	lastTextIsOutput bool

	notes       *notes
	pending     []pendingCall // in the order of the calls
	first, last time.Time     // of all events; zero if none has a time
}

// pendingCall is a call of a tool whose result is not known.
type pendingCall struct {
	id   string // may be ""
	step int
}

// newTrace begins a trial at a line of a file. Its steps are known, if only that
// there are none.
func newTrace(in *input, line int) *trace {
	return &trace{Trial: trial.Trial{Place: in.place(line), Steps: []trial.Step{}}, notes: in.notes}
}

// answer is an answer of a model.
type answer struct {
	text       string
	model      string     // "" if unknown
	calls      []toolCall // of tools, each of which becomes a step after the answer's
	callsTools bool       // it calls tools, also where calls holds none: those come as events of their own
	usage      usage
	depth      int // 0 is the agent itself, 1 a sub-agent of it
}

// toolCall is a call of a tool that a model asks for.
type toolCall struct {
	id        string // which its result will name; may be ""
	tool      string
	arguments node // an object, or JSON in a string
}

// addAnswer adds an answer of a model with the calls that it makes, and returns its
// step to complete, valid until the next step is added. The model of the trial is
// that of the first answer of the agent itself, unless it is known.
func (t *trace) addAnswer(a answer) *trial.Step {
	i := len(t.Steps)
	t.Steps = append(t.Steps, a.step())
	step := &t.Steps[i]
	if a.depth == 0 {
		if t.Model == "" {
			t.Model = step.Model
		}
		if step.Output != nil && (step.Action == trial.Respond || t.lastTextIsOutput) {
			t.Output = step.Output
		}
	}
	for _, c := range a.calls {
		t.addCall(c).Depth = step.Depth
	}
	return &t.Steps[i]
}

// step is the answer as a step.
func (a answer) step() trial.Step {
	s := trial.Step{
		Action: trial.Respond, Model: validText(a.model), Depth: depthOf(a.depth),
		InputTokens: a.usage.input, OutputTokens: a.usage.output, CostUSD: a.usage.cost,
	}
	if a.callsTools || len(a.calls) > 0 {
		s.Action = trial.Reason
	}
	if a.text != "" {
		s.Output = trial.RawString(a.text)
	}
	return s
}

// depthOf is the depth of a step, which is not written for the agent itself.
func depthOf(depth int) trial.Optional[int] {
	return trial.Optional[int]{Known: depth > 0, Value: depth}
}

// addCall adds a call of a tool, which waits for its result, and returns its step to
// complete.
func (t *trace) addCall(c toolCall) *trial.Step {
	t.pending = append(t.pending, pendingCall{c.id, len(t.Steps)})
	return t.addEndedCall(c)
}

// addEndedCall adds a call of a tool that waits for no result: the log has it with
// the call, or not at all.
func (t *trace) addEndedCall(c toolCall) *trial.Step {
	t.Steps = append(t.Steps, trial.Step{
		Action: trial.CallTool, Tool: validText(c.tool), Arguments: c.arguments.parsed().raw(),
	})
	return &t.Steps[len(t.Steps)-1]
}

// setResult gives the call that a result belongs to its output, and returns its step
// to complete. Without such a call it is nil, and the result is noted as left out.
func (t *trace) setResult(id, tool string, output node) *trial.Step {
	step := t.takeCall(id, tool)
	if step == nil {
		t.notes.skip(resultWithoutCall)
		return nil
	}
	step.Output = output.output()
	return step
}

// takeCall returns the step of the call that a result belongs to, which waits no
// longer; nil if there is none. A result without an id belongs to the oldest call of
// the tool that waits, and one that names no tool either to the oldest call.
func (t *trace) takeCall(id, tool string) *trial.Step {
	for i, p := range t.pending {
		if id != "" && p.id == id || id == "" && (tool == "" || t.Steps[p.step].Tool == tool) {
			t.pending = slices.Delete(t.pending, i, i+1)
			return &t.Steps[p.step]
		}
	}
	return nil
}

// lastCalls are the calls that wait for a result, by their ids, the last one first.
func (t *trace) lastCalls() iter.Seq2[string, *trial.Step] {
	return func(yield func(string, *trial.Step) bool) {
		for _, p := range slices.Backward(t.pending) {
			if !yield(p.id, &t.Steps[p.step]) {
				return
			}
		}
	}
}

// setInput takes in a message to the system: the first one is the input of the trial.
func (t *trace) setInput(content node) {
	if t.Input == nil {
		t.Input = content.input()
	}
}

// addTime takes in the time of an event: the trial lasts from the first to the last.
// A year that no timestamp can hold is none.
func (t *trace) addTime(at time.Time) {
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

// hasTime reports whether an event had a time.
func (t *trace) hasTime() bool { return !t.first.IsZero() }

// addTotals adds to what the trial took in all.
func (t *trace) addTotals(u usage) {
	add(&t.InputTokens, u.input)
	add(&t.OutputTokens, u.output)
	add(&t.CostUSD, u.cost)
}

// setInfrastructureError says that the trial ended by no doing of the agent.
func (t *trace) setInfrastructureError(kind, message string) {
	t.Outcome = trial.Error
	t.Error = newCause(kind, message)
	t.Error.Origin = trial.InfrastructureOrigin
}

// newCause is why a trial failed, or ended early: its kind, and the beginning of a
// message. Both may be "".
func newCause(kind, message string) *trial.Cause {
	return &trial.Cause{Type: validText(kind), Message: validText(cut(message))}
}

// finish completes the trial: its time, and the totals that its steps give where no
// better ones are known.
func (t *trace) finish() *trial.Trial {
	if t.StartedAt == "" && !t.first.IsZero() {
		t.StartedAt = trial.Timestamp(t.first.UTC().Format(time.RFC3339Nano))
	}
	if !t.DurationSeconds.Known && t.last.After(t.first) {
		t.DurationSeconds = secondsBetween(t.first, t.last)
	}
	sum := t.stepUsage()
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

// stepUsage is what the steps took in all, as far as it is known.
func (t *trace) stepUsage() (sum usage) {
	for _, s := range t.Steps {
		sum.add(usage{s.InputTokens, s.OutputTokens, s.CostUSD})
	}
	return sum
}
