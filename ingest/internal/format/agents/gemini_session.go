package agents

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// showsGeminiSession knows the files below ~/.gemini/tmp, chats/session-*. Up to version 0.3x
// each is one object:
//
//	{"sessionId":"s-1","projectHash":"...","startTime":"...","lastUpdated":"...","messages":[
//	  {"id":"m-1","timestamp":"...","type":"user","content":"List the files"},
//	  {"id":"m-2","timestamp":"...","type":"gemini","content":"","toolCalls":[...],"tokens":{...},"model":"..."}]}
//
// Later ones have a line for the session, one for each message, which is written again when it
// grows, and lines that change what was written before:
//
//	{"sessionId":"s-1","projectHash":"...","startTime":"...","kind":"main"}
//	{"id":"m-1","timestamp":"...","type":"user","content":[{"text":"List the files"}]}
//	{"$set":{"messages":[...],"lastUpdated":"..."}}
//	{"$rewindTo":"m-1"}
func showsGeminiSession(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		if n.At("sessionId").IsText() && n.Has("projectHash") {
			return n.At("messages").IsList() || n.Has("startTime")
		}
		return n.At("$rewindTo").IsText() || n.At("$set").Has("lastUpdated") || isGeminiAnswer(n)
	})
}

// isGeminiAnswer reports whether n is a message of the model.
func isGeminiAnswer(n record.Node) bool {
	return n.At("type").Text() == "gemini" && n.Has("id", "timestamp", "content")
}

// geminiSessions reads the sessions of a file, one after the other.
type geminiSessions struct {
	in   *record.Input
	meta record.Node // of the session, absent before the first
	line int         // where it begins
	open bool        // a session is
	// messages are in the order in which they were first written.
	messages []record.Node
	places   map[string]int // in messages, by id
}

// GeminiSession decodes Gemini CLI session files.
var GeminiSession = record.Decoder{Shows: showsGeminiSession, Read: readGeminiSession}

// readGeminiSession makes a trial of each session. Those of sub-agents stand in files of their
// own, and give none.
func readGeminiSession(in *record.Input) error {
	s := &geminiSessions{in: in}
	if err := in.Records(s.record); err != nil {
		return err
	}
	return s.end()
}

// record takes in a line, or a whole session.
func (s *geminiSessions) record(n record.Node, line int) error {
	kind := n.At("type").Text()
	if id := n.At("sessionId"); id.IsText() && kind == "" {
		if s.open && id.Text() == s.meta.At("sessionId").Text() { // one that is continued
			s.replace(n)
			return nil
		}
		if err := s.end(); err != nil {
			return err
		}
		s.begin(n, line)
		return nil
	}
	if !s.open {
		s.begin(record.Node{}, line)
	}
	switch {
	case n.At("$rewindTo").IsText():
		s.rewind(n.At("$rewindTo").Text())
	case n.At("$set").IsObject():
		s.replace(n.At("$set"))
	case n.At("id").IsText() && kind != "":
		s.put(n)
	default:
		s.in.Notes.Skip(record.UnknownEvent)
	}
	return nil
}

// begin opens a session.
func (s *geminiSessions) begin(meta record.Node, line int) {
	s.open, s.meta, s.line = true, meta, line
	s.messages, s.places = nil, map[string]int{}
	s.replace(meta)
}

// replace takes a list of messages for all so far, if there is one.
func (s *geminiSessions) replace(n record.Node) {
	if !n.At("messages").IsList() {
		return
	}
	s.messages, s.places = nil, map[string]int{}
	for _, m := range n.At("messages").List() {
		s.put(m)
	}
}

// put takes in a message, in place of what was written of it before.
func (s *geminiSessions) put(m record.Node) {
	id := m.At("id").Text()
	if i, known := s.places[id]; known && id != "" {
		s.messages[i] = m
		return
	}
	s.places[id] = len(s.messages)
	s.messages = append(s.messages, m)
}

// rewind takes back a message and all after it; all there are, if it is not known.
func (s *geminiSessions) rewind(id string) {
	first := s.places[id] // 0 if it is not known
	for range s.messages[first:] {
		s.in.Notes.Pass("messages of abandoned branches")
	}
	s.messages = s.messages[:first]
	s.places = map[string]int{}
	for i, m := range s.messages {
		s.places[m.At("id").Text()] = i
	}
}

// end hands out the trial of the session.
func (s *geminiSessions) end() error {
	if !s.open {
		return nil
	}
	s.open = false
	if s.meta.At("kind").Text() == "subagent" {
		s.in.Notes.Pass(sessionsOfSubAgents)
		return nil
	}
	t := record.NewTrace(s.in, s.line)
	t.LastTextIsOutput = true
	t.ID = s.meta.At("sessionId").Text()
	t.SetTags("", s.meta, "sessionId", "projectHash", "kind")
	t.AddTime(s.meta.At("startTime").Time())
	for _, m := range s.messages {
		t.AddTime(m.At("timestamp").Time())
		switch m.At("type").Text() {
		case "user":
			t.SetInput(geminiAsked(m.At("content")))
		case "gemini", "model":
			t.Outcome, t.Error = trial.Unjudged, nil // it got over what went wrong before
			addGeminiAnswer(t, m)
		// What the program could not do, if nothing followed.
		case "error":
			t.SetInfrastructureError("error", m.At("content").Speech())
		case "info", "warning":
		default:
			s.in.Notes.Skip(record.UnknownMessage)
		}
	}
	return s.in.EmitTrace(t)
}

// geminiContexts are how texts begin that the program writes in the name of the user, and
// commands to the program itself.
var geminiContexts = []string{"<session_context>", "<hook_context>",
	"This is the Gemini CLI. We are setting up the context", "/", "?"}

// geminiAsked returns what a person asked in a message. Results of tools are messages of the
// user, too.
func geminiAsked(content record.Node) record.Node {
	text := strings.TrimSpace(content.Speech())
	if slices.ContainsFunc(geminiContexts, func(start string) bool { return strings.HasPrefix(text, start) }) {
		return record.Node{}
	}
	return record.Node{Value: text}
}

// addGeminiAnswer adds an answer of the model, and its calls with their results.
func addGeminiAnswer(t *record.Trace, m record.Node) {
	tokens := m.At("tokens")
	calls := m.At("toolCalls").List()
	t.AddAnswer(record.Answer{
		Text: m.At("content").Speech(), Model: m.At("model").Text(), CallsTools: len(calls) > 0,
		Usage: record.Usage{
			Input: tokens.At("input").Count(), Output: record.Plus(tokens.At("output").Count(), tokens.At("thoughts").Count()),
			Cached: tokens.At("cached").Count(),
		},
	})
	for _, c := range calls {
		addGeminiCall(t, c, m.At("timestamp"))
	}
}

// geminiExitCode is what the tool that runs commands says of one that failed.
var geminiExitCode = lazy.Regexp(`(?m)^Exit Code: (-?[0-9]*[1-9][0-9]*)$`)

// addGeminiCall adds a call of a tool. Its own time is that of its end.
func addGeminiCall(t *record.Trace, c, asked record.Node) {
	step := t.AddEndedCall(record.Call{Tool: c.At("name").Text(), Arguments: c.At("args")})
	step.DurationSeconds = record.SecondsBetween(asked.Time(), c.At("timestamp").Time())
	t.AddTime(c.At("timestamp").Time())
	var response record.Node
	for _, part := range append(c.At("result").List(), c.At("result")) {
		if r := part.At("functionResponse", "response"); r.Exists() {
			response = r
			break
		}
	}
	output := response.Either("output", "error").OrElse(response)
	if !output.Exists() {
		output = c.At("resultDisplay")
	}
	step.Output = output.Output()
	switch status := c.At("status").Text(); {
	case status == "error" || status == "cancelled":
		message := response.At("error").ErrorText()
		if message == "" {
			message = status
		}
		step.Error = record.StepError(message)
	case response.At("error").Exists():
		step.Error = record.StepError(response.At("error").ErrorText())
	default:
		if code := geminiExitCode().FindStringSubmatch(output.Words()); code != nil {
			step.Error = exitCode(code[1])
		}
	}
}
