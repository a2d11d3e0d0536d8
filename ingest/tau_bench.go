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
		t.Scenario = validText(n.at("task_id").text())
		t.Index = n.at("trial").index()
		info := n.at("info")
		t.tagTree("info.source", info.at("source"))
		t.tagTree("info.task.user_id", info.at("task", "user_id"))
		for _, m := range n.at("traj").list() {
			t.tauMessage(in, m)
		}
		if task := info.at("task", "instruction"); task.text() != "" {
			t.Input = task.raw()
		}
		t.conclude()
		if message := info.at("error"); message.exists() { // then the reward is 0
			t.fail("error", message.text())
		} else {
			t.rewarded(n.at("reward").number())
		}
		return in.trial(t)
	})
}

// tauMessage takes in a message of the conversation.
func (t *trace) tauMessage(in *input, m node) {
	switch m.at("role").text() {
	case "assistant":
		calls := m.at("tool_calls").list()
		if old := m.at("function_call"); len(calls) == 0 && old.isObject() {
			calls = []node{{map[string]any{"function": old.value}}}
		}
		t.answer(validText(spoken(m.at("content"))), len(calls) > 0, usage{})
		for _, c := range calls {
			t.call(c.at("id").text(), c.at("function", "name").text(), c.at("function", "arguments"))
		}
	case "tool", "function":
		s := t.result(m.at("tool_call_id").text(), m.at("name").text())
		if s == nil {
			in.notes.skip("tool results without a call")
			return
		}
		s.Output = returned(m.at("content"))
	case "user":
		if t.Input == nil && t.noAnswer() {
			t.Input = rawText(validText(spoken(m.at("content"))))
		}
	case "system":
	default:
		in.notes.skip("messages without a known role")
	}
}

// noAnswer reports whether the agent did nothing yet.
func (t *trace) noAnswer() bool { return len(t.Steps) == 0 }
