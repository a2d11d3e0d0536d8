package agents

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// mcpLog reads the sessions of a log.
// The log is what a client, a server or a proxy between them wrote of the JSON-RPC messages
// of the Model Context Protocol:
//
//	{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":{"q":"x"}}}
//	{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"found"}],"isError":false}}
//
// There is no standard for such logs, so that the messages are looked for inside of whatever
// a line is, see mcp_line.go.
type mcpLog struct {
	in       *record.Input
	sessions []*mcpSession          // in the order of their beginnings; one that ended has no Trace
	open     map[string]*mcpSession // by their ids
	// unanswered counts calls of tools without a response, in all sessions.
	unanswered int
}

// mcpSession is the trial of a session: its calls of tools.
type mcpSession struct {
	*record.Trace
	id string // "" if the log names none
	// begun are the servers that were initialized; a second time begins another session.
	// waiting are requests of any method, those of tools among them, in their order.
	begun   map[string]bool
	waiting mcpRequests
}

// mcpRequest is a request without its response.
// A session may have requests of both sides: a server asks its client, too.
type mcpRequest struct {
	id        string // with the server, as ids are chosen anew for each
	direction string // "" if unknown
	method    string
	params    string
	step      string // id of the call in the trace
	at        time.Time
}

// MCP decodes MCP JSON-RPC logs.
var MCP = record.Decoder{Shows: showsMCP, Read: readMCP}

// readMCP makes a trial of each session. Sessions without an id follow each other,
// and begin with the request to initialize a server that is initialized.
func readMCP(in *record.Input) error {
	m := &mcpLog{in: in, open: map[string]*mcpSession{}}
	if err := m.read(); err != nil {
		return err
	}
	for _, s := range m.sessions {
		if s.Trace == nil {
			continue
		}
		if err := m.end(s); err != nil {
			return err
		}
	}
	if m.unanswered > 0 {
		in.Notes.Remark(fmt.Sprintf("calls without a result: %d; was the program stopped?", m.unanswered))
	}
	return nil
}

// read goes through the file: JSON as a whole, or lines with text around the messages.
func (m *mcpLog) read() error {
	start, err := m.in.Text.Peek(record.PrefixBytes)
	if err != nil && err != io.EOF && len(start) == 0 {
		return err
	}
	if m.in.IsOneValue(start) {
		return m.in.Records(func(n record.Node, line int) error { return m.record(n, line, logPrefix{}) })
	}
	return m.in.EachLine(func(text []byte, line int) error {
		n, prefix := mcpLine(text)
		if !n.Exists() {
			m.in.Unread(text, line)
			return nil
		}
		if n.IsObject() {
			return m.record(n, line, prefix)
		}
		// An array is a batch of JSON-RPC.
		return m.messages(n, mcpWrapper(record.Node{}, line, prefix))
	})
}

// record reads an object, which is a message or holds one.
func (m *mcpLog) record(n record.Node, line int, prefix logPrefix) error {
	w := mcpWrapper(n, line, prefix)
	inner := mcpMessage(n)
	if !inner.Exists() {
		m.in.Notes.Skip("records that hold no JSON-RPC message")
		return nil
	}
	return m.messages(inner, w)
}

// messages reads a message or a batch of them.
// message takes in one message, by the members that JSON-RPC gives its kinds: a method and
// an id make a request, a method alone a notification, and neither a response.
func (m *mcpLog) messages(n record.Node, w mcpEnvelope) error {
	if n.IsObject() {
		return m.message(n, w)
	}
	for _, one := range n.List() {
		if err := m.message(one, w); err != nil {
			return err
		}
	}
	return nil
}

func (m *mcpLog) message(n record.Node, w mcpEnvelope) error {
	s, err := m.session(n, w)
	if err != nil {
		return err
	}
	s.AddTime(w.at)
	switch method := n.At("method").Text(); {
	case method == "notifications/cancelled":
		s.cancel(n.At("params"), w)
	case method != "" && n.At("id").Exists():
		s.request(method, n, w, m.in.Notes)
	case method != "": // another notification
	case n.Has("result") || n.Has("error"):
		s.response(n, w, m.in.Notes)
	default:
		m.in.Notes.Skip(record.UnknownEvent)
	}
	return nil
}

// session returns the session of a message.
func (m *mcpLog) session(n record.Node, w mcpEnvelope) (*mcpSession, error) {
	s := m.open[w.session]
	// Without an id of the session, a server that is initialized again is another session,
	// unless nothing was called before.
	begins := n.At("method").Text() == "initialize"
	if s != nil && begins && s.begun[w.server] && len(s.Steps) > 0 {
		if err := m.end(s); err != nil {
			return nil, err
		}
		s.Trace, s = nil, nil
	}
	if s == nil {
		s = &mcpSession{Trace: record.NewTrace(m.in, w.line), id: w.session, begun: map[string]bool{}}
		m.sessions = append(m.sessions, s)
		m.open[w.session] = s
		s.SetTag(w.sessionName, record.Node{Value: w.session})
	}
	if begins {
		s.begun[w.server] = true
	}
	return s, nil
}

// end hands out the trial of a session.
func (m *mcpLog) end(s *mcpSession) error {
	m.unanswered += s.waiting.calls()
	return m.in.EmitTrace(s.Trace)
}

// request keeps a request until its response. A proxy may log each message twice, on its
// way in and on its way out: that with the same id, method and parameters is the same.
func (s *mcpSession) request(method string, n record.Node, w mcpEnvelope, notes *record.Notes) {
	params := n.At("params")
	// They are there in the request to initialize.
	s.SetTags("", params, "protocolVersion")
	s.SetTag("clientInfo.name", params.At("clientInfo", "name"))
	s.SetTag("clientInfo.version", params.At("clientInfo", "version"))
	r := mcpRequest{id: w.key(n.At("id")), direction: w.direction, method: method,
		params: string(params.Raw()), at: w.at}
	same := s.waiting[r.id]
	for i, old := range same {
		if old.method != method {
			continue
		}
		if old.params == r.params {
			notes.Pass("requests that are logged twice")
			return
		}
		if old.step == "" { // never answered: the id is in use again
			s.waiting.drop(r.id, i)
			break
		}
	}
	if method == "tools/call" {
		// The id of a request may be used again, that of the trace may not.
		r.step = strconv.Itoa(len(s.Steps))
		s.AddCall(record.Call{ID: r.step, Tool: params.At("name").Text(), Arguments: params.At("arguments")})
	}
	if s.waiting == nil {
		s.waiting = mcpRequests{}
	}
	s.waiting[r.id] = append(s.waiting[r.id], r)
}

// mcpRequests are the requests that wait for a response, by their ids, those of one id in their
// order. A log may hold many that nobody answers.
type mcpRequests map[string][]mcpRequest

// drop forgets one request of an id.
func (w mcpRequests) drop(id string, i int) {
	if w[id] = slices.Delete(w[id], i, i+1); len(w[id]) == 0 {
		delete(w, id)
	}
}

// calls counts the calls of tools among them.
func (w mcpRequests) calls() (n int) {
	for _, same := range w {
		for _, r := range same {
			if r.step != "" {
				n++
			}
		}
	}
	return n
}

// takeRequest takes the request that a response belongs to: both sides number theirs, so
// it went the other way. The last one counts, where one was never answered and its id
// was used again.
// Where a line does not say which way it went, the id has to suffice.
func (s *mcpSession) takeRequest(id string, w mcpEnvelope, sameWay bool) (mcpRequest, bool) {
	for i, r := range slices.Backward(s.waiting[id]) {
		known := r.direction != "" && w.direction != ""
		if !known || (r.direction == w.direction) == sameWay {
			s.waiting.drop(id, i)
			return r, true
		}
	}
	return mcpRequest{}, false
}

// response completes the request that it belongs to; of methods other than tools/call there
// is nothing to complete.
func (s *mcpSession) response(n record.Node, w mcpEnvelope, notes *record.Notes) {
	result := n.At("result")
	s.SetTag("serverInfo.name", result.At("serverInfo", "name"))
	s.SetTag("serverInfo.version", result.At("serverInfo", "version"))
	r, ok := s.takeRequest(w.key(n.At("id")), w, false)
	if !ok {
		notes.Skip(record.ResultWithoutCall)
		return
	}
	if r.step == "" {
		return
	}
	step := s.TakeCall(r.step, "")
	step.DurationSeconds = record.SecondsBetween(r.at, w.at)
	// A protocol error: the call did not reach the tool, or its arguments were refused. What a
	// tool itself reports has isError in the result.
	if e := n.At("error"); e.Exists() {
		step.Error = record.StepError(e.At("message").Text())
		return
	}
	content := result.At("content")
	text, _ := content.BlockText()
	switch {
	// Content is for the model; structuredContent is the result for programs.
	case content.Length() > 0:
		step.Output = content.BlockOutput()
	case result.At("structuredContent").Exists():
		step.Output = result.At("structuredContent").Raw()
	case content.Exists():
		step.Output = trial.RawString("")
	default:
		step.Output = result.Raw() // of a task that goes on, say
	}
	if result.At("isError").IsTrue() {
		step.Error = record.StepError(text)
	}
}

// cancel reads that the client no longer waits. The notification goes the way of the
// request.
func (s *mcpSession) cancel(params record.Node, w mcpEnvelope) {
	if r, ok := s.takeRequest(w.key(params.At("requestId")), w, true); ok && r.step != "" {
		if step := s.TakeCall(r.step, ""); step != nil {
			step.Error = record.StepError("cancelled: " + params.At("reason").Text())
		}
	}
}
