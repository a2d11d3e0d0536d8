package ingest

import (
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// showsAnthropic looks for what other APIs do not write: blocks of tool calls and
// their results, and responses with their reason to stop.
func showsAnthropic(s *shape) bool {
	return s.any(func(n node) bool {
		switch {
		case n.has("info"): // a trajectory of another tool, around messages
			return false
		case n.at("messages").isList(), n.at("responses").isList():
			return slices.ContainsFunc(n.at("messages").list(), isAnthropicMessage) ||
				slices.ContainsFunc(n.at("responses").list(), isAnthropicMessage)
		case n.at("custom_id").isText():
			return n.at("result", "type").isText()
		}
		return isAnthropicMessage(n)
	})
}

func isAnthropicMessage(n node) bool {
	role := n.at("role").text()
	if role != "user" && role != "assistant" {
		return false
	}
	if n.at("type").text() == "message" && n.has("stop_reason") {
		return true
	}
	return slices.ContainsFunc(n.at("content").list(), func(block node) bool {
		switch block.at("type").text() {
		case "tool_use":
			return block.has("id", "name", "input")
		case "tool_result":
			return block.has("tool_use_id")
		case "thinking":
			return block.at("thinking").isText()
		}
		return false
	})
}

// anthropic reads a file of messages.
type anthropic struct {
	in    *input
	alone group // messages that no object holds
}

// readAnthropic makes a trial of each object that holds messages, of each result of
// a batch, and of all messages that stand alone, one a line or in an array.
func readAnthropic(in *input) error {
	a := &anthropic{in: in}
	a.alone.read = a.conversation
	if err := in.records(a.record); err != nil {
		return err
	}
	return a.alone.end()
}

// conversation makes the trial of messages.
func (a *anthropic) conversation(messages []node, line int) error {
	c := newAnthropicTrace(a.in, line)
	for _, m := range messages {
		c.anthropicMessage(m)
	}
	return a.in.emitTrace(c.end())
}

func (a *anthropic) record(n node, line int) error {
	switch {
	case n.at("messages").isList(), n.at("responses").isList():
		return a.exchange(n, line)
	case n.at("custom_id").isText() && n.at("result").isObject():
		return a.batched(n, line)
	case n.at("role").exists(), isAPIError(n):
		a.alone.add(n, line)
		return nil
	}
	a.in.notes.skip(noMessages)
	return nil
}

// exchange reads an object with a history, the responses to it, or both.
func (a *anthropic) exchange(n node, line int) error {
	if err := a.alone.end(); err != nil {
		return err
	}
	c := newAnthropicTrace(a.in, line)
	c.setScalarTags(n, "messages", "responses", "response", "system", "tools")
	c.setTag("metadata", n.at("metadata"))
	responses := n.at("responses").list()
	if r := n.at("response"); r.isObject() {
		responses = append(responses, r)
	}
	c.exchange(n.at("messages").list(), responses)
	if len(responses) > 0 && slices.ContainsFunc(c.Steps, isUncounted) {
		a.in.notes.remark("some answers have no usage: the tokens are those of the others")
	}
	if c.Model == "" {
		c.Model = n.at("model").text()
	}
	return a.in.emitTrace(c.end())
}

// isUncounted reports whether a step that calls tools or ends the trial is not known
// to have taken tokens. What follows the result of a tool of the API is counted before.
func isUncounted(s trial.Step) bool { return s.Action == trial.Reason && !s.InputTokens.Known }

// batched reads a result of the Message Batches API, which names its request.
func (a *anthropic) batched(n node, line int) error {
	if err := a.alone.end(); err != nil {
		return err
	}
	c := newAnthropicTrace(a.in, line)
	c.Scenario = n.at("custom_id").text()
	result := n.at("result")
	switch kind := result.at("type").text(); kind {
	case "succeeded":
		c.anthropicMessage(result.at("message"))
	case "errored":
		c.anthropicMessage(result.at("error"))
	default: // canceled, expired
		c.setInfrastructureError(kind, "")
	}
	return a.in.emitTrace(c.end())
}

// exchange reads a history and the responses to it. A response is in the history
// too, or not yet: then it stands before the results of its calls, or at the end. One
// without content only adds to the answer what it took.
func (c *anthropicTrace) exchange(history, responses []node) {
	bare := 0
	for _, r := range responses {
		if !r.at("content").exists() && !isAPIError(r) {
			bare++
		}
	}
	spoken := 0
	for _, m := range history {
		if m.at("role").text() == "assistant" {
			spoken++
		}
	}
	for _, m := range history {
		if m.at("role").text() != "assistant" {
			for slices.ContainsFunc(responses, c.calledBefore(m)) {
				c.anthropicMessage(responses[0])
				responses = responses[1:]
			}
			c.anthropicMessage(m)
			continue
		}
		step := c.anthropicMessage(m)
		if len(responses) > 0 && isAnswer(responses[0], m, spoken <= bare) {
			c.complete(step, responses[0])
			responses = responses[1:]
		}
		spoken--
	}
	for _, r := range responses {
		c.anthropicMessage(r)
	}
}

// isAnswer reports whether a response is the message of a history. One without content
// may be any: it is where as many messages are left as such responses.
func isAnswer(response, m node, isLeft bool) bool {
	content := response.at("content")
	if !content.exists() {
		return isLeft && !isAPIError(response)
	}
	return string(content.raw()) == string(m.at("content").raw())
}

// complete adds to an answer what its response says.
func (c *anthropicTrace) complete(step int, response node) {
	c.spent(step, response.at("usage"), true)
	if model := response.at("model").text(); model != "" {
		c.Steps[step].Model = model
		if c.Model == "" {
			c.Model = model
		}
	}
	c.setTags("", response, "stop_reason")
}

// calledBefore returns whether a response made a call that is not known yet and whose
// result a message holds.
func (c *anthropicTrace) calledBefore(m node) func(response node) bool {
	missing := map[string]bool{}
	for _, block := range m.at("content").list() {
		id := block.at("tool_use_id").text()
		if _, known := c.calls[id]; isResult(block) && !known && id != "" {
			missing[id] = true
		}
	}
	return func(response node) bool {
		return slices.ContainsFunc(response.at("content").list(), func(block node) bool {
			id := block.at("id").text()
			_, known := c.calls[id]
			return missing[id] && !known
		})
	}
}

// anthropicMessage adds a message of either side, or an error in its place. It
// returns the step of an answer.
func (c *anthropicTrace) anthropicMessage(m node) (step int) {
	if isAPIError(m) {
		e := m.at("error")
		if e.at("error").isObject() {
			e = e.at("error")
		}
		apiFailure{e.at("type").text(), e.at("message").text()}.set(&c.Trial)
		return -1
	}
	switch m.at("role").text() {
	case "assistant":
		c.setTags("", m, "stop_reason")
		return c.message(m, messagePart{final: true})
	case "user":
		c.results(m, node{}, messagePart{}, true)
	case "system": // what the API takes beside the messages
	default:
		c.notes.skip(unknownRole)
	}
	return -1
}

func isAPIError(n node) bool { return n.at("type").text() == "error" && n.at("error").isObject() }

// apiFailure is what the API, or Claude Code, gave in place of an answer.
type apiFailure struct{ kind, text string }

// set notes the failure. A request that the model cannot take, such as one that is
// too long, is the agent's own doing; anything else is of the infrastructure.
func (f apiFailure) set(t *trial.Trial) {
	if f.kind == "" {
		f.kind = "api_error"
	}
	t.Error = newCause(f.kind, f.text)
	switch f.kind {
	case "invalid_request_error", "invalid_request", "request_too_large", "max_output_tokens":
	default:
		t.Outcome, t.Error.Origin = trial.Error, trial.InfrastructureOrigin
	}
}
