// Package otlp reads traces: OpenTelemetry exports with the GenAI conventions,
// OpenInference or OpenLLMetry, and those of Langfuse.
//
// A trace becomes a trial in these steps, each a file: a span is read ([otlpSpan],
// [langfuseSpan]) and classified, the spans become a tree ([newSpanTree]), what models
// say is found in whatever place and shape it was written ([span.answer],
// [messagesIn]), calls are joined with the tools that answer them ([joinCalls]), and
// the tree becomes steps, totals, a description and a verdict ([spanTree.trial]).
package otlp
