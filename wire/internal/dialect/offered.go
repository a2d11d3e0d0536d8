package dialect

import (
	"encoding/json"
	"slices"
	"strings"
)

// Tool is one that a request offers to the model.
type Tool struct {
	Name   string
	Custom bool // it takes any text, as OpenAI's custom tools do, and not JSON
}

// offeredTool is a tool in any of the forms, or several below one name.
type offeredTool struct {
	Type     string `json:"type"`
	Name     string `json:"name"`
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
	Custom struct {
		Name string `json:"name"`
	} `json:"custom"`
	Declarations []offeredTool `json:"functionDeclarations"`
	Tools        []offeredTool `json:"tools"` // of a namespace
}

// add adds the tools of one to others, each name once.
func (o *offeredTool) add(tools []Tool) []Tool {
	one := func(name string, custom bool) {
		if name != "" && !slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == name }) {
			tools = append(tools, Tool{name, custom})
		}
	}
	if o.Tools == nil {
		one(o.Name, o.Type == "custom")
	}
	one(o.Function.Name, false)
	one(o.Custom.Name, true)
	for _, inner := range [][]offeredTool{o.Declarations, o.Tools} {
		for i := range inner {
			tools = inner[i].add(tools)
		}
	}
	return tools
}

// Offered are the tools that a request offers to the model, in any of the forms: also those that Codex offers in the
// midst of the input. What is no such request offers none.
func Offered(body []byte) (tools []Tool) {
	var r struct {
		Tools []offeredTool   `json:"tools"`
		Input json.RawMessage `json:"input"`
	}
	_ = json.Unmarshal(body, &r) // of what cannot be read there is nothing
	var input []struct {
		Type  string        `json:"type"`
		Tools []offeredTool `json:"tools"`
	}
	if len(r.Input) > 0 && r.Input[0] == '[' {
		_ = json.Unmarshal(r.Input, &input)
	}
	for i := range r.Tools {
		tools = r.Tools[i].add(tools)
	}
	for _, item := range input {
		for i := range item.Tools {
			if item.Type == "additional_tools" {
				tools = item.Tools[i].add(tools)
			}
		}
	}
	return tools
}

// Conversation tells requests apart by what was said until then: an agent that asks again, whole where it asked for a
// stream before, has the same one. "" is that of what cannot be read.
func Conversation(body []byte) string {
	var r struct {
		Messages json.RawMessage `json:"messages,omitempty"`
		Contents json.RawMessage `json:"contents,omitempty"`
		Input    json.RawMessage `json:"input,omitempty"`
	}
	if json.Unmarshal(body, &r) != nil {
		return ""
	}
	text, _ := json.Marshal(r) // of JSON that is valid
	return string(text)
}

// Instructions are what a request tells the model to be, in any of the forms, each text on lines of its own.
func Instructions(body []byte) string {
	var r struct {
		Instructions json.RawMessage   `json:"instructions"`
		System       json.RawMessage   `json:"system"`
		Gemini       json.RawMessage   `json:"systemInstruction"`
		Messages     []json.RawMessage `json:"messages"`
		Input        json.RawMessage   `json:"input"`
	}
	_ = json.Unmarshal(body, &r) // of what cannot be read there is nothing
	texts := []string{told(content(r.Instructions)), told(content(r.System)), told(r.Gemini)}
	var input []json.RawMessage
	_ = json.Unmarshal(r.Input, &input) // a text has none
	for _, item := range append(r.Messages, input...) {
		var i struct {
			Role string `json:"role"`
		}
		if json.Unmarshal(item, &i) == nil && (i.Role == "system" || i.Role == "developer") {
			texts = append(texts, told(item))
		}
	}
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "\n")
}

// content makes a message of what one has.
func content(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	message, _ := json.Marshal(map[string]json.RawMessage{"content": raw}) // of JSON that is valid
	return message
}

// New is the text of what a request tells the model since its last answer: messages and results of tools, each on lines
// of its own.
func New(body []byte) string {
	var r struct {
		Messages []json.RawMessage `json:"messages"`
		Contents []json.RawMessage `json:"contents"`
		Input    json.RawMessage   `json:"input"`
	}
	_ = json.Unmarshal(body, &r) // of what cannot be read there is nothing
	items := append(r.Messages, r.Contents...)
	var input []json.RawMessage
	if json.Unmarshal(r.Input, &input) != nil && len(r.Input) > 0 {
		return text(r.Input)
	}
	var texts []string
	for _, item := range slices.Backward(append(items, input...)) {
		var i struct {
			Role string `json:"role"`
			Type string `json:"type"`
		}
		if json.Unmarshal(item, &i) != nil || i.Role == "assistant" || i.Role == "model" || i.Type == "reasoning" ||
			strings.HasSuffix(i.Type, "_call") {
			break
		}
		if said := told(item); said != "" {
			texts = append(texts, said)
		}
	}
	slices.Reverse(texts)
	return strings.Join(texts, "\n")
}

// told is the text of a message, of a result, or of a part of either.
func told(item json.RawMessage) string {
	var i struct {
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
		Output  json.RawMessage `json:"output"`
		Parts   json.RawMessage `json:"parts"`
		Result  *struct {
			Name     string          `json:"name"`
			Response json.RawMessage `json:"response"`
		} `json:"functionResponse"`
	}
	if json.Unmarshal(item, &i) != nil {
		return ""
	}
	texts := []string{i.Text}
	for _, inner := range []json.RawMessage{i.Content, i.Output, i.Parts} {
		var parts []json.RawMessage
		if json.Unmarshal(inner, &parts) != nil {
			texts = append(texts, text(inner))
			continue
		}
		for _, p := range parts {
			texts = append(texts, told(p))
		}
	}
	if i.Result != nil {
		texts = append(texts, generateResult("", i.Result.Name, i.Result.Response).Output)
	}
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "\n")
}
