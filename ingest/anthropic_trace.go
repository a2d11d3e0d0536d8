package ingest

import (
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// anthropicTrace is a trial that is put together from messages of the Anthropic API,
// as the API and Claude Code write them. A message may come in parts that share its
// id.
type anthropicTrace struct {
	*trace
	answers map[string]*modelMessage // by the id of the message
	calls   map[string]agentCall     // by their id
	last    int                      // the last answer of the agent itself, -1 if none
}

// modelMessage is a message of the model, of which more may come.
type modelMessage struct {
	first  int  // the step with its tokens
	step   int  // the one that takes further text
	closed bool // a tool of the API gave its result: text that follows is a further step
}

// agentCall is a call of a tool that may be a sub-agent.
type agentCall struct {
	depth int       // of who calls
	at    time.Time // zero if unknown
}

// messagePart says where a message, or a part of one, stands.
type messagePart struct {
	depth int       // 0 is the agent itself
	at    time.Time // zero if unknown
	final bool      // its usage counts all output
}

func newAnthropicTrace(in *input, line int) *anthropicTrace {
	return &anthropicTrace{
		trace: newTrace(in, line), last: -1,
		answers: map[string]*modelMessage{}, calls: map[string]agentCall{},
	}
}

// message adds a message of the model, or a part of one, and returns the step with
// its tokens.
func (c *anthropicTrace) message(m node, p messagePart) int {
	id := m.at("id").text()
	a := c.answers[id]
	if a == nil {
		step := c.begin(m, m.at("stop_reason").text() == "tool_use", p)
		a = &modelMessage{first: step, step: step}
		if id != "" {
			c.answers[id] = a
		}
	}
	c.spent(a.first, m.at("usage"), p.final)
	if content := m.at("content"); content.isText() {
		c.say(a, content.text(), m, p)
	}
	for _, block := range m.at("content").list() {
		switch kind := block.at("type").text(); {
		case kind == "text":
			c.say(a, block.at("text").text(), m, p)
		case kind == "tool_use", kind == "server_tool_use", kind == "mcp_tool_use":
			c.toolUse(a, block, p)
		case strings.HasSuffix(kind, "_tool_result"): // of a tool that the API runs itself
			c.toolResult(block, node{}, p.at)
			a.closed = true
		}
	}
	return a.first
}

// begin adds an answer of the model.
func (c *anthropicTrace) begin(m node, callsTools bool, p messagePart) (step int) {
	c.addAnswer(answer{model: m.at("model").text(), callsTools: callsTools, depth: p.depth})
	step = len(c.Steps) - 1
	if p.depth == 0 {
		c.last = step
	}
	return step
}

// spent takes in the usage of a part of a message: each part repeats that of the
// ones before, so the larger counts.
func (c *anthropicTrace) spent(step int, u node, final bool) {
	s := &c.Steps[step]
	tokens := anthropicUsage(u)
	s.InputTokens = larger(s.InputTokens, tokens.input)
	if final {
		s.OutputTokens = larger(s.OutputTokens, tokens.output)
	}
}

// anthropicUsage returns the tokens of an answer. The API counts cached ones apart.
func anthropicUsage(u node) usage {
	return usage{
		input:  plus(u.at("input_tokens").count(), u.at("cache_creation_input_tokens").count(), u.at("cache_read_input_tokens").count()),
		output: u.at("output_tokens").count(),
	}
}

// say adds text to an answer.
func (c *anthropicTrace) say(a *modelMessage, text string, m node, p messagePart) {
	if text == "" {
		return
	}
	if a.closed {
		a.step, a.closed = c.begin(m, false, p), false
	}
	s := &c.Steps[a.step]
	if s.Output != nil {
		text = s.Output.Text() + "\n" + text
	}
	s.Output = trial.RawString(text)
}

// toolUse adds a call of a tool. One that is known was written twice.
func (c *anthropicTrace) toolUse(a *modelMessage, block node, p messagePart) {
	id := block.at("id").text()
	if _, known := c.calls[id]; known && id != "" {
		return
	}
	c.calls[id] = agentCall{p.depth, p.at}
	c.Steps[a.step].Action = trial.Reason
	c.addCall(toolCall{id, block.at("name").text(), block.at("input")}).Depth = depthOf(p.depth)
}

// toolResult completes the call that a result names. report is what Claude Code
// adds to a result.
func (c *anthropicTrace) toolResult(block, report node, at time.Time) {
	id := block.at("tool_use_id").text()
	content := block.at("content")
	s := c.setResult(id, "", node{})
	if s == nil {
		return
	}
	s.Output = content.blockOutput()
	if code := content.at("error_code"); code.isText() {
		s.Error = stepError(code.text())
	}
	if block.at("is_error").isTrue() {
		text, _ := content.blockText()
		s.Error = stepError(text)
	}
	if s.DurationSeconds = report.either("totalDurationMs", "durationMs").millis(); !s.DurationSeconds.Known {
		s.DurationSeconds = secondsBetween(c.calls[id].at, at)
	}
}

// results reads a message of the user: the results of tools in it, and its text, which
// is the input of the trial if it is the first of a person.
func (c *anthropicTrace) results(m, report node, p messagePart, isPerson bool) {
	content := m.at("content")
	results := 0
	for _, block := range content.list() {
		if isResult(block) {
			results++
		}
	}
	if results > 1 {
		report = node{} // of which one is not said
	}
	for _, block := range content.list() {
		if isResult(block) {
			c.toolResult(block, report, p.at)
		}
	}
	if text, _ := content.blockText(); text != "" && isPerson && results == 0 && p.depth == 0 && c.Input == nil {
		c.Input = trial.RawString(text)
	}
}

func isResult(block node) bool { return strings.HasSuffix(block.at("type").text(), "tool_result") }

// end completes the trial: the last answer is its output.
func (c *anthropicTrace) end() *trace {
	if c.last >= 0 && c.Output == nil {
		c.Output = c.Steps[c.last].Output
	}
	return c.trace
}
