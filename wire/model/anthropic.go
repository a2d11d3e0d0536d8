package model

import (
	"cmp"
	"encoding/json"
)

// anthropic is the form of messages.
type anthropic struct{}

// answerTool is the tool that a model must call whose text must be an object: its arguments are the text. Every model
// of the API knows tools.
const answerTool = "answer"

// anthropicTokens are the most of a reply where the settings say nothing: the API must be told. It is chosen.
const anthropicTokens = 4096

func (anthropic) path() string { return "/v1/messages" }

func (anthropic) headers(key string) map[string]string {
	headers := map[string]string{"Anthropic-Version": "2023-06-01"}
	if key != "" {
		headers["X-Api-Key"] = key
	}
	return headers
}

type anthropicRequest struct {
	Model       string             `json:"model"`
	MaxTokens   int                `json:"max_tokens"`
	System      string             `json:"system,omitempty"`
	Messages    []anthropicMessage `json:"messages"`
	Temperature *float64           `json:"temperature,omitempty"`
	Tools       []anthropicTool    `json:"tools,omitempty"`
	ToolChoice  map[string]string  `json:"tool_choice,omitempty"`
}

type anthropicMessage struct {
	Role    string           `json:"role"`
	Content []anthropicBlock `json:"content"`
}

type anthropicBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text,omitempty"`
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	CallID  string          `json:"tool_use_id,omitempty"`
	Content string          `json:"content,omitempty"`
	Failed  bool            `json:"is_error,omitempty"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func (anthropic) request(s Settings, r Request) any {
	body := anthropicRequest{Model: s.Name, MaxTokens: cmp.Or(s.MaxTokens, anthropicTokens), System: r.System}
	if s.Temperature.Known {
		body.Temperature = &s.Temperature.Value
	}
	for _, m := range r.Messages {
		role, blocks := blocksOf(m)
		// Roles alternate: the results of calls that were made together are one message.
		if last := len(body.Messages) - 1; last >= 0 && body.Messages[last].Role == role {
			body.Messages[last].Content = append(body.Messages[last].Content, blocks...)
			continue
		}
		body.Messages = append(body.Messages, anthropicMessage{role, blocks})
	}
	for _, t := range r.Tools {
		body.Tools = append(body.Tools, anthropicTool{t.Name, t.Description, parameters(t.Parameters)})
	}
	if r.Schema != nil {
		body.Tools = append(body.Tools, anthropicTool{answerTool, "Gives the answer.", json.RawMessage(r.Schema)})
		body.ToolChoice = map[string]string{"type": "tool", "name": answerTool}
	}
	return body
}

// blocksOf returns a message as the API has it. An empty text is refused there, and left out.
func blocksOf(m Message) (role string, blocks []anthropicBlock) {
	if m.Role == Result {
		return "user", []anthropicBlock{{Type: "tool_result", CallID: m.CallID, Content: m.Text, Failed: m.Failed}}
	}
	role = [...]string{User: "user", assistant: "assistant"}[m.Role]
	if m.Text != "" {
		blocks = append(blocks, anthropicBlock{Type: "text", Text: m.Text})
	}
	for _, c := range m.Calls {
		input := json.RawMessage(c.Arguments)
		if !isObject(input) {
			input = json.RawMessage("{}")
		}
		blocks = append(blocks, anthropicBlock{Type: "tool_use", ID: c.ID, Name: c.Name, Input: input})
	}
	return role, blocks
}

// isObject reports whether a text is an object of JSON.
func isObject(text []byte) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(text, &object) == nil && object != nil
}
