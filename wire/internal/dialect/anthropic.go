package dialect

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/sse"
	"github.com/tribunal-dev/tribunal/trial/tokens"
)

// messages is the form of Anthropic's messages.
var messages = &Dialect{
	Name: "anthropic/messages", asked: messagesAsked, answer: messagesAnswer, stream: messagesStream,
	failed: messagesFailed, whole: messagesWhole, parts: messagesParts, framed: named,
	bound: func(b *bound) (most, choices allowance) { return b.Most, 1 },
	words: map[string]string{"stop": "end_turn", "calls": "tool_use", "length": "max_tokens", "filter": "refusal"},
}

// block is a part of a message.
type block struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

func messagesFailed(status int, message string) any {
	return map[string]any{"type": "error", "error": map[string]string{"type": kind(status), "message": message}}
}

func messagesAsked(_ string, body []byte) (a ParsedRequest, err error) {
	var r struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := decode(body, &r); err != nil {
		return a, err
	}
	a.Model, a.Stream = r.Model, r.Stream
	for _, m := range r.Messages {
		var blocks []struct {
			Type    string          `json:"type"`
			CallID  string          `json:"tool_use_id"`
			Content json.RawMessage `json:"content"`
			Failed  bool            `json:"is_error"`
		}
		if len(m.Content) == 0 || m.Content[0] != '[' || json.Unmarshal(m.Content, &blocks) != nil {
			continue // a text
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				a.Results = append(a.Results, Result{b.CallID, text(b.Content), b.Failed})
			}
		}
	}
	return a, nil
}

func messagesAnswer(body []byte) (a Answer, err error) {
	var m struct {
		Model   string         `json:"model"`
		Content []block        `json:"content"`
		Stop    string         `json:"stop_reason"`
		Usage   tokens.Members `json:"usage"`
	}
	if err := decode(body, &m); err != nil {
		return a, err
	}
	if m.Content == nil {
		return a, errNoAnswer
	}
	a = said(m.Content)
	a.Model, a.Finish, a.Usage, a.Ended = m.Model, m.Stop, tokens.Anthropic.Of(m.Usage), true
	return a, nil
}

// said are the texts and calls of blocks.
func said(blocks []block) (a Answer) {
	var all strings.Builder
	for _, b := range blocks {
		switch b.Type {
		case "text":
			all.WriteString(b.Text)
		case "tool_use":
			a.Calls = append(a.Calls, Call{ID: b.ID, Name: b.Name, Arguments: string(b.Input)})
		}
	}
	a.Text = all.String()
	return a
}

// messagesEvent is an event of a stream.
type messagesEvent struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Model string         `json:"model"`
		Usage tokens.Members `json:"usage"`
	} `json:"message"`
	Block block `json:"content_block"`
	Delta struct {
		Text string `json:"text"`
		JSON string `json:"partial_json"`
		Stop string `json:"stop_reason"`
	} `json:"delta"`
	Usage tokens.Members `json:"usage"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
}

func messagesStream(body []byte) (a Answer, err error) {
	var usage tokens.Members
	var blocks []block
	var texts [][]byte // of the blocks, which come in parts
	at := map[int]int{}
	var model, stop, failure string
	ended := false
	events := 0
	for event := range sse.All(body) {
		events++
		var e messagesEvent
		if err = decode([]byte(event), &e); err != nil {
			break // what came before stays
		}
		i, known := at[e.Index]
		switch e.Type {
		case "message_start":
			model = e.Message.Model
			usage.Update(e.Message.Usage)
		case "content_block_start":
			if len(blocks) == mostCalls {
				return a, errManyCalls
			}
			at[e.Index] = len(blocks)
			blocks, texts = append(blocks, e.Block), append(texts, []byte(e.Block.Text))
			if e.Block.Type == "tool_use" { // its input comes in parts
				blocks[len(blocks)-1].Input = nil
			}
		case "content_block_delta":
			if known {
				texts[i] = append(texts[i], e.Delta.Text...)
				blocks[i].Input = append(blocks[i].Input, e.Delta.JSON...)
			}
		case "message_delta":
			stop = e.Delta.Stop
			usage.Update(e.Usage)
		case "message_stop":
			ended = true
		case "error":
			failure = e.Error.Message
		}
	}
	if err := errNone(events, false); err != nil {
		return a, err
	}
	for i := range blocks {
		blocks[i].Text = string(texts[i])
		if blocks[i].Type == "tool_use" && len(blocks[i].Input) == 0 && ended {
			blocks[i].Input = json.RawMessage("{}") // none came, of a tool without parameters
		}
	}
	a = said(blocks)
	a.Model, a.Finish, a.Usage, a.Failure, a.Ended = model, stop, tokens.Anthropic.Of(usage), failure, ended
	return a, err
}

func messagesTold(u *Usage) object {
	told := object{"input_tokens": less(u.Input, u.Cached, u.Written).Value, "output_tokens": u.Output.Value}
	set(told, "cache_read_input_tokens", u.Cached)
	set(told, "cache_creation_input_tokens", u.Written)
	return told
}

func messagesWhole(id string, a *Answer) object {
	content := []object{}
	if a.Text != "" {
		content = append(content, object{"type": "text", "text": a.Text})
	}
	for i := range a.Calls {
		c := &a.Calls[i]
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.input()})
	}
	return object{
		"id": id, "type": "message", "role": "assistant", "model": a.Model, "content": content,
		"stop_reason": a.Finish, "stop_sequence": nil, "usage": messagesTold(&a.Usage),
	}
}

func messagesParts(id string, a *Answer, _ *ParsedRequest) (events []object) {
	begun := messagesWhole(id, a)
	content := begun["content"].([]object)
	begun["content"], begun["stop_reason"] = []any{}, nil
	events = append(events, object{"type": "message_start", "message": begun})
	calls := a.Calls
	for i, block := range content {
		delta, name, text := "text_delta", "text", a.Text
		empty := object{"type": "text", "text": ""}
		if block["type"] == "tool_use" {
			delta, name, text, calls = "input_json_delta", "partial_json", cmp.Or(calls[0].Arguments, "{}"), calls[1:]
			empty = object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}
		}
		events = append(events, object{"type": "content_block_start", "index": i, "content_block": empty})
		for _, piece := range pieces(text) {
			events = append(events, object{
				"type": "content_block_delta", "index": i, "delta": object{"type": delta, name: piece},
			})
		}
		events = append(events, object{"type": "content_block_stop", "index": i})
	}
	return append(events, object{
		"type": "message_delta", "delta": object{"stop_reason": a.Finish, "stop_sequence": nil},
		"usage": messagesTold(&a.Usage),
	}, object{"type": "message_stop"})
}
