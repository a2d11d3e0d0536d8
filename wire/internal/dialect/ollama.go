package dialect

import (
	"bytes"
	"encoding/json"

	"github.com/tribunal-dev/tribunal/trial/tokens"
)

// ollama is the form of Ollama's chat.
var ollama = &Dialect{
	Name: "ollama/chat", asked: ollamaAsked, answer: ollamaAnswer, stream: ollamaStream, failed: ollamaFailed,
	whole: ollamaWhole, parts: ollamaParts, framed: ollamaFramed,
	bound: func(b *bound) (most, choices allowance) { return b.Options.Most, 1 },
	words: map[string]string{"calls": "stop"},
}

// ollamaMessage is a message.
type ollamaMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Tool    string `json:"tool_name"`
	Calls   []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	CallID string `json:"tool_call_id"`
}

// ollamaBody is an answer, or a part of one.
type ollamaBody struct {
	Model   string         `json:"model"`
	Message *ollamaMessage `json:"message"`
	Done    bool           `json:"done"`
	Reason  string         `json:"done_reason"`
	Input   tokens.Number  `json:"prompt_eval_count"`
	Output  tokens.Number  `json:"eval_count"`
	Error   string         `json:"error"`
}

func ollamaFailed(_ int, message string) any { return map[string]string{"error": message} }

// ollamaAsked reads a request. Its answer comes in parts unless it says stream: false.
func ollamaAsked(_ string, body []byte) (a ParsedRequest, err error) {
	var r struct {
		Model    string          `json:"model"`
		Stream   *bool           `json:"stream"`
		Messages []ollamaMessage `json:"messages"`
	}
	if err := decode(body, &r); err != nil {
		return a, err
	}
	a.Model, a.Stream = r.Model, r.Stream == nil || *r.Stream
	a.named = map[string]int{}
	results := map[string]int{}
	for _, m := range r.Messages {
		for _, c := range m.Calls {
			a.named[c.Function.Name]++
		}
		if m.Role != "tool" {
			continue
		}
		id, number := m.CallID, numbered(m.Tool, results)
		if id == "" {
			id = number
		}
		a.Results = append(a.Results, Result{CallID: id, Output: m.Content})
	}
	return a, nil
}

func ollamaAnswer(body []byte) (a Answer, err error) {
	var b ollamaBody
	if err := decode(body, &b); err != nil {
		return a, err
	}
	if b.Message == nil {
		return a, errNoAnswer
	}
	a.Text = a.addOllama(&b)
	return a, nil
}

// addOllama takes a part of an answer, or the whole of it, but for what it says, which is returned.
func (a *Answer) addOllama(b *ollamaBody) (said string) {
	a.Model, a.Failure = b.Model, b.Error
	if b.Message != nil {
		said = b.Message.Content
		for _, c := range b.Message.Calls {
			a.Calls = append(a.Calls, Call{ID: c.ID, Name: c.Function.Name, Arguments: string(c.Function.Arguments)})
		}
	}
	if b.Done {
		a.Ended, a.Finish = true, b.Reason
		a.Usage = Usage{Input: b.Input.Count, Output: b.Output.Count, Odd: b.Input.Odd || b.Output.Odd}
	}
	return said
}

// ollamaStream reads the lines of a stream, each a JSON object.
func ollamaStream(body []byte) (a Answer, err error) {
	var said []byte
	any := false
	for line := range bytes.Lines(body) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var b ollamaBody
		if err = decode(line, &b); err != nil {
			break // what came before stays
		}
		said = append(said, a.addOllama(&b)...)
		any = true
		if len(a.Calls) > mostCalls {
			return a, errManyCalls
		}
	}
	a.Text = string(said)
	if !any && err == nil {
		return a, errNoAnswer
	}
	return a, err
}

// ollamaOf is an answer, or a part of one.
func ollamaOf(a *Answer, text string, calls []Call) object {
	message := object{"role": "assistant", "content": text}
	var all []object
	for i := range calls {
		c := object{"function": object{"name": calls[i].Name, "arguments": calls[i].input()}}
		if calls[i].ID != "" {
			c["id"] = calls[i].ID
		}
		all = append(all, c)
	}
	if len(all) > 0 {
		message["tool_calls"] = all
	}
	return object{"model": a.Model, "created_at": "1970-01-01T00:00:00Z", "message": message, "done": false}
}

// ollamaEnd gives the last part what ends an answer.
func ollamaEnd(o object, a *Answer) object {
	o["done"], o["done_reason"] = true, a.Finish
	set(o, "prompt_eval_count", a.Usage.Input)
	set(o, "eval_count", a.Usage.Output)
	return o
}

func ollamaWhole(_ string, a *Answer) object { return ollamaEnd(ollamaOf(a, a.Text, a.Calls), a) }

// ollamaFramed are lines.
func ollamaFramed(events []object, _ *ParsedRequest) (contentType string, parts [][]byte) {
	return "application/x-ndjson", framed(events, func(e []byte) []byte { return append(e, '\n') })
}

func ollamaParts(_ string, a *Answer, _ *ParsedRequest) (events []object) {
	for _, piece := range pieces(a.Text) {
		events = append(events, ollamaOf(a, piece, nil))
	}
	if len(a.Calls) > 0 {
		events = append(events, ollamaOf(a, "", a.Calls))
	}
	return append(events, ollamaEnd(ollamaOf(a, "", nil), a))
}
