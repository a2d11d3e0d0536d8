package agents

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// showsBedrock knows the events of InvokeAgent with traces enabled:
//
//	{"trace":{"sessionId":"s-1","agentId":"A","callerChain":[{}],"trace":{"orchestrationTrace":{"rationale":{...}}}}}
//	{"chunk":{"bytes":"SGVsbG8="}}
//
// one a line or in an array; some programs write what is inside of the outer trace alone.
func showsBedrock(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
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
func bedrockTrace(n record.Node) (part record.Node, kind string, trace record.Node) {
	part = n.At("trace")
	if part.IsObject() && !part.At("trace").IsObject() {
		part = n // without the event around it
	}
	for _, kind := range bedrockTraces {
		if trace := part.At("trace", kind); trace.IsObject() {
			return part, kind, trace
		}
	}
	return record.Node{}, "", record.Node{}
}

// bedrock reads the sessions of a file, one after the other.
type bedrock struct {
	in      *record.Input
	session *bedrockSession // nil before the first
}

// bedrockSession is the trial of a session of the agent that is called. Those of its
// collaborators belong to it.
type bedrockSession struct {
	*record.Trace
	id       string // "" before an event of the agent itself
	at       string // when its first event was; "" if unknown
	chunks   string // the text of all chunks since the last trace, decoded
	inChunks bool   // more of it may come
	// isMain tells the model of the work from those of pre-processing and routing, which come
	// first and are often smaller.
	isMain bool // the model is that of the work itself
	isOver bool // the last prompt was answered
	// answers are indexes of steps by traceId: the input of a model, its output and its
	// rationale are events of one traceId.
	answers map[string]int
	models  map[string]string // by the id of a step of the log, as the answers
	calls   map[string]bedrockCall
}

// Bedrock decodes Amazon Bedrock Agents traces.
var Bedrock = record.Decoder{Shows: showsBedrock, Read: readBedrock}

// readBedrock makes a trial of each session.
func readBedrock(in *record.Input) error {
	b := &bedrock{in: in}
	if err := in.Records(b.event); err != nil {
		return err
	}
	return b.end()
}

// event takes in an event: a trace, a chunk of the answer, or an exception of the stream,
// which has its own name as a member ({"throttlingException":{"message":"..."}}).
func (b *bedrock) event(n record.Node, line int) error {
	part, kind, trace := bedrockTrace(n)
	if kind != "" {
		if err := b.turnTo(part, line); err != nil {
			return err
		}
		b.session.read(part, kind, trace)
		return nil
	}
	failed := ""
	for name, value := range n.Members() {
		if strings.HasSuffix(name, "Exception") && value.IsObject() {
			failed = name
		}
	}
	switch {
	case failed != "" || n.At("chunk").IsObject():
		if b.session == nil {
			b.begin(line)
		}
		if failed != "" {
			b.session.SetInfrastructureError(failed, n.At(failed, "message").Text())
			break
		}
		b.session.chunk(n.At("chunk", "bytes"))
	// With return of control the agent's call is answered by the program that called it.
	case n.Has("returnControl"), n.Has("files"): // the call is in a trace
	default:
		b.in.Notes.Skip(record.UnknownEvent)
	}
	return nil
}

// turnTo begins another session where an event of the agent itself is of one.
// Collaborators have sessions of their own, which belong to that of the supervisor; only an
// event of the agent itself can begin another.
func (b *bedrock) turnTo(part record.Node, line int) error {
	id := part.At("sessionId").Text()
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
		b.session.SetTags("", part, "sessionId", "agentId", "agentAliasId", "agentVersion")
		b.session.at = part.At("eventTime").Text()
	}
	return nil
}

// begin opens a session at a line; it has no id until the agent itself is heard.
func (b *bedrock) begin(line int) {
	b.session = &bedrockSession{
		Trace:   record.NewTrace(b.in, line),
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
	// The chunks are what the user got; the final response of the trace may differ from it.
	if s.chunks != "" {
		s.Output = trial.RawString(s.chunks)
	}
	if !s.isOver && s.Error == nil {
		b.in.Notes.Remark("a session ends without an answer; was the program stopped?")
		s.CutOff()
	}
	// Programs choose the names of sessions, and may choose one twice.
	if s.id != "" && s.at != "" {
		s.ID = s.id + " " + s.at
	}
	return b.in.EmitTrace(s.Trace)
}

// bedrockDepth is how deep the agent is that an event is of.
func bedrockDepth(part record.Node) int {
	// The chain lists the agents from the one that was called to the one that speaks. Older
	// traces have no chain, and at most the name of a collaborator.
	if chain := part.At("callerChain").Length(); chain > 0 {
		return chain - 1
	}
	if part.At("collaboratorName").Text() != "" {
		return 1
	}
	return 0
}

// chunk reads a piece of the answer to the user, which is encoded, unless the program
// that wrote the file did otherwise.
// The API gives bytes, which JSON holds in base64; a program may have decoded them before.
func (s *bedrockSession) chunk(bytes record.Node) {
	text := bytes.Text()
	if decoded, err := base64.StdEncoding.DecodeString(text); err == nil && utf8.Valid(decoded) {
		text = string(decoded)
	}
	// Chunks after a trace belong to another prompt of the session.
	if !s.inChunks {
		s.chunks = ""
	}
	s.chunks += text
	s.inChunks, s.isOver = true, true
}

// bedrockInput returns what the user said, from the text of a request to a model.
// The request is the prompt as the model gets it, JSON in a string. Its content is a text,
// or Java's print of a list: "[{text=two things, type=text}]".
func bedrockInput(text record.Node) string {
	request := text.Parsed()
	messages := request.At("messages").List()
	i := slices.IndexFunc(messages, func(m record.Node) bool { return m.At("role").Text() == "user" })
	if i < 0 {
		return ""
	}
	said, _ := messages[i].At("content").BlockText()
	if inner, ok := strings.CutPrefix(said, "[{text="); ok {
		if inner, ok = strings.CutSuffix(inner, ", type=text}]"); ok {
			return inner
		}
	}
	return said
}
