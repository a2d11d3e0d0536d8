package otlp

import "strings"

// spanKind is what a span does.
// It decides whether a span becomes a step, and of which action; agents and plain spans only
// give the others their place.
type spanKind uint8

const (
	plainSpan     spanKind = iota // a node of a graph, a chain, anything else
	llmSpan                       // asks a model
	toolSpan                      // runs a tool
	agentSpan                     // an agent, or a whole run of it
	handoffSpan                   // passes the task to another agent
	retrieverSpan                 // looks documents up
	rerankerSpan                  // puts documents in order
	embeddingSpan                 // turns text into numbers
	evaluatorSpan                 // judges the run
)

// genAIOperations are the kinds by gen_ai.operation.name.
// Writers have both embedding and embeddings.
var genAIOperations = map[string]spanKind{
	"chat": llmSpan, "generate_content": llmSpan, "text_completion": llmSpan,
	"execute_tool": toolSpan, "invoke_agent": agentSpan, "invoke_workflow": agentSpan,
	"embeddings": embeddingSpan, "embedding": embeddingSpan, "retrieval": retrieverSpan,
	"search_memory": retrieverSpan, "handoff": handoffSpan, "agent_handoff": handoffSpan,
	// What prepares a run, and what is around the calls that count.
	"create_agent": plainSpan, "plan": plainSpan, "fetch_response": plainSpan,
	"create_memory": plainSpan, "update_memory": plainSpan, "upsert_memory": plainSpan, "delete_memory": plainSpan,
	"create_memory_store": plainSpan, "delete_memory_store": plainSpan,
}

// openInferenceKinds are the kinds by openinference.span.kind; those of LangSmith and
// Traceloop have the same names in lower case.
var openInferenceKinds = map[string]spanKind{
	"LLM": llmSpan, "TOOL": toolSpan, "AGENT": agentSpan, "RETRIEVER": retrieverSpan, "RERANKER": rerankerSpan,
	"EMBEDDING": embeddingSpan, "EVALUATOR": evaluatorSpan, "HANDOFF": handoffSpan,
}

// classify tells the kind by the attributes: what names the operation counts more
// than what only such an operation has.
// The order matters: a tool may carry attributes of the agent that runs it, and an agent
// those of the model that it asks.
func (s *span) classify() spanKind {
	a := &s.attributes
	if kind, ok := genAIOperations[a.at("gen_ai.operation.name").Text()]; ok {
		return s.special(kind)
	}
	// Of MCP only tools/call is a step; initialize, tools/list and others are plumbing.
	if method := a.at("mcp.method.name").Text(); method != "" && method != "tools/call" {
		return plainSpan
	}
	if a.first("gen_ai.tool.name", "mcp.method.name").Exists() {
		return s.special(toolSpan)
	}
	for _, name := range []string{"openinference.span.kind", "langsmith.span.kind", "traceloop.span.kind"} {
		if kind, ok := openInferenceKinds[strings.ToUpper(a.at(name).Text())]; ok {
			return s.special(kind)
		}
	}
	return s.classifyOther()
}

// classifyOther knows the kind by traits.
// Traits are what is left where nothing names the operation: OpenLLMetry's type of request,
// the functions of the Vercel AI SDK, a model with tokens, a name of an agent.
func (s *span) classifyOther() spanKind {
	a := &s.attributes
	switch a.at("llm.request.type").Text() {
	case "chat", "completion":
		return llmSpan
	case "embedding":
		return embeddingSpan
	case "rerank":
		return rerankerSpan
	}
	if kind := vercelKind(a); kind != plainSpan {
		return kind
	}
	switch usage := s.usage(); {
	// A span with the model alone may be one around the call.
	case a.at("gen_ai.request.model").Exists() && (usage.Input.Known || usage.Output.Known || s.failed):
		return llmSpan
	case a.at("gcp.vertex.agent.llm_request").Exists() && s.name == "call_llm":
		return llmSpan
	case a.first("gen_ai.agent.name", "gen_ai.agent.id", "agent_name").Exists():
		return agentSpan
	}
	return plainSpan
}

// special tells apart what frameworks write as a tool and is none.
func (s *span) special(kind spanKind) spanKind {
	if kind != toolSpan {
		return kind
	}
	a := &s.attributes
	switch {
	// of ADK: results of calls that have spans
	case a.at("gen_ai.tool.name").Text() == "(merged tools)" || a.at("gen_ai.tool.name").Text() == "merge":
		return plainSpan
	case strings.HasPrefix(s.name, "handoff to ") && !a.first("tool.name", "gen_ai.tool.name").Exists():
		return handoffSpan
	}
	return toolSpan
}

// vercelKind tells the kind of a span of the Vercel AI SDK.
// ai.operationId is "ai.generateText" for the call of the SDK and "ai.generateText.doGenerate"
// for a call of the provider inside of it: both are of one kind, and the inner one counts.
func vercelKind(a *spanAttributes) spanKind {
	operation := strings.TrimPrefix(a.at("ai.operationId").Text(), "ai.")
	function, _, _ := strings.Cut(operation, ".")
	switch function {
	case "generateText", "streamText", "generateObject", "streamObject":
		return llmSpan
	case "toolCall":
		return toolSpan
	case "embed", "embedMany":
		return embeddingSpan
	case "rerank":
		return rerankerSpan
	}
	return plainSpan
}
