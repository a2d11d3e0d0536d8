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
	kind, _, _ := strings.Cut(n.at("type").words(), "[")
	return slices.Contains(autoGenTypes, kind) && n.has("content") && (n.has("source") || kind == "FunctionExecutionResultMessage" || kind == "SystemMessage")
}

// autoGenMessages returns the messages of a task result, or of the saved context of
// an agent.
func autoGenMessages(n node) []node {
	return n.at("messages").orElse(n.at("llm_context", "messages")).list()
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
	loose := group{read: func(messages []node, line int) error {
		if messages[0].has("role") {
			return readAutoGenOld(in, node{}, messages, line)
		}
		return readAutoGenNew(in, node{}, messages, line)
	}}
	return loose.readValues(in, func(n node, line int) error {
		switch {
		case n.at("chat_history").isList():
			return readAutoGenOld(in, n, n.at("chat_history").list(), line)
		case len(autoGenMessages(n)) > 0:
			loose.drop()
			return readAutoGenNew(in, n, autoGenMessages(n), line)
		case isAutoGenMessage(n) || n.at("role").isText() && n.has("content"):
			loose.add(n, line)
			return nil
		}
		in.notes.skip(noMessages)
		return nil
	})
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
	a.trace.setTag("stop_reason", n.at("stop_reason"))
	return in.emitTrace(a.trace)
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
	t.addTime(m.at("created_at").time())
	kind, _, _ := strings.Cut(m.at("type").words(), "[")
	switch kind {
	case "TextMessage", "MultiModalMessage", "StructuredMessage":
		if source == a.user && !m.at("models_usage").exists() {
			t.setInput(content)
			return
		}
		a.said(content, u)
		delete(a.thoughts, source)
	case "UserMessage":
		t.setInput(content)
	case "AssistantMessage", "ToolCallRequestEvent":
		if kind == "AssistantMessage" && !content.isList() {
			a.said(content, u)
			return
		}
		text := a.thoughts[source]
		if thought := m.at("thought").words(); thought != "" {
			text = thought
		}
		delete(a.thoughts, source)
		t.addAnswer(answer{text: text, calls: autoGenCalls(content), usage: u})
	case "ToolCallExecutionEvent", "FunctionExecutionResultMessage":
		for _, r := range content.list() {
			a.result(r)
		}
	case "ToolCallSummaryMessage": // repeats the results, and is what the user sees
		if text := content.speech(); text != "" {
			t.Output = trial.RawString(text)
		}
	case "ThoughtEvent":
		a.thoughts[source] = content.speech()
	case "CodeGenerationEvent":
		t.addAnswer(answer{text: content.speech(), callsTools: true, usage: u})
	case "CodeExecutionEvent":
		a.executed(m)
	case "HandoffMessage":
		t.Steps = append(t.Steps, trial.Step{Action: "handoff", Arguments: node{map[string]any{"source": source, "target": m.at("target").value}}.raw()})
	case "MemoryQueryEvent":
		t.Steps = append(t.Steps, trial.Step{Action: "retrieve", Output: content.raw()})
	case "StopMessage", "SystemMessage", "UserInputRequestedEvent", "ModelClientStreamingChunkEvent", "SelectSpeakerEvent", "SelectorEvent":
	default:
		a.in.notes.skip(unknownMessage)
	}
}

// said adds an answer without calls of tools.
func (a *autoGen) said(content node, u usage) {
	step := a.trace.addAnswer(answer{text: content.speech(), usage: u})
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
	step := a.trace.setResult(r.at("call_id").text(), r.at("name").text(), r.at("content"))
	if step != nil && r.at("is_error").isTrue() {
		step.Error = stepError(r.at("content").speech())
	}
}

// executed adds the execution of code that the model wrote.
func (a *autoGen) executed(m node) {
	step := a.trace.addEndedCall(toolCall{tool: "code_executor"})
	result := m.at("result")
	step.Output = result.at("output").raw()
	if code := result.at("exit_code").number(); code.Known && code.Value != 0 {
		step.Error = stepError(result.at("output").words())
	}
}
