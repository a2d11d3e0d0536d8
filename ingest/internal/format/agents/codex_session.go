package agents

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// showsCodexSession knows the lines of the files below ~/.codex/sessions, rollout-*.jsonl, in
// three forms. Since version 0.35 of September 2025 each line has a time and a type, and holds
// the rest in its payload:
//
//	{"timestamp":"...","type":"session_meta","payload":{"id":"s-1","cwd":"/w","cli_version":"0.46.0"}}
//	{"timestamp":"...","type":"turn_context","payload":{"model":"gpt-5-codex"}}
//	{"timestamp":"...","type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"c-1",...}}
//	{"timestamp":"...","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{...}}}}
//
// Before, a header was followed by items of the Responses interface without a time:
//
//	{"id":"s-1","timestamp":"...","instructions":null,"git":{}}
//	{"record_type":"state"}
//
// The first versions, not written in Rust, wrote one object {"session":{...},"items":[...]}.
func showsCodexSession(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		payload := n.At("payload")
		switch n.At("type").Text() {
		case "session_meta":
			return payload.Has("id") || payload.Has("cwd")
		case "turn_context":
			return payload.Has("cwd") || payload.Has("model")
		case "response_item", "event_msg":
			return payload.At("type").IsText()
		case "":
			return n.At("record_type").Text() == "state" || isCodexHeader(n) || isCodexDocument(n)
		}
		return false
	})
}

// isCodexHeader reports whether n is the header of a rollout whose items have no time.
func isCodexHeader(n record.Node) bool {
	return n.Has("id", "timestamp", "instructions") && !n.Has("type")
}

// isCodexDocument reports whether n is a rollout that is one object.
func isCodexDocument(n record.Node) bool {
	return n.At("session").Has("id", "timestamp") && n.At("items").IsList()
}

// codexLine is a line of a rollout.
type codexLine struct {
	n    record.Node
	line int    // number in the file, from 1
	kind string // what the payload is: its type is that of the line
	// payload is what is said, an item or an event; wherever the version put it.
	payload record.Node
	dropped bool // by a person who went back in the conversation
}

// codexSessions reads the rollouts of a file, one after the other.
type codexSessions struct {
	in    *record.Input
	lines []codexLine // of the rollout that is held
	id    string      // its own, "" if nothing says it
	// ancestors are the ids of the sessions that this one continues: it repeats their lines.
	ancestors map[string]bool
}

// CodexSession decodes Codex session files.
var CodexSession = record.Decoder{Shows: showsCodexSession, Read: readCodexSession}

// readCodexSession makes a trial of each session. Files that sub-agents left beside it hold
// none.
func readCodexSession(in *record.Input) error {
	s := &codexSessions{in: in}
	if err := in.Records(s.record); err != nil {
		return err
	}
	return s.end()
}

// record takes in a line.
func (s *codexSessions) record(n record.Node, line int) error {
	kind := n.At("type").Text()
	switch {
	case isCodexDocument(n):
		if err := s.begin(n.At("session"), line); err != nil {
			return err
		}
		for _, item := range n.At("items").List() {
			s.lines = append(s.lines, codexLine{n: item, line: line, kind: "response_item", payload: item})
		}
	case kind == "session_meta":
		return s.begin(n.At("payload"), line)
	case isCodexHeader(n):
		return s.begin(n, line)
	case n.At("record_type").Text() == "state":
	case n.At("payload").IsObject():
		s.lines = append(s.lines, codexLine{n: n, line: line, kind: kind, payload: n.At("payload")})
	case kind != "": // an item of a version that has no payloads
		s.lines = append(s.lines, codexLine{n: n, line: line, kind: "response_item", payload: n})
	default:
		s.in.Notes.Skip(record.UnknownEvent)
	}
	return nil
}

// begin opens the rollout of a session, which meta describes, unless the session that is read
// continues that one, and repeats it.
func (s *codexSessions) begin(meta record.Node, line int) error {
	id := meta.At("id").Text()
	if s.lines != nil && (id == s.id || s.ancestors[id]) {
		s.continues(meta)
		return nil
	}
	if err := s.end(); err != nil {
		return err
	}
	s.id, s.ancestors = id, map[string]bool{}
	s.continues(meta)
	s.lines = []codexLine{{n: meta, line: line, kind: "session_meta", payload: meta}}
	return nil
}

// continues notes which sessions one continues.
func (s *codexSessions) continues(meta record.Node) {
	for _, id := range []record.Node{
		meta.At("forked_from_id"), meta.At("parent_thread_id"),
		meta.At("source", "subagent", "thread_spawn", "parent_thread_id"),
	} {
		if id.Text() != "" {
			s.ancestors[id.Text()] = true
		}
	}
}

// end hands out the trial of the session.
func (s *codexSessions) end() error {
	lines := s.lines
	if s.lines = nil; len(lines) == 0 {
		return nil
	}
	meta := lines[0].payload
	if meta.At("source", "subagent").Exists() || meta.At("thread_source").Text() == "subagent" {
		s.in.Notes.Pass(sessionsOfSubAgents)
		return nil
	}
	dropRolledBack(lines)
	r := &codexRollout{
		codexThread: codexThread{Trace: record.NewTrace(s.in, lines[0].line), answer: -1},
		notes:       s.in.Notes, ends: codexEnds(lines), last: -1, responses: map[string]bool{},
	}
	r.ID = s.id
	r.SetTag("thread_id", record.Node{Value: s.id})
	r.SetTags("", meta, "cwd", "originator", "cli_version", "source", "model_provider")
	r.SetTags("git", meta.At("git"), "branch", "commit_hash")
	for i := range lines {
		r.read(&lines[i])
	}
	return s.in.EmitTrace(r.finish())
}

// sessionsOfSubAgents is why files that sub-agents leave give no trials.
const sessionsOfSubAgents = "sessions of sub-agents"

// dropRolledBack marks what a person took back: the last turns before the event that says so,
// each of which begins with what the person asked.
func dropRolledBack(lines []codexLine) {
	var turns []int // where they begin, in lines
	for i, l := range lines {
		switch {
		case l.kind == "response_item" && codexAsked(l.payload).Length() > 0:
			turns = append(turns, i)
		case l.kind == "event_msg" && l.payload.At("type").Text() == "thread_rolled_back":
			back := l.payload.At("num_turns").Count()
			kept := max(0, int64(len(turns))-back.Value)
			if kept == int64(len(turns)) {
				continue
			}
			for j := turns[kept]; j < i; j++ {
				lines[j].dropped = lines[j].kind == "response_item"
			}
			turns = turns[:kept]
		}
	}
}

// codexEnd is what an event says of how a call ended.
type codexEnd struct {
	failure string // "" if it went well
	seconds trial.Optional[float64]
}

// codexEnds finds how calls ended, by their ids.
func codexEnds(lines []codexLine) map[string]codexEnd {
	ends := map[string]codexEnd{}
	for _, l := range lines {
		if l.kind != "event_msg" {
			continue
		}
		e := l.payload
		id := e.At("call_id").Text()
		switch e.At("type").Text() {
		case "item_completed":
			e = e.At("item")
			id = e.At("id").Text()
		case "exec_command_end", "patch_apply_end", "mcp_tool_call_end":
		default:
			continue
		}
		end := codexEnd{seconds: codexSeconds(e.At("duration"))}
		switch status := e.At("status").Text(); {
		case nonzero(e.At("exit_code")):
			end.failure = exitCode(e.At("exit_code").Text())
		case e.At("result", "Err").Exists():
			end.failure = record.StepError(e.At("result", "Err").ErrorText())
		case e.At("error").Exists():
			end.failure = record.StepError(e.At("error").ErrorText())
		case e.At("result", "Ok").Either("isError", "is_error").IsTrue():
			text, _ := e.At("result", "Ok", "content").BlockText()
			end.failure = record.StepError(text)
		case e.At("success").Exists() && !e.At("success").IsTrue():
			end.failure = record.StepError(e.At("stderr").Words())
		case status == "failed" || status == "declined":
			end.failure = status
		}
		ends[id] = end
	}
	return ends
}

// codexSeconds is a duration as Rust writes it, in seconds and nanoseconds.
func codexSeconds(d record.Node) trial.Optional[float64] {
	seconds := d.At("secs").Amount()
	seconds.Value += d.At("nanos").Amount().Value / 1e9
	return seconds
}

// nonzero reports whether an exit code is that of a failure.
func nonzero(code record.Node) bool {
	n := code.Number()
	return n.Known && n.Value != 0
}

// exitCode is the error of a command that failed.
func exitCode(code string) string { return "exit code " + record.ValidText(code) }

// codexRollout is the trial of a session.
type codexRollout struct {
	codexThread
	notes *record.Notes
	ends  map[string]codexEnd // how calls ended, by their ids
	model string              // of the turn
	// called says of the answer that is being given that it calls tools, counted that what it
	// took is known.
	called, counted bool
	last            int             // step of the last answer, -1 if there is none
	next            record.Usage    // of the answer that comes next, where that is said ahead of it
	isAhead         bool            // it is, as in the versions of 2025
	records         bool            // there are records of single responses, which say more than sums
	responses       map[string]bool // those that are counted
}

// read takes in a line.
func (r *codexRollout) read(l *codexLine) {
	r.AddTime(l.n.At("timestamp").Time())
	switch l.kind {
	case "session_meta":
		if r.model == "" {
			r.model = l.payload.At("model").Text()
		}
	case "turn_context":
		if model := l.payload.At("model").Text(); model != "" {
			r.model = model
		}
	case "response_item":
		if l.dropped {
			r.notes.Pass("messages of abandoned branches")
			return
		}
		r.item(l.payload)
	case "event_msg":
		r.event(l.payload)
	case "token_usage_record":
		r.response(l.payload)
	// The history that a summary replaced, and the state that the model is told of.
	case "compacted", "world_state":
	default:
		r.notes.Skip(record.UnknownEvent)
	}
}

// event takes in an event. Most repeat what the items say, for those who watch; those of calls
// are read before.
func (r *codexRollout) event(e record.Node) {
	switch e.At("type").Text() {
	case "token_count":
		r.sums(e.At("info"))
	case "task_started", "turn_started":
		r.endAnswer()
		r.running = true
	case "task_complete", "turn_complete":
		r.endAnswer()
		r.endTurn()
	case "turn_aborted":
		r.endAnswer()
		r.endTurn()
		r.Error = record.NewCause("turn_aborted", e.At("reason").Text())
	case "error":
		r.fail(e)
	}
}

// fail reads the error that ended a turn, unless the model goes on after it. A context that is
// too long is the agent's doing; what else ends a turn is the model's provider or the program.
func (r *codexRollout) fail(e record.Node) {
	info := e.At("codex_error_info")
	kind := info.Text()
	for name := range info.Members() {
		kind = name
	}
	if kind == "" {
		kind = "error"
	}
	if kind == "context_window_exceeded" {
		r.Error = record.NewCause(kind, e.At("message").Text())
		return
	}
	r.SetInfrastructureError(kind, e.At("message").Text())
}

// goesOn takes back what ended a turn before.
func (r *codexRollout) goesOn() { r.Outcome, r.Error = trial.Unjudged, nil }

// part opens an answer of the model, or continues the one that is being given: an item of
// it, a thought, a message or a call, is read next.
func (r *codexRollout) part() {
	r.goesOn()
	if r.counted {
		r.endAnswer()
	}
	if r.answer >= 0 {
		return
	}
	r.openAnswer()
	r.last = r.answer
	step := &r.Steps[r.last]
	step.Model = record.ValidText(r.model)
	r.next.SetTokens(step)
	r.next = record.Usage{}
	if r.Model == "" {
		r.Model = step.Model
	}
}

// endAnswer ends the answer that is being given.
func (r *codexRollout) endAnswer() {
	r.closeAnswer(r.called)
	r.called, r.counted = false, false
}

// response takes in what one response of the model took.
func (r *codexRollout) response(n record.Node) {
	r.records = true
	id := n.At("response_id").Text()
	if id != "" && r.responses[id] { // a copy, in a session that continues another
		return
	}
	r.responses[id] = true
	u := transcript.Usage(n.At("usage"))
	r.AddTotals(u)
	r.take(u)
}

// sums takes in what the session took so far. The same figures come again when something else
// in the event is new.
func (r *codexRollout) sums(info record.Node) {
	if r.records || !info.IsObject() {
		return
	}
	before := r.total.Sum()
	r.total.Read(transcript.Usage(info.At("total_token_usage")))
	after := r.total.Sum()
	if before == after {
		return
	}
	step := record.Usage{
		Input: less(after.Input, before.Input), Output: less(after.Output, before.Output),
		Cached: less(after.Cached, before.Cached),
	}
	if !before.HasTokens() {
		// A session that continues another may count that one, too.
		step = transcript.Usage(info.At("last_token_usage"))
		// Versions of 2025 wrote the items of a response when it was over, and its tokens known.
		r.isAhead = r.last < 0
	}
	if r.isAhead {
		r.endAnswer()
		r.next = step
		return
	}
	r.take(step)
}

// less is what a sum grew by.
func less(after, before trial.Optional[int64]) trial.Optional[int64] {
	after.Value -= before.Value
	return after
}

// take gives the last answer what it took. A summary of the history has no answer.
func (r *codexRollout) take(u record.Usage) {
	if r.last < 0 || r.Steps[r.last].InputTokens.Known {
		return
	}
	u.SetTokens(&r.Steps[r.last])
	r.counted = r.answer == r.last
}

// finish completes the trial.
func (r *codexRollout) finish() *record.Trace {
	if r.running {
		const remark = "the session that begins in line %d ends inside a turn; was the program stopped?"
		r.notes.Remark(fmt.Sprintf(remark, r.Place.Line))
		r.CutOff()
	}
	r.endAnswer()
	if !r.records {
		r.AddTotals(r.total.Sum())
	}
	return r.Trace
}
