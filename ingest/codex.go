package ingest

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

func showsCodex(s *shape) bool {
	return s.any(func(n node) bool {
		switch n.at("type").text() {
		case "thread.started":
			return n.at("thread_id").isText()
		case "item.started", "item.updated", "item.completed":
			return n.at("item", "type").isText()
		case "turn.completed":
			return n.at("usage").isObject()
		}
		return false
	})
}

// codex reads the threads of a file, one after the other.
type codex struct {
	in     *input
	thread *codexThread // nil before the first
}

// codexThread is the trial of a thread, which may have several turns.
type codexThread struct {
	*trace
	id            string
	running       bool            // a turn is
	started       map[string]bool // calls that did not end
	answer        int             // the step of the answer that is being given, -1 if none
	thought, said []string        // in it
	failure       string
	total         runningTotal
}

// readCodex makes a trial of each thread.
func readCodex(in *input) error {
	c := &codex{in: in}
	if err := in.records(c.event); err != nil {
		return err
	}
	return c.end()
}

func (c *codex) event(n node, line int) error {
	kind := n.at("type").text()
	if kind == "thread.started" && (c.thread == nil || n.at("thread_id").text() != c.thread.id) {
		if err := c.end(); err != nil {
			return err
		}
		c.begin(n.at("thread_id"), line)
	}
	if c.thread == nil {
		c.begin(node{}, line)
	}
	t := c.thread
	item := n.at("item")
	switch kind {
	case "thread.started", "item.plan.delta", "item.updated":
	case "turn.started":
		t.running = true
	case "item.started":
		if isCodexCall(item) {
			t.started[item.at("id").text()] = true
		}
	case "item.completed":
		delete(t.started, item.at("id").text())
		t.item(item, c.in.notes)
	case "turn.completed":
		t.failure, t.Outcome, t.Error = "", trial.Unjudged, nil
		t.total.read(usage{input: n.at("usage", "input_tokens").count(), output: n.at("usage", "output_tokens").count()}) // of the thread
		t.endTurn()
	case "turn.failed":
		t.setInfrastructureError("turn.failed", n.at("error", "message").text())
		t.endTurn()
	case "error": // it may be overcome
		t.failure = stepError(n.at("message").text())
	default:
		c.in.notes.skip(unknownEvent)
	}
	return nil
}

func (c *codex) begin(id node, line int) {
	c.thread = &codexThread{trace: newTrace(c.in, line), id: id.text(), answer: -1, started: map[string]bool{}}
	c.thread.setTag("thread_id", id)
}

// end hands out the trial of the thread.
func (c *codex) end() error {
	t := c.thread
	if t == nil {
		return nil
	}
	for range t.started {
		c.in.notes.skip("calls that did not end")
	}
	switch {
	case t.failure != "" && t.Error == nil:
		t.setInfrastructureError("error", t.failure)
	case t.running:
		c.in.notes.remark(fmt.Sprintf("the log of the thread that begins in line %d ends inside a turn; was the program stopped?", t.Place.Line))
	}
	t.endTurn()
	t.addTotals(t.total.sum())
	return c.in.emitTrace(t.trace)
}

// item adds an item that is complete.
func (t *codexThread) item(item node, notes *notes) {
	text := item.at("text").text()
	switch item.at("type").text() {
	case "reasoning":
		t.say(&t.thought, text)
	case "agent_message", "plan":
		t.say(&t.said, text)
	case "todo_list": // repeated at each change, and complete only when the turn ends
	case "error":
		notes.pass(warning)
	default:
		if !isCodexCall(item) {
			notes.skip("items that are not understood")
			return
		}
		t.closeAnswer(true)
		t.codexCall(item)
	}
}

// say adds to the answer of the model, which lasts until it calls a tool or the turn
// ends. What the model thought is its output only where it said nothing.
func (t *codexThread) say(to *[]string, text string) {
	if t.answer < 0 {
		t.addAnswer(answer{callsTools: true})
		t.answer = len(t.Steps) - 1
	}
	if text != "" {
		*to = append(*to, text)
	}
	output := t.said
	if len(output) == 0 {
		output = t.thought
	}
	if len(output) > 0 {
		t.Steps[t.answer].Output = trial.RawString(strings.Join(output, "\n"))
	}
}

func (t *codexThread) closeAnswer(callsTools bool) {
	if t.answer >= 0 && len(t.said) > 0 && !callsTools {
		t.Steps[t.answer].Action = trial.Respond
		t.Output = t.Steps[t.answer].Output
	}
	t.answer, t.thought, t.said = -1, nil, nil
}

func (t *codexThread) endTurn() {
	t.closeAnswer(false)
	t.running = false
}

// isCodexCall reports whether an item is a call of a tool.
func isCodexCall(item node) bool {
	switch item.at("type").text() {
	case "command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call":
		return true
	}
	return false
}

// codexCall adds a call. Tools of MCP servers are named as the model calls them, those
// of the program by the type of the item.
func (t *codexThread) codexCall(item node) {
	kind, status := item.at("type").text(), item.at("status").text()
	tool, message := kind, item.at("error", "message").text()
	var arguments node
	var output trial.Raw
	switch kind {
	case "command_execution":
		arguments = item.only("command")
		output = item.at("aggregated_output").raw()
		if code := item.at("exit_code").number(); code.Known && code.Value != 0 {
			message = "exit code " + item.at("exit_code").text()
		}
	case "file_change":
		arguments = item.only("changes")
	case "mcp_tool_call":
		tool = "mcp__" + item.at("server").text() + "__" + item.at("tool").text()
		arguments = item.at("arguments")
		output = item.at("result", "content").blockOutput()
		if structured := item.at("result", "structured_content"); structured.exists() {
			output = structured.raw()
		}
	case "web_search":
		arguments = item.only("query")
	case "collab_tool_call":
		tool = item.at("tool").text()
		arguments = item.only("prompt", "receiver_thread_ids")
		output = item.at("agents_states").raw()
	}
	s := t.addEndedCall(toolCall{"", tool, arguments})
	s.Output = output
	switch {
	case message != "":
		s.Error = stepError(message)
	case status == "failed" || status == "declined":
		s.Error = status
	}
}
