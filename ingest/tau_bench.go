package ingest

// tau-bench writes a list of {task_id, trial, reward, info, traj}, where traj is a
// conversation of OpenAI chat messages. The user is simulated: what is said in the
// conversation differs from trial to trial, and the instruction of the task is the
// same.
func showsTauBench(s *shape) bool {
	n := s.first()
	return n.has("task_id", "reward") && (n.at("traj").isList() || n.at("info", "task").isObject())
}

func readTauBench(in *input) error {
	return in.records(func(n node, line int) error {
		if !n.has("task_id") {
			in.notes.skip("records without a task")
			return nil
		}
		t := newTrace(in, line)
		t.lastTextIsOutput = true
		t.Scenario = validText(n.at("task_id").text())
		t.Index = n.at("trial").index()
		info := n.at("info")
		t.setTag("info.source", info.at("source"))
		t.setTag("info.task.user_id", info.at("task", "user_id"))
		for _, m := range n.at("traj").list() {
			addTauMessage(t, m)
		}
		if task := info.at("task", "instruction"); task.text() != "" {
			t.Input = task.raw()
		}
		if message := info.at("error"); message.exists() { // then the reward is 0
			t.setInfrastructureError("error", message.text())
		} else {
			judgeByReward(t, n.at("reward").number())
		}
		return in.emitTrace(t)
	})
}

// addTauMessage takes in a message of the conversation.
func addTauMessage(t *trace, m node) {
	switch m.at("role").text() {
	case "assistant":
		calls := m.at("tool_calls").list()
		if old := m.at("function_call"); len(calls) == 0 && old.isObject() {
			calls = []node{{map[string]any{"function": old.value}}}
		}
		a := answer{text: m.at("content").speech()}
		for _, c := range calls {
			a.calls = append(a.calls, toolCall{c.at("id").text(), c.at("function", "name").text(), c.at("function", "arguments")})
		}
		t.addAnswer(a)
	case "tool", "function":
		t.setResult(m.at("tool_call_id").text(), m.at("name").text(), m.at("content"))
	case "user":
		if t.Input == nil && len(t.Steps) == 0 {
			t.Input = rawText(m.at("content").speech())
		}
	case "system":
	default:
		t.notes.skip(unknownRole)
	}
}
