package transcript

import (
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// Anthropic is a trial that is put together from messages of the Anthropic API,
// as the API and Claude Code write them. A message may come in parts that share its
// id.
// What a message looks like:
//
//	{"id":"msg_1","role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{}}],
//	 "stop_reason":"tool_use","usage":{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":5}}
type Anthropic struct {
	*record.Trace
	answers map[string]*modelMessage // by the id of the message
	Calls   map[string]agentCall     // by their id
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
	Depth int       // of who calls
	at    time.Time // zero if unknown
}

// MessagePart says where a message, or a part of one, stands.
type MessagePart struct {
	Depth int       // 0 is the agent itself
	At    time.Time // zero if unknown
	Final bool      // its usage counts all output
}

// NewAnthropic begins a trial at a line of a file.
func NewAnthropic(in *record.Input, line int) *Anthropic {
	return &Anthropic{
		Trace: record.NewTrace(in, line), last: -1,
		answers: map[string]*modelMessage{}, Calls: map[string]agentCall{},
	}
}

// Message adds a message of the model, or a part of one, and returns the step with
// its tokens.
// Claude Code writes each block as a message of its own with the same id, so that a message
// may be added to long after it began.
func (c *Anthropic) Message(m record.Node, p MessagePart) int {
	id := m.At("id").Text()
	c.SetMessageID(id)
	a := c.answers[id]
	if a == nil {
		step := c.begin(m, m.At("stop_reason").Text() == "tool_use", p)
		a = &modelMessage{first: step, step: step}
		if id != "" {
			c.answers[id] = a
		}
	}
	c.spent(a.first, m.At("usage"), p.Final)
	if content := m.At("content"); content.IsText() {
		c.say(a, content.Text(), m, p)
	}
	for _, block := range m.At("content").List() {
		switch kind := block.At("type").Text(); {
		case kind == "text":
			c.say(a, block.At("text").Text(), m, p)
		case kind == "tool_use", kind == "server_tool_use", kind == "mcp_tool_use":
			c.toolUse(a, block, p)
		case strings.HasSuffix(kind, "_tool_result"): // of a tool that the API runs itself
			c.toolResult(block, record.Node{}, p.At)
			a.closed = true
		}
	}
	return a.first
}

// begin adds an answer of the model.
func (c *Anthropic) begin(m record.Node, callsTools bool, p MessagePart) (step int) {
	c.AddAnswer(record.Answer{Model: m.At("model").Text(), CallsTools: callsTools, Depth: p.Depth})
	step = len(c.Steps) - 1
	if p.Depth == 0 {
		c.last = step
	}
	return step
}

// spent takes in the usage of a part of a message: each part repeats that of the
// ones before, so the larger counts.
func (c *Anthropic) spent(step int, u record.Node, final bool) {
	s := &c.Steps[step]
	took := AnthropicUsage(u)
	s.InputTokens = record.Larger(s.InputTokens, took.Input)
	s.CachedTokens = record.Larger(s.CachedTokens, took.Cached)
	s.CacheWrites = record.Larger(s.CacheWrites, took.Writes)
	if final {
		s.OutputTokens = record.Larger(s.OutputTokens, took.Output)
	}
}

// say adds text to an answer.
func (c *Anthropic) say(a *modelMessage, text string, m record.Node, p MessagePart) {
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
func (c *Anthropic) toolUse(a *modelMessage, block record.Node, p MessagePart) {
	id := block.At("id").Text()
	if _, known := c.Calls[id]; known && id != "" {
		return
	}
	c.Calls[id] = agentCall{p.Depth, p.At}
	c.Steps[a.step].Action = trial.Reason
	c.AddCall(record.Call{ID: id, Tool: block.At("name").Text(),
		Arguments: block.At("input")}).Depth = record.DepthOf(p.Depth)
}

// toolResult completes the call that a result names. report is what Claude Code
// adds to a result.
// Claude Code may give the duration; otherwise it is that from the call to the result.
func (c *Anthropic) toolResult(block, report record.Node, at time.Time) {
	id := block.At("tool_use_id").Text()
	content := block.At("content")
	s := c.SetResult(id, "", record.Node{})
	if s == nil {
		return
	}
	s.Output = content.BlockOutput()
	if code := content.At("error_code"); code.IsText() {
		s.Error = record.StepError(code.Text())
	}
	if block.At("is_error").IsTrue() {
		text, _ := content.BlockText()
		s.Error = record.StepError(text)
	}
	if s.DurationSeconds = report.Either("totalDurationMs", "durationMs").Millis(); !s.DurationSeconds.Known {
		s.DurationSeconds = record.SecondsBetween(c.Calls[id].at, at)
	}
}

// Results reads a message of the user: the results of tools in it, and its text, which
// is the input of the trial if it is the first of a person.
func (c *Anthropic) Results(m, report record.Node, p MessagePart, isPerson bool) {
	content := m.At("content")
	results := 0
	for _, block := range content.List() {
		if IsResult(block) {
			results++
		}
	}
	// The report is one for the whole message.
	if results > 1 {
		report = record.Node{} // of which one is not said
	}
	for _, block := range content.List() {
		if IsResult(block) {
			c.toolResult(block, report, p.At)
		}
	}
	if text, _ := content.BlockText(); text != "" && isPerson && results == 0 && p.Depth == 0 && c.Input == nil {
		c.Input = trial.RawString(text)
	}
}

// IsResult reports whether a block of content is the result of a tool.
func IsResult(block record.Node) bool {
	return strings.HasSuffix(block.At("type").Text(), "tool_result")
}

// End completes the trial: the last answer is its output.
func (c *Anthropic) End() *record.Trace {
	if c.last >= 0 && c.Output == nil {
		c.Output = c.Steps[c.last].Output
	}
	return c.Trace
}
