// Package otlp reads traces: OpenTelemetry exports with the GenAI conventions,
// OpenInference or OpenLLMetry, and those of Langfuse.
//
// A trace becomes a trial in these steps, each a file: a span is read ([otlpSpan],
// [langfuseSpan]) and classified, the spans become a tree ([newSpanTree]), what models
// say is found in whatever place and shape it was written ([span.answer],
// [messagesIn]), calls are joined with the tools that answer them ([joinCalls]), and
// the tree becomes steps, totals, a description and a verdict ([spanTree.trial]).
//
// Which file for what: otlp.go reads exports and langfuse.go traces of Langfuse; span.go, flat_span.go,
// langfuse_observation.go and beeai.go make spans of what they hold, and span_text.go does so of the text
// of those that have what the protocol names and no more; attributes.go holds their attributes;
// lines.go prepares lines, and early.go hands out before a file ends what ends.go found to be complete;
// classify.go tells what a span does; tree.go places it. messages.go and message_parts.go read messages in all shapes,
// from the places that genai.go, openinference.go, openllmetry.go and vendors.go name;
// tools.go reads calls of tools. calls.go, trial.go, totals.go, describe.go and verdict.go
// make the trial.
//
// A span of a model in the GenAI conventions, shortened:
//
//	{"traceId":"5b8e","spanId":"a1","parentSpanId":"a0","name":"chat m-1","startTimeUnixNano":"1772097937000000000",
//	 "attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
//	  {"key":"gen_ai.usage.input_tokens","value":{"intValue":"100"}}],"status":{"code":2,"message":"..."}}
//
// Writers agree on the frame and on little inside of it: the names changed from version to
// version, the same call is written by several layers one inside the other, and messages are
// attributes, events, or log records. That is why almost everything here is asked for in a
// list of places, in the order in which they can be trusted.
package otlp
