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
	BeginCall(wire.ToolCall) wire.StartedCall
	EndCall(number int, result wire.ToolResult) *wire.ReplacedResult
	ChangeTools(server string, names []string) map[string]string
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
	pending map[string]int  // numbers of calls, by the ids of their requests
	listing map[string]bool // requests for the tools, by their ids
}

func newSession(server string, t Teller) *session {
	return &session{server: server, teller: t, pending: map[string]int{}, listing: map[string]bool{}}
}

// fromAgent looks at a message before it goes to the server. What passes is the text itself; it is nil where a call
// must not be made, or the rest of a batch. The answers go to the agent in its place.
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
	if m.Method == "tools/list" {
		s.list(m)
	}
	if m.Method != "tools/call" {
		return text, nil
	}
	own, denied := s.begin(m)
	switch {
	case denied == "" && own == "":
		return text, nil
	case denied == "":
		return renamed(text, trimmed, own), nil
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
	same := true
	for _, one := range all {
		passed, refused := s.fromAgent(one)
		answers = append(answers, refused...)
		if passed != nil {
			kept = append(kept, passed)
		}
		same = same && bytes.Equal(passed, one)
	}
	switch {
	case same:
		return text, nil
	case len(kept) == 0:
		return nil, answers
	}
	rest, _ := json.Marshal(kept) // of what was JSON
	return append(rest, '\n'), answers
}

// unread asks whether a message may pass that cannot be read.
func (s *session) unread(text []byte, why string) (pass []byte, answers [][]byte) {
	if b := s.teller.BeginCall(wire.ToolCall{Server: s.server, Unread: why}); b.Denied != "" {
		return nil, [][]byte{failure(b.Denied)}
	}
	return text, nil
}

// list notes a request for the tools.
func (s *session) list(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(m.ID) > 0 && len(s.listing) < maxPending {
		s.listing[string(m.ID)] = true
	}
}

// begin asks of a call. It returns the server's own name of the tool, where that is another.
func (s *session) begin(m message) (own, denied string) {
	var p struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	}
	c := wire.ToolCall{Server: s.server}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		c.Unread = "the parameters of a call cannot be read: " + err.Error()
	}
	c.Name, c.Arguments = p.Name, []byte(p.Arguments)
	b := s.teller.BeginCall(c)
	if b.Denied != "" || b.Number < 0 || len(m.ID) == 0 {
		return b.Name, b.Denied
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) < maxPending {
		s.pending[string(m.ID)] = b.Number
	}
	return b.Name, ""
}

// waiting reports whether the server owes an answer that is looked at.
func (s *session) waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pending)+len(s.listing) > 0
}

// fromServer looks at a message of the server, and returns what the agent is to have: the text itself, unless an act
// says something else in its place.
func (s *session) fromServer(text []byte) []byte {
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 || !s.waiting() {
		return text
	}
	if trimmed[0] == '[' {
		return s.batchOfServer(text, trimmed)
	}
	var m message
	if json.Unmarshal(trimmed, &m, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil ||
		m.Method != "" || len(m.ID) == 0 {
		return text
	}
	s.mu.Lock()
	number, called := s.pending[string(m.ID)]
	listed := s.listing[string(m.ID)]
	delete(s.pending, string(m.ID))
	delete(s.listing, string(m.ID))
	s.mu.Unlock()
	put := trimmed
	switch {
	case called:
		if told := s.teller.EndCall(number, resultOf(m)); told != nil {
			put = retold(trimmed, told)
		}
	case listed:
		put = s.reoffered(trimmed)
	}
	if bytes.Equal(put, trimmed) {
		return text
	}
	return within(text, trimmed, put)
}

// batchOfServer looks at the messages of a list.
func (s *session) batchOfServer(text, trimmed []byte) []byte {
	var all []jsontext.Value
	if dialect.Excessive(trimmed) || json.Unmarshal(trimmed, &all, jsontext.AllowInvalidUTF8(true)) != nil {
		return text
	}
	same := true
	for i, one := range all {
		if len(one) == 0 || one[0] != '{' {
			continue
		}
		all[i] = s.fromServer(one)
		same = same && bytes.Equal(all[i], one)
	}
	if same {
		return text
	}
	return within(text, trimmed, list(all))
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
		IsError    bool           `json:"isError"`
		Structured jsontext.Value `json:"structuredContent"`
	}
	if dialect.Excessive(m.Result) {
		return wire.ToolResult{Problem: "the result cannot be read: " + dialect.ErrExcessive.Error()}
	}
	lax := json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err := json.Unmarshal(m.Result, &result, lax); err != nil {
		return wire.ToolResult{Problem: "the result cannot be read: " + err.Error()}
	}
	r.Failed = result.IsError
	if len(result.Structured) > 0 && result.Structured[0] == '{' {
		r.Structured = []byte(result.Structured)
	}
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
