package agents

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// showsMCP looks for messages that only this protocol has: others are JSON-RPC, too.
// The objects of a log may have text before and after them.
func showsMCP(s *record.Shape) bool {
	if s.First().Length() == 0 { // what looked like the first was no JSON
		for line := range bytes.Lines(s.Text) {
			if n, _ := mcpLine(line); isMCP(mcpMessage(n)) {
				return true
			}
		}
		return false
	}
	return s.Any(func(n record.Node) bool { return isMCP(mcpMessage(n)) })
}

// isMCP reports whether a message, or one of a batch, is of this protocol: by its method, or
// by the members of a result that no other protocol on JSON-RPC has, as far as is known.
func isMCP(message record.Node) bool {
	if message.IsList() {
		return slices.ContainsFunc(message.List(), isMCP)
	}
	method, result := message.At("method").Text(), message.At("result")
	switch {
	// JSON-RPC before 2.0 has no such member, and MCP is 2.0.
	case !message.Has("jsonrpc"):
		return false
	case method == "initialize":
		return message.At("params", "protocolVersion").IsText()
	case method != "":
		family, _, _ := strings.Cut(method, "/")
		return slices.Contains([]string{"tools", "resources", "prompts", "notifications"}, family)
	}
	return result.At("protocolVersion").IsText() || result.At("content").IsList() || result.At("tools").IsList()
}

// mcpMessage returns the JSON-RPC message, or batch of them, that is an object or in
// it; the zero node if there is none.
// The names are those under which loggers keep what they were given, which may be JSON in a
// string.
func mcpMessage(n record.Node) record.Node {
	if n.Has("jsonrpc") && !n.At("jsonrpc").IsObject() {
		return n
	}
	for _, name := range []string{"message", "msg", "payload", "data", "body", "jsonrpc", "raw"} {
		inner := n.At(name).Parsed()
		if inner.Has("jsonrpc") || slices.ContainsFunc(inner.List(),
			func(m record.Node) bool { return m.Has("jsonrpc") }) {
			return inner
		}
	}
	return record.Node{}
}

// mcpLine returns the first object or array of objects of a line, and what the text
// before it says. Text may follow, too.
// Claude Desktop writes
//
//	2026-01-05T10:00:00.000Z [files] [info] Message from client: {"method":"tools/call",...} { metadata: undefined }
func mcpLine(text []byte) (record.Node, logPrefix) {
	// Braces before the message, such as of a template, are tried and passed over; four tries
	// are chosen, so that a long line of braces costs little.
	for offset, tries := 0, 0; tries < 4; tries++ {
		i := bytes.IndexByte(text[offset:], '{')
		if i < 0 {
			break
		}
		start := offset + i
		offset = start + 1
		// A bracket before the brace begins a batch.
		if before := bytes.TrimRight(text[:start], " "); bytes.HasSuffix(before, []byte{'['}) {
			start = len(before) - 1
		}
		d := json.NewDecoder(bytes.NewReader(text[start:]))
		d.UseNumber()
		var n record.Node
		if d.Decode(&n.Value) == nil {
			return n, prefixOf(string(text[:start]))
		}
	}
	return record.Node{}, logPrefix{}
}

// logPrefix is what stands before a message in a line of a log.
// The zero value says nothing. server and direction are "" if unknown, at is zero.
type logPrefix struct {
	at        time.Time
	server    string // first word in brackets that is no level
	direction string
}

// prefixOf reads the words before a message. The first time counts, and the first word in
// brackets that names no level is the server.
func prefixOf(text string) (p logPrefix) {
	for _, word := range strings.Fields(text) {
		inner := strings.Trim(word, "[]")
		if at, err := trial.Timestamp(inner).Time(); err == nil && p.at.IsZero() {
			p.at = at
			continue
		}
		switch lower := strings.ToLower(inner); {
		case lower == "info", lower == "debug", lower == "warn", lower == "error", lower == "trace", lower == "notice":
		case strings.HasPrefix(word, "[") && strings.HasSuffix(word, "]") && p.server == "":
			p.server = inner
		case strings.HasPrefix(lower, "client"), strings.HasPrefix(lower, "server"):
			p.direction = strings.TrimRight(lower, ":") // Message from client:
		}
	}
	return p
}

// mcpEnvelope is what is known of a message besides itself.
// session is "" where the log names none, and sessionName is the member that named it, which
// becomes the name of the tag.
type mcpEnvelope struct {
	line                 int
	session, sessionName string
	server, direction    string
	at                   time.Time
}

// mcpWrapper takes what the object around a message says, and what stood before it in the
// line where the object says nothing. n is zero for a batch.
func mcpWrapper(n record.Node, line int, p logPrefix) mcpEnvelope {
	w := mcpEnvelope{line: line, server: p.server, direction: p.direction, at: p.at}
	for _, name := range []string{"session_id", "sessionId", "session", "mcp-session-id", "mcp_session_id",
		"connection_id", "connectionId"} {
		if id := n.At(name).Text(); id != "" {
			w.session, w.sessionName = id, name
			break
		}
	}
	if server := n.Either("server", "server_name", "serverName").Text(); server != "" {
		w.server = server
	}
	if direction := n.Either("direction", "dir").Text(); direction != "" {
		w.direction = direction
	}
	for _, name := range []string{"timestamp", "time", "ts", "@timestamp"} {
		if at := n.At(name).Time(); !at.IsZero() {
			w.at = at
			break
		}
	}
	return w
}

// key is an id of a request, of which 1 and "1" are two.
// Ids are chosen anew for each server.
func (w mcpEnvelope) key(id record.Node) string { return w.server + "\x00" + string(id.Raw()) }
