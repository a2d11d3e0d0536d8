package agents

import (
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// GitHub Copilot CLI keeps the events of a session in ~/.copilot/session-state/*/events.jsonl (version 1.0.102):
//
//	{"type":"session.start","data":{"sessionId":"s-1","producer":"copilot-agent","copilotVersion":"1.0.102"},"id":"e-1"}
//	{"type":"user.message","data":{"content":"What does the note say?"},"id":"e-2"}
//	{"type":"session.usage_record","data":{"usage":{"apiCallId":"a-1","inputTokens":1000,"outputTokens":10}},"id":"e-3"}
//	{"type":"assistant.message","data":{"apiCallId":"a-1","content":"I read it.","toolRequests":[{"toolCallId":"c-1"}]}}
//	{"type":"tool.execution_complete","data":{"toolCallId":"c-1","success":true,"result":{"content":"42"}},"id":"e-5"}
func showsCopilot(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		data := n.At("data")
		switch n.At("type").Text() {
		case "session.start":
			return data.Has("sessionId") && (data.Has("producer") || data.Has("copilotVersion"))
		case "assistant.message":
			return data.Has("messageId", "toolRequests")
		case "tool.execution_complete":
			return data.Has("toolCallId", "success")
		}
		return false
	})
}

// Copilot decodes the events of GitHub Copilot CLI.
var Copilot = record.Decoder{Shows: showsCopilot, Read: readCopilot}

// copilot is the trial of a session.
type copilot struct {
	*record.Trace
	usage   map[string]record.Usage // of calls of the model whose answer is to come
	answers map[string]int          // the steps of those that came
	calls   map[string]time.Time    // when tools were called
	running bool                    // its answer is to come
	calling bool                    // the last answer calls tools, so that another turn follows
}

// readCopilot makes a trial of each session: one that is resumed goes on in its file.
func readCopilot(in *record.Input) error {
	var open *copilot
	err := in.Records(func(n record.Node, line int) error {
		if n.At("type").Text() == "session.start" || open == nil {
			if open != nil {
				if err := open.end(in); err != nil {
					return err
				}
			}
			open = &copilot{Trace: record.NewTrace(in, line), usage: map[string]record.Usage{}, answers: map[string]int{},
				calls: map[string]time.Time{}, running: true}
		}
		open.event(n)
		return nil
	})
	if err != nil || open == nil {
		return err
	}
	return open.end(in)
}

// event takes in an event.
func (c *copilot) event(n record.Node) {
	at, data := n.At("timestamp").Time(), n.At("data")
	c.AddTime(at)
	switch n.At("type").Text() {
	case "session.start":
		c.ID = data.At("sessionId").Text()
		c.SetTags("", data, "sessionId", "copilotVersion")
		c.SetTags("", data.At("context"), "cwd", "branch", "repository")
	case "user.message":
		c.SetInput(data.At("content"))
		c.running = true
	case "assistant.turn_start":
		c.running = true
	case "assistant.turn_end":
		c.running, c.Outcome, c.Error = c.calling, trial.Unjudged, nil
	case "session.usage_record", "assistant.usage":
		c.used(data.At("usage").OrElse(data))
	case "assistant.message":
		c.answer(data, at)
	case "tool.execution_start":
		c.calls[data.At("toolCallId").Text()] = at
	case "tool.execution_complete":
		c.result(data, at)
	case "session.error":
		c.SetInfrastructureError(data.At("errorType").Text(), data.At("message").Text())
	case "abort": // by a person
		c.running = false
		c.Error = record.NewCause("abort", data.At("reason").Text())
	default:
		// What else there is (hooks, skills, compactions, modes) is about the session, and versions add to it.
		c.Notes.Pass("events of the program")
	}
}

// used takes in what a call of the model took: before its answer, or after it. Input tokens have cached ones in.
func (c *copilot) used(n record.Node) {
	u := record.Usage{Input: n.At("inputTokens").Count(), Output: n.At("outputTokens").Count(),
		Cached: n.At("cacheReadTokens").Count(), Writes: n.At("cacheWriteTokens").Count()}
	id := n.At("apiCallId").Text()
	if step, isKnown := c.answers[id]; isKnown && id != "" {
		u.SetTokens(&c.Steps[step])
		return
	}
	c.usage[id] = u
}

// answer takes in an answer of the model.
func (c *copilot) answer(n record.Node, at time.Time) {
	a := record.Answer{Text: n.At("content").Text(), Model: n.At("model").Text()}
	if n.At("parentToolCallId").IsText() {
		a.Depth = 1 // of a sub-agent that a call started
	}
	for _, call := range n.At("toolRequests").List() {
		id := call.At("toolCallId").Text()
		c.calls[id] = at
		a.Calls = append(a.Calls, record.Call{ID: id, Tool: call.At("name").Text(), Arguments: call.At("arguments")})
	}
	id := n.At("apiCallId").Text()
	if u, isKnown := c.usage[id]; isKnown {
		a.Usage = u
		delete(c.usage, id)
	}
	step := len(c.Steps)
	c.AddAnswer(a)
	if a.Depth == 0 {
		c.calling = len(a.Calls) > 0
	}
	if id != "" {
		c.answers[id] = step
	}
}

// result takes in the end of a call.
func (c *copilot) result(n record.Node, at time.Time) {
	id := n.At("toolCallId").Text()
	s := c.SetResult(id, "", n.At("result", "content"))
	if s == nil {
		return
	}
	s.DurationSeconds = record.SecondsBetween(c.calls[id], at)
	if success := n.At("success").Truth(); success.Known && !success.Value {
		s.Error = record.StepError(n.At("error", "message").Text())
	}
}

// end hands out the trial. Calls of the model whose answer is not there are of the session all the same.
func (c *copilot) end(in *record.Input) error {
	if c.running && c.Error == nil {
		in.Notes.Remark(fmt.Sprintf("the session that begins in line %d ends inside a turn; was the program stopped?",
			c.Place.Line))
		c.CutOff()
	}
	if len(c.usage) > 0 {
		sum := c.StepUsage()
		for _, u := range c.usage {
			sum.Add(u)
		}
		c.SetTokens(sum)
	}
	return in.EmitTrace(c.Trace)
}
