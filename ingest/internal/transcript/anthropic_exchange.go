package transcript

import (
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// Exchange reads a history and the responses to it. A response is in the history
// too, or not yet: then it stands before the results of its calls, or at the end. One
// without content only adds to the answer what it took.
// What is in neither place twice is added once: the history gives the order, the responses
// give what each answer took.
func (c *Anthropic) Exchange(history, responses []record.Node) {
	// Bare responses have no content, and can be matched by their number alone.
	bare := 0
	for _, r := range responses {
		if !r.At("content").Exists() && !IsAPIError(r) {
			bare++
		}
	}
	spoken := 0
	for _, m := range history {
		if m.At("role").Text() == "assistant" {
			spoken++
		}
	}
	for _, m := range history {
		if m.At("role").Text() != "assistant" {
			for slices.ContainsFunc(responses, c.calledBefore(m)) {
				c.AnthropicMessage(responses[0])
				responses = responses[1:]
			}
			c.AnthropicMessage(m)
			continue
		}
		step := c.AnthropicMessage(m)
		if len(responses) > 0 && isAnswer(responses[0], m, spoken <= bare) {
			c.complete(step, responses[0])
			responses = responses[1:]
		}
		spoken--
	}
	for _, r := range responses {
		c.AnthropicMessage(r)
	}
}

// isAnswer reports whether a response is the message of a history. One without content
// may be any: it is where as many messages are left as such responses.
func isAnswer(response, m record.Node, isLeft bool) bool {
	content := response.At("content")
	if !content.Exists() {
		return isLeft && !IsAPIError(response)
	}
	return string(content.Raw()) == string(m.At("content").Raw())
}

// complete adds to an answer what its response says.
// The model of the first answer is that of the trial, if nothing named it before.
func (c *Anthropic) complete(step int, response record.Node) {
	c.spent(step, response.At("usage"), true)
	if model := response.At("model").Text(); model != "" {
		c.Steps[step].Model = model
		if c.Model == "" {
			c.Model = model
		}
	}
	c.SetTags("", response, "stop_reason")
}

// calledBefore returns whether a response made a call that is not known yet and whose
// result a message holds.
func (c *Anthropic) calledBefore(m record.Node) func(response record.Node) bool {
	missing := map[string]bool{}
	for _, block := range m.At("content").List() {
		id := block.At("tool_use_id").Text()
		if _, known := c.Calls[id]; IsResult(block) && !known && id != "" {
			missing[id] = true
		}
	}
	return func(response record.Node) bool {
		return slices.ContainsFunc(response.At("content").List(), func(block record.Node) bool {
			id := block.At("id").Text()
			_, known := c.Calls[id]
			return missing[id] && !known
		})
	}
}

// AnthropicMessage adds a message of either side, or an error in its place. It
// returns the step of an answer.
func (c *Anthropic) AnthropicMessage(m record.Node) (step int) {
	if IsAPIError(m) {
		e := m.At("error")
		if e.At("error").IsObject() {
			e = e.At("error")
		}
		APIFailure{e.At("type").Text(), e.At("message").Text()}.Set(&c.Trial)
		return -1
	}
	switch m.At("role").Text() {
	case "assistant":
		c.SetTags("", m, "stop_reason")
		return c.Message(m, MessagePart{Final: true})
	case "user":
		c.Results(m, record.Node{}, MessagePart{}, true)
	case "system": // what the API takes beside the messages
	default:
		c.Notes.Skip(record.UnknownRole)
	}
	return -1
}
