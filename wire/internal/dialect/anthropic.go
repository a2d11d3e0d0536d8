package dialect

import (
	"encoding/json"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/sse"
)

// messages is the form of Anthropic's messages.
var messages = &Dialect{
	Name: "anthropic/messages", asked: messagesAsked, answer: messagesAnswer, stream: messagesStream,
	failed: messagesFailed,
}

// block is a part of a message.
type block struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// messagesUsage are tokens. Those of the cache stand beside the input.
type messagesUsage struct {
	Input   number `json:"input_tokens"`
	Output  number `json:"output_tokens"`
	Cached  number `json:"cache_read_input_tokens"`
	Written number `json:"cache_creation_input_tokens"`
}

// update takes what a later event tells.
func (u *messagesUsage) update(v *messagesUsage) {
	if v == nil {
		return
	}
	for _, f := range []struct{ to, from *number }{
		{&u.Input, &v.Input}, {&u.Output, &v.Output}, {&u.Cached, &v.Cached}, {&u.Written, &v.Written},
	} {
		if f.from.odd || f.from.told.Known {
			*f.to = *f.from
		}
	}
}

func (u *messagesUsage) usage() Usage {
	v := Usage{
		Output: u.Output.told, Cached: u.Cached.told, Written: u.Written.told,
		Odd: anyOdd(u.Input, u.Output, u.Cached, u.Written),
	}
	if u.Input.told.Known && !anyOdd(u.Cached, u.Written) {
		v.Input = sum(u.Input.told, v.Cached, v.Written)
	}
	return v
}

func messagesFailed(status int, message string) any {
	return map[string]any{"type": "error", "error": map[string]string{"type": kind(status), "message": message}}
}

func messagesAsked(_ string, body []byte) (a Asked, err error) {
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
		Usage   *messagesUsage `json:"usage"`
	}
	if err := decode(body, &m); err != nil {
		return a, err
	}
	if m.Content == nil {
		return a, errNoAnswer
	}
	a = said(m.Content)
	a.Model, a.Finish, a.Ended = m.Model, m.Stop, true
	if m.Usage != nil {
		a.Usage = m.Usage.usage()
	}
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
		Usage *messagesUsage `json:"usage"`
	} `json:"message"`
	Block block `json:"content_block"`
	Delta struct {
		Text string `json:"text"`
		JSON string `json:"partial_json"`
		Stop string `json:"stop_reason"`
	} `json:"delta"`
	Usage *messagesUsage `json:"usage"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
}

func messagesStream(body []byte) (a Answer, err error) {
	var usage messagesUsage
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
			usage.update(e.Message.Usage)
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
			usage.update(e.Usage)
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
	a.Model, a.Finish, a.Usage, a.Failure, a.Ended = model, stop, usage.usage(), failure, ended
	return a, err
}
