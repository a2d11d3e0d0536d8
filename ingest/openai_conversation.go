package ingest

import (
	"strings"
)

// conversation puts messages of the Chat Completions interface, and items of the
// Responses interface, together to the steps of a trial.
type conversation struct {
	trace *trace
	model string // of the response that is read

	partial *itemAnswer // an answer of the Responses interface that is not complete
	usage   usage       // of the response, until a step has it
	pending bool        // the usage has no step
}

// itemAnswer is an answer of a model that comes in several items.
type itemAnswer struct {
	text  string
	calls []node
}

// message takes in a message or an item.
func (c *conversation) message(m node) {
	kind, role := m.at("type").text(), m.at("role").text()
	switch {
	case role == "assistant" && len(chatCalls(m)) > 0:
		c.flush()
		c.trace.addAnswer(answer{text: chatText(m), model: c.model, calls: chatCalls(m), usage: c.takeUsage()})
	case role == "assistant":
		if p := c.partial; p != nil && (p.text != "" || len(p.calls) > 0) {
			c.flush()
		}
		c.item().text = chatText(m)
	case role == "user":
		c.flush()
		c.trace.setInput(m.at("content"))
	case role == "tool" || role == "function":
		c.flush()
		c.trace.setResult(m.at("tool_call_id").text(), m.at("name").text(), m.at("content"))
	case role == "system" || role == "developer":
	case strings.HasSuffix(kind, "_call_output"):
		c.flush()
		c.trace.setResult(m.at("call_id").text(), "", m.at("output"))
	case strings.HasSuffix(kind, "_call"):
		c.item().calls = append(c.item().calls, m)
	case kind == "reasoning":
		if p := c.partial; p != nil && len(p.calls) > 0 && p.text != "" {
			c.flush()
		}
		c.item()
	case isResponseItem(m) || kind == "compaction":
	default:
		c.trace.notes.skip(unknownMessage)
	}
}

// item returns the answer that is put together.
func (c *conversation) item() *itemAnswer {
	if c.partial == nil {
		c.partial = &itemAnswer{}
	}
	return c.partial
}

// takeUsage returns the usage of the response for its first step.
func (c *conversation) takeUsage() usage {
	u := c.usage
	c.usage, c.pending = usage{}, false
	return u
}

// flush adds the answer that is put together. Text of a model after tools that its
// provider called for it is an answer of its own.
func (c *conversation) flush() {
	a := c.partial
	c.partial = nil
	if a == nil || a.text == "" && len(a.calls) == 0 {
		return
	}
	c.trace.addAnswer(answer{text: a.text, model: c.model, callsTools: len(a.calls) > 0, usage: c.takeUsage()})
	for _, m := range a.calls {
		c.call(m)
	}
}

// call adds a call of the Responses interface. One without a call_id was made by the
// provider, and has its result.
func (c *conversation) call(m node) {
	id, tool := m.at("call_id").text(), m.at("name").text()
	if tool == "" {
		tool = strings.TrimSuffix(m.at("type").text(), "_call")
	}
	call := toolCall{id, tool, m.either("arguments", "input", "action", "queries", "code", "operation")}
	if id != "" {
		c.trace.addCall(call)
		return
	}
	step := c.trace.addEndedCall(call)
	if output := m.either("output", "results", "outputs", "result"); output.exists() {
		step.Output = output.raw()
	}
	if e := m.at("error"); e.exists() {
		step.Error = stepError(e.errorText())
	} else if m.at("status").text() == "failed" {
		step.Error = stepFailed
	}
}

// response takes in the messages of a response, with what it took. An answer without
// messages is a step, too.
func (c *conversation) response(r node, messages []node) {
	c.flush()
	c.model = r.at("model").words()
	c.usage, c.pending = chatUsage(r.at("usage")), true
	c.usage.cost = r.at("usage", "cost").amount()
	c.trace.addTime(r.either("created", "created_at").time())
	c.trace.addTime(r.at("completed_at").time())
	if r.at("choices").length() > 1 {
		c.trace.notes.skip("further choices of an answer")
	}
	for _, m := range messages {
		c.message(m)
	}
	c.flush()
	if c.pending && !r.at("error").exists() {
		c.trace.addAnswer(answer{model: c.model, usage: c.takeUsage()})
	}
	c.model, c.usage, c.pending = "", usage{}, false
}
