package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// SWE-agent writes {trajectory, history, info} for each instance that it tried to
// solve. Whether it did is said elsewhere.
func showsSWEAgent(s *shape) bool {
	n := s.first()
	first := n.at("trajectory").first()
	return !s.array && (first.has("action", "observation") || first.has("action", "thought"))
}

func readSWEAgent(in *input) error {
	document, err := in.document()
	if err != nil {
		return err
	}
	t := newTrace(in, 1)
	info := document.at("info")
	t.lastTextIsOutput = true
	s := &sweAgent{t: t, history: document.at("history").list()}
	s.input()
	for _, step := range document.at("trajectory").list() {
		s.step(step)
	}
	config := document.at("replay_config").parsed()
	t.Model = validText(config.at("agent", "model", "name").text())
	stats := info.at("model_stats")
	t.InputTokens = stats.at("tokens_sent").count()
	t.OutputTokens = stats.at("tokens_received").count()
	t.CostUSD = stats.either("instance_cost", "total_cost").amount()
	if patch := info.at("submission").text(); patch != "" {
		t.Output = trial.RawString(patch)
	}
	status := info.at("exit_status")
	t.setTag("environment", document.at("environment"))
	t.setTag("info.exit_status", status)
	switch status.text() {
	case "exit_error", "exit_api", "exit_environment_error":
		t.setInfrastructureError(status.text(), "")
	}
	return in.emitTrace(t)
}

// sweAgent puts together the steps of a trajectory. Which tools were called is in
// the history alone, and that may end before the trajectory.
type sweAgent struct {
	t       *trace
	history []node
	next    int // message of the history
}

// input is the first message of the user that is no demonstration.
func (s *sweAgent) input() {
	for _, m := range s.history {
		if m.at("role").text() == "user" && !m.at("is_demo").isTrue() {
			s.t.Input = rawText(m.at("content").speech())
			return
		}
	}
}

// step adds an answer of the model, and the action in it.
func (s *sweAgent) step(n node) {
	action := strings.TrimSpace(n.at("action").text())
	s.t.addAnswer(answer{text: n.either("response", "thought").text(), callsTools: action != ""})
	if action == "" {
		return
	}
	tool, arguments := s.called(n.at("action").text())
	step := s.t.addEndedCall(toolCall{"", tool, arguments})
	step.Output = n.at("observation").output()
	step.DurationSeconds = n.at("execution_time").amount()
}

// called returns the tool that an action calls, and its arguments: as the model
// called it, or else the first word of the command.
func (s *sweAgent) called(action string) (tool string, arguments node) {
	for i := s.next; i < len(s.history); i++ {
		m := s.history[i]
		if m.at("role").text() != "assistant" || m.at("is_demo").isTrue() || m.at("action").text() != action {
			continue
		}
		s.next = i + 1
		if f := m.at("tool_calls").first().at("function"); f.at("name").text() != "" {
			return f.at("name").text(), f.at("arguments")
		}
		break
	}
	if words := strings.Fields(action); len(words) > 0 {
		tool = words[0]
	}
	return tool, node{map[string]any{"command": action}}
}
