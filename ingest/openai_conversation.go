package ingest

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// conversation puts the messages and items of one trial together.
type conversation struct {
	in    *input
	trace *trace // nil: none is open
	loose bool   // its messages come one a line

	answer  *itemAnswer // of the Responses interface, not complete
	model   string      // of the response that is read
	usage   usage       // of the response, until a step has it
	pending bool        // the usage has no step

	// What tells whether the next record continues the trial.
	marks      []string
	heard      int    // messages of it that were read before
	response   string // id
	callsTools bool
	failure    bool
}

// itemAnswer is an answer of a model that comes in several items.
type itemAnswer struct {
	text  string
	calls []node
}

// begin hands out the trial that is open, and opens another.
func (c *conversation) begin(line int) error {
	err := c.end()
	c.trace = newTrace(c.in, line)
	return err
}

// end hands out the trial that is open.
func (c *conversation) end() error {
	t := c.trace
	if t == nil {
		return nil
	}
	c.flush()
	*c = conversation{in: c.in}
	if len(t.Steps) == 0 && t.Input == nil && t.Error == nil {
		c.in.notes.skip(emptyConversation)
		return nil
	}
	return c.in.emitTrace(t)
}

// goOn opens a trial for a record, unless the record continues the one that is open:
// it repeats its messages and has more, names the response before it, is tried
// again, or is the mere response that follows calls of tools.
func (c *conversation) goOn(messages []node, n, response node, line int) error {
	c.heard = 0
	marks := chatMarks(messages)
	previous := response.at("previous_response_id")
	if !previous.exists() {
		previous = chatRequest(n).at("previous_response_id")
	}
	again := c.failure && len(marks) > 0 && slices.Equal(marks, c.marks)
	switch {
	case c.trace == nil || n.has("custom_id"):
		return c.begin(line)
	case previous.exists() && previous.text() == c.response:
		return nil
	case continues(marks, c.marks) || again:
		for left := len(c.marks); left > 0; c.heard++ {
			if chatMark(messages[c.heard]) != "" {
				left--
			}
		}
		return nil
	case len(messages) == 0 && len(c.marks) == 0 && c.callsTools:
		return nil
	}
	return c.begin(line)
}

// message takes in a message or an item.
func (c *conversation) message(m node) {
	kind, role := m.at("type").text(), m.at("role").text()
	switch {
	case role == "assistant" && len(chatCalls(m)) > 0:
		c.flush()
		c.trace.addAnswer(answer{text: chatText(m), model: c.model, calls: chatCalls(m), usage: c.takeUsage()})
	case role == "assistant":
		if c.answer != nil && (c.answer.text != "" || len(c.answer.calls) > 0) {
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
		if c.answer != nil && len(c.answer.calls) > 0 && c.answer.text != "" {
			c.flush()
		}
		c.item()
	case isResponseItem(m) || kind == "compaction":
	default:
		c.in.notes.skip(unknownMessage)
	}
}

// item returns the answer that is put together.
func (c *conversation) item() *itemAnswer {
	if c.answer == nil {
		c.answer = &itemAnswer{}
	}
	return c.answer
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
	a := c.answer
	c.answer = nil
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

// answered takes in a response.
func (c *conversation) answered(r node) {
	c.flush()
	before := len(c.trace.Steps)
	c.model, c.response = r.at("model").words(), r.at("id").text()
	c.usage, c.pending = chatUsage(r.at("usage")), true
	c.usage.cost = r.at("usage", "cost").amount()
	c.trace.addTime(r.either("created", "created_at").time())
	c.trace.addTime(r.at("completed_at").time())
	if r.at("choices").length() > 1 {
		c.in.notes.skip("further choices of an answer")
	}
	for _, m := range responseMessages(r) {
		c.message(m)
	}
	c.flush()
	if c.pending && !r.at("error").exists() {
		c.trace.addAnswer(answer{model: c.model, usage: c.takeUsage()})
	}
	last := len(c.trace.Steps) - 1
	c.callsTools = last >= before && c.trace.Steps[last].Action == trial.CallTool
	c.model, c.usage, c.pending = "", usage{}, false
}

// failed takes in why a request was not answered, or that one was after all.
func (c *conversation) failed(e node, answered bool) {
	switch {
	case e.exists():
		c.trace.setInfrastructureError(e.either("code", "type").text(), e.errorText())
		c.failure = true
	case answered && c.failure:
		c.trace.Outcome, c.trace.Error, c.failure = trial.Unjudged, nil, false
	}
}

// describe takes in what a record says of the trial besides its messages.
func (c *conversation) describe(n, request, response node) {
	t := c.trace
	if id := n.at("custom_id").text(); id != "" {
		t.Scenario = id
	}
	if n.has("request") || n.has("response") || n.has("messages") {
		t.setScalarTags(n, "object", "model", "input", "error", "custom_id", "system_fingerprint", "service_tier")
	}
	t.setTag("metadata", n.at("metadata"))
	t.setTag("metadata", request.at("metadata"))
	t.setTag("metadata", response.at("metadata"))
	if t.Model == "" && !response.at("model").exists() {
		t.Model = request.at("model").words()
	}
}
