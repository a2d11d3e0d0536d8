package ingest

import (
	"strings"
)

// A trajectory in the Agent Trajectory Interchange Format is {schema_version, agent,
// steps, final_metrics}. It does not say whether the agent succeeded.
func showsATIF(s *shape) bool { return isTrajectory(s.first()) }

func isTrajectory(n node) bool {
	return strings.HasPrefix(n.at("schema_version").text(), "ATIF-")
}

func readATIF(in *input) error {
	return in.records(func(n node, line int) error {
		if !isTrajectory(n) && !n.at("steps").isList() {
			in.notes.skip("records that are no trajectories")
			return nil
		}
		t := newTrace(in, line)
		agent := n.at("agent")
		t.Model = validText(agent.at("model_name").text())
		t.Variant = agentVariant(agent.at("name").text(), agent.at("version").text(), agent.at("model_name").text())
		t.setTags("", n, "schema_version", "session_id", "trajectory_id", "extra")
		t.setTags("agent", agent, "name", "version", "model_name", "extra")
		if n.at("continued_trajectory_ref").exists() {
			in.notes.remark("a trajectory goes on in another file")
		}
		t.lastTextIsOutput = true
		a := &atif{in: in, t: t}
		a.trajectory(n, 0)
		total := n.at("final_metrics")
		t.InputTokens = total.at("total_prompt_tokens").count()
		t.OutputTokens = total.at("total_completion_tokens").count()
		t.CostUSD = total.at("total_cost_usd").amount()
		return in.emitTrace(t)
	})
}

// atif puts together the steps of a trajectory and those of its sub-agents.
type atif struct {
	in *input
	t  *trace
}

// trajectory adds the steps of an agent. A sub-agent's follow those of the call that
// started it.
func (a *atif) trajectory(n node, depth int) {
	children := n.at("subagent_trajectories").list()
	used := make([]bool, len(children))
	add := func(id string) {
		for i, child := range children {
			if !used[i] && (id == "" || child.at("trajectory_id").text() == id) {
				used[i] = true
				a.trajectory(child, depth+1)
			}
		}
	}
	for _, step := range n.at("steps").list() {
		if step.at("is_copied_context").isTrue() {
			continue // it happened in another trajectory
		}
		a.t.addTime(step.at("timestamp").time())
		a.step(step, depth)
		for _, result := range step.at("observation", "results").list() {
			for _, ref := range append(result.at("subagent_trajectory_ref").list(), result.at("subagent_trajectory_ref")) {
				if id := ref.at("trajectory_id").text(); id != "" {
					add(id)
				}
			}
		}
	}
	add("") // those that no call names
}

// step adds a step: an answer of the model, the calls in it, and their results.
func (a *atif) step(n node, depth int) {
	text := n.at("message").speech()
	switch n.at("source").text() {
	case "agent":
	case "user":
		if a.t.Input == nil && depth == 0 {
			a.t.Input = rawText(text)
		}
		return
	case "system":
		return
	default:
		a.in.notes.skip("steps of unknown sources")
		return
	}
	calls := n.at("tool_calls").list()
	if n.at("llm_call_count").text() != "0" { // then no model was asked
		a.answer(n, text, len(calls) > 0, depth)
	}
	for _, c := range calls {
		call := a.t.addCall(toolCall{c.at("tool_call_id").text(), c.at("function_name").text(), c.at("arguments")})
		call.Depth = depthOf(depth)
	}
	for _, result := range n.at("observation", "results").list() {
		id := result.at("source_call_id").text()
		if id == "" && len(calls) != 1 {
			continue // what the environment says of its own
		}
		a.t.setResult(id, "", result.at("content"))
	}
}

func (a *atif) answer(n node, text string, callsTools bool, depth int) {
	m := n.at("metrics")
	a.t.addAnswer(answer{
		text: text, model: n.at("model_name").text(), callsTools: callsTools, depth: depth,
		usage: usage{m.at("prompt_tokens").count(), m.at("completion_tokens").count(), m.at("cost_usd").amount()},
	})
}
