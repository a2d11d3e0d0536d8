package record

import (
	"iter"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// Trace is a trial that is put together from the events of a log, in their order.
// An answer of the model is one step: it reasons where it calls tools, and responds
// where it does not. Each call of a tool is one step, with its result.
//
// The output of the trial is the text of the last answer that calls no tools; a
// decoder whose log says better sets it after the answers.
type Trace struct {
	trial.Trial

	// ID is what the log calls the run, and no other one: the id of a trace or a session. It
	// finds what is recorded twice. "" where the log has none.
	ID string

	// LastTextIsOutput lets the text of an answer that calls tools be the output, too,
	// until a later answer has one: of a run that was cut off there.
	LastTextIsOutput bool

	Notes       *Notes   // of the file
	attributes  []string // that rules name
	pending     pendingCalls
	first, last time.Time // of all events; zero if none has a time
	content     Content   // once it is closed
	isClosed    bool
}

// NewTrace begins a trial at a line of a file. Its steps are known, if only that
// there are none.
func NewTrace(in *Input, line int) *Trace {
	return &Trace{Trial: trial.Trial{Place: in.Place(line), Steps: []trial.Step{}}, Notes: in.Notes,
		attributes: in.Options.Attributes}
}

// leastMessageID is the length from which the id of a message is taken for one that no other
// run has: generated ones are longer, those of tests and examples mostly shorter.
const leastMessageID = 16

// SetMessageID takes the id of a message for that of the run, if it has none: the first
// answer of a model tells runs apart in logs that give runs no name.
func (t *Trace) SetMessageID(id string) {
	if t.ID == "" && len(id) >= leastMessageID {
		t.ID = id
	}
}

// Answer is an answer of a model.
type Answer struct {
	Text       string // for its reader, without thoughts; may be ""
	Model      string // "" if unknown
	Calls      []Call // of tools, each of which becomes a step after the answer's
	CallsTools bool   // it calls tools, also where calls holds none: those come as events of their own
	Usage      Usage  // what it took
	Depth      int    // 0 is the agent itself, 1 a sub-agent of it
}

// Call is a call of a tool that a model asks for.
type Call struct {
	ID        string // which its result will name; may be ""
	Tool      string // its name, as the model calls it
	Arguments Node   // an object, or JSON in a string
}

// AddAnswer adds an answer of a model with the calls that it makes, and returns its
// step to complete, valid until the next step is added. The model of the trial is
// that of the first answer of the agent itself, unless it is known.
// The pointer is that of the answer, not of its last call.
func (t *Trace) AddAnswer(a Answer) *trial.Step {
	i := len(t.Steps)
	t.Steps = append(t.Steps, a.step())
	step := &t.Steps[i]
	if a.Depth == 0 {
		if t.Model == "" {
			t.Model = step.Model
		}
		if step.Output != nil && (step.Action == trial.Respond || t.LastTextIsOutput) {
			t.Output = step.Output
		}
	}
	for _, c := range a.Calls {
		t.AddCall(c).Depth = step.Depth
	}
	return &t.Steps[i]
}

// step is the answer as a step.
func (a Answer) step() trial.Step {
	s := trial.Step{
		Action: trial.Respond, Model: ValidText(a.Model), Depth: DepthOf(a.Depth),
		InputTokens: a.Usage.Input, OutputTokens: a.Usage.Output, CostUSD: a.Usage.Cost,
		CachedTokens: a.Usage.Cached, CacheWrites: a.Usage.Writes,
	}
	if a.CallsTools || len(a.Calls) > 0 {
		s.Action = trial.Reason
	}
	if a.Text != "" {
		s.Output = trial.RawString(a.Text)
	}
	return s
}

// DepthOf is the depth of a step, which is not written for the agent itself.
func DepthOf(depth int) trial.Optional[int] {
	return trial.Optional[int]{Known: depth > 0, Value: depth}
}

// AddCall adds a call of a tool, which waits for its result, and returns its step to
// complete.
func (t *Trace) AddCall(c Call) *trial.Step {
	t.pending.add(c.ID, len(t.Steps))
	return t.AddEndedCall(c)
}

// AddEndedCall adds a call of a tool that waits for no result: the log has it with
// the call, or not at all.
func (t *Trace) AddEndedCall(c Call) *trial.Step {
	t.Steps = append(t.Steps, trial.Step{
		Action: trial.CallTool, Tool: ValidText(c.Tool), Arguments: c.Arguments.Parsed().Raw(),
	})
	return &t.Steps[len(t.Steps)-1]
}

// SetResult gives the call that a result belongs to its output, and returns its step
// to complete. Without such a call it is nil, and the result is noted as left out.
func (t *Trace) SetResult(id, tool string, output Node) *trial.Step {
	step := t.TakeCall(id, tool)
	if step == nil {
		t.Notes.Skip(ResultWithoutCall)
		return nil
	}
	step.Output = output.Output()
	return step
}

// TakeCall returns the step of the call that a result belongs to, which waits no
// longer; nil if there is none. A result without an id belongs to the oldest call of
// the tool that waits, and one that names no tool either to the oldest call.
func (t *Trace) TakeCall(id, tool string) *trial.Step {
	if p := t.pending.oldest(id, func(step int) bool { return tool == "" || t.Steps[step].Tool == tool }); p != nil {
		t.pending.take(p)
		return &t.Steps[p.step]
	}
	return nil
}

// LastCalls are the calls that wait for a result, by their ids, the last one first.
func (t *Trace) LastCalls() iter.Seq2[string, *trial.Step] {
	return func(yield func(string, *trial.Step) bool) {
		for _, p := range slices.Backward(t.pending.all) {
			if !p.taken && !yield(p.id, &t.Steps[p.step]) {
				return
			}
		}
	}
}

// SetInput takes in a message to the system: the first one is the input of the trial.
func (t *Trace) SetInput(content Node) {
	if t.Input == nil {
		t.Input = content.Input()
	}
}

// AddTime takes in the time of an event: the trial lasts from the first to the last.
// A year that no timestamp can hold is none.
func (t *Trace) AddTime(at time.Time) {
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

// HasTime reports whether an event had a time.
func (t *Trace) HasTime() bool { return !t.first.IsZero() }

// AddTotals adds to what the trial took in all.
func (t *Trace) AddTotals(u Usage) {
	Add(&t.InputTokens, u.Input)
	Add(&t.OutputTokens, u.Output)
	Add(&t.CostUSD, u.Cost)
	Add(&t.CachedTokens, u.Cached)
	Add(&t.CacheWrites, u.Writes)
}

// SetInfrastructureError says that the trial ended by no doing of the agent.
func (t *Trace) SetInfrastructureError(kind, message string) {
	t.Outcome = trial.Error
	t.Error = NewCause(kind, message)
	t.Error.Origin = trial.InfrastructureOrigin
}

// CutOff says that the log ends before the run does, unless it says why the run ended. Nobody knows what would have
// come: rules that look for the absence of something do not judge it.
func (t *Trace) CutOff() {
	if t.Error == nil {
		t.Error = NewCause("cut off", "the log ends before the run does")
	}
}

// NewCause is why a trial failed, or ended early: its kind, and the beginning of a
// message. Both may be "".
func NewCause(kind, message string) *trial.Cause {
	return &trial.Cause{Type: ValidText(kind), Message: ValidText(cut(message))}
}

// Close completes the trial, and sums up what it says: before anything of the file or of the rules is in it, for a copy
// has another name. Nothing is to be added then. Closing it again does nothing.
func (t *Trace) Close(s Sink) {
	if !t.isClosed {
		t.content = s.ContentOf(t.Finish())
		t.isClosed = true
	}
}

// Finish completes the trial: its time, and the totals that its steps give where no
// better ones are known.
// Totals that a decoder has set stay: those of a log may count what no step does.
func (t *Trace) Finish() *trial.Trial {
	if t.StartedAt == "" && !t.first.IsZero() {
		t.StartedAt = trial.Timestamp(t.first.UTC().Format(time.RFC3339Nano))
	}
	if !t.DurationSeconds.Known && t.last.After(t.first) {
		t.DurationSeconds = SecondsBetween(t.first, t.last)
	}
	sum := t.StepUsage()
	if !t.InputTokens.Known {
		t.InputTokens = sum.Input
	}
	if !t.OutputTokens.Known {
		t.OutputTokens = sum.Output
	}
	if !t.CostUSD.Known {
		t.CostUSD = sum.Cost
	}
	if !t.CachedTokens.Known {
		t.CachedTokens = sum.Cached
	}
	if !t.CacheWrites.Known {
		t.CacheWrites = sum.Writes
	}
	return &t.Trial
}

// StepUsage is what the steps took in all, as far as it is known.
func (t *Trace) StepUsage() (sum Usage) {
	for _, s := range t.Steps {
		sum.Add(Usage{
			Input: s.InputTokens, Output: s.OutputTokens, Cost: s.CostUSD, Cached: s.CachedTokens, Writes: s.CacheWrites,
		})
	}
	return sum
}
