package frameworks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// agentsState returns the state of a run, as the OpenAI Agents SDK serializes it, absent if n
// is none. JSON.stringify of a result has it inside:
//
//	{"$schemaVersion":"1.17","currentTurn":1,"currentAgent":{"name":"desk"},"originalInput":"hello",
//	 "modelResponses":[{"usage":{"inputTokens":100,"outputTokens":5},"output":[...],"responseId":"r-1"}],
//	 "generatedItems":[{"type":"tool_call_output_item","rawItem":{"type":"function_call_result",...}}],
//	 "currentStep":{"type":"next_step_final_output","output":"Done."},"trace":null}
//
// The names above are those of JavaScript; Python writes them in snake case.
func agentsState(n record.Node) record.Node {
	if state := n.At("state").Parsed(); state.Has("$schemaVersion") {
		n = state
	}
	if n.Has("$schemaVersion") && (n.Has("originalInput") || n.Has("original_input")) {
		return n
	}
	return record.Node{}
}

// showsAgentsState knows a state by its version and what every one holds.
func showsAgentsState(s *record.Shape) bool { return agentsState(s.First()).Exists() }

// OpenAIAgentsState decodes run states of the OpenAI Agents SDK.
var OpenAIAgentsState = record.Decoder{Shows: showsAgentsState, Read: readAgentsState}

// readAgentsState makes a trial of each state.
func readAgentsState(in *record.Input) error {
	return in.Values(func(n record.Node, line int) error {
		states := []record.Node{n}
		if n.IsList() {
			states = n.List()
		}
		for _, n := range states {
			state := agentsState(n)
			if !state.Exists() {
				in.Notes.Skip("records that are no states of a run")
				continue
			}
			r := &agentsRun{record.NewTrace(in, line)}
			r.read(state)
			if err := in.EmitTrace(r.Trace); err != nil {
				return err
			}
		}
		return nil
	})
}

// agentsRun is the trial of a state.
type agentsRun struct{ *record.Trace }

// read takes in a state. The responses of the model say what it answered and took; what tools
// returned stands among the items that came of them.
func (r *agentsRun) read(n record.Node) {
	trace := n.At("trace")
	r.ID = trace.At("id").Text()
	r.Scenario = record.ValidText(trace.Either("workflow_name", "workflowName").Text())
	r.SetTag("trace_id", trace.At("id"))
	r.SetTags("", trace, "group_id", "metadata")
	r.SetTag("currentAgent", n.Either("currentAgent", "current_agent").At("name"))
	step := n.Either("currentStep", "current_step")
	r.SetTag("currentStep", step.At("type"))
	r.input(n.Either("originalInput", "original_input"))

	items := n.Either("generatedItems", "generated_items").List()
	responses := n.Either("modelResponses", "model_responses").List()
	for _, response := range responses {
		r.SetMessageID(response.Either("responseId", "response_id").Text())
		r.response(response.At("output").List(), agentsUsage(response.At("usage")))
	}
	if len(responses) == 0 {
		r.items(items)
	}
	for _, item := range items {
		if kind := item.At("type").Text(); strings.HasSuffix(kind, "_output_item") && kind != "message_output_item" {
			r.result(item)
		}
	}
	total := agentsUsage(n.At("context", "usage"))
	r.SetTokens(total)
	switch output := step.Either("output", "final_output"); {
	case step.At("type").Text() != "next_step_final_output":
	case output.IsText():
		r.Output = record.RawText(output.Text())
	case output.Exists():
		r.Output = output.Raw()
	}
}

// input finds what was asked: a text, or the first message of the user.
func (r *agentsRun) input(asked record.Node) {
	if asked.IsText() {
		r.SetInput(asked)
	}
	for _, m := range asked.List() {
		if m.At("role").Text() == "user" {
			r.SetInput(m.At("content"))
		}
	}
}

// response adds an answer of the model with its calls.
func (r *agentsRun) response(output []record.Node, usage record.Usage) {
	a := record.Answer{Usage: usage}
	var texts []string
	for _, m := range output {
		switch kind := m.At("type").Text(); {
		case m.At("role").Text() == "assistant":
			if text := transcript.Text(m); text != "" {
				texts = append(texts, text)
			}
		case isAgentsCall(m):
			a.CallsTools = true
		case kind == "reasoning" || kind == "compaction" || kind == "unknown" || kind == "tool_search_output" ||
			kind == "program_output":
		default:
			r.Notes.Skip(record.UnknownMessage)
		}
	}
	a.Text = strings.Join(texts, "\n")
	r.AddAnswer(a)
	for _, m := range output {
		if isAgentsCall(m) {
			r.call(m)
		}
	}
}

// items adds the answers of a state that has no responses of the model: items up to a result
// are one answer.
func (r *agentsRun) items(items []record.Node) {
	var output []record.Node
	for _, item := range append(items, record.Node{}) {
		switch item.At("type").Text() {
		case "message_output_item", "tool_call_item", "handoff_call_item", "reasoning_item", "tool_search_call_item":
			output = append(output, item.Either("rawItem", "raw_item"))
			continue
		}
		if len(output) > 0 {
			r.response(output, record.Usage{})
		}
		output = nil
	}
}

// isAgentsCall reports whether an item of a response is a call of a tool.
func isAgentsCall(m record.Node) bool {
	kind := m.At("type").Text()
	return strings.HasSuffix(kind, "_call") || kind == "program"
}

// call adds a call. One that the provider of the model makes has its result.
func (r *agentsRun) call(m record.Node) {
	kind := m.At("type").Text()
	tool := m.At("name").Text()
	if space := m.At("namespace").Text(); space != "" && tool != "" {
		tool = space + "." + tool
	}
	if tool == "" {
		tool = strings.TrimSuffix(kind, "_call")
	}
	call := record.Call{ID: m.Either("callId", "call_id").Text(), Tool: tool,
		Arguments: m.Either("arguments", "action", "actions", "operation", "code", "input")}
	if call.ID != "" {
		r.AddCall(call)
		return
	}
	step := r.AddEndedCall(call)
	step.Output = m.At("output").Raw()
	if m.At("status").Text() == "failed" {
		step.Error = record.Failed
	}
}

// agentsToolFailures are how the SDK begins what the model is told of a tool that failed, or
// that a person did not allow.
var agentsToolFailures = []string{"An error occurred while running the tool.", "Tool execution was not approved.",
	"Tool call was rejected"}

// result completes a call.
func (r *agentsRun) result(item record.Node) {
	raw := item.Either("rawItem", "raw_item")
	output := raw.At("output").OrElse(item.At("output"))
	shown := output
	if output.At("type").Text() == "text" { // a part of a message that stands alone
		shown = output.At("text")
	}
	step := r.SetResult(raw.Either("callId", "call_id").Text(), raw.At("name").Text(), shown)
	if step == nil {
		return
	}
	text := shown.Speech()
	for _, start := range agentsToolFailures {
		if strings.HasPrefix(text, start) {
			step.Error = record.StepError(text)
		}
	}
	// What a shell returned, one for each command.
	for _, part := range output.List() {
		outcome := part.At("outcome")
		code := outcome.Either("exitCode", "exit_code")
		switch n := code.Number(); {
		case outcome.At("type").Text() == "timeout":
			step.Error = "timeout"
		case n.Known && n.Value != 0:
			step.Error = "exit code " + code.Text()
		}
	}
	if raw.At("status").Text() == "failed" && step.Error == "" {
		step.Error = record.StepError(text)
	}
}

// agentsUsage reads tokens, cached ones among the input. Where nobody counted them all are 0.
func agentsUsage(n record.Node) record.Usage {
	u := record.Usage{Input: n.Either("inputTokens", "input_tokens").Count(),
		Output: n.Either("outputTokens", "output_tokens").Count(),
		Cached: cachedOf(n.Either("inputTokensDetails", "input_tokens_details"))}
	if u.Input.Value+u.Output.Value == 0 {
		return record.Usage{}
	}
	return u
}

// cachedOf reads how many tokens of an input came from a cache: of one request an object says it, of several a list.
func cachedOf(details record.Node) (sum trial.Optional[int64]) {
	record.Add(&sum, details.Either("cachedTokens", "cached_tokens").Count())
	for _, request := range details.List() {
		record.Add(&sum, request.Either("cachedTokens", "cached_tokens").Count())
	}
	return sum
}
