package ingest

import (
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// bedrockCall is a call that waits for its observation.
type bedrockCall struct {
	at    time.Time // zero if unknown
	depth int
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
		step = s.addCall(toolCall{id, groupTool(group), groupArguments(group)})
	case base.exists():
		id += "/base"
		step = s.addCall(toolCall{id, "", base.only("knowledgeBaseId", "text")})
		step.Action = "retrieve"
	case code.exists():
		id += "/code"
		step = s.addCall(toolCall{id, "code_interpreter", code.only("code", "files")})
	case agent.exists():
		id += "/agent/" + agent.at("agentCollaboratorName").text()
		step = s.addCall(toolCall{id, agent.at("agentCollaboratorName").text(), agent.at("input")})
	default: // the end of the work
		return
	}
	step.Depth = depthOf(depth)
	s.calls[id] = bedrockCall{at, depth}
}

// groupTool is the function of an action group, or the operation of its interface.
func groupTool(group node) string {
	if function := group.at("function").text(); function != "" {
		return function
	}
	return strings.ToUpper(group.at("verb").text()) + " " + group.at("apiPath").text()
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

// observed completes a call.
func (s *bedrockSession) observed(id string, n node, output trial.Raw, message string, at time.Time) {
	step := s.setResult(id, "", node{})
	if step == nil {
		return
	}
	step.Output = output
	if message != "" {
		step.Error = stepError(message)
	}
	if step.DurationSeconds = n.at("metadata", "totalTimeMs").millis(); !step.DurationSeconds.Known {
		step.DurationSeconds = secondsBetween(s.calls[id].at, at)
	}
	delete(s.calls, id)
}

// takeWaiting returns the step of a call that waits for certain, nil if it does not.
func (s *bedrockSession) takeWaiting(id string) *trial.Step {
	if _, waits := s.calls[id]; !waits {
		return nil
	}
	delete(s.calls, id)
	return s.takeCall(id, "")
}
