package chat

import (
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// isConverseMessage reports whether n is a message of the Converse interface of Bedrock, which Strands keeps too. Its
// blocks have no type:
//
//	{"role":"assistant","content":[{"text":"I look."},{"toolUse":{"toolUseId":"c1","name":"f","input":{}}}]}
func isConverseMessage(n record.Node) bool {
	content := n.At("content")
	return (n.At("role").Text() == "user" || n.At("role").Text() == "assistant") && content.Length() > 0 &&
		!slices.ContainsFunc(content.List(), func(block record.Node) bool {
			return block.Has("type") || !block.At("text").IsText() && !block.At("toolUse", "toolUseId").IsText() &&
				!block.At("toolResult", "toolUseId").IsText() && !block.At("reasoningContent").IsObject()
		})
}

// showsConverse looks for messages, for objects that hold them, and for responses.
func showsConverse(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		return isConverseMessage(n) || isConverseMessage(n.At("output", "message")) ||
			slices.ContainsFunc(n.At("messages").List(), isConverseMessage)
	})
}

// Converse decodes messages of Bedrock's Converse interface.
var Converse = record.Decoder{Shows: showsConverse, Read: readConverse}

// readConverse makes a trial of each object that holds messages, of each response, and of all messages that stand
// alone.
func readConverse(in *record.Input) error {
	var alone record.Group
	alone.Read = func(messages []record.Node, line int) error {
		t := record.NewTrace(in, line)
		for _, m := range messages {
			converseMessage(t, m, m.At("metadata"), "")
		}
		return in.EmitTrace(t)
	}
	err := in.Records(func(n record.Node, line int) error {
		response := n.At("response").OrElse(n)
		last := response.At("output", "message")
		switch {
		case n.At("role").Exists():
			alone.Add(n, line)
			return nil
		case !n.At("messages").IsList() && !last.IsObject():
			in.Notes.Skip(record.NoMessages)
			return nil
		}
		if err := alone.End(); err != nil {
			return err
		}
		t := record.NewTrace(in, line)
		t.SetScalarTags(n, "messages", "system", "toolConfig", "output", "usage", "metrics", "response", "modelId")
		model := n.At("modelId").Text()
		for _, m := range n.At("messages").List() {
			converseMessage(t, m, m.At("metadata"), model)
		}
		if last.IsObject() {
			t.SetTags("", response, "stopReason")
			converseMessage(t, last, response, model)
		}
		return in.EmitTrace(t)
	})
	if err != nil {
		return err
	}
	return alone.End()
}

// converseMessage takes in a message; about has what it took.
func converseMessage(t *record.Trace, m, about record.Node, model string) {
	blocks := m.At("content").List()
	if m.At("role").Text() == "assistant" {
		answer := record.Answer{Text: m.At("content").Speech(), Model: model, Usage: converseUsage(about.At("usage"))}
		for _, b := range blocks {
			if call := b.At("toolUse"); call.IsObject() {
				answer.Calls = append(answer.Calls, record.Call{
					ID: call.At("toolUseId").Text(), Tool: call.At("name").Text(), Arguments: call.At("input"),
				})
			}
		}
		t.AddAnswer(answer).DurationSeconds = about.At("metrics", "latencyMs").Millis()
		return
	}
	isResult := false
	for _, b := range blocks {
		result := b.At("toolResult")
		if !result.IsObject() {
			continue
		}
		isResult = true
		content := result.At("content")
		step := t.SetResult(result.At("toolUseId").Text(), "", content)
		if step == nil {
			continue
		}
		if values := content.List(); len(values) == 1 && values[0].At("json").Exists() {
			step.Output = values[0].At("json").Raw()
		}
		if result.At("status").Text() == "error" {
			text, _ := content.BlockText()
			step.Error = record.StepError(text)
		}
	}
	if !isResult {
		t.SetInput(m.At("content"))
	}
}

// converseUsage are the tokens of an answer. Bedrock counts cached ones beside the input, and Strands with a model of
// OpenAI (1.19.0) among it: the total tells.
func converseUsage(n record.Node) (u record.Usage) {
	u.Input, u.Output = n.At("inputTokens").Count(), n.At("outputTokens").Count()
	u.Cached, u.Writes = n.At("cacheReadInputTokens").Count(), n.At("cacheWriteInputTokens").Count()
	if beside := u.Cached.Value + u.Writes.Value; beside > 0 && u.Input.Known &&
		n.At("totalTokens").Count() != trial.Some(u.Input.Value+u.Output.Value) {
		u.Input.Value += beside
	}
	return u
}
