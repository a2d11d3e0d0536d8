package benchmarks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// A trajectory in the Agent Trajectory Interchange Format is {schema_version, agent,
// steps, final_metrics}. It does not say whether the agent succeeded.
//
//	{"schema_version":"ATIF-v1.7","session_id":"run-1","agent":{"name":"walker","version":"2","model_name":"m-1"},
//	 "steps":[{"step_id":2,"source":"agent","message":"I go.","tool_calls":[...],"observation":{"results":[...]}}],
//	 "final_metrics":{"total_prompt_tokens":227}}
//
// Harbor and the agents that it runs write such files. The sample is of version
// 1.7; any version is accepted.
func showsATIF(s *record.Shape) bool { return isTrajectory(s.First()) }

// isTrajectory reports whether an object names a version of the format.
func isTrajectory(n record.Node) bool {
	return strings.HasPrefix(n.At("schema_version").Text(), "ATIF-")
}

// ATIF decodes Agent Trajectory Interchange Format.
var ATIF = record.Decoder{Shows: showsATIF, Read: readATIF}

// readATIF makes a trial of each trajectory, one a file or one a line.
func readATIF(in *record.Input) error {
	return in.Records(func(n record.Node, line int) error {
		if !isTrajectory(n) && !n.At("steps").IsList() {
			in.Notes.Skip("records that are no trajectories")
			return nil
		}
		t := record.NewTrace(in, line)
		t.ID = n.Either("trajectory_id", "session_id").Text()
		agent := n.At("agent")
		t.Model = record.ValidText(agent.At("model_name").Text())
		t.Variant = agentVariant(agent.At("name").Text(), agent.At("version").Text(), agent.At("model_name").Text())
		t.SetTags("", n, "schema_version", "session_id", "trajectory_id", "extra")
		t.SetTags("agent", agent, "name", "version", "model_name", "extra")
		if n.At("continued_trajectory_ref").Exists() {
			in.Notes.Remark("a trajectory goes on in another file")
		}
		// An agent that ends by a tool ("submit") says its last word with that call.
		t.LastTextIsOutput = true
		a := &atif{in: in, t: t}
		a.trajectory(n, 0)
		// Without final metrics the sums of the steps count, see [record.Trace.Finish].
		total := n.At("final_metrics")
		t.InputTokens = total.At("total_prompt_tokens").Count()
		t.OutputTokens = total.At("total_completion_tokens").Count()
		t.CachedTokens = total.At("total_cached_tokens").Count()
		t.CostUSD = total.At("total_cost_usd").Amount()
		return in.EmitTrace(t)
	})
}

// atif puts together the steps of a trajectory and those of its sub-agents.
type atif struct {
	in *record.Input
	t  *record.Trace
}

// trajectory adds the steps of an agent. A sub-agent's follow those of the call that
// started it.
// A sub-agent may be named by several results, and then acts once; one that no result names
// acts at the end, for it did act.
func (a *atif) trajectory(n record.Node, depth int) {
	// used has an entry for each child, so that none is added twice. A circle cannot arise:
	// children lie inside of their parents.
	children := n.At("subagent_trajectories").List()
	used := make([]bool, len(children))
	add := func(id string) {
		for i, child := range children {
			if !used[i] && (id == "" || child.At("trajectory_id").Text() == id) {
				used[i] = true
				a.trajectory(child, depth+1)
			}
		}
	}
	for _, step := range n.At("steps").List() {
		if step.At("is_copied_context").IsTrue() {
			continue // it happened in another trajectory
		}
		a.t.AddTime(step.At("timestamp").Time())
		a.step(step, depth)
		for _, result := range step.At("observation", "results").List() {
			// A reference is one object or a list of them.
			for _, ref := range append(result.At("subagent_trajectory_ref").List(),
				result.At("subagent_trajectory_ref")) {
				if id := ref.At("trajectory_id").Text(); id != "" {
					add(id)
				}
			}
		}
	}
	add("") // those that no call names
}

// step adds a step: an answer of the model, the calls in it, and their results.
// Each step of the agent is one answer of the model with its calls and their observation.
func (a *atif) step(n record.Node, depth int) {
	text := n.At("message").Speech()
	switch n.At("source").Text() {
	case "agent":
	case "user":
		if a.t.Input == nil && depth == 0 {
			a.t.Input = record.RawText(text)
		}
		return
	case "system":
		return
	default:
		a.in.Notes.Skip("steps of unknown sources")
		return
	}
	calls := n.At("tool_calls").List()
	// A count of 0 marks a step that the agent's program made by itself.
	if n.At("llm_call_count").Text() != "0" { // then no model was asked
		a.answer(n, text, len(calls) > 0, depth)
	}
	for _, c := range calls {
		call := a.t.AddCall(record.Call{ID: c.At("tool_call_id").Text(), Tool: c.At("function_name").Text(),
			Arguments: c.At("arguments")})
		call.Depth = record.DepthOf(depth)
	}
	for _, result := range n.At("observation", "results").List() {
		id := result.At("source_call_id").Text()
		// A result without an id belongs to the only call, or to none.
		if id == "" && len(calls) != 1 {
			continue // what the environment says of its own
		}
		a.t.SetResult(id, "", result.At("content"))
	}
}

// answer adds what the model said, with the metrics of the step.
func (a *atif) answer(n record.Node, text string, callsTools bool, depth int) {
	m := n.At("metrics")
	a.t.AddAnswer(record.Answer{
		Text: text, Model: n.At("model_name").Text(), CallsTools: callsTools, Depth: depth,
		Usage: record.Usage{Input: m.At("prompt_tokens").Count(), Output: m.At("completion_tokens").Count(),
			Cost: m.At("cost_usd").Amount(), Cached: m.At("cached_tokens").Count()},
	})
}
