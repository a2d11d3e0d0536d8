package benchmarks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// tau-bench writes a list of {task_id, trial, reward, info, traj}, where traj is a
// conversation of OpenAI chat messages. The user is simulated: what is said in the
// conversation differs from trial to trial, and the instruction of the task is the
// same.
//
//	[{"task_id":0,"reward":1.0,"info":{"task":{"instruction":"..."}},"traj":[{"role":"user",...}],"trial":0}]
//
// The results of 2024 have neither tokens nor cost, model or times of the agent.
func showsTauBench(s *record.Shape) bool {
	n := s.First()
	return n.Has("task_id", "reward") && (n.At("traj").IsList() || n.At("info", "task").IsObject())
}

// TauBench decodes tau-bench results.
var TauBench = record.Decoder{Shows: showsTauBench, Read: readTauBench}

// readTauBench makes a trial of each result of the list.
func readTauBench(in *record.Input) error {
	return in.Records(func(n record.Node, line int) error {
		if !n.Has("task_id") {
			in.Notes.Skip("records without a task")
			return nil
		}
		t := record.NewTrace(in, line)
		t.LastTextIsOutput = true
		t.Scenario = record.ValidText(n.At("task_id").Text())
		t.Index = n.At("trial").Index()
		info := n.At("info")
		t.SetTag("info.source", info.At("source"))
		t.SetTag("info.task.user_id", info.At("task", "user_id"))
		for _, m := range n.At("traj").List() {
			addTauMessage(t, m)
		}
		if task := info.At("task", "instruction"); task.Text() != "" {
			t.Input = task.Raw()
		}
		// The benchmark catches exceptions of a run, and continues the next task.
		if message := info.At("error"); message.Exists() { // then the reward is 0
			t.SetInfrastructureError("error", message.Text())
		} else {
			judgeByReward(t, n.At("reward").Number())
		}
		return in.EmitTrace(t)
	})
}

// addTauMessage takes in a message of the conversation.
// A function_call, as the interface had it before tool_calls, is put into the shape of those.
// Errors of tools are plain text here.
func addTauMessage(t *record.Trace, m record.Node) {
	switch m.At("role").Text() {
	case "assistant":
		calls := m.At("tool_calls").List()
		if old := m.At("function_call"); len(calls) == 0 && old.IsObject() {
			calls = []record.Node{{Value: map[string]any{"function": old.Value}}}
		}
		a := record.Answer{Text: m.At("content").Speech()}
		for _, c := range calls {
			a.Calls = append(a.Calls, record.Call{ID: c.At("id").Text(), Tool: c.At("function", "name").Text(),
				Arguments: c.At("function", "arguments")})
		}
		t.AddAnswer(a)
	case "tool", "function":
		t.SetResult(m.At("tool_call_id").Text(), m.At("name").Text(), m.At("content"))
	case "user":
		// The words of the simulated user stand in only where the task has no instruction.
		if t.Input == nil && len(t.Steps) == 0 {
			t.Input = record.RawText(m.At("content").Speech())
		}
	case "system":
	default:
		t.Notes.Skip(record.UnknownRole)
	}
}
