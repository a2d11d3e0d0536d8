package model

import "encoding/json"

// openAI is the form of chat completions.
type openAI struct {
	// OpenAI itself is asked. It has another name for the most tokens than servers that speak its form.
	own bool
}

func (openAI) path() string { return "/chat/completions" }

func (openAI) headers(key string) map[string]string {
	if key == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + key}
}

type openAIRequest struct {
	Model               string          `json:"model"`
	Messages            []openAIMessage `json:"messages"`
	Tools               []openAITool    `json:"tools,omitempty"`
	ResponseFormat      *openAIFormat   `json:"response_format,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	Seed                *int64          `json:"seed,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
}

type openAIMessage struct {
	Role      string       `json:"role"`
	Content   *string      `json:"content"`
	ToolCalls []openAICall `json:"tool_calls,omitempty"`
	CallID    string       `json:"tool_call_id,omitempty"`
}

type openAICall struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Function openAIFunction `json:"function"`
}

type openAIFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // JSON in a text
}

type openAITool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

type openAIFormat struct {
	Type   string `json:"type"`
	Schema struct {
		Name   string          `json:"name"`
		Strict bool            `json:"strict"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema"`
}

func (d openAI) request(s Settings, r Request) any {
	body := openAIRequest{Model: s.Name}
	if s.Temperature.Known {
		body.Temperature = &s.Temperature.Value
	}
	if r.Seed.Known {
		body.Seed = &r.Seed.Value
	}
	if d.own {
		body.MaxCompletionTokens = s.MaxTokens
	} else {
		body.MaxTokens = s.MaxTokens
	}
	if r.System != "" {
		body.Messages = append(body.Messages, openAIMessage{Role: "system", Content: &r.System})
	}
	for _, m := range r.Messages {
		role := [...]string{User: "user", assistant: "assistant", Result: "tool"}[m.Role]
		message := openAIMessage{Role: role, CallID: m.CallID}
		if text := m.Text; text != "" || len(m.Calls) == 0 {
			message.Content = &text
		}
		for _, c := range m.Calls {
			message.ToolCalls = append(message.ToolCalls, openAICall{c.ID, "function", openAIFunction{c.Name, c.Arguments}})
		}
		body.Messages = append(body.Messages, message)
	}
	for _, t := range r.Tools {
		tool := openAITool{Type: "function"}
		tool.Function.Name, tool.Function.Description = t.Name, t.Description
		tool.Function.Parameters = parameters(t.Parameters)
		body.Tools = append(body.Tools, tool)
	}
	if r.Schema != nil {
		body.ResponseFormat = &openAIFormat{Type: "json_schema"}
		body.ResponseFormat.Schema.Name, body.ResponseFormat.Schema.Strict = answerTool, true
		body.ResponseFormat.Schema.Schema = json.RawMessage(r.Schema)
	}
	return body
}
