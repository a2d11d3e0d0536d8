package chat

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
)

// anthropicStream is a message that comes in parts.
//
//	data: {"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[],"usage":{"input_tokens":9}}}
//	data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}
//	data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}
type anthropicStream struct {
	line    int
	message map[string]any
	usage   map[string]any
	blocks  map[string]*streamedBlock // by their index
	order   []*streamedBlock
	counted bool // the output was
}

// streamedBlock is a block of a message.
type streamedBlock struct {
	block map[string]any
	parts strings.Builder // of its text, or of the JSON of its input
	ended bool
}

// isMessageStart reports whether n begins a message that comes in parts.
func isMessageStart(n record.Node) bool {
	return n.At("type").Text() == "message_start" && n.At("message", "role").Text() == "assistant"
}

// part takes in a part of a message, and reports whether n is one. An error ends a message, too.
func (a *anthropic) part(n record.Node, line int) (is bool) {
	if isMessageStart(n) {
		a.endStream()
		message := n.At("message")
		a.stream = &anthropicStream{line: line, message: message.Value.(map[string]any), usage: map[string]any{},
			blocks: map[string]*streamedBlock{}}
		a.stream.spent(message.At("usage"))
		return true
	}
	kind, s := n.At("type").Text(), a.stream
	if kind == "ping" {
		return true
	}
	if s == nil {
		return false
	}
	switch kind {
	case "content_block_start":
		block := n.At("content_block").Only("type", "id", "name", "input", "tool_use_id", "content", "text")
		b := &streamedBlock{block: block.Value.(map[string]any)}
		b.parts.WriteString(block.At("text").Text())
		s.blocks[n.At("index").Text()] = b
		s.order = append(s.order, b)
	case "content_block_delta":
		if b := s.blocks[n.At("index").Text()]; b != nil {
			b.parts.WriteString(n.At("delta").Either("text", "partial_json").Text())
		}
	case "content_block_stop":
		if b := s.blocks[n.At("index").Text()]; b != nil {
			b.ended = true
		}
	case "message_delta":
		s.message["stop_reason"] = n.At("delta", "stop_reason").Value
		s.spent(n.At("usage"))
		s.counted = true
	case "message_stop":
		a.endStream()
		a.cut = false
	default:
		a.endStream()
		if transcript.IsAPIError(n) {
			a.cut = false
		}
		return false
	}
	return true
}

// spent takes in a usage: what comes later is of the message so far, and need not have all.
func (s *anthropicStream) spent(usage record.Node) {
	for name, value := range usage.Members() {
		if value.Exists() {
			s.usage[name] = value.Value
		}
	}
}

// endStream takes in the message whose parts came. Until its last part says so the output is not counted.
func (a *anthropic) endStream() {
	s := a.stream
	a.stream = nil
	if s == nil {
		return
	}
	content := []any{}
	for _, b := range s.order {
		kind, _ := b.block["type"].(string)
		isCall := strings.HasSuffix(kind, "tool_use")
		switch {
		case isCall && !b.ended:
			a.in.Notes.Skip(record.UnendedCall)
			continue
		case isCall && b.parts.Len() > 0:
			b.block["input"] = b.parts.String()
		case kind == "text":
			b.block["text"] = b.parts.String()
		}
		content = append(content, b.block)
	}
	if !s.counted {
		delete(s.usage, "output_tokens")
	}
	s.message["content"], s.message["usage"] = content, s.usage
	a.alone.Add(record.Node{Value: s.message}, s.line)
	a.cut = true // unless its end is what ends it
}
