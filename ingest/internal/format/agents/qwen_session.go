package agents

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
)

// isQwenRecord knows the lines of the session files of Qwen Code, ~/.qwen/projects/*/chats/SESSION.jsonl: those of
// Claude Code by their tree, with messages as Gemini's interface has them (services/chatRecordingService.ts):
//
//	{"uuid":"u-1","parentUuid":null,"sessionId":"s-1","type":"user","message":{"role":"user","parts":[{"text":"Hi"}]}}
//	{"uuid":"u-2","parentUuid":"u-1","sessionId":"s-1","type":"assistant","model":"m","message":{"role":"model","parts":
//	  [{"functionCall":{"id":"c-1","name":"read_file","args":{}}}]},"usageMetadata":{"promptTokenCount":9}}
func isQwenRecord(n record.Node) bool {
	return n.Has("uuid", "parentUuid", "sessionId") && n.At("message", "parts").IsList()
}

// QwenSession decodes session files of Qwen Code.
var QwenSession = record.Decoder{Read: readQwenSession,
	Shows: func(s *record.Shape) bool { return s.Any(isQwenRecord) }}

// qwenSession is the trial of a session.
type qwenSession struct {
	*record.Trace
	lines   []record.Node
	parents map[string]string // of lines, by their ids
	running bool              // an answer is to come
	failure string            // of the last call of the model; "" after an answer
}

// readQwenSession makes a trial of each session.
func readQwenSession(in *record.Input) error {
	sessions := map[string]*qwenSession{}
	var order []*qwenSession
	err := in.Records(func(n record.Node, line int) error {
		id := n.At("sessionId").Text()
		if id == "" || !n.At("uuid").IsText() {
			in.Notes.Skip(record.UnknownEvent)
			return nil
		}
		s := sessions[id]
		if s == nil {
			s = &qwenSession{Trace: record.NewTrace(in, line), parents: map[string]string{}, running: true}
			s.ID = id
			s.SetTags("", n, "sessionId", "cwd", "version")
			sessions[id] = s
			order = append(order, s)
		}
		s.lines = append(s.lines, n)
		s.parents[n.At("uuid").Text()] = n.At("parentUuid").Text()
		return nil
	})
	if err != nil {
		return err
	}
	for _, s := range order {
		if err := s.end(in); err != nil {
			return err
		}
	}
	return nil
}

// end reads the branch of the last line, since a person may go back, and hands out the trial.
func (s *qwenSession) end(in *record.Input) error {
	branch := map[string]bool{}
	for id := s.lines[len(s.lines)-1].At("uuid").Text(); id != "" && !branch[id]; id = s.parents[id] {
		branch[id] = true
	}
	for _, n := range s.lines {
		if !branch[n.At("uuid").Text()] {
			in.Notes.Pass("lines of branches that were left")
			continue
		}
		s.AddTime(n.At("timestamp").Time())
		s.line(n)
	}
	switch {
	case s.failure != "":
		s.SetInfrastructureError("api_error", s.failure)
	case s.running:
		in.Notes.Remark("a session ends before its answer; was the program stopped?")
		s.CutOff()
	}
	return in.EmitTrace(s.Trace)
}

// line takes in a line. Those of the system tell of the program, and of calls that failed.
func (s *qwenSession) line(n record.Node) {
	parts := n.At("message", "parts").List()
	switch n.At("type").Text() {
	case "user":
		s.SetInput(n.At("message", "parts"))
		s.running = true
	case "assistant":
		a := record.Answer{Model: n.At("model").Text(), Text: transcript.GeminiText(parts),
			Usage: transcript.GeminiUsage(n.At("usageMetadata"))}
		for _, part := range parts {
			if call := part.At("functionCall"); call.IsObject() {
				a.Calls = append(a.Calls, record.Call{ID: call.At("id").Text(), Tool: call.At("name").Text(),
					Arguments: call.At("args")})
			}
		}
		s.AddAnswer(a)
		s.running, s.failure = len(a.Calls) > 0, ""
	case "tool_result":
		for _, part := range parts {
			s.result(part.At("functionResponse"), n.At("toolCallResult"))
		}
	case "system":
		if event := n.At("systemPayload", "uiEvent"); event.At("event.name").Text() == "qwen-code.api_error" {
			s.failure = record.StepError(event.Either("error_message", "error").Text())
		}
	default:
		s.Notes.Skip(record.UnknownEvent)
	}
}

// result takes in what came of a call.
func (s *qwenSession) result(n, report record.Node) {
	if !n.IsObject() {
		return
	}
	response := n.At("response")
	step := s.SetResult(n.At("id").Text(), n.At("name").Text(), response.At("output").OrElse(response))
	if step == nil {
		return
	}
	if e := response.At("error"); e.Exists() {
		step.Error = record.StepError(e.ErrorText())
	} else if status := report.At("status").Text(); status == "error" || status == "cancelled" {
		step.Error = status
	}
}
