package ingest

import (
	"slices"
)

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
