package transcript

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// Conversation puts messages of the Chat Completions interface, and items of the
// Responses interface, together to the steps of a trial.
// A Chat Completions message is an answer by itself. Items of the Responses interface are
// parts of one: reasoning, a message and calls are put together until something else comes.
type Conversation struct {
	Trace *record.Trace // the trial that the messages are of
	model string        // of the response that is read

	partial *itemAnswer  // an answer of the Responses interface that is not complete
	usage   record.Usage // of the response, until a step has it
	pending bool         // the usage has no step
}

// itemAnswer is an answer of a model that comes in several items.
type itemAnswer struct {
	text  string
	calls []record.Node
}

// Message takes in a message or an item.
// Items without a role are told by the end of their type: function_call and
// function_call_output, web_search_call, local_shell_call and so on.
func (c *Conversation) Message(m record.Node) {
	kind, role := m.At("type").Text(), m.At("role").Text()
	switch {
	case role == "assistant" && len(Calls(m)) > 0:
		c.Flush()
		c.Trace.AddAnswer(record.Answer{Text: Text(m), Model: c.model, Calls: Calls(m), Usage: c.takeUsage()})
	case role == "assistant":
		if p := c.partial; p != nil && (p.text != "" || len(p.calls) > 0) {
			c.Flush()
		}
		c.item().text = Text(m)
	case role == "user":
		c.Flush()
		c.Trace.SetInput(m.At("content"))
	case role == "tool" || role == "function":
		c.Flush()
		c.results(m)
	case role == "system" || role == "developer":
	case strings.HasSuffix(kind, "_call_output"):
		c.Flush()
		c.Trace.SetResult(m.At("call_id").Text(), "", m.At("output"))
	case strings.HasSuffix(kind, "_call"):
		c.item().calls = append(c.item().calls, m)
	case kind == "reasoning":
		if p := c.partial; p != nil && len(p.calls) > 0 && p.text != "" {
			c.Flush()
		}
		c.item()
	case IsResponseItem(m) || kind == "compaction":
	default:
		c.Trace.Notes.Skip(record.UnknownMessage)
	}
}

// results takes in what tools answered: a message is a result, or has several where the AI SDK or Mastra wrote it.
//
//	{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","output":{"type":"error-text","value":"no"}}]}
func (c *Conversation) results(m record.Node) {
	isPart := false
	for _, part := range m.At("content").List() {
		if part.At("type").Text() != "tool-result" {
			continue
		}
		isPart = true
		value, kind := part.At("output", "value"), part.At("output", "type").Text()
		if !value.Exists() {
			value = part.Either("output", "result")
		}
		step := c.Trace.SetResult(part.At("toolCallId").Text(), part.At("toolName").Text(), value)
		failed := strings.HasPrefix(kind, "error") || kind == "execution-denied" || part.At("isError").IsTrue()
		if step != nil && failed {
			step.Error = record.StepError(value.ErrorText())
		}
	}
	if !isPart {
		c.Trace.SetResult(m.At("tool_call_id").Text(), m.At("name").Text(), m.At("content"))
	}
}

// item returns the answer that is put together.
func (c *Conversation) item() *itemAnswer {
	if c.partial == nil {
		c.partial = &itemAnswer{}
	}
	return c.partial
}

// takeUsage returns the usage of the response for its first step.
// A response may become several steps; the first has all that it took.
func (c *Conversation) takeUsage() record.Usage {
	u := c.usage
	c.usage, c.pending = record.Usage{}, false
	return u
}

// Flush adds the answer that is put together. Text of a model after tools that its
// provider called for it is an answer of its own.
func (c *Conversation) Flush() {
	a := c.partial
	c.partial = nil
	if a == nil || a.text == "" && len(a.calls) == 0 {
		return
	}
	c.Trace.AddAnswer(record.Answer{Text: a.text, Model: c.model, CallsTools: len(a.calls) > 0, Usage: c.takeUsage()})
	for _, m := range a.calls {
		c.call(m)
	}
}

// call adds a call of the Responses interface. One without a call_id was made by the
// provider, and has its result.
func (c *Conversation) call(m record.Node) {
	id, tool := m.At("call_id").Text(), m.At("name").Text()
	if tool == "" {
		tool = strings.TrimSuffix(m.At("type").Text(), "_call")
	}
	call := record.Call{ID: id, Tool: tool, Arguments: m.Either("arguments", "input", "action", "queries",
		"code", "operation")}
	if id != "" {
		c.Trace.AddCall(call)
		return
	}
	step := c.Trace.AddEndedCall(call)
	if output := m.Either("output", "results", "outputs", "result"); output.Exists() {
		step.Output = output.Raw()
	}
	if e := m.At("error"); e.Exists() {
		step.Error = record.StepError(e.ErrorText())
	} else if m.At("status").Text() == "failed" {
		step.Error = record.Failed
	}
}

// Response takes in the messages of a response, with what it took. An answer without
// messages is a step, too.
// So is one of reasoning alone, whose usage still waits for a step.
func (c *Conversation) Response(r record.Node, messages []record.Node) {
	c.Flush()
	c.model = r.At("model").Words()
	c.usage, c.pending = Usage(r.At("usage")), true
	c.usage.Cost = r.At("usage", "cost").Amount()
	c.Trace.AddTime(r.Either("created", "created_at").Time())
	c.Trace.AddTime(r.At("completed_at").Time())
	if r.At("choices").Length() > 1 {
		c.Trace.Notes.Skip("further choices of an answer")
	}
	for _, m := range messages {
		c.Message(m)
	}
	c.Flush()
	if c.pending && !r.At("error").Exists() {
		c.Trace.AddAnswer(record.Answer{Model: c.model, Usage: c.takeUsage()})
	}
	c.model, c.usage, c.pending = "", record.Usage{}, false
}

// GeminiText is the text of parts of a message of Gemini's interface that are no thoughts.
func GeminiText(parts []record.Node) string {
	var texts []string
	for _, p := range parts {
		if text := p.At("text").Words(); text != "" && !p.At("thought").IsTrue() {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}
