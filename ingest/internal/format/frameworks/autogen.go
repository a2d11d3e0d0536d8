package frameworks

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// autoGenTypes are those of the messages of version 0.4, and of its core.
// AutoGen 0.4 writes a message as
//
//	{"source":"clerk","type":"ToolCallRequestEvent","models_usage":{"prompt_tokens":100},"content":[...]}
//
// and a task result as {"messages":[...],"stop_reason":"..."}.
var autoGenTypes = []string{
	"TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage", "ToolCallSummaryMessage",
	"ToolCallRequestEvent",
	"ToolCallExecutionEvent", "MemoryQueryEvent", "UserInputRequestedEvent", "ModelClientStreamingChunkEvent",
	"ThoughtEvent",
	"SelectSpeakerEvent", "SelectorEvent", "CodeGenerationEvent", "CodeExecutionEvent", "StructuredMessage",
	"SystemMessage", "UserMessage", "AssistantMessage", "FunctionExecutionResultMessage",
}

// isAutoGenMessage reports whether n is a message of 0.4. A StructuredMessage names its
// content type in brackets, as in StructuredMessage[Answer].
func isAutoGenMessage(n record.Node) bool {
	kind, _, _ := strings.Cut(n.At("type").Words(), "[")
	return slices.Contains(autoGenTypes, kind) && n.Has("content") &&
		(n.Has("source") || kind == "FunctionExecutionResultMessage" || kind == "SystemMessage")
}

// autoGenMessages returns the messages of a task result, or of the saved context of
// an agent.
func autoGenMessages(n record.Node) []record.Node {
	return n.At("messages").OrElse(n.At("llm_context", "messages")).List()
}

// isAutoGenOld reports whether n is a message of 0.2 that only AutoGen writes: results of
// several tools in one message. The others look like those of OpenAI.
func isAutoGenOld(n record.Node) bool { return n.At("role").IsText() && n.Has("tool_responses") }

// isAutoGenResult reports whether n is a ChatResult of 0.2, with its history, or a
// TaskResult or saved context of 0.4.
func isAutoGenResult(n record.Node) bool {
	return n.At("chat_history").IsList() && (n.Has("chat_id") || n.Has("cost") || n.Has("summary")) ||
		len(autoGenMessages(n)) > 0 && isAutoGenMessage(autoGenMessages(n)[0])
}

// showsAutoGen knows loose messages of 0.2 only where one of them has results of tools:
// elsewhere they are those of OpenAI's interface, and the user has to say --from autogen.
func showsAutoGen(s *record.Shape) bool {
	return isAutoGenResult(s.First()) || isAutoGenMessage(s.First()) || s.Any(isAutoGenOld)
}

// AutoGen decodes AutoGen 0.2 chat results and 0.4 task results.
var AutoGen = record.Decoder{Shows: showsAutoGen, Read: readAutoGen}

// readAutoGen makes a trial of each result. Messages one by one are one trial, or
// part of the result that ends them.
func readAutoGen(in *record.Input) error {
	loose := record.Group{Read: func(messages []record.Node, line int) error {
		if messages[0].Has("role") {
			return readAutoGenOld(in, record.Node{}, messages, line)
		}
		return readAutoGenNew(in, record.Node{}, messages, line)
	}}
	return loose.ReadValues(in, func(n record.Node, line int) error {
		switch {
		case n.At("chat_history").IsList():
			return readAutoGenOld(in, n, n.At("chat_history").List(), line)
		case len(autoGenMessages(n)) > 0:
			// The result at the end of run_stream repeats the messages that were streamed.
			loose.Drop()
			return readAutoGenNew(in, n, autoGenMessages(n), line)
		case isAutoGenMessage(n) || n.At("role").IsText() && n.Has("content"):
			loose.Add(n, line)
			return nil
		}
		in.Notes.Skip(record.NoMessages)
		return nil
	})
}

// readAutoGenNew reads the messages of version 0.4.
func readAutoGenNew(in *record.Input, n record.Node, messages []record.Node, line int) error {
	// The user has no fixed name in 0.4: who speaks first, in words and without a model's
	// usage, speaks for the user. Later texts of the same source are told by it.
	a := &autoGen{in: in, trace: record.NewTrace(in, line), user: "user", thoughts: map[string]string{}}
	if first := messages[0]; first.At("source").IsText() && !first.At("models_usage").Exists() &&
		isAutoGenWords(first.At("type").Text()) {
		a.user = first.At("source").Text()
	}
	for _, m := range messages {
		a.message(m)
		a.trace.SetMessageID(m.At("id").Text())
	}
	a.trace.SetTag("stop_reason", n.At("stop_reason"))
	return in.EmitTrace(a.trace)
}

// isAutoGenWords reports whether a message of the kind can open a conversation.
func isAutoGenWords(kind string) bool {
	return kind == "TextMessage" || kind == "MultiModalMessage" || kind == "UserMessage" ||
		strings.HasPrefix(kind, "StructuredMessage")
}

// autoGen is a trial of version 0.4.
type autoGen struct {
	in       *record.Input
	trace    *record.Trace
	user     string            // who speaks for the user
	thoughts map[string]string // of each agent, that its next answer came with
}

// message takes in a message of 0.4. The types of its core (UserMessage, AssistantMessage,
// FunctionExecutionResultMessage) stand in the saved context of an agent, the others in
// task results.
func (a *autoGen) message(m record.Node) {
	t := a.trace
	source, content, u := m.At("source").Text(), m.At("content"), transcript.Usage(m.At("models_usage"))
	t.AddTime(m.At("created_at").Time())
	kind, _, _ := strings.Cut(m.At("type").Words(), "[")
	switch kind {
	case "TextMessage", "MultiModalMessage", "StructuredMessage":
		// What a model answered has its usage; the user's words have none.
		if source == a.user && !m.At("models_usage").Exists() {
			t.SetInput(content)
			return
		}
		a.addAnswer(content, u)
		delete(a.thoughts, source)
	case "UserMessage":
		t.SetInput(content)
	// An AssistantMessage of the core has a text, or a list of calls.
	case "AssistantMessage", "ToolCallRequestEvent":
		if kind == "AssistantMessage" && !content.IsList() {
			a.addAnswer(content, u)
			return
		}
		// What the model said with its calls comes as an event before them, or inside of them.
		text := a.thoughts[source]
		if thought := m.At("thought").Words(); thought != "" {
			text = thought
		}
		delete(a.thoughts, source)
		t.AddAnswer(record.Answer{Text: text, Calls: autoGenCalls(content), Usage: u})
	case "ToolCallExecutionEvent", "FunctionExecutionResultMessage":
		for _, r := range content.List() {
			a.result(r)
		}
	case "ToolCallSummaryMessage": // repeats the results, and is what the user sees
		if text := content.Speech(); text != "" {
			t.Output = trial.RawString(text)
		}
	// Of reasoning models, or the text beside calls; it belongs to what the agent does next.
	case "ThoughtEvent":
		a.thoughts[source] = content.Speech()
	case "CodeGenerationEvent":
		t.AddAnswer(record.Answer{Text: content.Speech(), CallsTools: true, Usage: u})
	case "CodeExecutionEvent":
		a.addExecution(m)
	// A swarm passes the task on. It is no answer: the tool that asked for it is a step of its own.
	case "HandoffMessage":
		t.Steps = append(t.Steps, trial.Step{Action: "handoff",
			Arguments: record.Node{Value: map[string]any{"source": source, "target": m.At("target").Value}}.Raw()})
	case "MemoryQueryEvent":
		t.Steps = append(t.Steps, trial.Step{Action: "retrieve", Output: content.Raw()})
	// Nothing that the agents did: ends, prompts, chunks of what comes whole, choices of speakers.
	case "StopMessage", "SystemMessage", "UserInputRequestedEvent", "ModelClientStreamingChunkEvent",
		"SelectSpeakerEvent", "SelectorEvent":
	default:
		a.in.Notes.Skip(record.UnknownMessage)
	}
}

// addAnswer adds an answer without calls of tools.
func (a *autoGen) addAnswer(content record.Node, u record.Usage) {
	step := a.trace.AddAnswer(record.Answer{Text: content.Speech(), Usage: u})
	if content.IsObject() { // a structured answer
		step.Output = content.Raw()
		a.trace.Output = step.Output
	}
}

// autoGenCalls returns the calls of a request. Elements that are texts are thoughts.
func autoGenCalls(content record.Node) (calls []record.Call) {
	for _, c := range content.List() {
		if c.IsObject() {
			calls = append(calls, record.Call{ID: c.At("id").Text(), Tool: c.At("name").Text(),
				Arguments: c.At("arguments")})
		}
	}
	return calls
}

// result completes a call. Where there is no is_error, a failure is plain text like any other.
func (a *autoGen) result(r record.Node) {
	step := a.trace.SetResult(r.At("call_id").Text(), r.At("name").Text(), r.At("content"))
	if step != nil && r.At("is_error").IsTrue() {
		step.Error = record.StepError(r.At("content").Speech())
	}
}

// addExecution adds the execution of code that the model wrote.
func (a *autoGen) addExecution(m record.Node) {
	// The code itself is in the message before; the event has its output and exit code alone.
	step := a.trace.AddEndedCall(record.Call{Tool: "code_executor"})
	result := m.At("result")
	step.Output = result.At("output").Raw()
	if code := result.At("exit_code").Number(); code.Known && code.Value != 0 {
		step.Error = record.StepError(result.At("output").Words())
	}
}
