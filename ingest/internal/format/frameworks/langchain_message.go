package frameworks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
)

// chainMessage is a message of LangChain without its wrapping.
type chainMessage struct {
	// kind is one of the values of chainKinds; body has content, tool_calls and the like,
	// whatever the wrapping.
	kind string // human, ai, tool, system, function, chat or remove
	body record.Node
}

// chainKinds are the kinds by the type of a plain message and by the class that dumpd names.
// remove is a RemoveMessage, which takes an earlier message out of a state.
var chainKinds = map[string]string{
	"human": "human", "ai": "ai", "tool": "tool", "system": "system", "function": "function", "chat": "chat",
	"remove":       "remove",
	"developer":    "system",
	"HumanMessage": "human", "AIMessage": "ai", "ToolMessage": "tool", "SystemMessage": "system",
	"FunctionMessage": "function",
	"ChatMessage":     "chat", "RemoveMessage": "remove",
}

// chainRoles are the kinds of messages that are written as those of OpenAI.
var chainRoles = map[string]string{
	"user": "human", "human": "human", "assistant": "ai", "ai": "ai", "tool": "tool", "system": "system",
	"developer": "system", "function": "function",
}

// unwrapChain returns a message in any of its wrappings: plain, {type, data} of
// messages_to_dict, {lc, type, id, kwargs} of dumpd. The kind is "" for what is no
// message.
//
//	{"type":"ai","content":"..."}                                                    plain, model_dump
//	{"type":"ai","data":{"content":"..."}}                                           messages_to_dict
//	{"lc":1,"type":"constructor","id":["langchain",...,"AIMessage"],"kwargs":{...}}  dumpd, JavaScript
//
// Chunks of streams have the same shapes under names that end in Chunk.
func unwrapChain(n record.Node) chainMessage {
	kind := strings.TrimSuffix(n.At("type").Words(), "Chunk")
	switch {
	case kind == "constructor" && n.At("kwargs").IsObject():
		names := n.At("id").List()
		if len(names) == 0 {
			return chainMessage{}
		}
		return chainMessage{chainKinds[strings.TrimSuffix(names[len(names)-1].Text(), "Chunk")], n.At("kwargs")}
	case n.At("data").IsObject() && !n.Has("content"):
		return chainMessage{chainKinds[kind], n.At("data")}
	case n.Has("content") || kind == "remove":
		return chainMessage{chainKinds[kind], n}
	}
	return chainMessage{}
}

// unwrapAny is unwrapChain that knows messages as OpenAI writes them, too.
func unwrapAny(n record.Node) chainMessage {
	m := unwrapChain(n)
	if m.kind == "" && n.IsObject() && (n.Has("content") || n.Has("tool_calls")) {
		m = chainMessage{chainRoles[n.At("role").Words()], n}
	}
	return m
}

// isChainMessage reports whether n is a message in one of LangChain's own wrappings.
func isChainMessage(n record.Node) bool { return unwrapChain(n).kind != "" }

// id returns the name that LangChain gives a message; "" if it gives none.
func (m chainMessage) id() string { return m.body.At("id").Words() }

// setChainID takes the id of an answer of a model for that of the run, if it has none.
func setChainID(t *record.Trace, m chainMessage) {
	if m.kind == "ai" {
		t.SetMessageID(m.id())
	}
}

// mark tells the message from others.
// Without an id it is what was said and called: two equal messages cannot be told apart.
func (m chainMessage) mark() string {
	if id := m.id(); id != "" {
		return id
	}
	b := m.body
	mark := m.kind + "\x00" + b.At("content").Speech() + "\x00" + b.At("tool_call_id").Text()
	for _, c := range chainCalls(b) {
		mark += "\x00" + c.ID + "\x00" + c.Tool
	}
	return mark
}

// chainCalls returns the calls of a message, also those whose arguments are no JSON.
func chainCalls(body record.Node) []record.Call {
	// Calls that LangChain has parsed; those of the provider, before it did; and those whose
	// arguments it could not parse, which the model has made all the same.
	calls := transcript.Calls(body)
	if len(calls) == 0 {
		calls = transcript.Calls(body.At("additional_kwargs"))
	}
	for _, c := range body.At("invalid_tool_calls").List() {
		id := c.At("id").Text()
		isKnown := false
		for _, k := range calls {
			isKnown = isKnown || id != "" && k.ID == id
		}
		if !isKnown {
			calls = append(calls, record.Call{ID: id, Tool: c.At("name").Text(), Arguments: c.At("args")})
		}
	}
	return calls
}

// chainModel returns the model that answered.
// Clients of different providers name it differently.
func chainModel(body record.Node) string {
	return body.At("response_metadata").Either("model_name", "model", "model_id").Words()
}

// chainUsage returns the usage of a message, with cached tokens.
// usage_metadata is the same for all providers, with cached tokens in the input. Before it
// there was what the provider gives: token_usage in Python, tokenUsage in JavaScript.
func chainUsage(body record.Node) record.Usage {
	for _, n := range []record.Node{
		body.At("usage_metadata"), body.At("response_metadata", "token_usage"),
		body.At("response_metadata", "tokenUsage"),
		body.At("response_metadata", "usage"),
	} {
		u := transcript.Usage(n)
		if details := n.At("input_token_details"); details.IsObject() {
			u.Cached, u.Writes = details.At("cache_read").Count(), details.At("cache_creation").Count()
		}
		if !u.Input.Known {
			u.Input = n.At("promptTokens").Count()
		}
		if !u.Output.Known {
			u.Output = n.At("completionTokens").Count()
		}
		if u.Input.Known && !n.Has("prompt_tokens") { // Anthropic's own figure is without cached tokens
			if read, write := n.At("cache_read_input_tokens").Count(), n.At("cache_creation_input_tokens").Count(); read.Known ||
				write.Known {
				u.Input, u.Cached, u.Writes = record.Plus(u.Input, read, write), read, write
			}
		}
		if u.Input.Known || u.Output.Known {
			return u
		}
	}
	return record.Usage{}
}

// addChainMessage adds a message to the trial.
func addChainMessage(t *record.Trace, m chainMessage) {
	b := m.body
	switch m.kind {
	case "human":
		t.SetInput(b.At("content"))
	case "ai":
		t.AddAnswer(record.Answer{Text: b.At("content").Speech(), Model: chainModel(b), Calls: chainCalls(b),
			Usage: chainUsage(b)})
	case "tool", "function":
		// A failed tool without a status gives plain text like any other.
		step := t.SetResult(b.At("tool_call_id").Text(), b.At("name").Text(), b.At("content"))
		if step != nil && b.At("status").Text() == "error" {
			step.Error = record.StepError(b.At("content").Speech())
		}
	// A ChatMessage has a role in words.
	case "chat":
		addChainMessage(t, chainMessage{chainRoles[b.At("role").Words()], b})
	case "system", "remove":
	default:
		t.Notes.Skip(record.UnknownMessage)
	}
}
