package chat

import (
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// openAIReader reads the conversations of a file, one after the other.
// A log of requests repeats the conversation in each of them, so that one trial is many
// records; a list of messages is a trial by itself.
type openAIReader struct {
	in           *record.Input
	trace        *record.Trace // nil: none is open
	conversation transcript.Conversation
	loose        bool // its messages come one a line

	// What tells whether the next record continues the trial.
	// marks are those of all messages of the trial so far, with the last response.
	marks      []string
	known      int    // messages of the record that were read before
	response   string // id
	callsTools bool
	failure    bool

	stream *openAIStream // an answer whose parts come; nil where there is none

	values, examples int // of the file: how many there are, and how many of them could be training data
}

// OpenAI decodes OpenAI chat messages and Responses items.
var OpenAI = record.Decoder{Shows: showsOpenAI, Read: readOpenAI}

// readOpenAI reads lists of messages or items, each a trial, and requests and
// responses. A request that repeats the conversation before and goes on continues
// its trial.
func readOpenAI(in *record.Input) error {
	c := &openAIReader{in: in}
	err := in.Values(func(n record.Node, line int) error {
		c.values++
		if isExample(n) {
			c.examples++
		}
		return c.value(n, line)
	})
	if err == nil {
		err = c.endStream()
	}
	if err != nil {
		return err
	}
	if c.examples > 0 && c.examples == c.values {
		in.Notes.Remark("looks like training data: messages alone, without a tool, a model or an outcome")
	}
	return c.end()
}

// isExample reports whether a record is as models are trained on it: messages that end in an answer, and nothing
// that a run of an agent would have left.
//
//	{"messages":[{"role":"user","content":"…"},{"role":"assistant","content":"…"}]}
func isExample(n record.Node) bool {
	for name := range n.Members() {
		if !slices.Contains([]string{"messages", "tools", "functions", "parallel_tool_calls", "weight"}, name) {
			return false
		}
	}
	messages := n.At("messages").List()
	for _, m := range messages {
		if m.Has("tool_calls") || len(transcript.Calls(m)) > 0 || m.Has("tool_call_id") || m.Has("id") {
			return false
		}
	}
	return len(messages) > 0 && messages[len(messages)-1].At("role").Text() == "assistant"
}

// value reads a value of the file.
// Messages one a line are one trial, until something else comes.
func (c *openAIReader) value(n record.Node, line int) error {
	if is, err := c.part(n, line); is || err != nil {
		return err
	}
	switch {
	case n.IsList():
		return c.list(n.List(), line)
	case isChatMessage(n) || transcript.IsResponseItem(n):
		if c.trace == nil || !c.loose {
			if err := c.begin(line); err != nil {
				return err
			}
			c.loose = true
		}
		c.conversation.Message(n)
		return nil
	case n.IsObject():
		return c.record(n, line)
	}
	c.in.Notes.Skip(record.NoObject)
	return nil
}

// list reads a conversation, or a list of conversations or records.
// A list with a message in it is a conversation.
func (c *openAIReader) list(values []record.Node, line int) error {
	c.loose = false
	if !slices.ContainsFunc(values,
		func(n record.Node) bool { return isChatMessage(n) || transcript.IsResponseItem(n) }) {
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
		c.conversation.Message(n)
	}
	return c.end()
}

// record reads a request, a response, or both.
// Chunks within a record of another tool are left out, and not put together.
func (c *openAIReader) record(n record.Node, line int) error {
	request, response := chatRequest(n), chatResponse(n)
	if isChunk(response) {
		return nil
	}
	failure := n.At("error")
	if !failure.Exists() {
		failure = response.At("error")
	}
	asked, answered := isChatRequest(request), isCompletion(response) || isResponse(response)
	if !asked && !answered && !(failure.Exists() && n.Has("custom_id")) {
		c.in.Notes.Skip(record.NoMessages)
		return nil
	}
	messages := requestMessages(request)
	if err := c.goOn(messages, n, response, line); err != nil {
		return err
	}
	for _, m := range messages[c.known:] {
		c.conversation.Message(m)
	}
	c.describe(n, request, response)
	if answered {
		c.addResponse(response)
	}
	c.setFailure(failure, answered)
	if len(messages) > 0 {
		c.marks = append(transcript.Marks(messages), transcript.Marks(responseMessages(response))...)
	}
	return nil
}

// begin hands out the trial that is open, and opens another.
func (c *openAIReader) begin(line int) error {
	err := c.end()
	c.trace = record.NewTrace(c.in, line)
	c.conversation = transcript.Conversation{Trace: c.trace}
	return err
}

// end hands out the trial that is open.
func (c *openAIReader) end() error {
	t := c.trace
	if t == nil {
		return nil
	}
	c.conversation.Flush()
	*c = openAIReader{in: c.in, stream: c.stream, values: c.values, examples: c.examples}
	if len(t.Steps) == 0 && t.Input == nil && t.Error == nil {
		c.in.Notes.Skip(record.EmptyConversation)
		return nil
	}
	return c.in.EmitTrace(t)
}

// goOn opens a trial for a record, unless the record continues the one that is open:
// it repeats its messages and has more, names the response before it, is tried
// again, or is the mere response that follows calls of tools.
func (c *openAIReader) goOn(messages []record.Node, n, response record.Node, line int) error {
	c.known = 0
	marks := transcript.Marks(messages)
	previous := response.At("previous_response_id")
	if !previous.Exists() {
		previous = chatRequest(n).At("previous_response_id")
	}
	again := c.failure && len(marks) > 0 && slices.Equal(marks, c.marks)
	switch {
	case c.trace == nil || n.Has("custom_id"):
		return c.begin(line)
	case previous.Exists() && previous.Text() == c.response:
		return nil
	// The messages that were read before are skipped: as many as there are marks.
	case transcript.Continues(marks, c.marks) || again:
		for left := len(c.marks); left > 0; c.known++ {
			if transcript.Mark(messages[c.known]) != "" {
				left--
			}
		}
		return nil
	// Responses alone, without their requests: one after calls of tools goes on.
	case len(messages) == 0 && len(c.marks) == 0 && c.callsTools:
		return nil
	}
	return c.begin(line)
}

// addResponse takes in a response.
// The response may name itself, for the next request to refer to.
func (c *openAIReader) addResponse(response record.Node) {
	before := len(c.trace.Steps)
	c.response = response.At("id").Text()
	c.trace.SetMessageID(c.response)
	c.conversation.Response(response, responseMessages(response))
	last := len(c.trace.Steps) - 1
	c.callsTools = last >= before && c.trace.Steps[last].Action == trial.CallTool
}

// setFailure takes in why a request was not answered, or that one was after all.
// A request that failed may be sent again, which takes the failure back.
func (c *openAIReader) setFailure(e record.Node, answered bool) {
	switch {
	case e.Exists():
		c.trace.SetInfrastructureError(e.Either("code", "type").Text(), e.ErrorText())
		c.failure = true
	case answered && c.failure:
		c.trace.Outcome, c.trace.Error, c.failure = trial.Unjudged, nil, false
	}
}

// describe takes in what a record says of the trial besides its messages.
// Texts and numbers beside the messages are what the program that logs has to say.
func (c *openAIReader) describe(n, request, response record.Node) {
	t := c.trace
	if id := n.At("custom_id").Text(); id != "" {
		t.Scenario = id
	}
	if n.Has("request") || n.Has("response") || n.Has("messages") {
		t.SetScalarTags(n, "object", "model", "input", "error", "custom_id", "system_fingerprint", "service_tier")
	}
	t.SetTag("metadata", n.At("metadata"))
	t.SetTag("metadata", request.At("metadata"))
	t.SetTag("metadata", response.At("metadata"))
	if t.Model == "" && !response.At("model").Exists() {
		t.Model = request.At("model").Words()
	}
}
