package ingest

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// mcpLog reads the sessions of a log.
type mcpLog struct {
	in         *input
	sessions   []*mcpSession // in the order of their beginnings
	unanswered int
}

// mcpSession is the trial of a session: its calls of tools.
type mcpSession struct {
	*trace
	id      string // "" if the log names none
	begun   map[string]bool
	waiting []mcpRequest
}

// mcpRequest is a request without its response.
type mcpRequest struct {
	id        string // with the server, as ids are chosen anew for each
	direction string // "" if unknown
	method    string
	params    string
	step      string // id of the call in the trace
	at        time.Time
}

// readMCP makes a trial of each session. Sessions without an id follow each other,
// and begin with the request to initialize a server that is initialized.
func readMCP(in *input) error {
	m := &mcpLog{in: in}
	if err := m.read(); err != nil {
		return err
	}
	for _, s := range m.sessions {
		if err := m.end(s); err != nil {
			return err
		}
	}
	if m.unanswered > 0 {
		in.notes.remark(fmt.Sprintf("calls without a result: %d; was the program stopped?", m.unanswered))
	}
	return nil
}

func (m *mcpLog) read() error {
	start, err := m.in.text.Peek(prefixBytes)
	if err != nil && err != io.EOF && len(start) == 0 {
		return err
	}
	if m.in.isOneValue(start) {
		return m.in.records(func(n node, line int) error { return m.record(n, line, logPrefix{}) })
	}
	return m.in.eachLine(func(text []byte, line int) error {
		n, prefix := mcpLine(text)
		if !n.exists() {
			m.in.unread(text, line)
			return nil
		}
		if n.isObject() {
			return m.record(n, line, prefix)
		}
		return m.messages(n, mcpWrapper(node{}, line, prefix))
	})
}

// record reads an object, which is a message or holds one.
func (m *mcpLog) record(n node, line int, prefix logPrefix) error {
	w := mcpWrapper(n, line, prefix)
	inner := mcpMessage(n)
	if !inner.exists() {
		m.in.notes.skip("records that hold no JSON-RPC message")
		return nil
	}
	return m.messages(inner, w)
}

// messages reads a message or a batch of them.
func (m *mcpLog) messages(n node, w mcpEnvelope) error {
	if n.isObject() {
		return m.message(n, w)
	}
	for _, one := range n.list() {
		if err := m.message(one, w); err != nil {
			return err
		}
	}
	return nil
}

func (m *mcpLog) message(n node, w mcpEnvelope) error {
	s, err := m.session(n, w)
	if err != nil {
		return err
	}
	s.addTime(w.at)
	switch method := n.at("method").text(); {
	case method == "notifications/cancelled":
		s.cancel(n.at("params"), w)
	case method != "" && n.at("id").exists():
		s.request(method, n, w, m.in.notes)
	case method != "": // another notification
	case n.has("result") || n.has("error"):
		s.response(n, w, m.in.notes)
	default:
		m.in.notes.skip(unknownEvent)
	}
	return nil
}

// session returns the session of a message.
func (m *mcpLog) session(n node, w mcpEnvelope) (*mcpSession, error) {
	i := slices.IndexFunc(m.sessions, func(s *mcpSession) bool { return s.id == w.session })
	begins := n.at("method").text() == "initialize"
	if i >= 0 && begins && m.sessions[i].begun[w.server] && len(m.sessions[i].Steps) > 0 {
		if err := m.end(m.sessions[i]); err != nil {
			return nil, err
		}
		m.sessions = slices.Delete(m.sessions, i, i+1)
		i = -1
	}
	if i < 0 {
		i = len(m.sessions)
		m.sessions = append(m.sessions, &mcpSession{trace: newTrace(m.in, w.line), id: w.session, begun: map[string]bool{}})
		m.sessions[i].setTag(w.sessionName, node{w.session})
	}
	s := m.sessions[i]
	if begins {
		s.begun[w.server] = true
	}
	return s, nil
}

// end hands out the trial of a session.
func (m *mcpLog) end(s *mcpSession) error {
	for _, r := range s.waiting {
		if r.step != "" {
			m.unanswered++
		}
	}
	return m.in.emitTrace(s.trace)
}

func (s *mcpSession) request(method string, n node, w mcpEnvelope, notes *notes) {
	params := n.at("params")
	s.setTags("", params, "protocolVersion")
	s.setTag("clientInfo.name", params.at("clientInfo", "name"))
	s.setTag("clientInfo.version", params.at("clientInfo", "version"))
	r := mcpRequest{id: w.key(n.at("id")), direction: w.direction, method: method, params: string(params.raw()), at: w.at}
	for i, old := range s.waiting {
		if old.id != r.id || old.method != method {
			continue
		}
		if old.params == r.params {
			notes.pass("requests that are logged twice")
			return
		}
		if old.step == "" { // never answered: the id is in use again
			s.waiting = slices.Delete(s.waiting, i, i+1)
			break
		}
	}
	if method == "tools/call" {
		r.step = strconv.Itoa(len(s.Steps))
		s.addCall(toolCall{r.step, params.at("name").text(), params.at("arguments")})
	}
	s.waiting = append(s.waiting, r)
}

// answered takes the request that a response belongs to: both sides number theirs, so
// it went the other way. The last one counts, where one was never answered and its id
// was used again.
func (s *mcpSession) answered(id string, w mcpEnvelope, sameWay bool) (mcpRequest, bool) {
	for i, r := range slices.Backward(s.waiting) {
		known := r.direction != "" && w.direction != ""
		if r.id == id && (!known || (r.direction == w.direction) == sameWay) {
			s.waiting = slices.Delete(s.waiting, i, i+1)
			return r, true
		}
	}
	return mcpRequest{}, false
}

func (s *mcpSession) response(n node, w mcpEnvelope, notes *notes) {
	result := n.at("result")
	s.setTag("serverInfo.name", result.at("serverInfo", "name"))
	s.setTag("serverInfo.version", result.at("serverInfo", "version"))
	r, ok := s.answered(w.key(n.at("id")), w, false)
	if !ok {
		notes.skip(resultWithoutCall)
		return
	}
	if r.step == "" {
		return
	}
	step := s.takeCall(r.step, "")
	step.DurationSeconds = secondsBetween(r.at, w.at)
	if e := n.at("error"); e.exists() {
		step.Error = stepError(e.at("message").text())
		return
	}
	content := result.at("content")
	text, _ := content.blockText()
	switch {
	case content.length() > 0:
		step.Output = content.blockOutput()
	case result.at("structuredContent").exists():
		step.Output = result.at("structuredContent").raw()
	case content.exists():
		step.Output = trial.RawString("")
	default:
		step.Output = result.raw() // of a task that goes on, say
	}
	if result.at("isError").isTrue() {
		step.Error = stepError(text)
	}
}

// cancel reads that the client no longer waits. The notification goes the way of the
// request.
func (s *mcpSession) cancel(params node, w mcpEnvelope) {
	if r, ok := s.answered(w.key(params.at("requestId")), w, true); ok && r.step != "" {
		if step := s.takeCall(r.step, ""); step != nil {
			step.Error = stepError("cancelled: " + params.at("reason").text())
		}
	}
}
