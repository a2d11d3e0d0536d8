package agents

import (
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// read reads one trace of the agent or of a collaborator.
// A trace has one member for what happened and perhaps others beside it. Events of the agent
// itself reopen a session that was answered: another prompt.
func (s *bedrockSession) read(part record.Node, kind string, trace record.Node) {
	depth, at := bedrockDepth(part), part.At("eventTime").Time()
	s.AddTime(at)
	s.inChunks = false
	if depth == 0 {
		s.isOver = false
	}
	switch kind {
	case "failureTrace":
		s.setFailure(trace, depth)
		return
	// A guardrail that stepped in is a tag, for a rule to judge by; it is no step of the agent.
	case "guardrailTrace":
		s.addTimesOf(trace)
		if action := trace.At("action"); action.Text() != "NONE" {
			s.SetTag("guardrailTrace.action", action)
		}
		return
	// A text of the customer's own program, in no known form.
	case "customOrchestrationTrace":
		s.Notes.Skip("events of a custom orchestration")
		return
	}
	// metadata and the like are no events: where nothing else is there, something is new.
	isRead := false
	for name, value := range trace.Members() {
		id := value.At("traceId").Text()
		s.addTimesOf(value)
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
		s.Notes.Skip(record.UnknownEvent)
	}
}

// addTimesOf takes in the times that a trace names itself.
// They are in metadata of the value itself, or of a member of an observation.
func (s *bedrockSession) addTimesOf(n record.Node) {
	for _, value := range n.Members() {
		if m := value.At("metadata"); m.IsObject() {
			n = value
		}
	}
	s.AddTime(n.At("metadata", "startTime").Time())
	s.AddTime(n.At("metadata", "endTime").Time())
}

// setFailure reads a failure, which ends the session if it is of the agent itself, and the
// call of a collaborator if it is of that.
func (s *bedrockSession) setFailure(trace record.Node, depth int) {
	reason := trace.At("failureReason").Text()
	if depth == 0 {
		s.SetInfrastructureError(trace.At("failureCode").Text(), reason)
		return
	}
	// The failure of a collaborator comes before the result of its call, if that comes at all:
	// it belongs to the last open call of the agent one level above it.
	for id, step := range s.LastCalls() {
		if s.calls[id].depth == depth-1 {
			step.Error = record.StepError(reason)
			return
		}
	}
	s.Notes.Skip(record.ResultWithoutCall)
}

// request takes in what a model is asked. The model of the trial is that of the work itself,
// or else the first; sub-agents' models name none.
func (s *bedrockSession) request(n record.Node, id, kind string, depth int) {
	model := n.At("foundationModel").Text()
	s.models[id] = model
	if depth > 0 {
		return
	}
	if isMain := kind == "orchestrationTrace"; s.Model == "" || isMain && !s.isMain {
		s.Model, s.isMain = model, isMain
	}
	if text := bedrockInput(n.At("text")); s.Input == nil && text != "" {
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
	return s.AddAnswer(record.Answer{Model: s.models[id], CallsTools: true, Depth: depth})
}

// reply takes in what a model answered: its tokens, its time and its raw text.
func (s *bedrockSession) reply(n record.Node, id string, depth int) {
	step := s.answerStep(id, depth)
	tokens := n.At("metadata", "usage")
	step.InputTokens, step.OutputTokens = tokens.At("inputTokens").Count(), tokens.At("outputTokens").Count()
	step.DurationSeconds = n.At("metadata", "totalTimeMs").Millis()
	// rawResponse is the provider's own answer: JSON in a string with content blocks, below
	// output.message with some models, or plain text.
	raw := n.At("rawResponse", "content")
	text := raw.Text()
	if message := raw.Parsed(); message.IsObject() {
		content := message.At("content")
		if !content.Exists() {
			content = message.At("output", "message", "content")
		}
		if content.Exists() {
			text, _ = content.BlockText()
		}
	}
	// The final response, if there is one, takes its place later.
	if text != "" {
		step.Output = trial.RawString(text)
	}
}

// rationale reads why the model chose what it did. Older logs hold no other word of
// the model.
func (s *bedrockSession) rationale(n record.Node, id string, depth int) {
	// The raw response, where it is there, is better than the rationale taken out of it.
	step := s.answerStep(id, depth)
	if text := n.At("text").Text(); text != "" && step.Output == nil {
		step.Output = trial.RawString(text)
	}
}

// observe reads what came of a call, or the end of the work.
// The observation of a call has the traceId of its invocation; kinds are kept apart by a
// suffix, as one step of the log may hold several.
func (s *bedrockSession) observe(n record.Node, id string, depth int, at time.Time) {
	group, base := n.At("actionGroupInvocationOutput"), n.At("knowledgeBaseLookupOutput")
	code, agent := n.At("codeInterpreterInvocationOutput"), n.At("agentCollaboratorInvocationOutput")
	final, again := n.At("finalResponse"), n.At("repromptResponse")
	switch {
	case final.Exists():
		s.respond(final.At("text"), id, depth)
	case again.Exists():
		s.reprompt(again, id, depth)
	case group.Exists():
		s.endCall(id+"/group", group, group.At("text").Raw(), "", at)
	case base.Exists():
		s.endCall(id+"/base", base, base.At("retrievedReferences").Raw(), "", at)
	case code.Exists():
		message := code.At("executionError").Text()
		if code.At("executionTimeout").IsTrue() && message == "" {
			message = "timeout"
		}
		s.endCall(id+"/code", code, code.At("executionOutput").Raw(), message, at)
	case agent.Exists():
		output := agent.At("output", "text")
		if !output.Exists() {
			output = agent.At("output")
		}
		s.endCall(id+"/agent/"+agent.At("agentCollaboratorName").Text(), agent, output.Raw(), "", at)
	// The agent asks the user back: that ends the turn as an answer does.
	case n.At("type").Text() == "ASK_USER":
		s.respond(record.Node{}, id, depth)
	default:
		s.Notes.Skip(record.UnknownEvent)
	}
}

// respond makes the answer of a step of the log the final one.
// Its text takes the place of the raw one.
func (s *bedrockSession) respond(text record.Node, id string, depth int) {
	step := s.answerStep(id, depth)
	step.Action = trial.Respond
	if text.IsText() {
		step.Output = text.Raw()
	}
	if depth == 0 {
		s.Output, s.isOver = step.Output, true
	}
}

// reprompt reads that the model is asked again: its call failed, or was none.
// The text says what was wrong, and becomes the error.
func (s *bedrockSession) reprompt(n record.Node, id string, depth int) {
	for _, kind := range []string{"/group", "/base", "/code"} {
		if step := s.takeWaiting(id + kind); step != nil {
			step.Error = record.StepError(n.At("text").Text())
			return
		}
	}
	s.answerStep(id, depth).Error = record.StepError(n.At("text").Text())
}
