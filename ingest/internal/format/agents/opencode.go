package agents

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// OpenCode prints events with opencode run --format json, and a session with opencode export (version 1.18):
//
//	{"type":"step_start","timestamp":1,"sessionID":"ses_1","part":{"type":"step-start","messageID":"msg_1"}}
//	{"type":"tool_use","timestamp":2,"sessionID":"ses_1","part":{"type":"tool","tool":"read","state":{}}}
//	{"type":"step_finish","timestamp":3,"sessionID":"ses_1","part":{"type":"step-finish","reason":"stop","tokens":{}}}
//
//	{"info":{"id":"ses_1","version":"1.18.33"},"messages":[{"info":{"role":"assistant","modelID":"m"},"parts":[…]}]}
func showsOpenCode(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		return n.At("sessionID").IsText() && n.At("type").IsText() && (n.At("part").IsObject() || n.At("error").IsObject()) ||
			isOpenCodeExport(n)
	})
}

// isOpenCodeExport reports whether n is a session.
func isOpenCodeExport(n record.Node) bool {
	return n.At("info").Has("id", "version") && n.At("info").Has("directory") && n.Has("messages") ||
		n.At("info").Has("projectID", "directory", "slug")
}

// OpenCode decodes what OpenCode prints of a run, and exports of a session.
var OpenCode = record.Decoder{Shows: showsOpenCode, Read: readOpenCode}

// openCode is the trial of a session.
type openCode struct {
	*record.Trace
	session string
	message string // that the open answer is of
	answer  int    // its step, -1 before the first
	reason  string // why the last answer ended, "" while it is given
}

// readOpenCode makes a trial of each session.
func readOpenCode(in *record.Input) error {
	var open *openCode
	end := func() error {
		if open == nil {
			return nil
		}
		return open.end(in)
	}
	err := in.Records(func(n record.Node, line int) error {
		id := n.At("sessionID").OrElse(n.At("info", "id")).Text()
		if open == nil || open.session != id {
			if err := end(); err != nil {
				return err
			}
			open = &openCode{Trace: record.NewTrace(in, line), session: id, answer: -1}
			open.ID = id
			open.SetTag("sessionID", record.Node{Value: id})
		}
		if isOpenCodeExport(n) {
			open.export(n)
			return nil
		}
		open.AddTime(n.At("timestamp").Time())
		switch {
		case n.At("error").IsObject():
			open.failed(n.At("error"))
		case n.At("part").IsObject():
			open.part(n.At("part"), "")
		default:
			in.Notes.Skip(record.UnknownEvent)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// export reads the messages of a session.
func (o *openCode) export(n record.Node) {
	o.SetTags("", n.At("info"), "directory", "version", "title", "agent")
	for _, m := range n.At("messages").List() {
		info := m.At("info")
		o.AddTime(info.At("time", "created").Time())
		o.AddTime(info.At("time", "completed").Time())
		if info.At("role").Text() == "user" {
			for _, part := range m.At("parts").List() {
				// Synthetic ones are what the program adds to what a person asked.
				if part.At("type").Text() == "text" && !part.At("synthetic").IsTrue() {
					o.SetInput(part.At("text"))
				}
			}
			continue
		}
		for _, part := range m.At("parts").List() {
			o.part(part, info.At("modelID").Text())
		}
		if info.At("error").IsObject() {
			o.failed(info.At("error"))
		}
	}
}

// part takes in a part of an answer: its text, a call with its result, or its end.
func (o *openCode) part(n record.Node, model string) {
	switch kind := n.At("type").Text(); kind {
	case "step-start", "text", "tool", "step-finish", "reasoning":
		o.open(n, kind, model)
	case "snapshot", "patch", "file", "agent", "compaction", "subtask", "retry":
		return
	default:
		o.Notes.Skip(record.UnknownEvent)
		return
	}
	step := &o.Steps[o.answer]
	switch n.At("type").Text() {
	case "text":
		step.Output = trial.RawString(step.Output.Text() + n.At("text").Text())
		o.Output = step.Output
	case "tool":
		step.Action = trial.Reason
		o.call(n.At("tool").Text(), n.At("state"))
	case "step-finish":
		o.reason = n.At("reason").Text()
		u := openCodeUsage(n.At("tokens"))
		u.SetTokens(step)
		// A cost of 0 is also that of a model whose price is not known.
		if cost := n.At("cost").Amount(); cost.Value > 0 {
			step.CostUSD = cost
		}
	}
}

// open opens an answer of the model where none is: a message has one for each request.
func (o *openCode) open(n record.Node, kind, model string) {
	message := n.At("messageID").Text()
	if o.answer >= 0 && kind != "step-start" && (message == o.message || message == "") {
		return
	}
	o.AddAnswer(record.Answer{Model: model})
	o.answer, o.message, o.reason = len(o.Steps)-1, message, ""
}

// call adds a call of a tool, which is written when it has ended.
func (o *openCode) call(tool string, state record.Node) {
	s := o.AddEndedCall(record.Call{Tool: tool, Arguments: state.At("input")})
	s.Output = state.At("output").Output()
	s.DurationSeconds = record.SecondsBetween(state.At("time", "start").Time(), state.At("time", "end").Time())
	if state.At("status").Text() == "error" {
		s.Error = record.StepError(state.At("error").Text())
	}
}

// openCodeUsage are the tokens of an answer: cached ones stand beside the input, and thoughts beside the output where
// the total says so.
func openCodeUsage(n record.Node) (u record.Usage) {
	u.Cached, u.Writes = n.At("cache", "read").Count(), n.At("cache", "write").Count()
	u.Input = record.Plus(n.At("input").Count(), u.Cached, u.Writes)
	u.Output = n.At("output").Count()
	thoughts := n.At("reasoning").Count()
	if total := n.At("total").Count(); total.Known && total.Value == u.Input.Value+u.Output.Value+thoughts.Value {
		record.Add(&u.Output, thoughts)
	}
	return u
}

// failed notes what ended the session.
func (o *openCode) failed(n record.Node) {
	kind, message := n.At("name").Text(), n.At("data", "message").OrElse(n.At("message")).Text()
	switch kind {
	case "MessageOutputLengthError", "MessageAbortedError": // the agent's own doing, or a person's
		o.Error = record.NewCause(kind, message)
	default:
		o.SetInfrastructureError(kind, message)
	}
}

// end hands out the trial.
func (o *openCode) end(in *record.Input) error {
	// An answer that calls tools is followed by another one.
	if o.reason == "" || o.reason == "tool-calls" {
		if o.Error == nil {
			in.Notes.Remark(fmt.Sprintf("the session that begins in line %d ends inside an answer; was the program stopped?",
				o.Place.Line))
		}
		o.CutOff()
	}
	return in.EmitTrace(o.Trace)
}
