package dialect

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/sse"
	"github.com/tribunal-dev/tribunal/trial/tokens"
)

// responses is the form of OpenAI's responses.
var responses = &Dialect{
	Name: "openai/responses", asked: responsesAsked, answer: responsesAnswer, stream: responsesStream,
	failed: openAIFailed, parts: responsesParts, framed: named,
	whole: func(id string, a *Answer) object { return responsesWhole(id, a, a.Finish) },
	bound: func(b *bound) (most, choices allowance) { return b.MostOutput, 1 },
	words: map[string]string{
		"stop": "completed", "calls": "completed", "length": "max_output_tokens", "filter": "content_filter",
	},
}

// responsesBody is an answer.
type responsesBody struct {
	Model  string `json:"model"`
	Status string `json:"status"`
	Output []struct {
		Type    string `json:"type"`
		Content []struct {
			Text    string `json:"text"`
			Refusal string `json:"refusal"`
		} `json:"content"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
		Input     string `json:"input"` // of a custom tool
	} `json:"output"`
	Usage      tokens.Members `json:"usage"`
	Error      *openAIError   `json:"error"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

func responsesAsked(_ string, body []byte) (a ParsedRequest, err error) {
	var r struct {
		Model  string          `json:"model"`
		Stream bool            `json:"stream"`
		Input  json.RawMessage `json:"input"`
	}
	if err := decode(body, &r); err != nil {
		return a, err
	}
	a.Model, a.Stream = r.Model, r.Stream
	var items []struct {
		Type   string          `json:"type"`
		CallID string          `json:"call_id"`
		Output json.RawMessage `json:"output"`
	}
	if len(r.Input) == 0 || r.Input[0] != '[' || json.Unmarshal(r.Input, &items) != nil {
		return a, nil // a text, which has no results
	}
	for _, item := range items {
		if strings.HasSuffix(item.Type, "_call_output") {
			a.Results = append(a.Results, Result{CallID: item.CallID, Output: text(item.Output)})
		}
	}
	return a, nil
}

func responsesAnswer(body []byte) (a Answer, err error) {
	var b responsesBody
	if err := decode(body, &b); err != nil {
		return a, err
	}
	if b.Output == nil && b.Error == nil {
		return a, errNoAnswer
	}
	return b.answer(), nil
}

func (b *responsesBody) answer() Answer {
	a := Answer{Model: b.Model, Finish: b.Status, Ended: true}
	if b.Error != nil {
		a.Failure = b.Error.Message
	}
	if b.Incomplete != nil {
		a.Finish = b.Incomplete.Reason
	}
	var said strings.Builder
	for _, item := range b.Output {
		switch item.Type {
		case "message":
			for _, c := range item.Content {
				said.WriteString(c.Text + c.Refusal)
				a.Refused = a.Refused || c.Refusal != ""
			}
		case "function_call", "custom_tool_call":
			a.Calls = append(a.Calls, Call{
				ID: item.CallID, Name: item.Name, Arguments: item.Arguments + item.Input, Custom: item.Type == "custom_tool_call",
			})
		}
	}
	a.Text = said.String()
	a.Usage = tokens.OpenAI.Of(b.Usage)
	return a
}

// responsesStream reads the events of a stream, of which the last has the whole answer, or all items that were done
// where it was cut off.
func responsesStream(body []byte) (a Answer, err error) {
	var whole responsesBody
	events := 0
	for event := range sse.All(body) {
		events++
		var e struct {
			Type     string          `json:"type"`
			Response *responsesBody  `json:"response"`
			Item     json.RawMessage `json:"item"`
			Message  string          `json:"message"`
		}
		if err = decode([]byte(event), &e); err != nil {
			break // what came before stays
		}
		switch {
		case e.Type == "error":
			a.Failure = e.Message
		case e.Type == "response.output_item.done":
			var one responsesBody
			if err := json.Unmarshal([]byte(`{"output":[`+string(e.Item)+`]}`), &one); err != nil {
				return a, err
			}
			if whole.Output = append(whole.Output, one.Output...); len(whole.Output) > mostCalls {
				return a, errManyCalls
			}
		case e.Response == nil:
		case e.Type == "response.completed", e.Type == "response.incomplete", e.Type == "response.failed":
			last := *e.Response
			if len(last.Output) == 0 { // some servers omit it where the items came before
				last.Output = whole.Output
			}
			done := last.answer()
			if done.Failure == "" {
				done.Failure = a.Failure
			}
			return done, nil
		default:
			whole.Model = e.Response.Model
		}
	}
	if err := errNone(events, false); err != nil {
		return a, err
	}
	failure := a.Failure
	a = whole.answer()
	a.Failure, a.Ended = failure, false
	return a, err
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

func responsesParts(id string, a *Answer, _ *ParsedRequest) (events []object) {
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
