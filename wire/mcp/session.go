package mcp

import (
	"bytes"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// Teller is who is asked of calls, and told of them: a [wire.Route].
type Teller interface {
	BeginCall(wire.ToolCall) (number int, denied string)
	EndCall(number int, result wire.ToolResult)
}

// maxMessageBytes bounds what is read of a message. A longer one passes unread, where no guard forbids it.
const maxMessageBytes = 16 << 20

// maxPending bounds the calls of a session that have no result yet.
const maxPending = 10_000

// message is what is read of a message. Names are read as they are written, and none may be given twice: a reader that
// took another of two would see another call.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// session reads the messages of one connection to a server.
type session struct {
	server string
	teller Teller

	mu      sync.Mutex
	pending map[string]int // numbers of calls, by the ids of their requests
}

func newSession(server string, t Teller) *session {
	return &session{server: server, teller: t, pending: map[string]int{}}
}

// fromAgent looks at a message before it goes to the server. What passes is the text itself; it is nil where a call must
// not be made, or the rest of a batch. The answers go to the agent in its place.
func (s *session) fromAgent(text []byte) (pass []byte, answers [][]byte) {
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return text, nil
	}
	if trimmed[0] == '[' {
		return s.batch(text, trimmed)
	}
	var m message
	if err := json.Unmarshal(trimmed, &m); err != nil {
		return s.unread(text, "a message that cannot be read may be a call of any tool: "+err.Error())
	}
	if m.Method != "tools/call" {
		return text, nil
	}
	denied := s.begin(m)
	if denied == "" {
		return text, nil
	}
	if len(m.ID) == 0 {
		return nil, nil // a notification, which has no answer
	}
	return nil, [][]byte{refusal(m.ID, denied)}
}

// batch looks at the messages of a list.
func (s *session) batch(text, trimmed []byte) (pass []byte, answers [][]byte) {
	var all, kept []jsontext.Value
	err := dialect.ErrExcessive
	if !dialect.Excessive(trimmed) {
		err = json.Unmarshal(trimmed, &all)
	}
	if err != nil {
		return s.unread(text, "a list of messages that cannot be read may be calls of any tools: "+err.Error())
	}
	for _, one := range all {
		if one[0] == '[' { // of lists in lists each would be read as often as it is deep
			return s.unread(text, "a list of messages has another list in it, which may be calls of any tools")
		}
	}
	for _, one := range all {
		passed, refused := s.fromAgent(one)
		answers = append(answers, refused...)
		if passed != nil {
			kept = append(kept, one)
		}
	}
	switch {
	case len(kept) == len(all):
		return text, nil
	case len(kept) == 0:
		return nil, answers
	}
	rest, _ := json.Marshal(kept) // of what was JSON
	return append(rest, '\n'), answers
}

// unread asks whether a message may pass that cannot be read.
func (s *session) unread(text []byte, why string) (pass []byte, answers [][]byte) {
	if _, denied := s.teller.BeginCall(wire.ToolCall{Server: s.server, Unread: why}); denied != "" {
		return nil, [][]byte{failure(denied)}
	}
	return text, nil
}

// begin asks of a call.
func (s *session) begin(m message) (denied string) {
	var p struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	}
	c := wire.ToolCall{Server: s.server}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		c.Unread = "the parameters of a call cannot be read: " + err.Error()
	}
	c.Name, c.Arguments = p.Name, []byte(p.Arguments)
	number, denied := s.teller.BeginCall(c)
	if denied != "" || number < 0 || len(m.ID) == 0 {
		return denied
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) < maxPending {
		s.pending[string(m.ID)] = number
	}
	return ""
}

// fromServer looks at a message of the server.
func (s *session) fromServer(text []byte) {
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return
	}
	if trimmed[0] == '[' {
		var all []jsontext.Value
		if !dialect.Excessive(trimmed) && json.Unmarshal(trimmed, &all, jsontext.AllowInvalidUTF8(true)) == nil {
			for _, one := range all {
				if len(one) > 0 && one[0] == '{' {
					s.fromServer(one)
				}
			}
		}
		return
	}
	s.mu.Lock()
	waiting := len(s.pending)
	s.mu.Unlock()
	if waiting == 0 {
		return
	}
	var m message
	if json.Unmarshal(trimmed, &m, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil ||
		m.Method != "" || len(m.ID) == 0 {
		return
	}
	s.mu.Lock()
	number, known := s.pending[string(m.ID)]
	delete(s.pending, string(m.ID))
	s.mu.Unlock()
	if known {
		s.teller.EndCall(number, resultOf(m))
	}
}

// resultOf is what came of a call.
func resultOf(m message) (r wire.ToolResult) {
	if m.Error != nil {
		if r.Problem = m.Error.Message; r.Problem == "" {
			r.Problem = "the server answered with an error"
		}
		return r
	}
	var result struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	if dialect.Excessive(m.Result) {
		return wire.ToolResult{Problem: "the result cannot be read: " + dialect.ErrExcessive.Error()}
	}
	lax := json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err := json.Unmarshal(m.Result, &result, lax); err != nil {
		return wire.ToolResult{Problem: "the result cannot be read: " + err.Error()}
	}
	r.Failed = result.IsError
	r.Output = []byte(m.Result)
	var texts []string
	for _, part := range result.Content {
		if part.Type != "text" {
			return r // which no text can say
		}
		texts = append(texts, part.Text)
	}
	if len(texts) > 0 {
		r.Output, _ = json.Marshal(strings.Join(texts, "\n"), jsontext.AllowInvalidUTF8(true)) // of a text
	}
	return r
}

// refusal is the result of a call that is not made.
func refusal(id jsontext.Value, why string) []byte {
	return append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), append(append(
		[]byte(`,"result":{"content":[{"type":"text","text":`), quoted(why)...), `}],"isError":true}}`...)...)
}

// failure is the answer to what cannot be read.
func failure(why string) []byte {
	return append(append([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":`), quoted(why)...), `}}`...)
}

// quoted is a text as JSON.
func quoted(text string) []byte {
	q, _ := json.Marshal(strings.ToValidUTF8(text, "\uFFFD")) // of a text
	return q
}
