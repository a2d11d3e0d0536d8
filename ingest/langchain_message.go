package ingest

import "strings"

// chainMessage is a message of LangChain without its wrapping.
type chainMessage struct {
	kind string // human, ai, tool, system, function, chat or remove
	body node
}

var chainKinds = map[string]string{
	"human": "human", "ai": "ai", "tool": "tool", "system": "system", "function": "function", "chat": "chat", "remove": "remove",
	"developer":    "system",
	"HumanMessage": "human", "AIMessage": "ai", "ToolMessage": "tool", "SystemMessage": "system", "FunctionMessage": "function",
	"ChatMessage": "chat", "RemoveMessage": "remove",
}

// chainRoles are the kinds of messages that are written as those of OpenAI.
var chainRoles = map[string]string{
	"user": "human", "human": "human", "assistant": "ai", "ai": "ai", "tool": "tool", "system": "system", "developer": "system", "function": "function",
}

// unwrapChain returns a message in any of its wrappings: plain, {type, data} of
// messages_to_dict, {lc, type, id, kwargs} of dumpd. The kind is "" for what is no
// message.
func unwrapChain(n node) chainMessage {
	kind := strings.TrimSuffix(n.at("type").words(), "Chunk")
	switch {
	case kind == "constructor" && n.at("kwargs").isObject():
		names := n.at("id").list()
		if len(names) == 0 {
			return chainMessage{}
		}
		return chainMessage{chainKinds[strings.TrimSuffix(names[len(names)-1].text(), "Chunk")], n.at("kwargs")}
	case n.at("data").isObject() && !n.has("content"):
		return chainMessage{chainKinds[kind], n.at("data")}
	case n.has("content") || kind == "remove":
		return chainMessage{chainKinds[kind], n}
	}
	return chainMessage{}
}

// unwrapAny is unwrapChain that knows messages as OpenAI writes them, too.
func unwrapAny(n node) chainMessage {
	m := unwrapChain(n)
	if m.kind == "" && n.isObject() && (n.has("content") || n.has("tool_calls")) {
		m = chainMessage{chainRoles[n.at("role").words()], n}
	}
	return m
}

func isChainMessage(n node) bool { return unwrapChain(n).kind != "" }

// id returns the name that LangChain gives a message; "" if it gives none.
func (m chainMessage) id() string { return m.body.at("id").words() }

// mark tells the message from others.
func (m chainMessage) mark() string {
	if id := m.id(); id != "" {
		return id
	}
	b := m.body
	mark := m.kind + "\x00" + b.at("content").speech() + "\x00" + b.at("tool_call_id").text()
	for _, c := range chainCalls(b) {
		mark += "\x00" + c.id + "\x00" + c.tool
	}
	return mark
}

// chainCalls returns the calls of a message, also those whose arguments are no JSON.
func chainCalls(body node) []toolCall {
	calls := chatCalls(body)
	if len(calls) == 0 {
		calls = chatCalls(body.at("additional_kwargs"))
	}
	for _, c := range body.at("invalid_tool_calls").list() {
		id := c.at("id").text()
		isKnown := false
		for _, k := range calls {
			isKnown = isKnown || id != "" && k.id == id
		}
		if !isKnown {
			calls = append(calls, toolCall{id, c.at("name").text(), c.at("args")})
		}
	}
	return calls
}

// chainModel returns the model that answered.
func chainModel(body node) string {
	return body.at("response_metadata").either("model_name", "model", "model_id").words()
}

// chainUsage returns the usage of a message, with cached tokens.
func chainUsage(body node) usage {
	for _, n := range []node{
		body.at("usage_metadata"), body.at("response_metadata", "token_usage"), body.at("response_metadata", "tokenUsage"),
		body.at("response_metadata", "usage"),
	} {
		u := chatUsage(n)
		if !u.input.Known {
			u.input = n.at("promptTokens").count()
		}
		if !u.output.Known {
			u.output = n.at("completionTokens").count()
		}
		if u.input.Known && !n.has("prompt_tokens") { // Anthropic's own figure is without cached tokens
			u.input = plus(u.input, n.at("cache_read_input_tokens").count(), n.at("cache_creation_input_tokens").count())
		}
		if u.input.Known || u.output.Known {
			return u
		}
	}
	return usage{}
}

// addChainMessage adds a message to the trial.
func addChainMessage(t *trace, m chainMessage) {
	b := m.body
	switch m.kind {
	case "human":
		t.setInput(b.at("content"))
	case "ai":
		t.addAnswer(answer{text: b.at("content").speech(), model: chainModel(b), calls: chainCalls(b), usage: chainUsage(b)})
	case "tool", "function":
		step := t.setResult(b.at("tool_call_id").text(), b.at("name").text(), b.at("content"))
		if step != nil && b.at("status").text() == "error" {
			step.Error = stepError(b.at("content").speech())
		}
	case "chat":
		addChainMessage(t, chainMessage{chainRoles[b.at("role").words()], b})
	case "system", "remove":
	default:
		t.notes.skip(unknownMessage)
	}
}
