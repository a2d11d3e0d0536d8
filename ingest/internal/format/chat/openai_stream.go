package chat

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// openAIStream is an answer that comes in parts, of either interface of OpenAI.
//
//	data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hel"}}]}
//	data: {"type":"response.output_item.done","item":{"type":"message","role":"assistant","content":[]}}
type openAIStream struct {
	line    int
	head    record.Node // the first chunk, or the response as it began
	usage   record.Node
	choices map[string]*streamedChoice // of chunks, by their index
	order   []*streamedChoice
	items   []any // of a response, that are complete
	calls   int   // of them that began
	ended   bool
}

// streamedChoice is a choice of an answer.
type streamedChoice struct {
	content, refusal strings.Builder
	calls            map[string]*streamedCall // by their index
	order            []*streamedCall
}

// streamedCall is a call of a tool, whose arguments come in parts.
type streamedCall struct {
	id, name  string
	arguments strings.Builder
}

// isChunk reports whether n is a part of an answer of Chat Completions.
func isChunk(n record.Node) bool { return n.At("object").Text() == "chat.completion.chunk" }

// isResponseEvent reports whether n is an event of a stream of the Responses interface.
func isResponseEvent(n record.Node) bool { return strings.HasPrefix(n.At("type").Text(), "response.") }

// part takes in a part of an answer, and reports whether n is one.
func (c *openAIReader) part(n record.Node, line int) (is bool, err error) {
	isError := n.At("error").Exists() || n.At("type").Text() == "error"
	switch {
	case isChunk(n):
		if c.stream == nil || c.stream.head.At("id").Text() != n.At("id").Text() {
			err = c.endStream()
			c.stream = &openAIStream{line: line, head: n, choices: map[string]*streamedChoice{}}
		}
		c.stream.chunk(n)
		return true, err
	case isResponseEvent(n):
		return true, c.responseEvent(n, line)
	case isError && c.stream != nil:
		c.stream.ended = true // the error says why
		if err := c.endStream(); err != nil {
			return true, err
		}
		c.setFailure(n.At("error").OrElse(n), false)
		return true, nil
	}
	return false, c.endStream()
}

// endStream takes in the answer whose parts came.
func (c *openAIReader) endStream() error {
	s := c.stream
	c.stream = nil
	if s == nil {
		return nil
	}
	if s.choices == nil {
		s.head.Value.(map[string]any)["output"] = s.items
		for range s.calls {
			c.in.Notes.Skip(record.UnendedCall)
		}
	} else {
		s.head = s.completion(c.in.Notes)
	}
	if err := c.record(s.head, s.line); err != nil {
		return err
	}
	if !s.ended {
		c.trace.CutOff()
	}
	return nil
}

// responseEvent takes in an event: the last one of a response holds all of it.
func (c *openAIReader) responseEvent(n record.Node, line int) error {
	response := n.At("response")
	kind := n.At("type").Text()
	switch kind {
	case "response.completed", "response.incomplete", "response.failed":
		c.stream = nil
		return c.record(response, line)
	}
	if c.stream == nil || kind == "response.created" {
		if err := c.endStream(); err != nil {
			return err
		}
		c.stream = &openAIStream{line: line, head: record.Node{Value: map[string]any{"object": "response"}}, items: []any{}}
	}
	s := c.stream
	isCall := strings.HasSuffix(n.At("item", "type").Text(), "_call")
	switch {
	case kind == "response.created" && isResponse(response):
		s.head = response.Only("id", "object", "model", "created_at", "previous_response_id", "metadata")
	case kind == "response.output_item.added" && isCall:
		s.calls++
	case kind == "response.output_item.done":
		s.items = append(s.items, n.At("item").Value)
		if isCall {
			s.calls--
		}
	}
	return nil
}

// chunk takes in a chunk. The last one may have the usage alone.
func (s *openAIStream) chunk(n record.Node) {
	s.usage = n.At("usage").OrElse(s.usage)
	for _, choice := range n.At("choices").List() {
		index := choice.At("index").Text()
		to := s.choices[index]
		if to == nil {
			to = &streamedChoice{calls: map[string]*streamedCall{}}
			s.choices[index] = to
			s.order = append(s.order, to)
		}
		s.ended = s.ended || choice.At("finish_reason").Exists()
		delta := choice.At("delta")
		to.content.WriteString(delta.At("content").Text())
		to.refusal.WriteString(delta.At("refusal").Text())
		for _, call := range delta.At("tool_calls").List() {
			to.call(call.At("index").Text(), call, call.Either("function", "custom"))
		}
		if old := delta.At("function_call"); old.IsObject() {
			to.call("", old, old)
		}
	}
}

// call takes in a part of a call. Some servers give calls of one answer the same index, and ids of their own.
func (c *streamedChoice) call(index string, part, function record.Node) {
	call, id := c.calls[index], part.At("id").Text()
	if call == nil || id != "" && call.id != "" && id != call.id {
		call = &streamedCall{}
		c.calls[index] = call
		c.order = append(c.order, call)
	}
	if id != "" {
		call.id = id
	}
	call.name += function.At("name").Text()
	call.arguments.WriteString(function.Either("arguments", "input").Text())
}

// completion is the answer as it comes whole. Of one that was cut off the last call may not be complete.
func (s *openAIStream) completion(notes *record.Notes) record.Node {
	choices := []any{}
	for _, c := range s.order {
		if !s.ended && len(c.order) > 0 {
			notes.Skip(record.UnendedCall)
			c.order = c.order[:len(c.order)-1]
		}
		calls := []any{}
		for _, call := range c.order {
			calls = append(calls, map[string]any{"id": call.id,
				"function": map[string]any{"name": call.name, "arguments": call.arguments.String()}})
		}
		choices = append(choices, map[string]any{"message": map[string]any{"role": "assistant",
			"content": c.content.String(), "refusal": c.refusal.String(), "tool_calls": calls}})
	}
	whole := s.head.Only("id", "model", "created")
	answer := whole.Value.(map[string]any)
	answer["object"], answer["choices"] = "chat.completion", choices
	if s.usage.Exists() {
		answer["usage"] = s.usage.Value
	}
	return whole
}
