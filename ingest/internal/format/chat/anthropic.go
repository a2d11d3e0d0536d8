package chat

import (
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// showsAnthropic looks for what other APIs do not write: blocks of tool calls and
// their results, and responses with their reason to stop.
//
//	{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"get_order","input":{"id":"W2"}}]}
//
// Histories of text alone look like those of OpenAI, and are read as such.
func showsAnthropic(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		switch {
		case n.Has("info"): // a trajectory of another tool, around messages
			return false
		case n.At("messages").IsList(), n.At("responses").IsList():
			return slices.ContainsFunc(n.At("messages").List(), isAnthropicMessage) ||
				slices.ContainsFunc(n.At("responses").List(), isAnthropicMessage)
		case n.At("custom_id").IsText():
			return n.At("result", "type").IsText()
		}
		return isAnthropicMessage(n) || isMessageStart(n)
	})
}

// isAnthropicMessage reports whether n is a message that only Anthropic's interface has.
func isAnthropicMessage(n record.Node) bool {
	role := n.At("role").Text()
	if role != "user" && role != "assistant" {
		return false
	}
	if n.At("type").Text() == "message" && n.Has("stop_reason") {
		return true
	}
	return slices.ContainsFunc(n.At("content").List(), func(block record.Node) bool {
		switch block.At("type").Text() {
		case "tool_use":
			return block.Has("id", "name", "input")
		case "tool_result":
			return block.Has("tool_use_id")
		case "thinking":
			return block.At("thinking").IsText()
		}
		return false
	})
}

// anthropic reads a file of messages.
type anthropic struct {
	in    *record.Input
	alone record.Group // messages that no object holds

	stream *anthropicStream // a message whose parts come; nil where there is none
	cut    bool             // the last one did not end
}

// Anthropic decodes Anthropic messages.
var Anthropic = record.Decoder{Shows: showsAnthropic, Read: readAnthropic}

// readAnthropic makes a trial of each object that holds messages, of each result of
// a batch, and of all messages that stand alone, one a line or in an array.
func readAnthropic(in *record.Input) error {
	a := &anthropic{in: in}
	a.alone.Read = a.conversation
	if err := in.Records(a.record); err != nil {
		return err
	}
	a.endStream()
	return a.alone.End()
}

// conversation makes the trial of messages.
func (a *anthropic) conversation(messages []record.Node, line int) error {
	c := transcript.NewAnthropic(a.in, line)
	for _, m := range messages {
		c.AnthropicMessage(m)
	}
	if a.cut {
		c.CutOff()
	}
	a.cut = false
	return a.in.EmitTrace(c.End())
}

// record takes in an object, by what it holds.
func (a *anthropic) record(n record.Node, line int) error {
	if a.part(n, line) {
		return nil
	}
	switch {
	case n.At("messages").IsList(), n.At("responses").IsList():
		return a.exchange(n, line)
	case n.At("custom_id").IsText() && n.At("result").IsObject():
		return a.batched(n, line)
	case n.At("role").Exists(), transcript.IsAPIError(n):
		a.alone.Add(n, line)
		return nil
	}
	a.in.Notes.Skip(record.NoMessages)
	return nil
}

// exchange reads an object with a history, the responses to it, or both.
// Other scalar members become tags, the system prompt and the tools do not.
func (a *anthropic) exchange(n record.Node, line int) error {
	if err := a.alone.End(); err != nil {
		return err
	}
	c := transcript.NewAnthropic(a.in, line)
	c.SetScalarTags(n, "messages", "responses", "response", "system", "tools")
	c.SetTag("metadata", n.At("metadata"))
	responses := n.At("responses").List()
	if r := n.At("response"); r.IsObject() {
		responses = append(responses, r)
	}
	c.Exchange(n.At("messages").List(), responses)
	if len(responses) > 0 && slices.ContainsFunc(c.Steps, isUncounted) {
		a.in.Notes.Remark("some answers have no usage: the tokens are those of the others")
	}
	if c.Model == "" {
		c.Model = n.At("model").Text()
	}
	return a.in.EmitTrace(c.End())
}

// isUncounted reports whether an answer that calls tools is not known to have taken
// tokens. An answer without calls may be the rest of one that was counted: what follows
// the result of a tool of the API is counted before.
func isUncounted(s trial.Step) bool { return s.Action == trial.Reason && !s.InputTokens.Known }

// batched reads a result of the Message Batches API, which names its request.
// Results of batches come in any order, each with the custom_id of its request.
func (a *anthropic) batched(n record.Node, line int) error {
	if err := a.alone.End(); err != nil {
		return err
	}
	c := transcript.NewAnthropic(a.in, line)
	c.Scenario = n.At("custom_id").Text()
	result := n.At("result")
	switch kind := result.At("type").Text(); kind {
	case "succeeded":
		c.AnthropicMessage(result.At("message"))
	case "errored":
		c.AnthropicMessage(result.At("error"))
	default: // canceled, expired
		c.SetInfrastructureError(kind, "")
	}
	return a.in.EmitTrace(c.End())
}
