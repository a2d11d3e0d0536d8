package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// scriptedTurn is an answer of a scripted model.
type scriptedTurn struct {
	text            string
	tool            string // that it calls; "" is none
	arguments       string // JSON, or the input of a custom tool
	custom          bool
	input, output   int64 // tokens; input has the cached and the written ones, output the reasoning
	cached, written int64
	reasoning       int64
}

// scriptedModel answers requests in the forms of three providers. Which turn it is, is told by the results of tools
// that a request has.
type scriptedModel struct {
	turns []scriptedTurn

	mu    sync.Mutex
	asked int
	keys  map[string]int // with which it was asked, and how often
}

// ServeHTTP answers with the next turn. What is no request to a model gets an empty answer.
func (m *scriptedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Model  string
		Stream bool
	}
	body, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodPost || json.Unmarshal(body, &asked) != nil {
		return
	}
	m.mu.Lock()
	m.asked++
	if m.keys == nil {
		m.keys = map[string]int{}
	}
	h := r.Header
	m.keys[strings.TrimPrefix(h.Get("Authorization"), "Bearer ")+h.Get("X-Api-Key")+h.Get("X-Goog-Api-Key")]++
	m.mu.Unlock()
	n := 1
	for _, result := range []string{`"type":"tool_result"`, `_call_output","`, `"functionResponse":`, `"role":"tool"`} {
		n += bytes.Count(body, []byte(result))
	}
	if n > len(m.turns) {
		http.Error(w, `{"error":{"message":"the script has ended"}}`, http.StatusBadRequest)
		return
	}
	t := m.turns[n-1]
	var events []any
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/messages"):
		events = t.messages(asked.Model, n)
	case strings.HasSuffix(path, "/responses"):
		events = t.responses(asked.Model, n)
	case strings.HasSuffix(path, "/chat/completions"):
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(t.chat(asked.Model, n))
		return
	default:
		events = t.generated()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		text, _ := json.Marshal(e)
		if kind, ok := e.(object)["type"].(string); ok {
			fmt.Fprintf(w, "event: %s\n", kind)
		}
		fmt.Fprintf(w, "data: %s\n\n", text)
	}
}

type (
	object = map[string]any
	list   = []any
)

// messages are the events of Anthropic's messages.
func (t *scriptedTurn) messages(model string, n int) (events []any) {
	events = append(events, object{"type": "message_start", "message": object{
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": model, "content": list{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{
			"input_tokens": t.input - t.cached - t.written, "output_tokens": 1,
			"cache_read_input_tokens": t.cached, "cache_creation_input_tokens": t.written,
		},
	}})
	block := func(start object, deltas ...object) {
		index := len(events) // which need not be without gaps
		events = append(events, object{"type": "content_block_start", "index": index, "content_block": start})
		for _, d := range deltas {
			events = append(events, object{"type": "content_block_delta", "index": index, "delta": d})
		}
		events = append(events, object{"type": "content_block_stop", "index": index})
	}
	block(object{"type": "thinking", "thinking": "", "signature": ""},
		object{"type": "thinking_delta", "thinking": "Hm."}, object{"type": "signature_delta", "signature": "c2ln"})
	block(object{"type": "text", "text": ""}, object{"type": "text_delta", "text": t.text})
	stop := "end_turn"
	if t.tool != "" {
		stop = "tool_use"
		half := len(t.arguments) / 2
		block(object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", n), "name": t.tool, "input": object{}},
			object{"type": "input_json_delta", "partial_json": t.arguments[:half]},
			object{"type": "input_json_delta", "partial_json": t.arguments[half:]})
	}
	return append(events, object{
		"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil},
		"usage": object{"output_tokens": t.output},
	}, object{"type": "message_stop"})
}

// responses are the events of OpenAI's responses.
func (t *scriptedTurn) responses(model string, n int) (events []any) {
	items := list{
		object{"id": fmt.Sprintf("rs_%d", n), "type": "reasoning", "summary": list{}},
		object{
			"id": fmt.Sprintf("msg_%d", n), "type": "message", "status": "completed", "role": "assistant",
			"content": list{object{"type": "output_text", "text": t.text, "annotations": list{}}},
		},
	}
	call := object{"id": fmt.Sprintf("call_item_%d", n), "status": "completed", "call_id": fmt.Sprintf("call_%d", n),
		"name": t.tool}
	switch {
	case t.tool == "":
	case t.custom:
		call["type"], call["input"] = "custom_tool_call", t.arguments
		items = append(items, call)
	default:
		call["type"], call["arguments"] = "function_call", t.arguments
		items = append(items, call)
	}
	id := fmt.Sprintf("resp_%d", n)
	events = append(events, object{"type": "response.created", "response": object{
		"id": id, "object": "response", "model": model, "status": "in_progress", "output": list{},
	}})
	for i, item := range items {
		events = append(events, object{"type": "response.output_item.added", "output_index": i, "item": item},
			object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	return append(events, object{"type": "response.completed", "response": object{
		"id": id, "object": "response", "model": model, "status": "completed", "output": items, "usage": object{
			"input_tokens": t.input, "output_tokens": t.output, "total_tokens": t.input + t.output,
			"input_tokens_details":  object{"cached_tokens": t.cached, "cache_write_tokens": t.written},
			"output_tokens_details": object{"reasoning_tokens": t.reasoning},
		},
	}})
}

// generated is the one part of a stream of Gemini's, whose calls have no ids.
func (t *scriptedTurn) generated() []any {
	parts := list{object{"text": "Hm.", "thought": true}, object{"text": t.text}}
	if t.tool != "" {
		parts = append(parts, object{"functionCall": object{"name": t.tool, "args": json.RawMessage(t.arguments)}})
	}
	return []any{object{
		"candidates": list{object{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{
			"promptTokenCount": t.input, "candidatesTokenCount": t.output - t.reasoning, "thoughtsTokenCount": t.reasoning,
			"cachedContentTokenCount": t.cached, "totalTokenCount": t.input + t.output,
		},
	}}
}

// chat is an answer in the form of OpenAI's chat completions, which comes whole.
func (t *scriptedTurn) chat(model string, n int) object {
	message, finish := object{"role": "assistant", "content": t.text}, "stop"
	if t.tool != "" {
		finish = "tool_calls"
		message["tool_calls"] = list{object{
			"id": fmt.Sprintf("call_%d", n), "type": "function", "function": object{"name": t.tool, "arguments": t.arguments},
		}}
	}
	return object{
		"id": fmt.Sprintf("chatcmpl-%d", n), "object": "chat.completion", "model": model,
		"choices": list{object{"index": 0, "message": message, "finish_reason": finish}},
		"usage": object{
			"prompt_tokens": t.input, "completion_tokens": t.output, "total_tokens": t.input + t.output,
			"prompt_tokens_details": object{"cached_tokens": t.cached},
		},
	}
}
