package benchmarks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// SWE-agent writes {trajectory, history, info} for each instance that it tried to
// solve. Whether it did is said elsewhere.
//
//	{"trajectory":[{"action":"ls","observation":"a.py","response":"...","thought":"...","execution_time":0.2}],
//	 "history":[{"role":"assistant","action":"ls","tool_calls":[...]}],"info":{"exit_status":"submitted"}}
//
// Files are those of version 1.x (.traj), with tool calls in the history or without.
func showsSWEAgent(s *record.Shape) bool {
	n := s.First()
	first := n.At("trajectory").First()
	return !s.Array && !n.Has("query") && (first.Has("action", "observation") || first.Has("action", "thought"))
}

// SWEAgent decodes SWE-agent trajectories.
var SWEAgent = record.Decoder{Shows: showsSWEAgent, Read: readSWEAgent}

// readSWEAgent makes one unjudged trial of the file; exit codes of commands are not in it.
func readSWEAgent(in *record.Input) error {
	document, err := in.Document()
	if err != nil {
		return err
	}
	t := record.NewTrace(in, 1)
	info := document.At("info")
	t.LastTextIsOutput = true
	s := &sweAgent{t: t, history: document.At("history").List()}
	s.input()
	for _, step := range document.At("trajectory").List() {
		s.step(step)
	}
	// The configuration is JSON in a string, and the only place that names the model.
	config := document.At("replay_config").Parsed()
	t.Model = record.ValidText(config.At("agent", "model", "name").Text())
	// The statistics are of the whole run: steps have no tokens of their own.
	stats := info.At("model_stats")
	// All zeros are those of a model whose use was not counted: one that answers takes tokens.
	if nonZero(stats.At("tokens_sent")).Known || nonZero(stats.At("tokens_received")).Known {
		t.InputTokens = stats.At("tokens_sent").Count()
		t.OutputTokens = stats.At("tokens_received").Count()
		t.CostUSD = stats.Either("instance_cost", "total_cost").Amount()
	} else if cost := stats.Either("instance_cost", "total_cost").Amount(); cost.Value > 0 {
		t.CostUSD = cost
	}
	if patch := info.At("submission").Text(); patch != "" {
		t.Output = trial.RawString(patch)
	}
	status := info.At("exit_status")
	t.SetTag("environment", document.At("environment"))
	t.SetTag("info.exit_status", status)
	// Other statuses, such as exit_cost or exit_format, are limits and failures of the agent.
	switch status.Text() {
	case "exit_error", "exit_api", "exit_environment_error":
		t.SetInfrastructureError(status.Text(), "")
	}
	return in.EmitTrace(t)
}

// sweAgent puts together the steps of a trajectory. Which tools were called is in
// the history alone, and that may end before the trajectory.
type sweAgent struct {
	t       *record.Trace
	history []record.Node
	next    int // message of the history
}

// input is the first message of the user that is no demonstration.
func (s *sweAgent) input() {
	for _, m := range s.history {
		if m.At("role").Text() == "user" && !m.At("is_demo").IsTrue() {
			s.t.Input = record.RawText(m.At("content").Speech())
			return
		}
	}
}

// step adds an answer of the model, and the action in it.
func (s *sweAgent) step(n record.Node) {
	action := strings.TrimSpace(n.At("action").Text())
	s.t.AddAnswer(record.Answer{Text: n.Either("response", "thought").Text(), CallsTools: action != ""})
	if action == "" {
		return
	}
	// The action is not trimmed here: the history has it with the same white space.
	tool, arguments := s.called(n.At("action").Text())
	step := s.t.AddEndedCall(record.Call{ID: "", Tool: tool, Arguments: arguments})
	step.Output = n.At("observation").Output()
	step.DurationSeconds = n.At("execution_time").Amount()
}

// called returns the tool that an action calls, and its arguments: as the model
// called it, or else the first word of the command.
// The search goes on where the last one ended, so that equal actions find their own
// messages in turn.
func (s *sweAgent) called(action string) (tool string, arguments record.Node) {
	for i := s.next; i < len(s.history); i++ {
		m := s.history[i]
		if m.At("role").Text() != "assistant" || m.At("is_demo").IsTrue() || m.At("action").Text() != action {
			continue
		}
		s.next = i + 1
		if f := m.At("tool_calls").First().At("function"); f.At("name").Text() != "" {
			return f.At("name").Text(), f.At("arguments")
		}
		break
	}
	if words := strings.Fields(action); len(words) > 0 {
		tool = words[0]
	}
	return tool, record.Node{Value: map[string]any{"command": action}}
}
