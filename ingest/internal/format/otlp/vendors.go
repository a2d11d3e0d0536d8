package otlp

import (
	"encoding/json"
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// What frameworks write under names of their own.

// vercelAnswer reads a span of the Vercel AI SDK.
// An object is what generateObject gives.
func vercelAnswer(s *span) []spanMessage {
	a := &s.attributes
	m := spanMessage{role: "assistant", text: a.first("ai.response.text", "ai.response.object").Text()}
	for _, c := range a.at("ai.response.toolCalls").Parsed().List() {
		m.calls = append(m.calls, callOf(c))
	}
	if m.isEmpty() {
		return nil
	}
	return []spanMessage{m}
}

// vercelPrompt returns the messages of the call of the provider, or those of the SDK's own.
func vercelPrompt(s *span) []spanMessage {
	a := &s.attributes
	if messages := messagesIn(a.at("ai.prompt.messages")); len(messages) > 0 {
		return messages
	}
	return messagesIn(a.at("ai.prompt"))
}

// adkAnswer reads a span of Google's Agent Development Kit.
func adkAnswer(s *span) []spanMessage {
	return messagesIn(s.attributes.at("gcp.vertex.agent.llm_response"))
}

// adkPrompt returns the contents of the request.
func adkPrompt(s *span) []spanMessage {
	return messagesIn(s.attributes.at("gcp.vertex.agent.llm_request"))
}

// adkThoughts returns the output tokens with the thoughts, which the attributes of
// ADK leave out and its response has.
func adkThoughts(a *spanAttributes) trial.Optional[int64] {
	used := a.at("gcp.vertex.agent.llm_response").Parsed().At("usage_metadata")
	thoughts := tokens(used.At("thoughts_token_count"))
	if !thoughts.Known {
		return thoughts
	}
	return record.Plus(thoughts, tokens(used.At("candidates_token_count")))
}

// outputTool takes the calls of output tools for what they are: the way in which
// Pydantic AI lets a model answer with an object.
// The tools of this kind are listed among the parameters of the request; their arguments are
// the answer.
func (s *span) outputTool(m *spanMessage) {
	var names []string
	for _, tool := range s.attributes.at("model_request_parameters").Parsed().At("output_tools").List() {
		names = append(names, tool.At("name").Text())
	}
	m.calls = slices.DeleteFunc(m.calls, func(c *spanCall) bool {
		if !slices.Contains(names, c.name) {
			return false
		}
		if text, ok := c.arguments.Value.(string); ok {
			m.say(text)
		} else {
			m.say(string(c.arguments.Raw()))
		}
		s.answersByTool = true
		return true
	})
}

// mcpFailure returns the text of a tool result of MCP that is marked as an error, ""
// for any other.
// "null" is the content of a result that has none.
func mcpFailure(output record.Node) string {
	result := output.Parsed()
	if !result.Either("isError", "is_error").IsTrue() {
		return ""
	}
	if text := plainText(result.At("content")); text != "" && text != "null" {
		return record.StepError(text)
	}
	return record.Failed
}

// asText returns a value as the text of a step's output: a string as it is, and a
// JSON value as such.
func asText(n record.Node) trial.Raw {
	if text, ok := n.Value.(string); ok {
		var inner string // a string that was encoded once more
		if len(text) > 1 && text[0] == '"' && json.Unmarshal([]byte(text), &inner) == nil {
			text = inner
		}
		if text == "" {
			return nil
		}
		return trial.RawString(text)
	}
	return n.Raw()
}
