package otlp

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// The GenAI conventions of OpenTelemetry, in their names of today and of before 1.37.

var (
	// Each list goes from the conventions' own names to those of OpenLLMetry, OpenInference and
	// the Vercel AI SDK, whose spans may have both.
	responseModels = namesOf("gen_ai.response.model", "llm.response.model_name", "ai.response.model")
	requestModels  = namesOf("llm.model_name", "gen_ai.request.model", "llm.request.model_name",
		"ai.model.id", "model_name")

	// prompt_tokens and completion_tokens are the older names.
	inputTokens = namesOf("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens",
		"llm.token_count.prompt", "llm.usage.prompt_tokens", "ai.usage.inputTokens", "ai.usage.promptTokens")
	outputTokens = namesOf("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens",
		"llm.token_count.completion", "llm.usage.completion_tokens",
		"ai.usage.outputTokens", "ai.usage.completionTokens")
	totalTokens = namesOf("llm.token_count.total", "llm.usage.total_tokens", "ai.usage.totalTokens",
		"gen_ai.usage.total_tokens")

	// Parts of the input, or what stands beside it: tokens that were read from a cache, and
	// that were written to one.
	cachedTokens = namesOf("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
		"gen_ai.usage.details.cache_read_tokens", "gen_ai.usage.cached_tokens", "gen_ai.usage.input_cached_tokens",
		"llm.token_count.prompt_details.cache_read", "llm.token_count.prompt_details.cache_input",
		"llm.usage.cache_read_input_tokens", "ai.usage.inputTokenDetails.cacheReadTokens", "ai.usage.cachedInputTokens")
	cachingTokens = namesOf("gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens",
		"gen_ai.usage.details.cache_write_tokens", "gen_ai.usage.cache_write.input_tokens",
		"llm.token_count.prompt_details.cache_write", "llm.usage.cache_creation_input_tokens",
		"ai.usage.inputTokenDetails.cacheWriteTokens")
	// Parts of the output, or beside it.
	thoughtTokens = namesOf("gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.details.reasoning_tokens",
		"gen_ai.usage.reasoning_tokens", "llm.token_count.completion_details.reasoning",
		"ai.usage.outputTokenDetails.reasoningTokens", "ai.usage.reasoningTokens")
	totalCost = namesOf("llm.cost.total", "operation.cost", "gen_ai.usage.cost")
)

// modelName is the model that answered, or else the one that was asked.
func (s *span) modelName() string {
	if name := s.attributes.firstOf(responseModels).Text(); name != "" {
		return name
	}
	if s.model != "" {
		return s.model
	}
	return s.attributes.firstOf(requestModels).Text()
}

// usage is what the span says it took. That of an agent is the sum of its calls. It is asked for once all attributes of
// the span are known, and whether cached tokens are beside the input.
// Langfuse has its own figures in used. The cost is that of OpenInference, Logfire
// (operation.cost) or of the program; the conventions have none.
func (s *span) usage() record.Usage {
	if s.used.Known {
		return s.used.Value
	}
	a := &s.attributes
	counts := s.counts()
	counts.beside = s.cachedBeside
	u := counts.usage()
	if thoughts := adkThoughts(a); thoughts.Known {
		u.Output = thoughts
	}
	if u.Cost = a.firstOf(totalCost).Amount(); !u.Cost.Known {
		u.Cost = record.Plus(a.at("llm.cost.prompt").Amount(), a.at("llm.cost.completion").Amount())
	}
	s.used = trial.Some(u)
	return u
}

// counts are the tokens of the span by its attributes.
func (s *span) counts() tokenCounts {
	a := &s.attributes
	return tokenCounts{
		input: tokens(a.firstOf(inputTokens)), output: tokens(a.firstOf(outputTokens)),
		total:       tokens(a.firstOf(totalTokens)),
		inputParts:  tokens(a.firstOf(cachedTokens)).Value + tokens(a.firstOf(cachingTokens)).Value,
		cached:      tokens(a.firstOf(cachedTokens)),
		caching:     tokens(a.firstOf(cachingTokens)),
		outputParts: tokens(a.firstOf(thoughtTokens)).Value,
	}
}

// findCached finds out of all spans which of their writers count cached tokens beside the
// input: those of which a call has more of them than input. They name the input differently.
func (t *spanTree) findCached() {
	writer := func(s *span) string {
		for _, name := range inputTokens.names {
			if s.attributes.at(name).Exists() {
				return name
			}
		}
		return ""
	}
	beside := map[string]bool{}
	for _, s := range t.spans {
		// Most spans name no such tokens, and are passed over soon.
		isNamed := s.attributes.firstOf(cachedTokens).Exists() || s.attributes.firstOf(cachingTokens).Exists()
		if isNamed && s.counts().cachedBeside() {
			beside[writer(s)] = true
		}
	}
	if len(beside) == 0 {
		return
	}
	for _, s := range t.spans {
		s.cachedBeside = beside[writer(s)]
	}
}

// tokenCounts are the tokens of a call as a format counts them: parts may be in or
// beside the input and the output, and the total tells.
// Providers count cached tokens in the input or beside it, and thoughts in the output or
// beside it, and instrumentations hand on what they get. parts are 0 where none are named.
type tokenCounts struct {
	input, output, total    trial.Optional[int64]
	inputParts, outputParts int64                 // such as cached ones, and thoughts
	cached, caching         trial.Optional[int64] // of the parts of the input, those read from a cache and written to one
	// other calls of the same writer show that input parts are beside the input
	beside bool
}

// cachedBeside reports whether the parts of the input cannot be in it: they are more.
func (c tokenCounts) cachedBeside() bool { return c.input.Known && c.inputParts > c.input.Value }

// usage returns the input with cached tokens, and the output with thoughts.
func (c tokenCounts) usage() record.Usage {
	u := record.Usage{Input: c.input, Output: c.output, Cached: c.cached, Writes: c.caching}
	// The total may omit them, too.
	isBeside := c.cachedBeside() || c.beside && c.input.Known
	if isBeside && c.total.Value <= c.input.Value+c.output.Value {
		record.Add(&u.Input, trial.Some(c.inputParts))
		return u
	}
	if !c.total.Known || !c.input.Known && !c.output.Known {
		return u
	}
	// rest is what the total has and input and output do not: it must be the parts.
	rest := c.total.Value - c.input.Value - c.output.Value
	switch {
	case rest <= 0:
	case rest == c.inputParts, c.inputParts > 0 && c.outputParts == 0:
		record.Add(&u.Input, trial.Some(rest))
	case rest == c.inputParts+c.outputParts:
		record.Add(&u.Input, trial.Some(c.inputParts))
		record.Add(&u.Output, trial.Some(c.outputParts))
	case c.input.Known: // thoughts that nothing else counts
		record.Add(&u.Output, trial.Some(rest))
	}
	return u
}

// tokens returns a number of tokens: one that can be added to others.
// The limit is chosen, below the 2^53 from which on floating-point numbers are inexact.
func tokens(n record.Node) trial.Optional[int64] {
	if c := n.Count(); c.Known && c.Value <= 1<<52 {
		return c
	}
	return trial.Optional[int64]{}
}

// answer returns what the model said, from the first place that has it.
// The order is that of trust: messages of the conventions, events, attributes with indexes,
// names of a framework, and last the output as a whole.
func (s *span) answer() spanMessage {
	for _, place := range []func(*span) []spanMessage{
		genAIAnswer, choiceEvents, indexedCompletion, openInferenceAnswer, vercelAnswer, adkAnswer, valueAnswer,
	} {
		if m := answerIn(place(s)); !m.isEmpty() {
			s.outputTool(&m)
			return m
		}
	}
	return spanMessage{role: "assistant"}
}

// prompt returns the messages that the model was given, from the first place that has
// some.
func (s *span) prompt() []spanMessage {
	for _, place := range []func(*span) []spanMessage{
		genAIPrompt, messageEvents, indexedPrompt, openInferencePrompt, vercelPrompt, adkPrompt, valuePrompt,
	} {
		if m := place(s); len(m) > 0 {
			return m
		}
	}
	return nil
}

// genAIAnswer reads the attribute of 1.37 and later, and the older one where it is in one piece.
func genAIAnswer(s *span) []spanMessage {
	return messagesIn(s.attributes.first("gen_ai.output.messages", "gen_ai.completion"))
}

// genAIPrompt reads the messages that go with it.
func genAIPrompt(s *span) []spanMessage {
	return messagesIn(s.attributes.first("gen_ai.input.messages", "gen_ai.prompt"))
}

// genAIEvents returns the messages that were written as events, one each, until 1.36,
// and those that Pydantic AI packed into one attribute, the choices apart.
// The events are named gen_ai.user.message, gen_ai.assistant.message, gen_ai.tool.message and
// gen_ai.choice. The capacity is cut so that the span keeps its own list of events.
func (s *span) genAIEvents() (messages, choices []spanMessage) {
	events := s.events
	for _, n := range s.attributes.first("events", "all_messages_events").Parsed().List() {
		events = append(events[:len(events):len(events)], spanEvent{n.At("event.name").Text(), plainAttributes(n)})
	}
	for _, e := range events {
		name, ok := strings.CutPrefix(e.name, "gen_ai.")
		if name == "choice" && ok {
			choices = append(choices, choiceOf(&e.attributes)...)
		} else if role, isMessage := strings.CutSuffix(name, ".message"); isMessage && ok {
			messages = append(messages, messageOf(eventMessage(&e.attributes, role)))
		}
	}
	return messages, choices
}

// choiceOf returns the message of a choice event.
// The message is an object, JSON in a string, or only a text; or its members are attributes.
func choiceOf(a *spanAttributes) []spanMessage {
	if m := a.at("message"); m.Exists() {
		if m.Parsed().IsObject() {
			return messagesIn(m)
		}
		return []spanMessage{{role: "assistant", text: m.Text()}}
	}
	return []spanMessage{messageOf(eventMessage(a, "assistant"))}
}

// eventMessage returns the attributes of an event as a message.
func eventMessage(a *spanAttributes, role string) record.Node {
	object := map[string]any{"role": role}
	for _, name := range []string{"content", "tool_calls", "id"} {
		if n := a.at(name); n.Exists() {
			object[name] = n.Value
		}
	}
	return record.Node{Value: object}
}

// choiceEvents are what the model answered, of the events.
func choiceEvents(s *span) []spanMessage {
	_, choices := s.genAIEvents()
	return choices
}

// messageEvents are what it was given, of the events.
func messageEvents(s *span) []spanMessage {
	messages, _ := s.genAIEvents()
	return messages
}

// valueAnswer reads the output as a whole, that all spans of OpenInference and all
// observations of Langfuse may have.
func valueAnswer(s *span) []spanMessage {
	output := s.output
	if v := s.attributes.first("output.value"); v.Exists() {
		output = v
	}
	if messages := messagesIn(output); len(messages) > 0 {
		return messages
	}
	if output.IsText() {
		return []spanMessage{{role: "assistant", text: output.Text()}}
	}
	return nil
}

// valuePrompt reads the input as a whole.
func valuePrompt(s *span) []spanMessage {
	if messages := messagesIn(s.attributes.first("input.value")); len(messages) > 0 {
		return messages
	}
	if messages := messagesIn(s.input); len(messages) > 0 {
		return messages
	}
	text := s.input.Text()
	if v := s.attributes.at("input.value"); v.IsText() {
		text = v.Text()
	}
	return flattened(text)
}

// flattened reads a conversation that was written as lines that begin with the role,
// as OpenLIT writes it.
// A line that begins with no role continues the message before; a text whose first line
// has none is no conversation.
func flattened(text string) (messages []spanMessage) {
	for line := range strings.Lines(text) {
		role, said, ok := strings.Cut(line, ": ")
		switch {
		case ok && (role == "system" || role == "developer" || role == "user" || role == "assistant" || role == "tool"):
			messages = append(messages, spanMessage{role: roleOf(role), text: said})
		case len(messages) == 0:
			return nil
		default:
			messages[len(messages)-1].text += line
		}
	}
	for i := range messages {
		messages[i].text = strings.TrimSuffix(messages[i].text, "\n")
	}
	return messages
}

// finishesWithTools reports whether the reason why the answer ended is that tools are
// called.
// The reasons are a list or one text: tool_calls, tool_use, tool-calls, function_call.
func (s *span) finishesWithTools() bool {
	return s.finishes(func(reason string) bool {
		return strings.Contains(reason, "tool") || strings.Contains(reason, "function_call")
	})
}

// finishesInError reports whether a call of a model ended in an error that nothing else may tell: an AI SDK 6 stream
// that fails halfway leaves spans without a status or an exception, and one that ends early under OpenTelemetry's
// instrumentation of openai 0.22 (JavaScript) an empty list of reasons and no tokens (findings/otel-openai-stream.sh).
func (s *span) finishesInError() bool {
	reasons := s.attributes.at("gen_ai.response.finish_reasons").Parsed()
	isCut := reasons.IsList() && reasons.Length() == 0 && !s.attributes.at("gen_ai.usage.output_tokens").Exists()
	return s.kind == llmSpan && (isCut || s.finishes(func(reason string) bool { return reason == "error" }))
}

// finishes reports whether one of the reasons why an answer ended, in small letters, is as asked.
func (s *span) finishes(is func(reason string) bool) bool {
	reasons := s.attributes.first("gen_ai.response.finish_reasons", "llm.finish_reason",
		"gen_ai.completion.0.finish_reason", "ai.response.finishReason").Parsed()
	return slices.ContainsFunc(append(reasons.List(), reasons), func(r record.Node) bool {
		return is(strings.ToLower(r.Text()))
	})
}
