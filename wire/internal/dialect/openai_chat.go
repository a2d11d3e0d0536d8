package dialect

import (
	"encoding/json"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/sse"
)

// chat is the form of OpenAI's chat completions, which many servers speak.
var chat = &Dialect{
	Name: "openai/chat", asked: chatAsked, answer: chatAnswer, stream: chatStream, failed: openAIFailed,
}

// chatCall is a call of a tool. In a stream it comes in parts, that have the same index.
type chatCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Custom *struct {
		Name  string `json:"name"`
		Input string `json:"input"`
	} `json:"custom"` // of a custom tool, in place of the function
}

// said is what a call, or a part of one, says: of which tool it is, and with what.
func (c *chatCall) said() (name, arguments string, custom bool) {
	if c.Custom != nil {
		return c.Custom.Name, c.Custom.Input, true
	}
	return c.Function.Name, c.Function.Arguments, false
}

// chatMessage is a message of the model, or a part of one.
type chatMessage struct {
	Content json.RawMessage `json:"content"`
	Refusal string          `json:"refusal"`
	Calls   []chatCall      `json:"tool_calls"`
}

// chatUsage are tokens: those of the input have the cached ones, those of the output the reasoning.
type chatUsage struct {
	Input        number `json:"prompt_tokens"`
	Output       number `json:"completion_tokens"`
	InputDetails *struct {
		Cached number `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	OutputDetails *struct {
		Reasoning number `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u *chatUsage) usage() (v Usage) {
	if u == nil {
		return v
	}
	v.Input, v.Output, v.Odd = u.Input.told, u.Output.told, anyOdd(u.Input, u.Output)
	if d := u.InputDetails; d != nil {
		v.Cached, v.Odd = d.Cached.told, v.Odd || d.Cached.odd
	}
	if d := u.OutputDetails; d != nil {
		v.Reasoning, v.Odd = d.Reasoning.told, v.Odd || d.Reasoning.odd
	}
	return v
}

// chatBody is an answer, or a part of one.
type chatBody struct {
	Model   string `json:"model"`
	Choices []struct {
		Index   int         `json:"index"`
		Message chatMessage `json:"message"`
		Delta   chatMessage `json:"delta"`
		Finish  string      `json:"finish_reason"`
	} `json:"choices"`
	Usage *chatUsage   `json:"usage"`
	Error *openAIError `json:"error"`
}

type openAIError struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    any    `json:"code"`
}

func openAIFailed(status int, message string) any {
	return map[string]any{"error": map[string]any{"message": message, "type": kind(status), "param": nil, "code": nil}}
}

func chatAsked(_ string, body []byte) (a Asked, err error) {
	var r struct {
		Model   string `json:"model"`
		Stream  bool   `json:"stream"`
		Options struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			CallID  string          `json:"tool_call_id"`
		} `json:"messages"`
	}
	if err := decode(body, &r); err != nil {
		return a, err
	}
	a.Model, a.Stream, a.Usage = r.Model, r.Stream, r.Stream && r.Options.Usage
	for _, m := range r.Messages {
		if m.Role == "tool" {
			a.Results = append(a.Results, Result{CallID: m.CallID, Output: text(m.Content)})
		}
	}
	return a, nil
}

func chatAnswer(body []byte) (a Answer, err error) {
	var b chatBody
	if err := decode(body, &b); err != nil {
		return a, err
	}
	if len(b.Choices) == 0 {
		return a, errNoAnswer
	}
	c := b.Choices[0]
	a = Answer{Model: b.Model, Text: text(c.Message.Content), Finish: c.Finish, Usage: b.Usage.usage(), Ended: true}
	if a.Text == "" {
		a.Text, a.Refused = c.Message.Refusal, c.Message.Refusal != ""
	}
	for _, call := range c.Message.Calls {
		name, arguments, custom := call.said()
		a.Calls = append(a.Calls, Call{ID: call.ID, Name: name, Arguments: arguments, Custom: custom})
	}
	return a, nil
}

func chatStream(body []byte) (a Answer, err error) {
	var said strings.Builder
	var calls partCalls
	events := 0
	for event := range sse.All(body) {
		events++
		var b chatBody
		if err = decode([]byte(event), &b); err != nil {
			break // what came before stays
		}
		if b.Error != nil {
			a.Failure = b.Error.Message
		}
		if b.Model != "" {
			a.Model = b.Model
		}
		if b.Usage != nil {
			a.Usage = b.Usage.usage()
		}
		for _, c := range b.Choices {
			if c.Index != 0 {
				continue
			}
			said.WriteString(text(c.Delta.Content) + c.Delta.Refusal)
			a.Refused = a.Refused || c.Delta.Refusal != ""
			if c.Finish != "" {
				a.Finish, a.Ended = c.Finish, true
			}
			calls.add(c.Delta.Calls)
		}
	}
	if err := errNone(events, len(calls.calls) > mostCalls); err != nil {
		return a, err
	}
	a.Text, a.Calls = said.String(), calls.whole()
	return a, err
}

// partCalls are calls that come in parts.
type partCalls struct {
	calls     []Call
	arguments [][]byte
	at        map[int]int // by the index that parts have
}

// add takes parts. One without an index is of the last call, or begins one with its id.
func (c *partCalls) add(parts []chatCall) {
	for _, p := range parts {
		if len(c.calls) > mostCalls {
			return // which is an error in the end
		}
		index := len(c.at) - 1
		switch {
		case p.Index != nil:
			index = *p.Index
		case p.ID != "" || index < 0:
			index = len(c.at)
		}
		i, known := c.at[index]
		if !known {
			if c.at == nil {
				c.at = map[int]int{}
			}
			i = len(c.calls)
			c.at[index] = i
			c.calls, c.arguments = append(c.calls, Call{}), append(c.arguments, nil)
		}
		if p.ID != "" {
			c.calls[i].ID = p.ID
		}
		name, arguments, custom := p.said()
		if name != "" {
			c.calls[i].Name = name
		}
		c.calls[i].Custom = c.calls[i].Custom || custom
		c.arguments[i] = append(c.arguments[i], arguments...)
	}
}

// whole are the calls with all of their arguments.
func (c *partCalls) whole() []Call {
	for i := range c.calls {
		c.calls[i].Arguments = string(c.arguments[i])
	}
	return c.calls
}
