package transcript

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial/tokens"
)

// Usage returns the tokens of an answer, by the names of OpenAI in its two interfaces, which
// libraries follow.
func Usage(n record.Node) record.Usage { return usage(n, tokens.OpenAI) }

// AnthropicUsage returns the tokens of an answer of Anthropic's interface.
func AnthropicUsage(n record.Node) record.Usage { return usage(n, tokens.Anthropic) }

// GeminiUsage returns the tokens of an answer of Gemini's.
func GeminiUsage(n record.Node) record.Usage { return usage(n, tokens.Gemini) }

func usage(n record.Node, form *tokens.Form) record.Usage {
	u := form.Read(func(place []string) tokens.Number { return tokens.Number{Count: n.At(place...).Count()} })
	return record.Usage{Input: u.Input, Output: u.Output, Cached: u.Cached, Writes: u.Written}
}
