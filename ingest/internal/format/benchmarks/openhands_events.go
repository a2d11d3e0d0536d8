package benchmarks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
)

// action takes in an action of the agent, or of the user.
func (o *openHands) action(e record.Node) {
	kind, args, source := e.At("action").Text(), e.At("args"), e.At("source").Text()
	if !args.IsObject() { // of 2024: the members stand in the event
		args = openHandsArgs(e)
	}
	switch kind {
	case "message":
		// Without a source, the first message is the task.
		if source == "user" || source == "" && len(o.Steps) == 0 {
			o.SetInput(args.At("content").OrElse(e.At("message")))
			return
		}
		o.answer(e, args.At("content").OrElse(e.At("message")).Speech(), false)
	case "finish", "reject":
		text := args.At("final_thought").Words()
		for _, other := range []record.Node{args.At("outputs", "content"), args.At("thought"), e.At("message")} {
			if text == "" {
				text = other.Words()
			}
		}
		o.answer(e, text, false)
	// What the agent is told, how it is steered, and how its history is made shorter.
	case "system", "recall", "change_agent_state", "start", "pause", "resume", "stop", "null", "condensation",
		"condensation_request", "loop_recovery":
	default:
		if source == "user" {
			o.Notes.Pass("actions of the user")
			return
		}
		o.answer(e, args.At("thought").Words(), true)
		call := openHandsCall(e)
		if call.Tool == "" {
			call.Tool, call.Arguments = kind, withoutThought(args)
		}
		call.ID = e.At("id").Text()
		o.AddCall(call).Depth = record.DepthOf(o.depth)
		if kind == "delegate" {
			o.depth++
		}
	}
}

// openHandsArgs are the members of an action that has no arguments of its own.
func openHandsArgs(e record.Node) record.Node {
	object := map[string]any{}
	for name, value := range e.Members() {
		switch name {
		case "action", "id", "timestamp", "source", "message", "cause", "timeout", "tool_call_metadata", "llm_metrics":
		default:
			object[name] = value.Value
		}
	}
	return record.Node{Value: object}
}

// withoutThought leaves out of arguments what is no argument, but the thought of the model and
// how the program treats the action.
func withoutThought(args record.Node) record.Node {
	object := map[string]any{}
	for name, value := range args.Members() {
		switch name {
		case "thought", "is_confirmed", "confirmation_state", "action_risk", "security_risk", "keep_prompt", "hidden",
			"blocking", "is_input", "is_static", "kernel_init_code", "include_extra", "translated_ipython_code":
		default:
			if value.Exists() {
				object[name] = value.Value
			}
		}
	}
	return record.Node{Value: object}
}

// openHandsCall is the call as the model made it, where the event has the model's response.
func openHandsCall(e record.Node) (call record.Call) {
	metadata := e.At("tool_call_metadata")
	call.Tool = metadata.At("function_name").Text()
	call.Arguments = withoutThought(e.At("args"))
	message := metadata.At("model_response", "choices").First().At("message")
	for _, c := range transcript.Calls(message) {
		if c.ID == metadata.At("tool_call_id").Text() {
			call.Arguments = c.Arguments
		}
	}
	return call
}

// answer adds the answer of the model that an action is of, unless an action before was of the
// same one. What it took is known from its own response, or by how the sums grow.
func (o *openHands) answer(e record.Node, text string, callsTools bool) {
	o.goesOn()
	response := e.At("tool_call_metadata", "model_response")
	id := response.At("id").Text()
	o.SetMessageID(id)
	if callsTools && id != "" && o.responses[id] {
		return
	}
	o.responses[id] = true
	if said := transcript.Text(response.At("choices").First().At("message")); callsTools && said != "" {
		text = said
	}
	a := record.Answer{Text: text, Model: response.At("model").Text(), CallsTools: callsTools, Depth: o.depth}
	a.Usage = transcript.Usage(response.At("usage"))
	if metrics := e.At("llm_metrics"); metrics.IsObject() {
		cost := metrics.At("accumulated_cost").Amount()
		if cost.Known && cost.Value >= o.cost.Value {
			a.Usage.Cost = cost
			a.Usage.Cost.Value -= o.cost.Value
			o.cost = cost
		}
		o.usage = metrics.At("accumulated_token_usage").OrElse(o.usage)
	}
	o.AddAnswer(a)
}

// observation takes in what came of an action.
func (o *openHands) observation(e record.Node) {
	kind, extras := e.At("observation").Text(), e.At("extras")
	content := e.At("content")
	switch kind {
	case "null", "recall", "condense", "loop_detection", "success", "chat", "message":
		return
	case "agent_state_changed":
		if state := extras.At("agent_state").Text(); state == "error" {
			openHandsFailure(o.Trace, state, extras.At("reason").Text())
		}
		return
	case "delegate":
		o.depth = max(0, o.depth-1)
		if content.Words() == "" {
			content = extras.At("outputs").OrElse(e.At("outputs")).OrElse(content)
		}
	}
	cause := e.At("cause")
	step := o.TakeCall(cause.Text(), "")
	switch {
	case step == nil && kind == "error": // of the program, which goes on
		o.Notes.Pass("errors without a call")
		return
	case step == nil:
		o.Notes.Skip(record.ResultWithoutCall)
		return
	}
	step.Output = content.Output()
	code := extras.At("metadata", "exit_code").OrElse(extras.At("exit_code")).OrElse(e.At("exit_code"))
	// -1 is said of a command that still runs.
	switch n := code.Number(); {
	case kind == "error" || kind == "user_rejected":
		step.Error = record.StepError(content.Words())
	case n.Known && n.Value != 0 && n.Value != -1:
		step.Error = "exit code " + code.Text()
	case content.Parsed().At("isError").IsTrue():
		text, _ := content.Parsed().At("content").BlockText()
		step.Error = record.StepError(text)
	case (kind == "edit" || kind == "read") && strings.HasPrefix(content.Words(), "ERROR:"):
		step.Error = record.StepError(content.Words())
	}
}
