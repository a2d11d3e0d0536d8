package dialect

import (
	"encoding/json"
	"errors"
	"mime"
	"strings"

	"github.com/tribunal-dev/tribunal/trial/tokens"
)

// Dialect is a form in which models are asked and answer.
type Dialect struct {
	Name string // such as "openai/chat"

	asked  func(path string, body []byte) (ParsedRequest, error)
	answer func(body []byte) (Answer, error)
	stream func(body []byte) (Answer, error)
	failed func(status int, message string) any
	whole  func(id string, a *Answer) object                                   // an answer
	parts  func(id string, a *Answer, asked *ParsedRequest) []object           // of one that comes in parts
	framed func([]object, *ParsedRequest) (contentType string, parts [][]byte) // the parts as they are sent
	bound  func(b *bound) (most, choices allowance)                            // what a request allows
	words  map[string]string                                                   // why an answer ended, by the common ones
	lists  bool                                                                // see Lists
}

// ParsedRequest is a request.
type ParsedRequest struct {
	Model   string
	Stream  bool              // the answer is to come in parts
	Results []Result          // of tools that the model called before, in their order
	named   map[string]int    // calls in the conversation, by their names
	numbers map[string]string // of calls, by the ids that the agent tells: see [ParsedRequest.Number]
	Usage   bool              // a stream is to tell tokens where that is for the client to say, as in OpenAI's chat
	List    bool              // a stream is to be a JSON list, as Gemini's without alt=sse; for the caller to tell
}

// Result is what came of a call of a tool, as the agent tells it to the model.
type Result struct {
	CallID string
	Output string // its text, or its JSON
	Failed bool   // it is told as an error
}

// Answer is what a model said.
type Answer struct {
	Model   string // "" is not told
	Text    string
	Refused bool // the text declines, where the form has a place of its own for that
	Calls   []Call
	Finish  string // why it ended, in the provider's word; "" is not told
	Usage   Usage
	Failure string // the provider's own error, in the midst of a stream
	Ended   bool   // the stream came to its end
}

// Call is a model's call of a tool.
type Call struct {
	ID        string // of its own within a conversation
	Name      string
	Arguments string // JSON, or what the model took for it; the input of a custom tool, which may be any text
	Custom    bool   // the tool is a custom one, as OpenAI has them
}

// Usage are tokens.
type Usage = tokens.Usage

// Asked reads a request.
func (d *Dialect) Asked(path string, body []byte) (ParsedRequest, error) { return d.asked(path, body) }

// Answer reads an answer that came whole, or the parts of a stream.
func (d *Dialect) Answer(body []byte, streamed bool) (Answer, error) {
	if streamed {
		return d.stream(body)
	}
	return d.answer(body)
}

// Failure is the body of an error, as the provider would write it.
func (d *Dialect) Failure(status int, message string) []byte {
	body, _ := json.Marshal(d.failed(status, message)) // of texts and numbers alone
	return body
}

// errNoAnswer says that a body is JSON, and not an answer.
var errNoAnswer = errors.New("it has none of the members of an answer")

// kind is the word of OpenAI and Anthropic for statuses.
func kind(status int) string {
	switch status {
	case 400:
		return "invalid_request_error"
	case 401:
		return "authentication_error"
	case 403:
		return "permission_error"
	case 404:
		return "not_found_error"
	case 429:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	return "api_error"
}

// text is a JSON string as its content, and any other JSON as it is. Parts of a content that are texts are joined.
func text(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil || len(parts) == 0 {
		return string(raw)
	}
	var all strings.Builder
	for _, p := range parts {
		if p.Text == nil {
			return string(raw)
		}
		all.WriteString(*p.Text)
	}
	return all.String()
}

// Identify gives calls that have no id one of their name and number within the conversation of the request, as the
// results in later requests get it too.
func (a ParsedRequest) Identify(calls []Call) {
	seen := map[string]int{}
	for name, n := range a.named {
		seen[name] = n
	}
	for i := range calls {
		if number := numbered(calls[i].Name, seen); calls[i].ID == "" {
			calls[i].ID = number
		}
	}
}

// Number is what [ParsedRequest.Identify] gave the call of a result if the model gave it no id, and the agent one of
// its own; "" is none.
func (a ParsedRequest) Number(id string) string { return a.numbers[id] }

// Streamed reports whether an answer comes in parts, by what was asked and by its type.
func (d *Dialect) Streamed(asked bool, contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	return asked && (kind != "application/json" || d.Lists()) || kind == "text/event-stream" ||
		kind == "application/x-ndjson"
}

// Lists reports whether streams may come as a JSON list, which looks like an answer that came whole.
func (d *Dialect) Lists() bool { return d.lists }

// Problem is the message of an error in any of the forms; "" is none. What is no JSON is cut to a line or two.
func Problem(body []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &e) != nil {
		const most = 200
		if len(body) > most {
			body = body[:most]
		}
		return strings.ToValidUTF8(string(body), "\uFFFD")
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(e.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	if said := text(e.Error); said != "" {
		return said
	}
	return e.Message
}
