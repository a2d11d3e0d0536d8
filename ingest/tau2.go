package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// tau2-bench writes {info, tasks, simulations}, or, since 2026, a folder in which
// each simulation has its file. Forks write one file, or one line, a task with the
// members of a simulation in run_info.
func showsTau2(s *shape) bool {
	n := s.first()
	if s.array || !n.isObject() {
		return false
	}
	if info := n.at("info"); info.has("agent_info") && (info.has("user_info") || info.has("environment_info")) {
		return true
	}
	return isSimulation(n)
}

func isSimulation(n node) bool {
	run := n
	if n.at("run_info").isObject() {
		run = n.at("run_info")
	}
	return n.has("task_id") && run.has("termination_reason") && (run.has("agent_cost") || n.has("reward_info") || n.has("messages"))
}

func readTau2(in *input) error {
	return in.records(func(n node, line int) error {
		switch {
		case isSimulation(n):
			return (&tau2{in: in}).simulation(n, line)
		case n.has("simulations") || n.at("info").has("agent_info"):
			return readTau2Results(in, n, line)
		}
		in.notes.skip("records that are no simulations")
		return nil
	})
}

// tau2 is a run of tau2-bench.
type tau2 struct {
	in    *input
	info  node
	tasks map[string]node // what the user is told, by task
}

func readTau2Results(in *input, n node, line int) error {
	simulations := n.at("simulations").list()
	if len(simulations) == 0 && n.has("simulation_index") {
		return &trial.FileError{
			File: in.file, Problem: "lists its simulations, and holds none",
			Advice: "read the files of the folder simulations beside it",
		}
	}
	run := &tau2{in: in, info: n.at("info"), tasks: map[string]node{}}
	for _, task := range n.at("tasks").list() {
		run.tasks[task.at("id").text()] = task.at("user_scenario", "instructions")
	}
	for _, s := range simulations {
		if !isSimulation(s) {
			in.notes.skip("records that are no simulations")
			continue
		}
		if err := run.simulation(s, line); err != nil {
			return err
		}
	}
	return nil
}

// simulation reads one trial.
func (r *tau2) simulation(n node, line int) error {
	run := n
	if n.at("run_info").isObject() {
		run = n.at("run_info")
	}
	t := newTrace(r.in, line)
	t.lastTextIsOutput = true
	t.Scenario = validText(n.at("task_id").text())
	t.Index = n.either("trial").index()
	t.Model = validText(r.info.at("agent_info", "llm").text())
	r.tags(t, run)
	for _, m := range n.at("messages").list() {
		r.message(t, m)
	}
	if !n.at("messages").isList() {
		t.Steps = nil
	}
	if task := r.tasks[t.Scenario]; task.exists() {
		t.Input = task.raw()
	}
	t.CostUSD = run.at("agent_cost").amount()
	t.DurationSeconds = run.either("duration", "duration_sec").amount()
	t.addTime(run.at("start_time").time())
	t.addTime(run.at("end_time").time())
	if !t.hasTime() {
		t.addTime(run.at("timestamp").time())
	}
	r.judge(t, run.at("termination_reason").text(), n.at("reward_info", "reward"))
	return r.in.emitTrace(t)
}

func (r *tau2) tags(t *trace, run node) {
	for _, names := range [][]string{
		{"git_commit"}, {"environment_info", "domain_name"},
		{"agent_info", "implementation"}, {"agent_info", "llm"}, {"user_info", "llm"},
	} {
		t.setTag("info."+strings.Join(names, "."), r.info.at(names...))
	}
	t.setTag("simulation_id", run.either("simulation_id", "id"))
	t.setTag("seed", run.at("seed"))
	t.setTag("termination_reason", run.at("termination_reason"))
}

// tau2Infrastructure are the reasons to end that are not the agent's doing: then the
// reward, if there is one, is no verdict.
var tau2Infrastructure = map[string]bool{
	"agent_error": true, "user_error": true, "infrastructure_error": true, "unexpected_error": true,
}

func (r *tau2) judge(t *trace, reason string, reward node) {
	switch {
	case tau2Infrastructure[reason]:
		t.setInfrastructureError(reason, "")
	case reason == "context_window_exceeded" && !reward.exists():
		t.Outcome, t.Error = trial.Error, &trial.Cause{Type: reason}
	default:
		judgeByReward(t, reward.number())
	}
}

// message takes in a message. Those of the simulated user and its calls of tools are
// no steps of the agent.
func (r *tau2) message(t *trace, m node) {
	t.addTime(m.at("timestamp").time())
	switch m.at("role").text() {
	case "assistant":
		r.answer(t, m)
	case "tool":
		if m.at("requestor").text() == "user" {
			return
		}
		if parts := m.at("tool_messages"); parts.isList() { // results of parallel calls in one message
			for _, part := range parts.list() {
				r.message(t, part)
			}
			return
		}
		if s := t.setResult(m.at("id").text(), "", m.at("content")); s != nil && m.at("error").isTrue() {
			s.Error = stepError(m.at("content").text())
		}
	case "user":
		if text := m.at("content"); t.Input == nil && text.text() != "" {
			t.Input = rawText(validText(text.text()))
		}
	case "system":
	default:
		r.in.notes.skip(unknownRole)
	}
}

func (r *tau2) answer(t *trace, m node) {
	var calls []node
	for _, c := range m.at("tool_calls").list() {
		if c.at("requestor").text() != "user" {
			calls = append(calls, c)
		}
	}
	a := answer{text: m.at("content").speech(), usage: usage{
		m.at("usage", "prompt_tokens").count(), m.at("usage", "completion_tokens").count(), m.at("cost").amount(),
	}}
	for _, c := range calls {
		a.calls = append(a.calls, toolCall{c.at("id").text(), c.at("name").text(), c.at("arguments")})
	}
	t.addAnswer(a).DurationSeconds = m.at("generation_time_seconds").amount()
}
