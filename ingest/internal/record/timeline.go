package record

import (
	"cmp"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// Timeline is the steps of a trial whose spans come in any order: they are collected as
// Moments, and [Timeline.Build] puts them in order into the Trace.
type Timeline struct {
	Trace   *Trace    // the trial, still without steps
	Moments []Moment  // in any order
	Input   trial.Raw // of the trial, where the trace has none of its own
	failure string    // of the last call of a model, if it failed
}

// Moment is one step, and what its place in the trial follows from.
type Moment struct {
	Step  trial.Step // but for what Build finds out
	At    time.Time  // when it began; zero if unknown
	Order string     // sorts spans as they were executed; "": by time
	Level int        // in the tree of the spans
	Agent string     // whose step it is; "": not known
	calls []Call     // that an answer asks for
	Guess bool       // whether an answer calls tools follows from the next step of its agent
	text  string     // of an answer
}

// IsAnswer reports whether the moment is an answer of a model.
func (m *Moment) IsAnswer() bool {
	return m.Step.Action == trial.Reason || m.Step.Action == trial.Respond
}

// AnswerMoment returns the moment of an answer.
func AnswerMoment(a Answer) Moment { return Moment{Step: a.step(), calls: a.Calls, text: a.Text} }

// Build puts the steps into the trial. Calls of tools that answers ask for are steps
// only where the log has no spans of tools.
// The model and the output are found as [Trace.AddAnswer] finds them, but in this order.
func (l *Timeline) Build() {
	slices.SortStableFunc(l.Moments, func(a, b Moment) int {
		if a.Order != "" && b.Order != "" {
			return cmp.Compare(a.Order, b.Order)
		}
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Level, b.Level))
	})
	t := l.Trace
	var asked []Call // by answers, and not yet made
	hasTools := slices.ContainsFunc(l.Moments, func(m Moment) bool { return m.Step.Action == trial.CallTool })
	for i := range l.Moments {
		m := &l.Moments[i]
		if m.Guess && l.callsNext(i) {
			m.Step.Action = trial.Reason
		}
		asked = append(asked, m.calls...)
		if m.Step.Action == trial.CallTool {
			asked = m.askedBy(asked)
		}
		t.Steps = append(t.Steps, m.Step)
		if !m.IsAnswer() {
			continue
		}
		l.failure = m.Step.Error
		if t.Model == "" {
			t.Model = m.Step.Model
		}
		if m.Step.Action == trial.Respond && m.text != "" && m.Step.Depth.Value == 0 {
			t.Output = m.Step.Output
		}
		if !hasTools {
			for _, c := range m.calls {
				t.AddCall(c).Depth = m.Step.Depth
			}
		}
	}
	if t.Input == nil {
		t.Input = l.Input
	}
	if l.failure != "" {
		t.SetInfrastructureError("", l.failure)
	}
}

// askedBy takes the call of a tool from those that answers asked for. Its arguments
// are those of the answer where the log of the tool has them as a text that is no
// JSON, such as the way Python prints them.
func (m *Moment) askedBy(asked []Call) []Call {
	i := slices.IndexFunc(asked, func(c Call) bool { return c.Tool == m.Step.Tool })
	if i < 0 {
		return asked
	}
	arguments := asked[i].Arguments.Parsed()
	if len(m.Step.Arguments) > 0 && m.Step.Arguments[0] == '"' && arguments.IsObject() {
		m.Step.Arguments = arguments.Raw()
	}
	return slices.Delete(asked, i, i+1)
}

// callsNext reports whether the next step of the agent of an answer is none of a
// model.
func (l *Timeline) callsNext(i int) bool {
	for j := i + 1; j < len(l.Moments); j++ {
		if l.Moments[j].Agent == l.Moments[i].Agent {
			return !l.Moments[j].IsAnswer()
		}
	}
	return false
}
