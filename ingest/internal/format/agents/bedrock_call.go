package agents

import (
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// bedrockCall is a call that waits for its observation.
// at and depth are those of the invocation: the result may come without times, and a failure
// of a collaborator is matched by depth.
type bedrockCall struct {
	at    time.Time // zero if unknown
	depth int
}

// invoke reads a call of a tool, a search in a knowledge base or a call of a
// collaborator.
// The invocation input has one of four members. Calls are kept under the traceId with a
// suffix for the kind, and for collaborators, which run at once, with their name.
func (s *bedrockSession) invoke(n record.Node, id string, depth int, at time.Time) {
	group, base := n.At("actionGroupInvocationInput"), n.At("knowledgeBaseLookupInput")
	code, agent := n.At("codeInterpreterInvocationInput"), n.At("agentCollaboratorInvocationInput")
	var step *trial.Step
	switch {
	case group.Exists():
		id += "/group"
		step = s.AddCall(record.Call{ID: id, Tool: groupTool(group), Arguments: groupArguments(group)})
	// A search names no tool: it is a retrieval, in the knowledge base of that id.
	case base.Exists():
		id += "/base"
		step = s.AddCall(record.Call{ID: id, Tool: "", Arguments: base.Only("knowledgeBaseId", "text")})
		step.Action = "retrieve"
	case code.Exists():
		id += "/code"
		step = s.AddCall(record.Call{ID: id, Tool: "code_interpreter", Arguments: code.Only("code", "files")})
	case agent.Exists():
		id += "/agent/" + agent.At("agentCollaboratorName").Text()
		step = s.AddCall(record.Call{ID: id, Tool: agent.At("agentCollaboratorName").Text(),
			Arguments: agent.At("input")})
	default: // the end of the work
		return
	}
	step.Depth = record.DepthOf(depth)
	s.calls[id] = bedrockCall{at, depth}
}

// groupTool is the function of an action group, or the operation of its interface.
// An action group is defined by functions, or by an OpenAPI schema: "GET /orders".
func groupTool(group record.Node) string {
	if function := group.At("function").Text(); function != "" {
		return function
	}
	return strings.ToUpper(group.At("verb").Text()) + " " + group.At("apiPath").Text()
}

// groupArguments returns parameters and the body of a request by their names.
//
//	{"parameters":[{"name":"id","type":"string","value":"W2"}],"requestBody":{"content":{"application/json":[...]}}}
func groupArguments(group record.Node) record.Node {
	arguments := map[string]any{}
	keep := func(list record.Node) {
		for _, p := range list.List() {
			arguments[p.At("name").Text()] = p.At("value").Value
		}
	}
	keep(group.At("parameters"))
	for _, body := range group.At("requestBody", "content").Members() {
		keep(body)
	}
	return record.Node{Value: arguments}
}

// endCall completes a call.
// The service measures the time of a call; else it is that between the two events.
func (s *bedrockSession) endCall(id string, n record.Node, output trial.Raw, message string, at time.Time) {
	step := s.SetResult(id, "", record.Node{})
	if step == nil {
		return
	}
	step.Output = output
	if message != "" {
		step.Error = record.StepError(message)
	}
	if step.DurationSeconds = n.At("metadata", "totalTimeMs").Millis(); !step.DurationSeconds.Known {
		step.DurationSeconds = record.SecondsBetween(s.calls[id].at, at)
	}
	delete(s.calls, id)
}

// takeWaiting returns the step of a call that waits for certain, nil if it does not.
// TakeCall alone would fall back to any call where an id is "".
func (s *bedrockSession) takeWaiting(id string) *trial.Step {
	if _, waits := s.calls[id]; !waits {
		return nil
	}
	delete(s.calls, id)
	return s.TakeCall(id, "")
}
