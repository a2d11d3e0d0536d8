package ingest

import (
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// read reads one trace of the agent or of a collaborator.
func (s *bedrockSession) read(part node, kind string, trace node) {
	depth, at := bedrockDepth(part), part.at("eventTime").time()
	s.addTime(at)
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
			s.setTag("guardrailTrace.action", action)
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
		s.notes.skip(unknownEvent)
	}
}

// seenIn takes in the times that a trace names itself.
func (s *bedrockSession) seenIn(n node) {
	for _, value := range n.members() {
		if m := value.at("metadata"); m.isObject() {
			n = value
		}
	}
	s.addTime(n.at("metadata", "startTime").time())
	s.addTime(n.at("metadata", "endTime").time())
}

// failed reads a failure, which ends the session if it is of the agent itself, and the
// call of a collaborator if it is of that.
func (s *bedrockSession) failed(trace node, depth int) {
	reason := trace.at("failureReason").text()
	if depth == 0 {
		s.setInfrastructureError(trace.at("failureCode").text(), reason)
		return
	}
	for id, step := range s.lastCalls() {
		if s.calls[id].depth == depth-1 {
			step.Error = stepError(reason)
			return
		}
	}
	s.notes.skip(resultWithoutCall)
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
	return s.addAnswer(answer{model: s.models[id], callsTools: true, depth: depth})
}

func (s *bedrockSession) reply(n node, id string, depth int) {
	step := s.answerStep(id, depth)
	tokens := n.at("metadata", "usage")
	step.InputTokens, step.OutputTokens = tokens.at("inputTokens").count(), tokens.at("outputTokens").count()
	step.DurationSeconds = n.at("metadata", "totalTimeMs").millis()
	raw := n.at("rawResponse", "content")
	text := raw.text()
	if message := raw.parsed(); message.isObject() {
		content := message.at("content")
		if !content.exists() {
			content = message.at("output", "message", "content")
		}
		if content.exists() {
			text, _ = content.blockText()
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
		s.notes.skip(unknownEvent)
	}
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
		if step := s.takeWaiting(id + kind); step != nil {
			step.Error = stepError(n.at("text").text())
			return
		}
	}
	s.answerStep(id, depth).Error = stepError(n.at("text").text())
}
