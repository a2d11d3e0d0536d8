package ingest

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/trial"
)

func showsBedrock(s *shape) bool {
	return s.any(func(n node) bool {
		_, kind, _ := bedrockTrace(n)
		return kind != ""
	})
}

// bedrockTraces are the kinds of a trace.
var bedrockTraces = [...]string{
	"orchestrationTrace", "preProcessingTrace", "postProcessingTrace", "routingClassifierTrace",
	"guardrailTrace", "customOrchestrationTrace", "failureTrace",
}

// bedrockTrace returns the part of an event that says who it is of, and the trace in
// it with its kind, "" if there is none.
func bedrockTrace(n node) (part node, kind string, trace node) {
	part = n.at("trace")
	if part.isObject() && !part.at("trace").isObject() {
		part = n // without the event around it
	}
	for _, kind := range bedrockTraces {
		if trace := part.at("trace", kind); trace.isObject() {
			return part, kind, trace
		}
	}
	return node{}, "", node{}
}

// bedrock reads the sessions of a file, one after the other.
type bedrock struct {
	in      *input
	session *bedrockSession // nil before the first
}

// bedrockSession is the trial of a session of the agent that is called. Those of its
// collaborators belong to it.
type bedrockSession struct {
	*trace
	id       string // "" before an event of the agent itself
	chunks   string // the answer that was handed out last
	inChunks bool   // more of it may come
	isMain   bool   // the model is that of the work itself
	isOver   bool   // the last prompt was answered
	answers  map[string]int
	models   map[string]string // by the id of a step of the log, as the answers
	calls    map[string]bedrockCall
}

// readBedrock makes a trial of each session.
func readBedrock(in *input) error {
	b := &bedrock{in: in}
	if err := in.records(b.event); err != nil {
		return err
	}
	return b.end()
}

func (b *bedrock) event(n node, line int) error {
	part, kind, trace := bedrockTrace(n)
	if kind != "" {
		if err := b.turnTo(part, line); err != nil {
			return err
		}
		b.session.read(part, kind, trace)
		return nil
	}
	failed := ""
	for name, value := range n.members() {
		if strings.HasSuffix(name, "Exception") && value.isObject() {
			failed = name
		}
	}
	switch {
	case failed != "" || n.at("chunk").isObject():
		if b.session == nil {
			b.begin(line)
		}
		if failed != "" {
			b.session.setInfrastructureError(failed, n.at(failed, "message").text())
			break
		}
		b.session.chunk(n.at("chunk", "bytes"))
	case n.has("returnControl"), n.has("files"): // the call is in a trace
	default:
		b.in.notes.skip(unknownEvent)
	}
	return nil
}

// turnTo begins another session where an event of the agent itself is of one.
func (b *bedrock) turnTo(part node, line int) error {
	id := part.at("sessionId").text()
	isAgent := bedrockDepth(part) == 0
	if b.session != nil && isAgent && id != b.session.id && b.session.id != "" {
		if err := b.end(); err != nil {
			return err
		}
	}
	if b.session == nil {
		b.begin(line)
	}
	if isAgent && b.session.id == "" {
		b.session.id = id
		b.session.setTags("", part, "sessionId", "agentId", "agentAliasId", "agentVersion")
	}
	return nil
}

func (b *bedrock) begin(line int) {
	b.session = &bedrockSession{
		trace:   newTrace(b.in, line),
		answers: map[string]int{}, models: map[string]string{}, calls: map[string]bedrockCall{},
	}
}

// end hands out the trial of the session.
func (b *bedrock) end() error {
	s := b.session
	b.session = nil
	if s == nil {
		return nil
	}
	if s.chunks != "" {
		s.Output = trial.RawString(s.chunks)
	}
	if !s.isOver && s.Error == nil {
		b.in.notes.remark("a session ends without an answer; was the program stopped?")
	}
	return b.in.emitTrace(s.trace)
}

// bedrockDepth is how deep the agent is that an event is of.
func bedrockDepth(part node) int {
	if chain := part.at("callerChain").length(); chain > 0 {
		return chain - 1
	}
	if part.at("collaboratorName").text() != "" {
		return 1
	}
	return 0
}

// chunk reads a piece of the answer to the user, which is encoded, unless the program
// that wrote the file did otherwise.
func (s *bedrockSession) chunk(bytes node) {
	text := bytes.text()
	if decoded, err := base64.StdEncoding.DecodeString(text); err == nil && utf8.Valid(decoded) {
		text = string(decoded)
	}
	if !s.inChunks {
		s.chunks = ""
	}
	s.chunks += text
	s.inChunks, s.isOver = true, true
}

// bedrockInput returns what the user said, from the text of a request to a model.
func bedrockInput(text node) string {
	request := text.parsed()
	messages := request.at("messages").list()
	i := slices.IndexFunc(messages, func(m node) bool { return m.at("role").text() == "user" })
	if i < 0 {
		return ""
	}
	said, _ := messages[i].at("content").blockText()
	if inner, ok := strings.CutPrefix(said, "[{text="); ok {
		if inner, ok = strings.CutSuffix(inner, ", type=text}]"); ok {
			return inner
		}
	}
	return said
}
