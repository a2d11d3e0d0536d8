package dialect

import (
	"encoding/json"
	"slices"
	"strings"
)

// Offered are the names of the tools that a request offers to the model, in any of the forms. What is no such request
// offers none.
func Offered(body []byte) (names []string) {
	type named struct {
		Name string `json:"name"`
	}
	var r struct {
		Tools []struct {
			named
			Function     named   `json:"function"`
			Custom       named   `json:"custom"`
			Declarations []named `json:"functionDeclarations"`
		} `json:"tools"`
	}
	_ = json.Unmarshal(body, &r) // of what cannot be read there is nothing
	for _, t := range r.Tools {
		for _, n := range append([]named{t.named, t.Function, t.Custom}, t.Declarations...) {
			if n.Name != "" && !slices.Contains(names, n.Name) {
				names = append(names, n.Name)
			}
		}
	}
	return names
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
		texts = append(texts, generateResult("", i.Result.Response).Output)
	}
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return t == "" }), "\n")
}
