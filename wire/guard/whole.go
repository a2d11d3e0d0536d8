package guard

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// form is how a dialect has its calls.
type form struct {
	// whole takes calls that are denied out of an answer, and reports whether there was one.
	whole func(answer object, j judge) (changed bool)
	// begins reports whether an event of a stream has a call, or the beginning of one, and ends whether all that began
	// have ended with it.
	begins, ends func(event object) bool
	// parts takes calls that are denied out of events, the first of which begins one, and reports whether there was one.
	parts func(events []event, j judge) (rewritten []event, changed bool)

	// broken reports whether events have parts of a call that is not judged; nil: parts are all that there is of one.
	broken func([]event) bool

	wholeShape, partShape *shape
	roots                 []string // members of which a whole answer has one
	lists                 bool     // whole answers may come in a list
	lines                 bool     // events are lines of JSON, and not server-sent
}

// forms are those of the dialects, by their names.
var forms = map[string]form{
	"openai/chat": {
		whole: chatWhole, begins: chatBegins, ends: chatEnds, parts: chatParts, wholeShape: chatWholeShape,
		partShape: chatPartShape, roots: []string{"choices"},
	},
	"openai/responses": {
		whole: responsesWhole, begins: responsesBegins, ends: responsesEnds, parts: responsesParts,
		broken: responsesBroken, wholeShape: responsesWholeShape, partShape: responsesPartShape, roots: []string{"output"},
	},
	"anthropic/messages": {
		whole: messagesWhole, begins: messagesBegins, ends: messagesEnds, parts: messagesParts,
		wholeShape: messagesWholeShape, partShape: messagesPartShape, roots: []string{"content"},
	},
	"gemini/generateContent": {
		whole: geminiWhole, begins: geminiBegins, ends: always, parts: eachWhole(geminiWhole), wholeShape: geminiShape,
		partShape: geminiShape, roots: []string{"candidates", "promptFeedback", "usageMetadata"}, lists: true,
	},
	"ollama/chat": {
		whole: ollamaWhole, begins: ollamaBegins, ends: always, parts: eachWhole(ollamaWhole), wholeShape: ollamaShape,
		partShape: ollamaShape, roots: []string{"message"}, lines: true,
	},
}

// object is JSON as it was decoded, so that what is not known of it stays.
type object = map[string]any

// decoded reads an object; nil is none.
func decoded(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || decoder.More() {
		return nil
	}
	return value
}

// encoded writes one.
func encoded(value any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // of what was JSON
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// rewritten is an answer without the calls that are denied; as it is where none is.
func rewritten(body []byte, f form, j judge) ([]byte, error) {
	changed := false
	value := decoded(body)
	if err := f.readWhole(value); err != nil {
		return nil, err
	}
	switch value := value.(type) {
	case object:
		changed = f.whole(value, j)
	case []any: // parts in a list
		for _, one := range value {
			if part, ok := one.(object); ok {
				changed = f.whole(part, j) || changed
			}
		}
	}
	if !changed {
		return body, nil
	}
	return encoded(value), nil
}

// The members of JSON that nobody vouches for.

func list(o object, name string) []any    { l, _ := o[name].([]any); return l }
func member(o object, name string) object { m, _ := o[name].(object); return m }
func word(o object, name string) string   { w, _ := o[name].(string); return w }

// objects are those in a list.
func objects(l []any) (all []object) {
	for _, one := range l {
		if o, ok := one.(object); ok {
			all = append(all, o)
		}
	}
	return all
}

// written are arguments as a text.
func written(arguments any) string {
	switch a := arguments.(type) {
	case nil:
		return ""
	case string:
		return a
	}
	return string(encoded(arguments))
}

// added is a text with another behind it.
func added(text any, more string) string {
	said, _ := text.(string)
	if said == "" {
		return more
	}
	return said + "\n" + more
}

// functionOf is the name and the arguments of a call of OpenAI and Ollama: of a function, or of a custom tool.
func functionOf(call object) (name, arguments string) {
	if f := member(call, "function"); f != nil {
		return word(f, "name"), written(f["arguments"])
	}
	custom := member(call, "custom")
	return word(custom, "name"), written(custom["input"])
}

// calls takes what is denied out of the tool_calls of a message.
func calls(message object, j judge) (changed bool) {
	var kept []any
	for _, one := range list(message, "tool_calls") {
		call, _ := one.(object)
		if why := j(functionOf(call)); why != "" {
			message["content"], changed = added(message["content"], why), true
			continue
		}
		kept = append(kept, one)
	}
	if f := member(message, "function_call"); f != nil { // the older form of one call
		if why := j(word(f, "name"), written(f["arguments"])); why != "" {
			message["content"], changed = added(message["content"], why), true
			delete(message, "function_call")
		}
	}
	if message["tool_calls"] = kept; kept == nil {
		delete(message, "tool_calls")
	}
	return changed
}

func chatWhole(answer object, j judge) (changed bool) {
	for _, c := range objects(list(answer, "choices")) {
		m := member(c, "message")
		if m == nil || m["tool_calls"] == nil && m["function_call"] == nil || !calls(m, j) {
			continue
		}
		changed = true
		if m["tool_calls"] == nil && m["function_call"] == nil {
			c["finish_reason"] = "stop"
		}
	}
	return changed
}

func ollamaWhole(answer object, j judge) bool {
	m := member(answer, "message")
	return m != nil && m["tool_calls"] != nil && calls(m, j)
}

func ollamaBegins(event object) bool { return member(event, "message")["tool_calls"] != nil }

func geminiWhole(answer object, j judge) (changed bool) {
	for _, c := range objects(list(answer, "candidates")) {
		parts := list(member(c, "content"), "parts")
		for i, p := range objects(parts) {
			f := member(p, "functionCall")
			if f == nil {
				continue
			}
			if why := j(word(f, "name"), written(f["args"])); why != "" {
				parts[i], changed = object{"text": why}, true
			}
		}
	}
	return changed
}

func geminiBegins(event object) bool {
	for _, c := range objects(list(event, "candidates")) {
		for _, p := range objects(list(member(c, "content"), "parts")) {
			if p["functionCall"] != nil {
				return true
			}
		}
	}
	return false
}

// isToolUse reports whether a block is a call that the agent makes, and not the provider.
func isToolUse(block object) bool {
	kind := fold(word(block, "type"))
	return strings.HasSuffix(kind, "tooluse") && kind != "servertooluse" && kind != "mcptooluse"
}

func messagesWhole(answer object, j judge) (changed bool) {
	content, left := list(answer, "content"), false
	for i, one := range content {
		block, _ := one.(object)
		if !isToolUse(block) {
			continue
		}
		why := j(word(block, "name"), written(block["input"]))
		if why == "" {
			left = true
			continue
		}
		content[i], changed = object{"type": "text", "text": why}, true
	}
	if changed && !left {
		answer["stop_reason"] = "end_turn"
	}
	return changed
}

// byProvider are items of calls that the provider makes itself: their effects are none of this machine.
var byProvider = []string{
	"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call",
	"tool_search_call",
}

// isCall reports whether an item of a response is a call that the agent makes, or one that it is to approve.
func isCall(item object) bool {
	kind := word(item, "type")
	return strings.HasSuffix(strings.ToLower(kind), "_call") && !slices.Contains(byProvider, kind) ||
		kind == "mcp_approval_request"
}

// itemCall is the name of an item, and each text that may be its arguments: tools without a name go by their kind,
// such as local_shell.
func itemCall(item object) (name string, arguments []string) {
	if name = word(item, "name"); name == "" {
		name = strings.TrimSuffix(word(item, "type"), "_call")
	}
	for _, from := range []string{"arguments", "input", "action", "actions", "operation"} {
		if item[from] != nil {
			arguments = append(arguments, written(item[from]))
		}
	}
	if arguments == nil {
		arguments = []string{""}
	}
	return name, arguments
}

// judgeItem judges a call by each text that may be its arguments.
func judgeItem(item object, j judge) (why string) {
	name, all := itemCall(item)
	for _, arguments := range all {
		if why == "" {
			why = j(name, arguments)
		}
	}
	return why
}

func responsesWhole(answer object, j judge) (changed bool) {
	output := list(answer, "output")
	for i, one := range output {
		item, _ := one.(object)
		if !isCall(item) {
			continue
		}
		if why := judgeItem(item, j); why != "" {
			output[i], changed = said(item, why, "completed"), true
		}
	}
	return changed
}

// said is a message in the place of an item.
func said(item object, text, status string) object {
	content := []any{}
	if text != "" {
		content = []any{object{"type": "output_text", "text": text, "annotations": []any{}}}
	}
	return object{
		"type": "message", "id": "msg_" + word(item, "id"), "role": "assistant", "status": status, "content": content,
	}
}
