package ingest

import (
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// bedrockCall is a call that waits for its observation.
type bedrockCall struct {
	at    time.Time // zero if unknown
	depth int
}

// read reads one trace of the agent or of a collaborator.
func (s *bedrockSession) read(part node, kind string, trace node) {
	depth, at := bedrockDepth(part), part.at("eventTime").time()
	s.seen(at)
	s.inChunks = false
	if depth == 0 {
		s.isOver = false
	}
	switch kind {
	case "failureTrace":
		s.failed(trace, depth)
		return
	case "guardrailTrace":
		s.seenIn(trace)
		if action := trace.at("action"); action.text() != "NONE" {
			s.labelAs("guardrailTrace.action", action)
		}
		return
	case "customOrchestrationTrace":
		s.notes.skip("events of a custom orchestration")
		return
	}
	isRead := false
	for name, value := range trace.members() {
		id := value.at("traceId").text()
		s.seenIn(value)
		switch name {
		case "modelInvocationInput":
			s.request(value, id, kind, depth)
		case "modelInvocationOutput":
			s.reply(value, id, depth)
		case "rationale":
			s.rationale(value, id, depth)
		case "invocationInput":
			s.invoke(value, id, depth, at)
		case "observation":
			s.observe(value, id, depth, at)
		default:
			continue
		}
		isRead = true
	}
	if !isRead {
		s.notes.skip(notUnderstood)
	}
}

// seenIn takes in the times that a trace names itself.
func (s *bedrockSession) seenIn(n node) {
	for _, value := range n.members() {
		if m := value.at("metadata"); m.isObject() {
			n = value
		}
	}
	s.seen(n.at("metadata", "startTime").time())
	s.seen(n.at("metadata", "endTime").time())
}

// failed reads a failure, which ends the session if it is of the agent itself, and the
// call of a collaborator if it is of that.
func (s *bedrockSession) failed(trace node, depth int) {
	reason := trace.at("failureReason").text()
	if depth == 0 {
		s.fail(trace.at("failureCode").text(), reason)
		return
	}
	for i := len(s.waiting) - 1; i >= 0; i-- {
		w := s.waiting[i]
		if s.calls[w.id].depth == depth-1 {
			s.Steps[w.step].Error = failure(reason)
			return
		}
	}
	s.notes.skip(withoutCall)
}

func (s *bedrockSession) request(n node, id, kind string, depth int) {
	model := n.at("foundationModel").text()
	s.models[id] = model
	if depth > 0 {
		return
	}
	if isMain := kind == "orchestrationTrace"; s.Model == "" || isMain && !s.isMain {
		s.Model, s.isMain = model, isMain
	}
	if text := bedrockInput(n.at("text")); s.Input == nil && text != "" {
		s.Input = trial.RawString(text)
	}
}

// answerStep returns the answer of the model in a step of the log. It is to reason
// until the log says that it was the final one.
func (s *bedrockSession) answerStep(id string, depth int) *trial.Step {
	if i, ok := s.answers[id]; ok && id != "" {
		return &s.Steps[i]
	}
	s.answers[id] = len(s.Steps)
	step := s.answer("", true, usage{})
	step.Depth, step.Model = stepDepth(depth), s.models[id]
	return step
}

func (s *bedrockSession) reply(n node, id string, depth int) {
	step := s.answerStep(id, depth)
	tokens := n.at("metadata", "usage")
	step.InputTokens, step.OutputTokens = tokens.at("inputTokens").count(), tokens.at("outputTokens").count()
	step.DurationSeconds = inSeconds(n.at("metadata", "totalTimeMs"))
	raw := n.at("rawResponse", "content")
	text := raw.text()
	if message := raw.parsed(); message.isObject() {
		content := message.at("content")
		if !content.exists() {
			content = message.at("output", "message", "content")
		}
		if content.exists() {
			text, _ = blockText(content)
		}
	}
	if text != "" {
		step.Output = trial.RawString(text)
	}
}

// rationale reads why the model chose what it did. Older logs hold no other word of
// the model.
func (s *bedrockSession) rationale(n node, id string, depth int) {
	step := s.answerStep(id, depth)
	if text := n.at("text").text(); text != "" && step.Output == nil {
		step.Output = trial.RawString(text)
	}
}

// invoke reads a call of a tool, a search in a knowledge base or a call of a
// collaborator.
func (s *bedrockSession) invoke(n node, id string, depth int, at time.Time) {
	group, base := n.at("actionGroupInvocationInput"), n.at("knowledgeBaseLookupInput")
	code, agent := n.at("codeInterpreterInvocationInput"), n.at("agentCollaboratorInvocationInput")
	var step *trial.Step
	switch {
	case group.exists():
		id += "/group"
		step = s.call(id, groupTool(group), groupArguments(group))
	case base.exists():
		id += "/base"
		step = s.call(id, "", only(base, "knowledgeBaseId", "text"))
		step.Action = "retrieve"
	case code.exists():
		id += "/code"
		step = s.call(id, "code_interpreter", only(code, "code", "files"))
	case agent.exists():
		id += "/agent/" + agent.at("agentCollaboratorName").text()
		step = s.call(id, agent.at("agentCollaboratorName").text(), agent.at("input"))
	default: // the end of the work
		return
	}
	step.Depth = stepDepth(depth)
	s.calls[id] = bedrockCall{at, depth}
}

// groupTool is the function of an action group, or the operation of its interface.
func groupTool(group node) string {
	if function := group.at("function").text(); function != "" {
		return function
	}
	return group.at("verb").text() + " " + group.at("apiPath").text()
}

// groupArguments returns parameters and the body of a request by their names.
func groupArguments(group node) node {
	arguments := map[string]any{}
	keep := func(list node) {
		for _, p := range list.list() {
			arguments[p.at("name").text()] = p.at("value").value
		}
	}
	keep(group.at("parameters"))
	for _, body := range group.at("requestBody", "content").members() {
		keep(body)
	}
	return node{arguments}
}

// observe reads what came of a call, or the end of the work.
func (s *bedrockSession) observe(n node, id string, depth int, at time.Time) {
	group, base := n.at("actionGroupInvocationOutput"), n.at("knowledgeBaseLookupOutput")
	code, agent := n.at("codeInterpreterInvocationOutput"), n.at("agentCollaboratorInvocationOutput")
	final, again := n.at("finalResponse"), n.at("repromptResponse")
	switch {
	case final.exists():
		s.respond(final.at("text"), id, depth)
	case again.exists():
		s.reprompt(again, id, depth)
	case group.exists():
		s.observed(id+"/group", group, group.at("text").raw(), "", at)
	case base.exists():
		s.observed(id+"/base", base, base.at("retrievedReferences").raw(), "", at)
	case code.exists():
		message := code.at("executionError").text()
		if code.at("executionTimeout").isTrue() && message == "" {
			message = "timeout"
		}
		s.observed(id+"/code", code, code.at("executionOutput").raw(), message, at)
	case agent.exists():
		output := agent.at("output", "text")
		if !output.exists() {
			output = agent.at("output")
		}
		s.observed(id+"/agent/"+agent.at("agentCollaboratorName").text(), agent, output.raw(), "", at)
	case n.at("type").text() == "ASK_USER":
		s.respond(node{}, id, depth)
	default:
		s.notes.skip(notUnderstood)
	}
}

// observed completes a call.
func (s *bedrockSession) observed(id string, n node, output trial.Raw, message string, at time.Time) {
	step := s.result(id, "")
	if step == nil {
		s.notes.skip(withoutCall)
		return
	}
	step.Output = output
	if message != "" {
		step.Error = failure(message)
	}
	step.DurationSeconds = inSeconds(n.at("metadata", "totalTimeMs"))
	if began := s.calls[id].at; !step.DurationSeconds.Known && !began.IsZero() && !at.Before(began) {
		step.DurationSeconds = trial.Some(at.Sub(began).Seconds())
	}
	delete(s.calls, id)
}

// respond makes the answer of a step of the log the final one.
func (s *bedrockSession) respond(text node, id string, depth int) {
	step := s.answerStep(id, depth)
	step.Action = trial.Respond
	if text.isText() {
		step.Output = text.raw()
	}
	if depth == 0 {
		s.Output, s.isOver = step.Output, true
	}
}

// reprompt reads that the model is asked again: its call failed, or was none.
func (s *bedrockSession) reprompt(n node, id string, depth int) {
	for _, kind := range []string{"/group", "/base", "/code"} {
		if step := s.resultOf(id + kind); step != nil {
			step.Error = failure(n.at("text").text())
			return
		}
	}
	s.answerStep(id, depth).Error = failure(n.at("text").text())
}

// resultOf is trace.result of a call that waits for certain.
func (s *bedrockSession) resultOf(id string) *trial.Step {
	if _, waits := s.calls[id]; !waits {
		return nil
	}
	delete(s.calls, id)
	return s.result(id, "")
}
