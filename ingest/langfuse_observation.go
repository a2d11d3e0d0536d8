package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// langfuseKinds are the kinds by the type of an observation. SPAN, CHAIN, EVENT and
// GUARDRAIL may be anything: the attributes tell.
var langfuseKinds = map[string]spanKind{
	"GENERATION": llmSpan, "TOOL": toolSpan, "AGENT": agentSpan, "RETRIEVER": retrieverSpan, "EMBEDDING": embeddingSpan, "EVALUATOR": evaluatorSpan,
}

// langfuseSpan reads an observation.
func langfuseSpan(n node) *span {
	metadata := n.at("metadata").parsed()
	s := &span{
		id: n.at("id").text(), parent: n.at("parentObservationId").text(), name: validText(n.at("name").text()),
		start: n.at("startTime").time(), end: n.at("endTime").time(),
		attributes: plainAttributes(metadata.at("attributes")), resource: plainAttributes(metadata.at("resourceAttributes")),
		failed: n.at("level").text() == "ERROR", message: n.at("statusMessage").text(),
		input: n.at("input"), output: n.at("output"), model: n.at("model").text(),
	}
	if u := langfuseUsage(n); u != (usage{}) {
		s.used = trial.Some(u)
	}
	s.kind = langfuseKinds[n.at("type").text()]
	if kind := s.classify(); s.kind == plainSpan || s.kind == llmSpan && (kind == embeddingSpan || kind == evaluatorSpan) {
		s.kind = kind // generations were the only observations with a model once
	}
	if s.kind == plainSpan && isToolMessage(s.output.parsed()) {
		s.kind = toolSpan
	}
	return s
}

func plainAttributes(n node) spanAttributes {
	attributes := spanAttributes{}
	for name, value := range n.members() {
		attributes[name] = value
	}
	return attributes
}

// isToolMessage reports whether the output of a span is what a tool of LangChain
// gives back.
func isToolMessage(n node) bool {
	if n.has("lc") {
		n = n.at("kwargs")
	}
	return n.has("tool_call_id", "content")
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
func langfuseUsage(n node) usage {
	details := n.at("usageDetails")
	counts := tokenCounts{input: tokens(details.at("input")), output: tokens(details.at("output")), total: tokens(details.at("total"))}
	for name, value := range details.members() {
		part := tokens(value).Value
		switch name = strings.ToLower(name); {
		case name == "input" || name == "output" || name == "total":
		case strings.Contains(name, "output") || strings.Contains(name, "completion") || strings.Contains(name, "reasoning") || strings.Contains(name, "thought"):
			counts.outputParts += part
		case strings.Contains(name, "input") || strings.Contains(name, "prompt") || strings.Contains(name, "cache"):
			counts.inputParts += part
		}
	}
	if details.length() == 0 { // zeros there stand for unknown ones
		old := n.at("usage")
		counts.input = positive(tokens(old.either("input", "promptTokens")), tokens(n.either("inputUsage", "promptTokens")))
		counts.output = positive(tokens(old.either("output", "completionTokens")), tokens(n.either("outputUsage", "completionTokens")))
		counts.total = positive(tokens(old.either("total", "totalTokens")), tokens(n.either("totalUsage", "totalTokens")))
	}
	u := counts.usage()
	if u.cost = n.at("costDetails", "total").amount(); !u.cost.Known {
		u.cost = positive(n.at("totalCost").amount(), n.at("calculatedTotalCost").amount())
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
