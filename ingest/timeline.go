package ingest

import (
	"cmp"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// timeline is the steps of a trial whose spans come in any order.
type timeline struct {
	trace   *trace
	moments []moment
	input   trial.Raw // of the trial
	failure string    // of the last call of a model, if it failed
}

// moment is one step, and what its place in the trial follows from.
type moment struct {
	step  trial.Step
	at    time.Time
	order string     // sorts spans as they were executed; "": by time
	level int        // in the tree of the spans
	agent string     // whose step it is; "": not known
	calls []toolCall // that an answer asks for
	guess bool       // whether an answer calls tools follows from the next step of its agent
	text  string     // of an answer
}

// isAnswer reports whether the moment is an answer of a model.
func (m *moment) isAnswer() bool {
	return m.step.Action == trial.Reason || m.step.Action == trial.Respond
}

// answerMoment returns the moment of an answer.
func answerMoment(a answer) moment { return moment{step: a.step(), calls: a.calls, text: a.text} }

// build puts the steps into the trial. Calls of tools that answers ask for are steps
// only where the log has no spans of tools.
func (l *timeline) build() {
	slices.SortStableFunc(l.moments, func(a, b moment) int {
		if a.order != "" && b.order != "" {
			return cmp.Compare(a.order, b.order)
		}
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.level, b.level))
	})
	t := l.trace
	var asked []toolCall // by answers, and not yet made
	hasTools := slices.ContainsFunc(l.moments, func(m moment) bool { return m.step.Action == trial.CallTool })
	for i := range l.moments {
		m := &l.moments[i]
		if m.guess && l.callsNext(i) {
			m.step.Action = trial.Reason
		}
		asked = append(asked, m.calls...)
		if m.step.Action == trial.CallTool {
			asked = m.askedBy(asked)
		}
		t.Steps = append(t.Steps, m.step)
		if !m.isAnswer() {
			continue
		}
		l.failure = m.step.Error
		if t.Model == "" {
			t.Model = m.step.Model
		}
		if m.step.Action == trial.Respond && m.text != "" && m.step.Depth.Value == 0 {
			t.Output = m.step.Output
		}
		if !hasTools {
			for _, c := range m.calls {
				t.addCall(c).Depth = m.step.Depth
			}
		}
	}
	if t.Input == nil {
		t.Input = l.input
	}
	if l.failure != "" {
		t.setInfrastructureError("", l.failure)
	}
}

// askedBy takes the call of a tool from those that answers asked for. Its arguments
// are those of the answer where the log of the tool has them as a text that is no
// JSON, such as the way Python prints them.
func (m *moment) askedBy(asked []toolCall) []toolCall {
	i := slices.IndexFunc(asked, func(c toolCall) bool { return c.tool == m.step.Tool })
	if i < 0 {
		return asked
	}
	arguments := asked[i].arguments.parsed()
	if len(m.step.Arguments) > 0 && m.step.Arguments[0] == '"' && arguments.isObject() {
		m.step.Arguments = arguments.raw()
	}
	return slices.Delete(asked, i, i+1)
}

// callsNext reports whether the next step of the agent of an answer is none of a
// model.
func (l *timeline) callsNext(i int) bool {
	for j := i + 1; j < len(l.moments); j++ {
		if l.moments[j].agent == l.moments[i].agent {
			return !l.moments[j].isAnswer()
		}
	}
	return false
}
