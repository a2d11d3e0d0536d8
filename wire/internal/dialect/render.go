package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/tribunal-dev/tribunal/trial"
)

// Render writes an answer as the provider would, whole or in parts as it was asked. The id is of the answer, and begins
// those of its items. Finish is a common word (stop, length, filter; "" is stop, or that of calls where there are any)
// or the provider's own. Arguments that are no JSON stay so where the form has them as a text. The parts of a stream
// are to be written one after the other. A model that the answer does not name is the one that was asked.
func (d *Dialect) Render(id string, a Answer, asked Asked) (contentType string, parts [][]byte) {
	if a.Model == "" {
		a.Model = asked.Model
	}
	a.Finish = d.finish(&a)
	if !asked.Stream {
		return "application/json", [][]byte{encoded(d.whole(id, &a))}
	}
	events := d.parts(id, &a, &asked)
	switch {
	case d == ollama:
		return "application/x-ndjson", framed(events, func(e []byte) []byte { return append(e, '\n') })
	case d == generate && asked.List:
		return "application/json", listed(events)
	case d == messages, d == responses:
		return "text/event-stream", named(events)
	}
	parts = framed(events, func(e []byte) []byte { return fmt.Appendf(nil, "data: %s\n\n", e) })
	if d == chat {
		parts = append(parts, []byte("data: [DONE]\n\n"))
	}
	return "text/event-stream", parts
}

// object is a JSON object.
type object = map[string]any

// encoded is JSON of texts, numbers, and JSON that is valid.
func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // arguments are made valid before
	}
	return bytes.TrimSpace(b.Bytes())
}

func framed(events []object, frame func([]byte) []byte) (parts [][]byte) {
	for _, e := range events {
		parts = append(parts, frame(encoded(e)))
	}
	return parts
}

// named are server-sent events that have their type as their name.
func named(events []object) (parts [][]byte) {
	for _, e := range events {
		parts = append(parts, fmt.Appendf(nil, "event: %s\ndata: %s\n\n", e["type"], encoded(e)))
	}
	return parts
}

// listed is a JSON list that comes in parts.
func listed(events []object) [][]byte {
	start := "["
	parts := framed(events, func(e []byte) []byte {
		part := append([]byte(start), e...)
		start = ",\r\n"
		return part
	})
	return append(parts, []byte("]"))
}

// finish is the provider's word for a common one.
func (d *Dialect) finish(a *Answer) string {
	word := a.Finish
	if word == "" {
		word = "stop"
		if len(a.Calls) > 0 {
			word = "calls"
		}
	}
	words := map[*Dialect]map[string]string{
		chat:      {"calls": "tool_calls", "filter": "content_filter"},
		responses: {"stop": "completed", "calls": "completed", "length": "max_output_tokens", "filter": "content_filter"},
		messages:  {"stop": "end_turn", "calls": "tool_use", "length": "max_tokens", "filter": "refusal"},
		generate:  {"stop": "STOP", "calls": "STOP", "length": "MAX_TOKENS", "filter": "SAFETY"},
		ollama:    {"calls": "stop"},
	}[d]
	if own, ok := words[word]; ok {
		return own
	}
	return word
}

// input are a call's arguments as JSON; what is none is a JSON string.
func (c *Call) input() json.RawMessage {
	switch {
	case c.Arguments == "":
		return json.RawMessage("{}")
	case json.Valid([]byte(c.Arguments)):
		return json.RawMessage(c.Arguments)
	}
	return json.RawMessage(trial.RawString(c.Arguments))
}

func (d *Dialect) whole(id string, a *Answer) object {
	switch d {
	case chat:
		return chatWhole(id, a)
	case responses:
		return responsesWhole(id, a, a.Finish)
	case messages:
		return messagesWhole(id, a)
	case generate:
		return generateWhole(id, a)
	}
	return ollamaWhole(a)
}

func (d *Dialect) parts(id string, a *Answer, asked *Asked) []object {
	switch d {
	case chat:
		return chatParts(id, a, asked.Usage)
	case responses:
		return responsesParts(id, a)
	case messages:
		return messagesParts(id, a)
	case generate:
		return generateParts(id, a)
	}
	return ollamaParts(a)
}

// set gives an object the numbers that are known.
func set(o object, name string, n trial.Optional[int64]) {
	if n.Known {
		o[name] = n.Value
	}
}

// less is a number without others that are in it.
func less(n trial.Optional[int64], others ...trial.Optional[int64]) trial.Optional[int64] {
	for _, o := range others {
		n.Value -= o.Value
	}
	n.Value = max(n.Value, 0)
	return n
}

// openAIUsage are tokens, whose names begin as those of the form. A response tells all of them, or none: Codex takes
// one without those of reasoning for broken.
func openAIUsage(u *Usage, input, output string) any {
	if !u.Input.Known && !u.Output.Known {
		return nil
	}
	in, out := object{}, object{}
	if input == "input" {
		in["cached_tokens"], out["reasoning_tokens"] = 0, 0
		set(in, "cache_write_tokens", u.Written)
	}
	set(in, "cached_tokens", u.Cached)
	set(out, "reasoning_tokens", u.Reasoning)
	return object{
		input + "_tokens": u.Input.Value, output + "_tokens": u.Output.Value,
		"total_tokens":            trial.Plus(u.Input.Value, u.Output.Value),
		input + "_tokens_details": in, output + "_tokens_details": out,
	}
}

func chatWhole(id string, a *Answer) object {
	message := object{"role": "assistant", "content": nil, "refusal": nil}
	if a.Text != "" || len(a.Calls) == 0 {
		message[a.said("content")] = a.Text
	}
	if len(a.Calls) > 0 {
		message["tool_calls"] = chatCalls(a.Calls)
	}
	whole := object{
		"id": id, "object": "chat.completion", "created": 0, "model": a.Model,
		"choices": []object{{"index": 0, "message": message, "logprobs": nil, "finish_reason": a.Finish}},
	}
	if usage := openAIUsage(&a.Usage, "prompt", "completion"); usage != nil {
		whole["usage"] = usage
	}
	return whole
}

// said is the member for what is said, unless the model declines.
func (a *Answer) said(member string) string {
	if a.Refused {
		return "refusal"
	}
	return member
}

func chatCalls(calls []Call) (all []object) {
	for _, c := range calls {
		all = append(all, chatCallOf(&c, object{"id": c.ID}, c.Name, c.Arguments))
	}
	return all
}

// chatCallOf gives an object what a call, or a part of one, says; a part without the name does not tell the kind.
func chatCallOf(c *Call, o object, name, arguments string) object {
	kind, text := "function", "arguments"
	if c.Custom {
		kind, text = "custom", "input"
	}
	said := object{text: arguments}
	if o[kind] = said; name != "" {
		said["name"], o["type"] = name, kind
	}
	return o
}

func chatParts(id string, a *Answer, usage bool) (events []object) {
	add := func(choices []object, usage any) {
		e := object{"id": id, "object": "chat.completion.chunk", "created": 0, "model": a.Model, "choices": choices}
		if usage != nil {
			e["usage"] = usage
		}
		events = append(events, e)
	}
	delta := func(d object, finish any) { add([]object{{"index": 0, "delta": d, "finish_reason": finish}}, nil) }
	delta(object{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(a.Text) {
		delta(object{a.said("content"): piece}, nil)
	}
	for i := range a.Calls {
		c := &a.Calls[i]
		delta(object{"tool_calls": []object{chatCallOf(c, object{"index": i, "id": c.ID}, c.Name, "")}}, nil)
		for _, piece := range pieces(c.Arguments) {
			delta(object{"tool_calls": []object{chatCallOf(c, object{"index": i}, "", piece)}}, nil)
		}
	}
	delta(object{}, a.Finish)
	if told := openAIUsage(&a.Usage, "prompt", "completion"); usage && told != nil {
		add([]object{}, told)
	}
	return events
}

// pieces are a text in its words, each with the space before it.
func pieces(text string) (all []string) {
	start := 0
	for i := 1; i < len(text); i++ {
		if text[i] == ' ' && text[i-1] != ' ' {
			all, start = append(all, text[start:i]), i
		}
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}

func responsesItems(id string, a *Answer) []object {
	items := []object{}
	if a.Text != "" {
		items = append(items, object{
			"type": "message", "id": "msg_" + id, "status": responsesStatus(a), "role": "assistant",
			"content": []object{responsesPart(a, a.Text)},
		})
	}
	for i, c := range a.Calls {
		kind, begins, text := "function_call", "fc", "arguments"
		if c.Custom {
			kind, begins, text = "custom_tool_call", "ctc", "input"
		}
		items = append(items, object{
			"type": kind, "id": fmt.Sprintf("%s_%s_%d", begins, id, i), "status": responsesStatus(a), "call_id": c.ID,
			"name": c.Name, text: c.Arguments,
		})
	}
	return items
}

// responsesPart is a part of a message with a text.
func responsesPart(a *Answer, text string) object {
	if a.Refused {
		return object{"type": "refusal", "refusal": text}
	}
	return object{"type": "output_text", "text": text, "annotations": []any{}}
}

// responsesStatus is that of a response that has ended, and of its items.
func responsesStatus(a *Answer) string {
	if a.Finish == "completed" {
		return a.Finish
	}
	return "incomplete"
}

func responsesWhole(id string, a *Answer, finish string) object {
	whole := object{
		"id": id, "object": "response", "created_at": 0, "model": a.Model, "status": finish, "error": nil,
		"incomplete_details": nil, "output": responsesItems(id, a), "parallel_tool_calls": true, "tools": []any{},
		"usage": openAIUsage(&a.Usage, "input", "output"),
	}
	if finish != "completed" && finish != "in_progress" {
		whole["status"], whole["incomplete_details"] = "incomplete", object{"reason": finish}
	}
	return whole
}

func responsesParts(id string, a *Answer) (events []object) {
	add := func(kind string, e object) {
		e["type"], e["sequence_number"] = kind, len(events)
		events = append(events, e)
	}
	begun := responsesWhole(id, &Answer{Model: a.Model}, "in_progress")
	begun["output"] = []any{}
	add("response.created", object{"response": begun})
	for i, item := range responsesItems(id, a) {
		responsesItem(a, i, item, add)
	}
	last := "response.completed"
	if a.Finish != "completed" {
		last = "response.incomplete"
	}
	add(last, object{"response": responsesWhole(id, a, a.Finish)})
	return events
}

// responsesItem adds the events of an item.
func responsesItem(a *Answer, i int, item object, add func(string, object)) {
	at := func(o object) object {
		o["item_id"], o["output_index"] = item["id"], i
		return o
	}
	begun := object{}
	for name, v := range item {
		begun[name] = v
	}
	begun["status"] = "in_progress"
	switch item["type"] {
	case "function_call":
		arguments := item["arguments"].(string)
		begun["arguments"] = ""
		add("response.output_item.added", object{"output_index": i, "item": begun})
		for _, piece := range pieces(arguments) {
			add("response.function_call_arguments.delta", at(object{"delta": piece}))
		}
		add("response.function_call_arguments.done", at(object{"name": item["name"], "arguments": arguments}))
	case "custom_tool_call":
		input := item["input"].(string)
		begun["input"] = ""
		add("response.output_item.added", object{"output_index": i, "item": begun})
		for _, piece := range pieces(input) {
			add("response.custom_tool_call_input.delta", at(object{"delta": piece}))
		}
		add("response.custom_tool_call_input.done", at(object{"input": input}))
	default:
		begun["content"] = []any{}
		content := item["content"].([]object)[0]
		kind := content["type"].(string)
		add("response.output_item.added", object{"output_index": i, "item": begun})
		add("response.content_part.added", at(object{"content_index": 0, "part": responsesPart(a, "")}))
		for _, piece := range pieces(a.Text) {
			add("response."+kind+".delta", at(object{"content_index": 0, "delta": piece}))
		}
		add("response."+kind+".done", at(object{"content_index": 0, a.said("text"): a.Text}))
		add("response.content_part.done", at(object{"content_index": 0, "part": content}))
	}
	add("response.output_item.done", object{"output_index": i, "item": item})
}

func messagesTold(u *Usage) object {
	told := object{"input_tokens": less(u.Input, u.Cached, u.Written).Value, "output_tokens": u.Output.Value}
	set(told, "cache_read_input_tokens", u.Cached)
	set(told, "cache_creation_input_tokens", u.Written)
	return told
}

func messagesWhole(id string, a *Answer) object {
	content := []object{}
	if a.Text != "" {
		content = append(content, object{"type": "text", "text": a.Text})
	}
	for i := range a.Calls {
		c := &a.Calls[i]
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": c.input()})
	}
	return object{
		"id": id, "type": "message", "role": "assistant", "model": a.Model, "content": content,
		"stop_reason": a.Finish, "stop_sequence": nil, "usage": messagesTold(&a.Usage),
	}
}

func messagesParts(id string, a *Answer) (events []object) {
	begun := messagesWhole(id, a)
	content := begun["content"].([]object)
	begun["content"], begun["stop_reason"] = []any{}, nil
	events = append(events, object{"type": "message_start", "message": begun})
	calls := a.Calls
	for i, block := range content {
		delta, name, text := "text_delta", "text", a.Text
		empty := object{"type": "text", "text": ""}
		if block["type"] == "tool_use" {
			delta, name, text, calls = "input_json_delta", "partial_json", cmp.Or(calls[0].Arguments, "{}"), calls[1:]
			empty = object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}
		}
		events = append(events, object{"type": "content_block_start", "index": i, "content_block": empty})
		for _, piece := range pieces(text) {
			events = append(events, object{
				"type": "content_block_delta", "index": i, "delta": object{"type": delta, name: piece},
			})
		}
		events = append(events, object{"type": "content_block_stop", "index": i})
	}
	return append(events, object{
		"type": "message_delta", "delta": object{"stop_reason": a.Finish, "stop_sequence": nil},
		"usage": messagesTold(&a.Usage),
	}, object{"type": "message_stop"})
}

func generateTold(u *Usage) object {
	told := object{}
	set(told, "promptTokenCount", u.Input)
	set(told, "candidatesTokenCount", less(u.Output, u.Reasoning))
	set(told, "thoughtsTokenCount", u.Reasoning)
	set(told, "cachedContentTokenCount", u.Cached)
	set(told, "totalTokenCount", sum(u.Input, u.Output))
	return told
}

// generateOf is an answer, or a part of one, of parts of a content.
func generateOf(id string, a *Answer, parts []object) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	if len(parts) == 0 {
		candidate["content"] = object{"role": "model"}
	}
	return object{"responseId": id, "modelVersion": a.Model, "candidates": []object{candidate}}
}

// generateEnd gives the last part what ends an answer.
func generateEnd(o object, a *Answer) object {
	candidate := o["candidates"].([]object)[0]
	candidate["finishReason"] = a.Finish
	switch a.Finish {
	case "SAFETY":
		delete(candidate, "content")
	case "MALFORMED_FUNCTION_CALL":
		delete(candidate, "content")
		candidate["finishMessage"] = "Malformed function call"
	}
	if told := generateTold(&a.Usage); len(told) > 0 {
		o["usageMetadata"] = told
	}
	return o
}

func generateCalls(a *Answer) (parts []object) {
	for i := range a.Calls {
		c := &a.Calls[i]
		call := object{"name": c.Name, "args": c.input()}
		if c.ID != "" {
			call["id"] = c.ID
		}
		parts = append(parts, object{"functionCall": call})
	}
	return parts
}

func generateWhole(id string, a *Answer) object {
	parts := generateCalls(a)
	if a.Text != "" {
		parts = append([]object{{"text": a.Text}}, parts...)
	}
	return generateEnd(generateOf(id, a, parts), a)
}

func generateParts(id string, a *Answer) (events []object) {
	for _, piece := range pieces(a.Text) {
		events = append(events, generateOf(id, a, []object{{"text": piece}}))
	}
	if calls := generateCalls(a); len(calls) > 0 || len(events) == 0 {
		events = append(events, generateOf(id, a, calls))
	}
	generateEnd(events[len(events)-1], a)
	return events
}

// ollamaOf is an answer, or a part of one.
func ollamaOf(a *Answer, text string, calls []Call) object {
	message := object{"role": "assistant", "content": text}
	var all []object
	for i := range calls {
		c := object{"function": object{"name": calls[i].Name, "arguments": calls[i].input()}}
		if calls[i].ID != "" {
			c["id"] = calls[i].ID
		}
		all = append(all, c)
	}
	if len(all) > 0 {
		message["tool_calls"] = all
	}
	return object{"model": a.Model, "created_at": "1970-01-01T00:00:00Z", "message": message, "done": false}
}

// ollamaEnd gives the last part what ends an answer.
func ollamaEnd(o object, a *Answer) object {
	o["done"], o["done_reason"] = true, a.Finish
	set(o, "prompt_eval_count", a.Usage.Input)
	set(o, "eval_count", a.Usage.Output)
	return o
}

func ollamaWhole(a *Answer) object { return ollamaEnd(ollamaOf(a, a.Text, a.Calls), a) }

func ollamaParts(a *Answer) (events []object) {
	for _, piece := range pieces(a.Text) {
		events = append(events, ollamaOf(a, piece, nil))
	}
	if len(a.Calls) > 0 {
		events = append(events, ollamaOf(a, "", a.Calls))
	}
	return append(events, ollamaEnd(ollamaOf(a, "", nil), a))
}
