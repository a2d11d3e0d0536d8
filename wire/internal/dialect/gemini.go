package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/sse"
	"github.com/tribunal-dev/tribunal/trial/tokens"
)

// generate is the form of Gemini's generateContent, and of its streamGenerateContent.
var generate = &Dialect{
	Name: "gemini/generateContent", asked: generateAsked, answer: generateAnswer, stream: generateStream,
	failed: generateFailed, whole: generateWhole, parts: generateParts, framed: generateFramed, lists: true,
	bound: generateBound,
	words: map[string]string{"stop": "STOP", "calls": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"},
}

// part is a part of a content.
type part struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought"`
	Call    *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Result *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// generateBody is an answer, or a part of one.
type generateBody struct {
	Model      string `json:"modelVersion"`
	Candidates []struct {
		Content struct {
			Parts []part `json:"parts"`
		} `json:"content"`
		Finish string `json:"finishReason"`
	} `json:"candidates"`
	Usage   tokens.Members `json:"usageMetadata"`
	Blocked *struct {
		Reason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func generateFailed(status int, message string) any {
	word := map[int]string{
		400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
		429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
	}[status]
	return map[string]any{"error": map[string]any{"code": status, "message": message, "status": word}}
}

// generateAsked reads a request. The model stands in the path: .../models/NAME:generateContent. Calls that have no id
// get one of their name and number: see [numbered]. Agents such as the Gemini CLI give them others of their own:
// results are told under these, and have the numbered ones as well.
func generateAsked(path string, body []byte) (a ParsedRequest, err error) {
	var r struct {
		Contents []struct {
			Parts []part `json:"parts"`
		} `json:"contents"`
	}
	if err := decode(body, &r); err != nil {
		return a, err
	}
	name, how, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	a.Model, a.Stream = name, how == "streamGenerateContent"
	a.named, a.numbers = map[string]int{}, map[string]string{}
	results := map[string]int{}
	for _, c := range r.Contents {
		for _, p := range c.Parts {
			if p.Call != nil {
				a.named[p.Call.Name]++
			}
			if p.Result == nil {
				continue
			}
			id, number := p.Result.ID, numbered(p.Result.Name, results)
			if id == "" {
				id = number
			} else {
				a.numbers[id] = number
			}
			a.Results = append(a.Results, generateResult(id, p.Result.Name, p.Result.Response))
		}
	}
	return a, nil
}

// numbered is an id for calls, or results, that have none: those of a name are numbered in their order.
func numbered(name string, seen map[string]int) string {
	seen[name]++
	return fmt.Sprintf("%s#%d", name, seen[name])
}

// generateResult is what came of a call. By Gemini's own convention the response has an output or an error. The AI SDK
// writes the name of the tool and a content in place of them, for errors too (@ai-sdk/google 3.0.141).
func generateResult(id, tool string, response json.RawMessage) Result {
	var r struct {
		Output  json.RawMessage `json:"output"`
		Error   json.RawMessage `json:"error"`
		Name    string          `json:"name"`
		Content json.RawMessage `json:"content"`
	}
	switch json.Unmarshal(response, &r); {
	case len(r.Error) > 0:
		return Result{id, text(r.Error), true}
	case len(r.Output) > 0:
		return Result{id, text(r.Output), false}
	case r.Name != "" && r.Name == tool && len(r.Content) > 0:
		return Result{id, text(r.Content), false}
	}
	return Result{id, text(response), false}
}

func generateAnswer(body []byte) (a Answer, err error) {
	var b generateBody
	if err := decode(body, &b); err != nil {
		return a, err
	}
	if b.Candidates == nil && b.Blocked == nil && b.Usage == nil {
		return a, errNoAnswer
	}
	a.Text = string(a.add(&b))
	a.Ended = true
	return a, nil
}

// add takes a part of an answer, or the whole of it, but for what it says, which is returned.
func (a *Answer) add(b *generateBody) (said []byte) {
	if b.Model != "" {
		a.Model = b.Model
	}
	if b.Error != nil {
		a.Failure = b.Error.Message
	}
	if b.Blocked != nil && b.Blocked.Reason != "" {
		a.Finish, a.Ended = b.Blocked.Reason, true
	}
	if b.Usage != nil {
		a.Usage = tokens.Gemini.Of(b.Usage)
	}
	if len(b.Candidates) == 0 {
		return nil
	}
	c := b.Candidates[0]
	if c.Finish != "" {
		a.Finish, a.Ended = c.Finish, true
	}
	for _, p := range c.Content.Parts {
		switch {
		case p.Call != nil:
			arguments := string(p.Call.Args)
			if arguments == "" {
				arguments = "{}"
			}
			a.Calls = append(a.Calls, Call{ID: p.Call.ID, Name: p.Call.Name, Arguments: arguments})
		case !p.Thought:
			said = append(said, p.Text...)
		}
	}
	return said
}

// generateStream reads server-sent events, or without alt=sse a JSON list that comes in parts.
func generateStream(body []byte) (a Answer, err error) {
	parts := sse.All(body)
	if list := bytes.TrimSpace(body); bytes.HasPrefix(list, []byte("[")) {
		if Excessive(list) {
			return a, ErrExcessive
		}
		parts = func(yield func(string) bool) {
			elements := json.NewDecoder(bytes.NewReader(list))
			_, err = elements.Token() // the bracket
			for err == nil && elements.More() {
				var one json.RawMessage
				if err = elements.Decode(&one); err != nil || !yield(string(one)) {
					return // what came before stays
				}
			}
		}
	}
	var said []byte
	n := 0
	for one := range parts {
		n++
		var b generateBody
		if err = decode([]byte(one), &b); err != nil {
			break // what came before stays
		}
		said = append(said, a.add(&b)...)
		if len(a.Calls) > mostCalls {
			return a, errManyCalls
		}
	}
	if err := errNone(n, false); err != nil {
		return a, err
	}
	a.Text = string(said)
	return a, err
}

func generateTold(u *Usage) object {
	told := object{}
	set(told, "promptTokenCount", u.Input)
	set(told, "candidatesTokenCount", less(u.Output, u.Reasoning))
	set(told, "thoughtsTokenCount", u.Reasoning)
	set(told, "cachedContentTokenCount", u.Cached)
	set(told, "totalTokenCount", tokens.Sum(u.Input, u.Output))
	return told
}

// generateOf is an answer, or a part of one, of parts of a content.
func generateOf(id string, a *Answer, parts []object) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if len(parts) == 0 {
		candidate["content"] = object{"role": "model"}
	}
	return object{"responseId": id, "modelVersion": a.Model, "candidates": []object{candidate}}
}

// generateEnd gives the last part what ends an answer.
func generateEnd(o object, a *Answer) object {
	candidate := o["candidates"].([]object)[0]
	candidate["finishReason"] = a.Finish
	switch a.Finish {
	case "SAFETY":
		delete(candidate, "content")
	case "MALFORMED_FUNCTION_CALL":
		delete(candidate, "content")
		candidate["finishMessage"] = "Malformed function call"
	}
	if told := generateTold(&a.Usage); len(told) > 0 {
		o["usageMetadata"] = told
	}
	return o
}

func generateCalls(a *Answer) (parts []object) {
	for i := range a.Calls {
		c := &a.Calls[i]
		call := object{"name": c.Name, "args": c.input()}
		if c.ID != "" {
			call["id"] = c.ID
		}
		parts = append(parts, object{"functionCall": call})
	}
	return parts
}

func generateWhole(id string, a *Answer) object {
	parts := generateCalls(a)
	if a.Text != "" {
		parts = append([]object{{"text": a.Text}}, parts...)
	}
	return generateEnd(generateOf(id, a, parts), a)
}

func generateParts(id string, a *Answer, _ *ParsedRequest) (events []object) {
	for _, piece := range pieces(a.Text) {
		events = append(events, generateOf(id, a, []object{{"text": piece}}))
	}
	if calls := generateCalls(a); len(calls) > 0 || len(events) == 0 {
		events = append(events, generateOf(id, a, calls))
	}
	generateEnd(events[len(events)-1], a)
	return events
}

// generateFramed are server-sent events, or a JSON list that comes in parts.
func generateFramed(events []object, asked *ParsedRequest) (contentType string, parts [][]byte) {
	if !asked.List {
		return eventStream, unnamed(events)
	}
	start := "["
	parts = framed(events, func(e []byte) []byte {
		part := append([]byte(start), e...)
		start = ",\r\n"
		return part
	})
	return "application/json", append(parts, []byte("]"))
}

func generateBound(b *bound) (most, choices allowance) {
	g, s := b.Generation, b.GenerationSnaked
	return max(g.Most, g.MostSnaked, s.Most, s.MostSnaked), max(g.Choices, g.ChoicesSnaked, s.Choices, s.ChoicesSnaked)
}
