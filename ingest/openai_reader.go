package ingest

import (
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// openAIReader reads the conversations of a file, one after the other.
type openAIReader struct {
	in    *input
	trace *trace // nil: none is open
	said  conversation
	loose bool // its messages come one a line

	// What tells whether the next record continues the trial.
	marks      []string
	known      int    // messages of the record that were read before
	response   string // id
	callsTools bool
	failure    bool
}

// readOpenAI reads lists of messages or items, each a trial, and requests and
// responses. A request that repeats the conversation before and goes on continues
// its trial.
func readOpenAI(in *input) error {
	c := &openAIReader{in: in}
	if err := in.values(c.value); err != nil {
		return err
	}
	return c.end()
}

// value reads a value of the file.
func (c *openAIReader) value(n node, line int) error {
	switch {
	case n.isList():
		return c.list(n.list(), line)
	case isChatMessage(n) || isResponseItem(n):
		if c.trace == nil || !c.loose {
			if err := c.begin(line); err != nil {
				return err
			}
			c.loose = true
		}
		c.said.message(n)
		return nil
	case n.isObject():
		return c.record(n, line)
	}
	c.in.notes.skip(noObject)
	return nil
}

// list reads a conversation, or a list of conversations or records.
func (c *openAIReader) list(values []node, line int) error {
	c.loose = false
	if !slices.ContainsFunc(values, func(n node) bool { return isChatMessage(n) || isResponseItem(n) }) {
		for _, n := range values {
			if err := c.value(n, line); err != nil {
				return err
			}
		}
		return nil
	}
	if err := c.begin(line); err != nil {
		return err
	}
	for _, n := range values {
		c.said.message(n)
	}
	return c.end()
}

// record reads a request, a response, or both.
func (c *openAIReader) record(n node, line int) error {
	request, response := chatRequest(n), chatResponse(n)
	if response.at("object").text() == "chat.completion.chunk" {
		return nil
	}
	failure := n.at("error")
	if !failure.exists() {
		failure = response.at("error")
	}
	asked, answered := isChatRequest(request), isCompletion(response) || isResponse(response)
	if !asked && !answered && !(failure.exists() && n.has("custom_id")) {
		c.in.notes.skip(noMessages)
		return nil
	}
	messages := requestMessages(request)
	if err := c.goOn(messages, n, response, line); err != nil {
		return err
	}
	for _, m := range messages[c.known:] {
		c.said.message(m)
	}
	c.describe(n, request, response)
	if answered {
		c.answered(response)
	}
	c.failed(failure, answered)
	if len(messages) > 0 {
		c.marks = append(chatMarks(messages), chatMarks(responseMessages(response))...)
	}
	return nil
}

// begin hands out the trial that is open, and opens another.
func (c *openAIReader) begin(line int) error {
	err := c.end()
	c.trace = newTrace(c.in, line)
	c.said = conversation{trace: c.trace}
	return err
}

// end hands out the trial that is open.
func (c *openAIReader) end() error {
	t := c.trace
	if t == nil {
		return nil
	}
	c.said.flush()
	*c = openAIReader{in: c.in}
	if len(t.Steps) == 0 && t.Input == nil && t.Error == nil {
		c.in.notes.skip(emptyConversation)
		return nil
	}
	return c.in.emitTrace(t)
}

// goOn opens a trial for a record, unless the record continues the one that is open:
// it repeats its messages and has more, names the response before it, is tried
// again, or is the mere response that follows calls of tools.
func (c *openAIReader) goOn(messages []node, n, response node, line int) error {
	c.known = 0
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
		for left := len(c.marks); left > 0; c.known++ {
			if chatMark(messages[c.known]) != "" {
				left--
			}
		}
		return nil
	case len(messages) == 0 && len(c.marks) == 0 && c.callsTools:
		return nil
	}
	return c.begin(line)
}

// answered takes in a response.
func (c *openAIReader) answered(response node) {
	before := len(c.trace.Steps)
	c.response = response.at("id").text()
	c.said.response(response, responseMessages(response))
	last := len(c.trace.Steps) - 1
	c.callsTools = last >= before && c.trace.Steps[last].Action == trial.CallTool
}

// failed takes in why a request was not answered, or that one was after all.
func (c *openAIReader) failed(e node, answered bool) {
	switch {
	case e.exists():
		c.trace.setInfrastructureError(e.either("code", "type").text(), e.errorText())
		c.failure = true
	case answered && c.failure:
		c.trace.Outcome, c.trace.Error, c.failure = trial.Unjudged, nil, false
	}
}

// describe takes in what a record says of the trial besides its messages.
func (c *openAIReader) describe(n, request, response node) {
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
