package ingest

import (
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// spoken returns the text of a message: a string, or the parts of one that are text
// for its reader. Thoughts, images and calls of tools are none.
func spoken(content node) string {
	if content.isObject() {
		return content.either("text", "content").wordsOnly()
	}
	if !content.isList() {
		return content.text()
	}
	var parts []string
	for _, part := range content.list() {
		if part.isText() {
			parts = append(parts, part.text())
			continue
		}
		switch part.at("type").text() {
		case "", "text", "input_text", "output_text", "refusal":
			if text := part.either("text", "refusal").wordsOnly(); text != "" {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "\n")
}

// wordsOnly is the content of a string.
func (n node) wordsOnly() string {
	if n.isText() {
		return n.text()
	}
	return ""
}

// toolCall is a call of a tool that a message of the model asks for.
type toolCall struct {
	id, tool  string
	arguments node
}

// chatCalls returns the calls of tools in a message of the model, in the ways that
// OpenAI, LangChain and Anthropic write them.
func chatCalls(message node) (calls []toolCall) {
	for _, c := range message.at("tool_calls").list() {
		f := c.either("function", "custom")
		if !f.isObject() {
			f = c
		}
		calls = append(calls, toolCall{c.at("id").text(), f.at("name").text(), f.either("arguments", "args", "input")})
	}
	if f := message.at("function_call"); f.isObject() && len(calls) == 0 {
		calls = append(calls, toolCall{"", f.at("name").text(), f.at("arguments")})
	}
	for _, part := range message.at("content").list() {
		if part.at("type").text() == "tool_use" && len(message.at("tool_calls").list()) == 0 {
			calls = append(calls, toolCall{part.at("id").text(), part.at("name").text(), part.at("input")})
		}
	}
	return calls
}

// chatUsage returns what a model used, by the names of OpenAI in its two interfaces
// and those of libraries that follow them.
func chatUsage(n node) usage {
	return usage{
		input:  n.either("prompt_tokens", "input_tokens").count(),
		output: n.either("completion_tokens", "output_tokens").count(),
	}
}

// ask takes in a message to the system: the first is the input of the trial.
func (t *trace) ask(content node) {
	if t.Input != nil || !content.exists() {
		return
	}
	if text := spoken(content); text != "" {
		t.Input = trial.RawString(text)
	} else if content.length() > 0 {
		t.Input = content.raw()
	}
}

// reply adds an answer of a model with the calls of tools it makes.
func (t *trace) reply(text, model string, calls []toolCall, u usage) {
	t.respond(text, model, len(calls) > 0, u)
	for _, c := range calls {
		t.call(c.id, c.tool, c.arguments)
	}
}

// respond adds an answer of a model, whose text is the output of the trial if it
// calls no tools, and returns its step.
func (t *trace) respond(text, model string, callsTools bool, u usage) *trial.Step {
	step := t.answer(text, callsTools, u)
	step.Model = model
	if t.Model == "" {
		t.Model = model
	}
	if !callsTools && text != "" {
		t.Output = step.Output
	}
	return step
}

// resultWithoutCall is why the result of a tool is left out.
const resultWithoutCall = "results of tools without their call"

// give completes the call of a tool. It reports whether there is one.
func (t *trace) give(id, tool string, output node) *trial.Step {
	step := t.result(id, tool)
	if step == nil {
		return nil
	}
	if text := spoken(output); text != "" && output.isList() {
		step.Output = trial.RawString(text)
	} else {
		step.Output = output.raw()
	}
	return step
}

// broken marks the step of a call of a model that failed: unless it said something,
// it answered nobody.
func broken(step *trial.Step, message string) {
	step.Error = failure(message)
	if step.Action == trial.Respond && step.Output == nil {
		step.Action = trial.Reason
	}
}

// lasting returns the seconds between two times, unknown if one is.
func lasting(start, end time.Time) trial.Optional[float64] {
	if start.IsZero() || end.Before(start) {
		return trial.Optional[float64]{}
	}
	return trial.Some(end.Sub(start).Seconds())
}

// chatMark returns what tells one message of a conversation from another, to see
// whether a conversation continues one before; "" for what may change on the way.
func chatMark(message node) string {
	role, text := message.either("role", "type").text(), spoken(message.either("content", "output"))
	if role == "system" || role == "developer" || role == "reasoning" {
		return ""
	}
	var b strings.Builder
	b.WriteString(role + "\x00" + text + "\x00" + message.either("tool_call_id", "call_id").text())
	for _, c := range chatCalls(message) {
		b.WriteString("\x00" + c.id + "\x00" + c.tool + "\x00" + string(c.arguments.parsed().raw()))
	}
	return b.String()
}

func chatMarks(messages []node) (marks []string) {
	for _, m := range messages {
		if mark := chatMark(m); mark != "" {
			marks = append(marks, mark)
		}
	}
	return marks
}

// continues reports whether a conversation begins as another did, and goes on.
func continues(marks, before []string) bool {
	return len(before) > 0 && len(marks) > len(before) && slices.Equal(marks[:len(before)], before)
}
