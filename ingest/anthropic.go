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
