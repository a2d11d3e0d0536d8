package benchmarks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// tau2-bench writes {info, tasks, simulations}, or, since 2026, a folder in which
// each simulation has its file. Forks write one file, or one line, a task with the
// members of a simulation in run_info.
//
//	{"info":{"agent_info":{"llm":"m-1"},"user_info":{},"environment_info":{}},"tasks":[...],
//	 "simulations":[{"id":"s","task_id":"7","trial":0,"termination_reason":"user_stop",
//	  "reward_info":{"reward":1.0},"agent_cost":0.02,"messages":[...]}]}
func showsTau2(s *record.Shape) bool {
	n := s.First()
	if s.Array || !n.IsObject() {
		return false
	}
	if info := n.At("info"); info.Has("agent_info") && (info.Has("user_info") || info.Has("environment_info")) {
		return true
	}
	return isSimulation(n)
}

// isSimulation reports whether n is one simulation, with what a run says of it in n itself
// or in run_info.
func isSimulation(n record.Node) bool {
	run := n
	if n.At("run_info").IsObject() {
		run = n.At("run_info")
	}
	return n.Has("task_id") && run.Has("termination_reason") &&
		(run.Has("agent_cost") || n.Has("reward_info") || n.Has("messages"))
}

// Tau2 decodes tau2-bench results.
var Tau2 = record.Decoder{Shows: showsTau2, Read: readTau2}

// readTau2 makes a trial of each simulation, wherever it lies.
func readTau2(in *record.Input) error {
	return in.Records(func(n record.Node, line int) error {
		switch {
		case isSimulation(n):
			return (&tau2{in: in}).simulation(n, line)
		case n.Has("simulations") || n.At("info").Has("agent_info"):
			return readTau2Results(in, n, line)
		}
		in.Notes.Skip("records that are no simulations")
		return nil
	})
}

// tau2 is a run of tau2-bench.
type tau2 struct {
	in *record.Input
	// info is zero for a simulation alone; tasks are nil then.
	info  record.Node
	tasks map[string]record.Node // what the user is told, by task
}

// readTau2Results reads a document of many simulations. The layout of folders names them in
// an index, and keeps each in a file of its own.
func readTau2Results(in *record.Input, n record.Node, line int) error {
	simulations := n.At("simulations").List()
	if len(simulations) == 0 && n.Has("simulation_index") {
		in.Notes.Pass("lists of simulations")
		in.Notes.Remark("it lists its simulations, and holds none: they are the files of the folder simulations beside it")
		return nil
	}
	run := &tau2{in: in, info: n.At("info"), tasks: map[string]record.Node{}}
	for _, task := range n.At("tasks").List() {
		run.tasks[task.At("id").Text()] = task.At("user_scenario", "instructions")
	}
	for _, s := range simulations {
		if !isSimulation(s) {
			in.Notes.Skip("records that are no simulations")
			continue
		}
		if err := run.simulation(s, line); err != nil {
			return err
		}
	}
	return nil
}

// simulation reads one trial.
// The duration that it states counts before that between its times.
func (r *tau2) simulation(n record.Node, line int) error {
	run := n
	if n.At("run_info").IsObject() {
		run = n.At("run_info")
	}
	t := record.NewTrace(r.in, line)
	t.ID = n.At("id").Text()
	// An agent may end the conversation by a tool, such as transfer_to_human_agents.
	t.LastTextIsOutput = true
	t.Scenario = record.ValidText(n.At("task_id").Text())
	t.Index = n.Either("trial").Index()
	t.Model = record.ValidText(r.info.At("agent_info", "llm").Text())
	r.tags(t, run)
	for _, m := range n.At("messages").List() {
		r.message(t, m)
	}
	if !n.At("messages").IsList() {
		t.Steps = nil
	}
	// What the user is told is the same in every trial, what the user says is not.
	if task := r.tasks[t.Scenario]; task.Exists() {
		t.Input = task.Raw()
	}
	// The agent's cost alone: the user's is the benchmark's. Without it the answers are summed.
	t.CostUSD = run.At("agent_cost").Amount()
	t.DurationSeconds = run.Either("duration", "duration_sec").Amount()
	t.AddTime(run.At("start_time").Time())
	t.AddTime(run.At("end_time").Time())
	if !t.HasTime() {
		t.AddTime(run.At("timestamp").Time())
	}
	r.judge(t, run.At("termination_reason").Text(), n.At("reward_info", "reward"))
	return r.in.EmitTrace(t)
}

// tags keeps what tells runs apart: the commit, the domain, the agent and both models.
func (r *tau2) tags(t *record.Trace, run record.Node) {
	for _, names := range [][]string{
		{"git_commit"}, {"environment_info", "domain_name"},
		{"agent_info", "implementation"}, {"agent_info", "llm"}, {"user_info", "llm"},
	} {
		t.SetTag("info."+strings.Join(names, "."), r.info.At(names...))
	}
	t.SetTag("simulation_id", run.Either("simulation_id", "id"))
	t.SetTag("seed", run.At("seed"))
	t.SetTag("termination_reason", run.At("termination_reason"))
}

// tau2Infrastructure are the reasons to end that are not the agent's doing: then the
// reward, if there is one, is no verdict.
var tau2Infrastructure = map[string]bool{
	"agent_error": true, "user_error": true, "infrastructure_error": true, "unexpected_error": true,
}

// judge sets the outcome. A conversation that grew too long and was not rewarded has no
// verdict, and nothing but the agent to blame.
func (r *tau2) judge(t *record.Trace, reason string, reward record.Node) {
	switch {
	case tau2Infrastructure[reason]:
		t.SetInfrastructureError(reason, "")
	case reason == "context_window_exceeded" && !reward.Exists():
		t.Outcome, t.Error = trial.Error, &trial.Cause{Type: reason}
	default:
		judgeByReward(t, reward.Number())
	}
}

// message takes in a message. Those of the simulated user and its calls of tools are
// no steps of the agent.
func (r *tau2) message(t *record.Trace, m record.Node) {
	t.AddTime(m.At("timestamp").Time())
	switch m.At("role").Text() {
	case "assistant":
		r.answer(t, m)
	// In domains such as telecom the simulated user has tools of its own.
	case "tool":
		if m.At("requestor").Text() == "user" {
			return
		}
		if parts := m.At("tool_messages"); parts.IsList() { // results of parallel calls in one message
			for _, part := range parts.List() {
				r.message(t, part)
			}
			return
		}
		if s := t.SetResult(m.At("id").Text(), "", m.At("content")); s != nil && m.At("error").IsTrue() {
			s.Error = record.StepError(m.At("content").Text())
		}
	case "user":
		if text := m.At("content"); t.Input == nil && text.Text() != "" {
			t.Input = record.RawText(record.ValidText(text.Text()))
		}
	case "system":
	default:
		r.in.Notes.Skip(record.UnknownRole)
	}
}

// answer adds an answer of the agent and those of its calls that are not the user's.
func (r *tau2) answer(t *record.Trace, m record.Node) {
	var calls []record.Node
	for _, c := range m.At("tool_calls").List() {
		if c.At("requestor").Text() != "user" {
			calls = append(calls, c)
		}
	}
	a := record.Answer{Text: m.At("content").Speech(), Usage: record.Usage{
		Input:  m.At("usage", "prompt_tokens").Count(),
		Output: m.At("usage", "completion_tokens").Count(),
		Cost:   m.At("cost").Amount(),
	}}
	for _, c := range calls {
		a.Calls = append(a.Calls, record.Call{ID: c.At("id").Text(), Tool: c.At("name").Text(),
			Arguments: c.At("arguments")})
	}
	t.AddAnswer(a).DurationSeconds = m.At("generation_time_seconds").Amount()
}
