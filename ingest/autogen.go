package ingest

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// autoGenTypes are those of the messages of version 0.4, and of its core.
var autoGenTypes = []string{
	"TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage", "ToolCallSummaryMessage", "ToolCallRequestEvent",
	"ToolCallExecutionEvent", "MemoryQueryEvent", "UserInputRequestedEvent", "ModelClientStreamingChunkEvent", "ThoughtEvent",
	"SelectSpeakerEvent", "SelectorEvent", "CodeGenerationEvent", "CodeExecutionEvent", "StructuredMessage",
	"SystemMessage", "UserMessage", "AssistantMessage", "FunctionExecutionResultMessage",
}

func isAutoGenMessage(n node) bool {
	kind, _, _ := strings.Cut(n.at("type").wordsOnly(), "[")
	return slices.Contains(autoGenTypes, kind) && n.has("content") && (n.has("source") || kind == "FunctionExecutionResultMessage" || kind == "SystemMessage")
}

// autoGenMessages returns the messages of a task result, or of the saved context of
// an agent.
func autoGenMessages(n node) []node {
	return orElse(n.at("messages"), n.at("llm_context", "messages")).list()
}

func isAutoGenOld(n node) bool { return n.at("role").isText() && n.has("tool_responses") }

func isAutoGenResult(n node) bool {
	return n.at("chat_history").isList() && (n.has("chat_id") || n.has("cost") || n.has("summary")) ||
		len(autoGenMessages(n)) > 0 && isAutoGenMessage(autoGenMessages(n)[0])
}

func showsAutoGen(s *shape) bool {
	return isAutoGenResult(s.first()) || isAutoGenMessage(s.first()) || s.any(isAutoGenOld)
}

// readAutoGen makes a trial of each result. Messages one by one are one trial, or
// part of the result that ends them.
func readAutoGen(in *input) error {
	var loose []node
	first := 0
	read := func(n node, line int) error {
		switch {
		case n.at("chat_history").isList():
			return readAutoGenOld(in, n, n.at("chat_history").list(), line)
		case len(autoGenMessages(n)) > 0:
			loose = nil
			return readAutoGenNew(in, n, autoGenMessages(n), line)
		case isAutoGenMessage(n) || n.at("role").isText() && n.has("content"):
			if len(loose) == 0 {
				first = line
			}
			loose = append(loose, n)
			return nil
		}
		in.notes.skip("records without messages")
		return nil
	}
	end := func() error {
		messages := loose
		loose = nil
		switch {
		case len(messages) == 0:
			return nil
		case messages[0].has("role"):
			return readAutoGenOld(in, node{}, messages, first)
		}
		return readAutoGenNew(in, node{}, messages, first)
	}
	err := in.values(func(n node, line int) error {
		if !n.isList() {
			return read(n, line)
		}
		for _, m := range n.list() {
			if inner := m.list(); len(inner) > 0 {
				for _, m := range inner {
					if err := read(m, line); err != nil {
						return err
					}
				}
				if err := end(); err != nil {
					return err
				}
				continue
			}
			if err := read(m, line); err != nil {
				return err
			}
		}
		return end()
	})
	if err != nil {
		return err
	}
	return end()
}

// readAutoGenNew reads the messages of version 0.4.
func readAutoGenNew(in *input, n node, messages []node, line int) error {
	a := &autoGen{in: in, trace: newTrace(in, line), user: "user", thoughts: map[string]string{}}
	if first := messages[0]; first.at("source").isText() && !first.at("models_usage").exists() && isAutoGenWords(first.at("type").text()) {
		a.user = first.at("source").text()
	}
	for _, m := range messages {
		a.message(m)
	}
	a.trace.tag("stop_reason", n.at("stop_reason"))
	return in.trial(a.trace)
}

func isAutoGenWords(kind string) bool {
	return kind == "TextMessage" || kind == "MultiModalMessage" || kind == "UserMessage" || strings.HasPrefix(kind, "StructuredMessage")
}

// autoGen is a trial of version 0.4.
type autoGen struct {
	in       *input
	trace    *trace
	user     string            // who speaks for the user
	thoughts map[string]string // of each agent, that its next answer came with
}

func (a *autoGen) message(m node) {
	t := a.trace
	source, content, u := m.at("source").text(), m.at("content"), chatUsage(m.at("models_usage"))
	t.seen(m.at("created_at").time())
	kind, _, _ := strings.Cut(m.at("type").wordsOnly(), "[")
	switch kind {
	case "TextMessage", "MultiModalMessage", "StructuredMessage":
		if source == a.user && !m.at("models_usage").exists() {
			t.ask(content)
			return
		}
		a.said(content, u)
		delete(a.thoughts, source)
	case "UserMessage":
		t.ask(content)
	case "AssistantMessage", "ToolCallRequestEvent":
		if kind == "AssistantMessage" && !content.isList() {
			a.said(content, u)
			return
		}
		text := a.thoughts[source]
		if thought := m.at("thought").wordsOnly(); thought != "" {
			text = thought
		}
		delete(a.thoughts, source)
		t.reply(text, "", autoGenCalls(content), u)
	case "ToolCallExecutionEvent", "FunctionExecutionResultMessage":
		for _, r := range content.list() {
			a.result(r)
		}
	case "ToolCallSummaryMessage": // repeats the results, and is what the user sees
		if text := spoken(content); text != "" {
			t.Output = trial.RawString(text)
		}
	case "ThoughtEvent":
		a.thoughts[source] = spoken(content)
	case "CodeGenerationEvent":
		t.respond(spoken(content), "", true, u)
	case "CodeExecutionEvent":
		a.executed(m)
	case "HandoffMessage":
		t.Steps = append(t.Steps, trial.Step{Action: "handoff", Arguments: node{map[string]any{"source": source, "target": m.at("target").value}}.raw()})
	case "MemoryQueryEvent":
		t.Steps = append(t.Steps, trial.Step{Action: "retrieve", Output: content.raw()})
	case "StopMessage", "SystemMessage", "UserInputRequestedEvent", "ModelClientStreamingChunkEvent", "SelectSpeakerEvent", "SelectorEvent":
	default:
		a.in.notes.skip("messages that are not known")
	}
}

// said adds an answer without calls of tools.
func (a *autoGen) said(content node, u usage) {
	step := a.trace.respond(spoken(content), "", false, u)
	if content.isObject() { // a structured answer
		step.Output = content.raw()
		a.trace.Output = step.Output
	}
}

func autoGenCalls(content node) (calls []toolCall) {
	for _, c := range content.list() {
		if c.isObject() {
			calls = append(calls, toolCall{c.at("id").text(), c.at("name").text(), c.at("arguments")})
		}
	}
	return calls
}

func (a *autoGen) result(r node) {
	step := a.trace.give(r.at("call_id").text(), r.at("name").text(), r.at("content"))
	if step == nil {
		a.in.notes.skip(resultWithoutCall)
	} else if r.at("is_error").isTrue() {
		step.Error = failure(spoken(r.at("content")))
	}
}

// executed adds the execution of code that the model wrote.
func (a *autoGen) executed(m node) {
	step := a.trace.call("", "code_executor", node{})
	a.trace.waiting = a.trace.waiting[:len(a.trace.waiting)-1]
	result := m.at("result")
	step.Output = result.at("output").raw()
	if code := result.at("exit_code").number(); code.Known && code.Value != 0 {
		step.Error = failure(result.at("output").wordsOnly())
	}
}
