package agents

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// showsCodex knows the events of codex exec --json, one a line:
//
//	{"type":"thread.started","thread_id":"th-1"}
//	{"type":"item.completed","item":{"id":"i-0","type":"command_execution","command":"go test","exit_code":1}}
//	{"type":"turn.completed","usage":{"input_tokens":150,"cached_input_tokens":100,"output_tokens":12}}
//
// The events of 2025 before there were threads have other types and are not read. The files
// below ~/.codex/sessions are read by [CodexSession].
func showsCodex(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		switch n.At("type").Text() {
		case "thread.started":
			return n.At("thread_id").IsText()
		case "item.started", "item.updated", "item.completed":
			return n.At("item", "type").IsText()
		case "turn.completed":
			return n.At("usage").IsObject()
		}
		return false
	})
}

// codex reads the threads of a file, one after the other.
type codex struct {
	in     *record.Input
	thread *codexThread // nil before the first
}

// codexThread is the trial of a thread, which may have several turns.
type codexThread struct {
	*record.Trace
	// id is that of the thread, "" for a log whose beginning is lost.
	id              string
	running         bool            // a turn is, or the first is to come
	started         map[string]bool // calls that did not end
	answer          int             // the step of the answer that is being given, -1 if none
	thoughts, texts []string        // in it
	// failure is the last error event that no completed turn has followed, "" if there is none.
	// total sums what turn.completed gives, which are the sums of the thread so far.
	failure string
	total   record.RunningTotal
}

// Codex decodes codex exec --json.
var Codex = record.Decoder{Shows: showsCodex, Read: readCodex, IDs: codexIDs}

// readCodex makes a trial of each thread, also of one that was resumed into another file.
func readCodex(in *record.Input) error {
	c := &codex{in: in}
	if err := in.Records(c.event); err != nil {
		return err
	}
	if err := c.end(); err != nil {
		return err
	}
	for _, parts := range record.Due[[]*codexThread](in.Spread) {
		if err := c.handOut(parts); err != nil {
			return err
		}
	}
	return nil
}

// event takes in an event. The first of a file opens a thread though its beginning is lost.
func (c *codex) event(n record.Node, line int) error {
	kind := n.At("type").Text()
	if kind == "thread.started" && (c.thread == nil || n.At("thread_id").Text() != c.thread.id) {
		if err := c.end(); err != nil {
			return err
		}
		c.begin(n.At("thread_id"), line)
	}
	if c.thread == nil {
		c.begin(record.Node{}, line)
	}
	t := c.thread
	item := n.At("item")
	// Updates repeat an item as it grows: only the completed one is read.
	switch kind {
	case "thread.started", "item.plan.delta", "item.updated":
	case "turn.started":
		t.running = true
	case "item.started":
		if isCodexCall(item) {
			t.started[item.At("id").Text()] = true
		}
	case "item.completed":
		delete(t.started, item.At("id").Text())
		t.item(item, c.in.Notes)
	// A turn that was completed takes back what went wrong in it or before it.
	case "turn.completed":
		t.failure, t.Outcome, t.Error = "", trial.Unjudged, nil
		t.total.Read(transcript.Usage(n.At("usage"))) // by the thread so far
		t.endTurn()
	// A turn fails when the model or the network does; the agent's own failures are items.
	case "turn.failed":
		message := n.At("error", "message").Text()
		if t.SetInfrastructureError("turn.failed", message); strings.Contains(message, "max_output_tokens") {
			t.Outcome, t.Error = trial.Unjudged, record.NewCause("max_output_tokens", message) // a limit of the agent's own
		}
		t.endTurn()
	// It may be overcome: the answer is then given once more, from its beginning.
	case "error":
		t.thoughts, t.texts = nil, nil
		t.failure = record.StepError(n.At("message").Text())
	default:
		c.in.Notes.Skip(record.UnknownEvent)
	}
	return nil
}

// begin opens a thread; the id is absent where no event has named one.
func (c *codex) begin(id record.Node, line int) {
	c.thread = &codexThread{Trace: record.NewTrace(c.in, line), id: id.Text(), answer: -1, started: map[string]bool{},
		running: id.Exists()}
	c.thread.SetTag("thread_id", id)
	c.thread.ID = id.Text()
}

// end hands out the trial of the thread.
func (c *codex) end() error {
	t := c.thread
	if t == nil {
		return nil
	}
	// Items that began and did not end have no result: they are counted, and no steps.
	for range t.started {
		c.in.Notes.Skip(record.UnendedCall)
	}
	// An error that nothing followed is what ended the thread, unless a failed turn says more.
	switch {
	case t.failure != "" && t.Error == nil:
		t.SetInfrastructureError("error", t.failure)
	case t.running:
		const remark = "the log of the thread that begins in line %d ends inside a turn; was the program stopped?"
		c.in.Notes.Remark(fmt.Sprintf(remark, t.Place.Line))
		t.CutOff()
	}
	t.endTurn()
	c.thread = nil
	parts, _ := c.in.Spread.Take(t.id).([]*codexThread)
	parts = append(parts, t)
	if t.id != "" && c.in.Spread.Keep(t.id, parts) {
		c.in.Notes.Pass("threads that a later file names, too")
		return nil
	}
	return c.handOut(parts)
}

// item adds an item that is complete.
func (t *codexThread) item(item record.Node, notes *record.Notes) {
	text := item.At("text").Text()
	switch item.At("type").Text() {
	// Thoughts and messages arrive as items of their own; together they are one answer of the
	// model, up to the next call.
	case "reasoning":
		t.addText(&t.thoughts, text)
	case "agent_message", "plan":
		t.addText(&t.texts, text)
	case "todo_list": // repeated at each change, and complete only when the turn ends
	// An error among the items is one that Codex went on after.
	case "error":
		notes.Pass(record.Warning)
	default:
		if !isCodexCall(item) {
			notes.Skip("items that are not understood")
			return
		}
		t.closeAnswer(true)
		t.codexCall(item)
	}
}

// addText adds to the answer of the model, which lasts until it calls a tool or the turn
// ends. What the model thought is its output only where it said nothing.
func (t *codexThread) addText(to *[]string, text string) {
	t.openAnswer()
	if text != "" {
		*to = append(*to, text)
	}
	output := t.texts
	if len(output) == 0 {
		output = t.thoughts
	}
	if len(output) > 0 {
		t.Steps[t.answer].Output = trial.RawString(strings.Join(output, "\n"))
	}
}

// openAnswer begins an answer of the model, unless one is being given.
func (t *codexThread) openAnswer() {
	if t.answer < 0 {
		t.AddAnswer(record.Answer{CallsTools: true})
		t.answer = len(t.Steps) - 1
	}
}

// closeAnswer ends the answer that is being given. It was the answer to the user only if
// the turn ended with it; one that a call follows was a reason for the call.
func (t *codexThread) closeAnswer(callsTools bool) {
	if t.answer >= 0 && len(t.texts) > 0 && !callsTools {
		t.Steps[t.answer].Action = trial.Respond
		t.Output = t.Steps[t.answer].Output
	}
	t.answer, t.thoughts, t.texts = -1, nil, nil
}

// endTurn ends a turn, and with it the answer.
func (t *codexThread) endTurn() {
	t.closeAnswer(false)
	t.running = false
}

// isCodexCall reports whether an item is a call of a tool.
func isCodexCall(item record.Node) bool {
	switch item.At("type").Text() {
	case "command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call":
		return true
	}
	return false
}

// codexCall adds a call. Tools of MCP servers are named as the model calls them, those
// of the program by the type of the item.
func (t *codexThread) codexCall(item record.Node) {
	// The message of an error counts before the mere status, and an exit code before both.
	kind, status := item.At("type").Text(), item.At("status").Text()
	tool, message := kind, item.At("error", "message").Text()
	var arguments record.Node
	var output trial.Raw
	switch kind {
	case "command_execution":
		arguments = item.Only("command")
		output = item.At("aggregated_output").Raw()
		if code := item.At("exit_code").Number(); code.Known && code.Value != 0 {
			message = "exit code " + item.At("exit_code").Text()
		}
	case "file_change":
		arguments = item.Only("changes")
	// mcp__server__tool is how Codex names it to the model. Structured content is the same
	// result in a form that programs read, so it is preferred.
	case "mcp_tool_call":
		tool = "mcp__" + item.At("server").Text() + "__" + item.At("tool").Text()
		arguments = item.At("arguments")
		output = item.At("result", "content").BlockOutput()
		if structured := item.At("result", "structured_content"); structured.Exists() {
			output = structured.Raw()
		}
	case "web_search":
		arguments = item.Only("query")
	// A call of another agent: its prompt goes out, the states of the agents come back.
	case "collab_tool_call":
		tool = item.At("tool").Text()
		arguments = item.Only("prompt", "receiver_thread_ids")
		output = item.At("agents_states").Raw()
	}
	s := t.AddEndedCall(record.Call{ID: "", Tool: tool, Arguments: arguments})
	s.Output = output
	switch {
	case message != "":
		s.Error = record.StepError(message)
	// Declined is what a person or the sandbox did not allow.
	case status == "failed" || status == "declined":
		s.Error = status
	}
}
