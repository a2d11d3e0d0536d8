package ingest

import "github.com/tribunal-dev/tribunal/trial"

// readAutoGenOld reads the history of a chat of version 0.2. Its roles are those of
// one of the sides, so that the name tells who speaks: the first is the user.
func readAutoGenOld(in *input, n node, history []node, line int) error {
	t := newTrace(in, line)
	var user string
	if len(history) > 0 {
		user = history[0].at("name").words()
	}
	for i, m := range history {
		name := m.at("name").words()
		isUser := name == user
		if user == "" { // before names were kept: as the user saw it
			isUser = i == 0 || m.at("role").text() == "assistant"
		}
		calls := chatCalls(m)
		switch {
		case m.at("tool_responses").isList():
			for _, r := range m.at("tool_responses").list() {
				t.setResult(r.at("tool_call_id").text(), "", r.at("content"))
			}
		case m.at("role").text() == "tool":
			t.setResult(m.at("tool_call_id").text(), "", m.at("content"))
		case m.at("role").text() == "function":
			t.setResult("", name, m.at("content"))
		case isUser && len(calls) == 0:
			t.setInput(m.at("content"))
		default:
			t.addAnswer(answer{text: m.at("content").speech(), calls: calls})
		}
	}
	autoGenCost(t, n.at("cost"))
	t.setTag("chat_id", n.at("chat_id"))
	return in.emitTrace(t)
}

// autoGenCost takes in what the chat took. The model is the one with the most tokens. A
// cost of nothing is that of a model whose price was not known.
func autoGenCost(t *trace, n node) {
	all := n.at("usage_including_cached_inference")
	if !all.isObject() {
		all = n
	}
	var most trial.Optional[float64]
	for model, u := range all.members() {
		if !u.isObject() {
			continue
		}
		t.addTotals(chatUsage(u))
		if total := u.at("total_tokens").amount(); !most.Known || total.Value > most.Value {
			most, t.Model = trial.Some(total.Value), model
		}
	}
	if cost := all.at("total_cost").amount(); cost.Value > 0 {
		t.CostUSD = cost
	}
}
