package frameworks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// readAutoGenOld reads the history of a chat of version 0.2. Its roles are those of
// one of the sides, so that the name tells who speaks: the first is the user.
//
//	{"chat_id":1,"chat_history":[{"content":"Where is W2?","role":"assistant","name":"customer"}],"cost":{...}}
//
// The roles are those of the side whose history it is: what the user proxy said is
// "assistant" there. Neither tells which messages are the agent's.
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
		// Results of parallel calls are one message; its content repeats them as one text.
		case m.At("tool_responses").IsList():
			for _, r := range m.At("tool_responses").List() {
				t.SetResult(r.At("tool_call_id").Text(), "", r.At("content"))
			}
		case m.At("role").Text() == "tool":
			t.SetResult(m.At("tool_call_id").Text(), "", m.At("content"))
		// The interface of before tools has no ids, only the name of the function.
		case m.At("role").Text() == "function":
			t.SetResult("", name, m.At("content"))
		// Only the first message becomes the input: the user proxy's later ones are replies.
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
//
//	{"usage_including_cached_inference":{"total_cost":0.1,"gpt-4o":{"prompt_tokens":100,"total_tokens":120}}}
//
// Answers from the cache are counted in this sum, as the agent needed them; older results
// have one level less.
func autoGenCost(t *record.Trace, n record.Node) {
	all := n.At("usage_including_cached_inference")
	if !all.IsObject() {
		all = n
	}
	var most trial.Optional[float64]
	for model, u := range all.Members() {
		// total_cost stands among the models.
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
