package ingest

import (
	"encoding/json"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// What frameworks write under names of their own.

// vercelAnswer reads a span of the Vercel AI SDK.
func vercelAnswer(s *span) []spanMessage {
	a := s.attributes
	m := spanMessage{role: "assistant", text: a.first("ai.response.text", "ai.response.object").text()}
	for _, c := range a["ai.response.toolCalls"].parsed().list() {
		m.calls = append(m.calls, callOf(c))
	}
	return []spanMessage{m}
}

func vercelPrompt(s *span) []spanMessage {
	a := s.attributes
	if messages := messagesIn(a["ai.prompt.messages"]); len(messages) > 0 {
		return messages
	}
	return messagesIn(a["ai.prompt"])
}

// adkAnswer reads a span of Google's Agent Development Kit.
func adkAnswer(s *span) []spanMessage {
	return messagesIn(s.attributes["gcp.vertex.agent.llm_response"])
}

func adkPrompt(s *span) []spanMessage {
	return messagesIn(s.attributes["gcp.vertex.agent.llm_request"])
}

// adkThoughts returns the output tokens with the thoughts, which the attributes of
// ADK leave out and its response has.
func adkThoughts(a spanAttributes) trial.Optional[int64] {
	used := a["gcp.vertex.agent.llm_response"].parsed().at("usage_metadata")
	thoughts := tokens(used.at("thoughts_token_count"))
	if !thoughts.Known {
		return thoughts
	}
	return plus(thoughts, tokens(used.at("candidates_token_count")))
}

// outputTool takes the calls of output tools for what they are: the way in which
// Pydantic AI lets a model answer with an object.
func (s *span) outputTool(m *spanMessage) {
	var names []string
	for _, tool := range s.attributes["model_request_parameters"].parsed().at("output_tools").list() {
		names = append(names, tool.at("name").text())
	}
	m.calls = slices.DeleteFunc(m.calls, func(c *spanCall) bool {
		if !slices.Contains(names, c.name) {
			return false
		}
		if text, ok := c.arguments.value.(string); ok {
			m.say(text)
		} else {
			m.say(string(c.arguments.raw()))
		}
		s.done = true
		return true
	})
}

// mcpFailure returns the text of a tool result of MCP that is marked as an error, ""
// for any other.
func mcpFailure(output node) string {
	result := output.parsed()
	if !result.either("isError", "is_error").isTrue() {
		return ""
	}
	if text := plainText(result.at("content")); text != "" && text != "null" {
		return stepError(text)
	}
	return stepFailed
}

// asText returns a value as the text of a step's output: a string as it is, and a
// JSON value as such.
func asText(n node) trial.Raw {
	if text, ok := n.value.(string); ok {
		var inner string // a string that was encoded once more
		if len(text) > 1 && text[0] == '"' && json.Unmarshal([]byte(text), &inner) == nil {
			text = inner
		}
		if text == "" {
			return nil
		}
		return trial.RawString(text)
	}
	return n.raw()
}
