package otlp

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// langfuseKinds are the kinds by the type of an observation. SPAN, CHAIN, EVENT and
// GUARDRAIL may be anything: the attributes tell.
var langfuseKinds = map[string]spanKind{
	"GENERATION": llmSpan, "TOOL": toolSpan, "AGENT": agentSpan, "RETRIEVER": retrieverSpan,
	"EMBEDDING": embeddingSpan, "EVALUATOR": evaluatorSpan,
}

// observed takes over what the SDKs of Langfuse write as attributes of a span: what an
// observation is in an export of Langfuse itself.
//
//	"langfuse.observation.type": "generation", "langfuse.observation.input": "{...}",
//	"langfuse.observation.usage_details": "{\"input\":600,\"total\":1010,\"input_cached_tokens\":400}"
func (s *span) observed() {
	const prefix = "langfuse.observation."
	if len(s.attributes.under(prefix)) == 0 {
		return
	}
	at := func(name string) record.Node { return s.attributes.at(prefix + name) }
	if !at("type").Exists() && !at("input").Exists() && !at("output").Exists() {
		return
	}
	s.input, s.output = at("input"), at("output")
	s.model = at("model.name").Text()
	if strings.EqualFold(at("level").Text(), "ERROR") {
		s.failed = true
	}
	if s.message == "" {
		s.message = at("status_message").Text()
	}
	details := record.Node{Value: map[string]any{
		"usageDetails": at("usage_details").Parsed().Value, "costDetails": at("cost_details").Parsed().Value,
	}}
	if u := langfuseUsage(details); u != (record.Usage{}) {
		s.used = trial.Some(u)
	}
	s.kind = s.kindOf(at("type").Text())
}

// kindOf returns the kind of an observation of a type: its own, or what the attributes tell.
func (s *span) kindOf(observation string) spanKind {
	own := langfuseKinds[strings.ToUpper(observation)]
	if kind := s.classify(); own == plainSpan || own == llmSpan && (kind == embeddingSpan || kind == evaluatorSpan) {
		return kind // generations were the only observations with a model once
	}
	return own
}

// langfuseSpan reads an observation.
// What Langfuse itself has read stands beside what the exporter sent, which is in the metadata.
func langfuseSpan(n record.Node) *span {
	metadata := n.At("metadata").Parsed()
	s := &span{
		id: n.At("id").Text(), parent: n.At("parentObservationId").Text(), name: record.ValidText(n.At("name").Text()),
		start: n.At("startTime").Time(), end: n.At("endTime").Time(),
		attributes: plainAttributes(metadata.At("attributes")),
		resource:   plainAttributes(metadata.At("resourceAttributes")),
		failed:     n.At("level").Text() == "ERROR", message: n.At("statusMessage").Text(),
		input: n.At("input"), output: n.At("output"), model: n.At("model").Text(),
	}
	if u := langfuseUsage(n); u != (record.Usage{}) {
		s.used = trial.Some(u)
	}
	s.kind = s.kindOf(n.At("type").Text())
	if s.kind == plainSpan && isToolMessage(s.output.Parsed()) {
		s.kind = toolSpan
	}
	return s
}

// plainAttributes are attributes whose values are not wrapped.
func plainAttributes(n record.Node) spanAttributes {
	list := make([]spanAttribute, 0, n.Length())
	for name, value := range n.Members() {
		list = append(list, spanAttribute{name, value})
	}
	return attributesOf(list)
}

// isToolMessage reports whether the output of a span is what a tool of LangChain
// gives back.
func isToolMessage(n record.Node) bool {
	if n.Has("lc") {
		n = n.At("kwargs")
	}
	return n.Has("tool_call_id", "content")
}

// langfuseTools finds the spans that are tools by name alone: that of a tool which a
// model has called. Observations had no type for them once.
func (t *spanTree) langfuseTools() {
	called := map[string]bool{}
	for _, s := range t.spans {
		if s.kind == llmSpan {
			for _, c := range s.answer().calls {
				called[c.name] = c.name != ""
			}
		}
	}
	found := false
	for _, s := range t.spans {
		if s.kind == plainSpan && called[toolOfSpan(s.name)] {
			s.kind, found = toolSpan, true
		}
	}
	if found {
		t.place()
	}
}

// langfuseUsage reads what an observation took: usageDetails and costDetails, or what
// older versions have instead.
// usageDetails has any names, such as input_cached_tokens or output_reasoning_tokens, which
// are parts of the input or the output, or beside them: the total tells which.
func langfuseUsage(n record.Node) record.Usage {
	details := n.At("usageDetails")
	counts := tokenCounts{input: tokens(details.At("input")), output: tokens(details.At("output")),
		total: tokens(details.At("total"))}
	for name, value := range details.Members() {
		part := tokens(value).Value
		switch name = strings.ToLower(name); {
		case name == "input" || name == "output" || name == "total":
		case strings.Contains(name, "output") || strings.Contains(name, "completion") ||
			strings.Contains(name, "reasoning") || strings.Contains(name, "thought"):
			counts.outputParts += part
		case strings.Contains(name, "input") || strings.Contains(name, "prompt") || strings.Contains(name, "cache"):
			counts.inputParts += part
			switch {
			case !strings.Contains(name, "cache"):
			case strings.Contains(name, "creation") || strings.Contains(name, "write"):
				record.Add(&counts.caching, trial.Some(part))
			default:
				record.Add(&counts.cached, trial.Some(part))
			}
		}
	}
	if details.Length() == 0 { // zeros there stand for unknown ones
		old := n.At("usage")
		counts.input = positive(tokens(old.Either("input", "promptTokens")),
			tokens(n.Either("inputUsage", "promptTokens")))
		counts.output = positive(tokens(old.Either("output", "completionTokens")),
			tokens(n.Either("outputUsage", "completionTokens")))
		counts.total = positive(tokens(old.Either("total", "totalTokens")),
			tokens(n.Either("totalUsage", "totalTokens")))
	}
	u := counts.usage()
	costs := n.At("costDetails")
	if u.Cost = costs.At("total").Amount(); !u.Cost.Known {
		for _, part := range costs.Members() {
			record.Add(&u.Cost, part.Amount())
		}
	}
	if !u.Cost.Known {
		u.Cost = positive(n.At("totalCost").Amount(), n.At("calculatedTotalCost").Amount())
	}
	return u
}

// positive returns the first of the numbers that is more than zero.
func positive[T int64 | float64](numbers ...trial.Optional[T]) trial.Optional[T] {
	for _, x := range numbers {
		if x.Known && x.Value > 0 {
			return x
		}
	}
	return trial.Optional[T]{}
}
