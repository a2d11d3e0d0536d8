package dialect

import (
	"encoding/json"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/sse"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/tokens"
)

// chat is the form of OpenAI's chat completions, which many servers speak.
var chat = &Dialect{
	Name: "openai/chat", asked: chatAsked, answer: chatAnswer, stream: chatStream, failed: openAIFailed,
	whole: chatWhole, parts: chatParts, framed: chatFramed,
	bound: func(b *bound) (most, choices allowance) {
		return max(b.Most, b.MostCompleted), max(b.Choices, b.BestOf)
	},
	words: map[string]string{"calls": "tool_calls", "filter": "content_filter"},
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

// chatBody is an answer, or a part of one.
type chatBody struct {
	Model   string `json:"model"`
	Choices []struct {
		Index   int          `json:"index"`
		Message *chatMessage `json:"message"`
		Delta   chatMessage  `json:"delta"`
		Finish  string       `json:"finish_reason"`
	} `json:"choices"`
	Usage tokens.Members `json:"usage"`
	Error *openAIError   `json:"error"`
}

type openAIError struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    any    `json:"code"`
}

func openAIFailed(status int, message string) any {
	return map[string]any{"error": map[string]any{"message": message, "type": kind(status), "param": nil, "code": nil}}
}

func chatAsked(_ string, body []byte) (a ParsedRequest, err error) {
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
	if len(b.Choices) == 0 || b.Choices[0].Message == nil {
		return a, errNoAnswer
	}
	c := b.Choices[0]
	a = Answer{Model: b.Model, Text: text(c.Message.Content), Finish: c.Finish, Ended: true}
	a.Usage = tokens.OpenAI.Of(b.Usage)
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
			a.Usage = tokens.OpenAI.Of(b.Usage)
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

// add takes parts. One without an index is of the last call, or begins one with its id; so does another id at an index,
// as gateways to Gemini give it (omnigent-ai/omnigent#28).
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
		if !known || p.ID != "" && c.calls[i].ID != "" && p.ID != c.calls[i].ID {
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

// openAIUsage are tokens, whose names begin as those of the form. A response tells all of them, or none: Codex takes
// one without those of reasoning for broken.
func openAIUsage(u *Usage, input, output string) any {
	if !u.Input.Known && !u.Output.Known {
		return nil
	}
	in, out := object{}, object{}
	if input == "input" {
		in["cached_tokens"], out["reasoning_tokens"] = 0, 0
		set(in, "cache_write_tokens", u.Written)
	}
	set(in, "cached_tokens", u.Cached)
	set(out, "reasoning_tokens", u.Reasoning)
	return object{
		input + "_tokens": u.Input.Value, output + "_tokens": u.Output.Value,
		"total_tokens":            trial.Plus(u.Input.Value, u.Output.Value),
		input + "_tokens_details": in, output + "_tokens_details": out,
	}
}

func chatWhole(id string, a *Answer) object {
	message := object{"role": "assistant", "content": nil, "refusal": nil}
	if a.Text != "" || len(a.Calls) == 0 {
		message[a.said("content")] = a.Text
	}
	if len(a.Calls) > 0 {
		message["tool_calls"] = chatCalls(a.Calls)
	}
	whole := object{
		"id": id, "object": "chat.completion", "created": 0, "model": a.Model,
		"choices": []object{{"index": 0, "message": message, "logprobs": nil, "finish_reason": a.Finish}},
	}
	if usage := openAIUsage(&a.Usage, "prompt", "completion"); usage != nil {
		whole["usage"] = usage
	}
	return whole
}

// said is the member for what is said, unless the model declines.
func (a *Answer) said(member string) string {
	if a.Refused {
		return "refusal"
	}
	return member
}

func chatCalls(calls []Call) (all []object) {
	for _, c := range calls {
		all = append(all, chatCallOf(&c, object{"id": c.ID}, c.Name, c.Arguments))
	}
	return all
}

// chatCallOf gives an object what a call, or a part of one, says; a part without the name does not tell the kind.
func chatCallOf(c *Call, o object, name, arguments string) object {
	kind, text := "function", "arguments"
	if c.Custom {
		kind, text = "custom", "input"
	}
	said := object{text: arguments}
	if o[kind] = said; name != "" {
		said["name"], o["type"] = name, kind
	}
	return o
}

// chatFramed are the events of a stream, of which the last says that it is.
func chatFramed(events []object, _ *ParsedRequest) (contentType string, parts [][]byte) {
	return eventStream, append(unnamed(events), []byte("data: [DONE]\n\n"))
}

func chatParts(id string, a *Answer, asked *ParsedRequest) (events []object) {
	add := func(choices []object, usage any) {
		e := object{"id": id, "object": "chat.completion.chunk", "created": 0, "model": a.Model, "choices": choices}
		if usage != nil {
			e["usage"] = usage
		}
		events = append(events, e)
	}
	delta := func(d object, finish any) { add([]object{{"index": 0, "delta": d, "finish_reason": finish}}, nil) }
	delta(object{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(a.Text) {
		delta(object{a.said("content"): piece}, nil)
	}
	for i := range a.Calls {
		c := &a.Calls[i]
		delta(object{"tool_calls": []object{chatCallOf(c, object{"index": i, "id": c.ID}, c.Name, "")}}, nil)
		for _, piece := range pieces(c.Arguments) {
			delta(object{"tool_calls": []object{chatCallOf(c, object{"index": i}, "", piece)}}, nil)
		}
	}
	delta(object{}, a.Finish)
	if told := openAIUsage(&a.Usage, "prompt", "completion"); asked.Usage && told != nil {
		add([]object{}, told)
	}
	return events
}
