package dialect

import (
	"bytes"
	"encoding/json"
)

// ollama is the form of Ollama's chat.
var ollama = &Dialect{
	Name: "ollama/chat", asked: ollamaAsked, answer: ollamaAnswer, stream: ollamaStream, failed: ollamaFailed,
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
	Input   number         `json:"prompt_eval_count"`
	Output  number         `json:"eval_count"`
	Error   string         `json:"error"`
}

func ollamaFailed(_ int, message string) any { return map[string]string{"error": message} }

// ollamaAsked reads a request. Its answer comes in parts unless it says stream: false.
func ollamaAsked(_ string, body []byte) (a Asked, err error) {
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
		a.Usage = Usage{Input: b.Input.told, Output: b.Output.told, Odd: anyOdd(b.Input, b.Output)}
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
