package benchmarks

import (
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// sdkEvents are the kinds of events of the software-agent-sdk.
var sdkEvents = []string{
	"ActionEvent", "ObservationEvent", "MessageEvent", "AgentErrorEvent", "UserRejectObservation",
	"ConversationErrorEvent", "SystemPromptEvent", "ConversationStateUpdateEvent", "PauseEvent", "InterruptEvent",
	"Condensation", "CondensationRequest", "CondensationSummaryEvent", "LLMCompletionLogEvent", "TokenEvent",
	"StreamingDeltaEvent", "HookExecutionEvent", "ACPToolCallEvent", "ServerErrorEvent",
}

// isSDKEvent reports whether n is an event of the software-agent-sdk:
//
//	{"kind":"ActionEvent","id":"e-1","timestamp":"...","source":"agent","thought":[{"type":"text","text":"..."}],
//	 "tool_name":"terminal","tool_call_id":"c-1","tool_call":{"id":"c-1","name":"terminal","arguments":"{...}"},
//	 "llm_response_id":"r-1"}
//	{"kind":"ObservationEvent","id":"e-2","timestamp":"...","source":"environment","tool_name":"terminal",
//	 "tool_call_id":"c-1","observation":{"content":[{"type":"text","text":"a.py"}],"is_error":false,"exit_code":0}}
func isSDKEvent(n record.Node) bool {
	return n.At("source").IsText() && slices.Contains(sdkEvents, n.At("kind").Text())
}

// sdkEvent takes in an event of the software-agent-sdk.
func (o *openHands) sdkEvent(e record.Node) {
	o.AddTime(e.At("timestamp").Time())
	o.SetMessageID(e.At("id").Text())
	switch e.At("kind").Text() {
	case "MessageEvent":
		content := e.At("llm_message", "content")
		if e.At("source").Text() == "agent" {
			o.respond(record.Answer{Text: content.Speech()})
			return
		}
		o.SetInput(content)
	case "ActionEvent":
		o.sdkAction(e)
	case "ObservationEvent":
		o.sdkObservation(e)
	case "AgentErrorEvent":
		o.sdkFailure(e, e.At("error").ErrorText())
	case "UserRejectObservation":
		o.sdkFailure(e, e.At("rejection_reason").Text())
	case "ConversationErrorEvent", "ServerErrorEvent":
		openHandsFailure(o.Trace, e.At("code").Text(), e.At("detail").Text())
	case "ConversationStateUpdateEvent":
		o.sdkState(e)
	}
}

// sdkAction adds a call, and the answer that makes it: calls of one response share its id. The
// tool finish gives the answer to the user.
func (o *openHands) sdkAction(e record.Node) {
	tool := e.At("tool_name").Text()
	if message := e.At("action", "message"); tool == "finish" && message.IsText() {
		o.respond(record.Answer{Text: message.Text()})
		return
	}
	o.goesOn()
	id := e.At("llm_response_id").Text()
	if id == "" || !o.responses[id] {
		o.AddAnswer(record.Answer{Text: e.At("thought").Speech(), CallsTools: true})
	}
	o.responses[id] = true
	called := e.At("tool_call")
	if f := called.At("function"); f.IsObject() {
		called = f
	}
	arguments := called.At("arguments")
	if !arguments.Exists() {
		arguments = e.At("action")
	}
	o.AddCall(record.Call{ID: e.At("tool_call_id").Text(), Tool: tool, Arguments: arguments})
}

// sdkObservation completes a call.
func (o *openHands) sdkObservation(e record.Node) {
	if e.At("tool_name").Text() == "finish" {
		return
	}
	observation := e.At("observation")
	step := o.SetResult(e.At("tool_call_id").Text(), "", observation.Either("content", "output").OrElse(observation))
	if step == nil {
		return
	}
	code := observation.At("exit_code").OrElse(observation.At("metadata", "exit_code"))
	switch n := code.Number(); {
	case observation.Either("is_error", "error").IsTrue():
		step.Error = record.StepError(step.Output.Text())
	case n.Known && n.Value != 0 && n.Value != -1:
		step.Error = "exit code " + code.Text()
	}
}

// sdkFailure completes a call that was not made, or was refused.
func (o *openHands) sdkFailure(e record.Node, message string) {
	step := o.TakeCall(e.At("tool_call_id").Text(), "")
	if step == nil {
		o.Notes.Pass("errors without a call")
		return
	}
	step.Output, step.Error = record.RawText(message), record.StepError(message)
}

// sdkState reads what the conversation took so far, from the state that is told to clients. It
// is told for each use of a model: the agent's own is named agent.
func (o *openHands) sdkState(e record.Node) {
	value := e.At("value")
	if e.At("key").Text() == "full_state" {
		value = value.At("stats")
	}
	if m := value.At("usage_to_metrics", "agent"); m.IsObject() {
		o.cost = m.At("accumulated_cost").Amount()
		o.usage = m.At("accumulated_token_usage").OrElse(o.usage)
		if model := m.At("model_name").Text(); o.Model == "" {
			o.Model = record.ValidText(model)
		}
	}
}
