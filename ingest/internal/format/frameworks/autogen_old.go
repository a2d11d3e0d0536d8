package frameworks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// readAutoGenOld reads the history of a chat of version 0.2. Its roles are those of
// one of the sides, so that the name tells who speaks: the first is the user.
func readAutoGenOld(in *record.Input, n record.Node, history []record.Node, line int) error {
	t := record.NewTrace(in, line)
	var user string
	if len(history) > 0 {
		user = history[0].At("name").Words()
	}
	for i, m := range history {
		name := m.At("name").Words()
		isUser := name == user
		if user == "" { // before names were kept: as the user saw it
			isUser = i == 0 || m.At("role").Text() == "assistant"
		}
		calls := transcript.Calls(m)
		switch {
		case m.At("tool_responses").IsList():
			for _, r := range m.At("tool_responses").List() {
				t.SetResult(r.At("tool_call_id").Text(), "", r.At("content"))
			}
		case m.At("role").Text() == "tool":
			t.SetResult(m.At("tool_call_id").Text(), "", m.At("content"))
		case m.At("role").Text() == "function":
			t.SetResult("", name, m.At("content"))
		case isUser && len(calls) == 0:
			t.SetInput(m.At("content"))
		default:
			t.AddAnswer(record.Answer{Text: m.At("content").Speech(), Calls: calls})
		}
	}
	autoGenCost(t, n.At("cost"))
	t.SetTag("chat_id", n.At("chat_id"))
	return in.EmitTrace(t)
}

// autoGenCost takes in what the chat took. The model is the one with the most tokens. A
// cost of nothing is that of a model whose price was not known.
func autoGenCost(t *record.Trace, n record.Node) {
	all := n.At("usage_including_cached_inference")
	if !all.IsObject() {
		all = n
	}
	var most trial.Optional[float64]
	for model, u := range all.Members() {
		if !u.IsObject() {
			continue
		}
		t.AddTotals(transcript.Usage(u))
		if total := u.At("total_tokens").Amount(); !most.Known || total.Value > most.Value {
			most, t.Model = trial.Some(total.Value), model
		}
	}
	if cost := all.At("total_cost").Amount(); cost.Value > 0 {
		t.CostUSD = cost
	}
}
