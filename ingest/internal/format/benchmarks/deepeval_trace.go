package benchmarks

import (
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// deepEvalSpans are where a trace keeps its spans, by what they are. Those of agents, and of
// functions that are nothing else, place the others.
var deepEvalSpans = []string{"agentSpans", "baseSpans", "llmSpans", "toolSpans", "retrieverSpans"}

// hasDeepEvalSpans reports whether a trace says what the agent did.
func hasDeepEvalSpans(trace record.Node) bool {
	return slices.ContainsFunc(deepEvalSpans, func(name string) bool { return trace.At(name).Length() > 0 })
}

// addDeepEvalTrace adds the steps of a trace, whose spans come kind by kind.
func addDeepEvalTrace(t *record.Trace, trace record.Node) {
	t.SetMessageID(trace.At("uuid").Text())
	t.SetTags("", trace, "threadId", "userId", "environment")
	t.SetTag("metadata", trace.At("metadata"))
	t.AddTime(trace.At("startTime").Time())
	t.AddTime(trace.At("endTime").Time())
	line := record.Timeline{Trace: t}
	parents := map[string]record.Node{} // spans by their id
	agents := map[string]bool{}
	for _, name := range deepEvalSpans {
		for _, span := range trace.At(name).List() {
			parents[span.At("uuid").Text()] = span
			agents[span.At("uuid").Text()] = name == "agentSpans"
		}
	}
	for _, name := range deepEvalSpans[2:] {
		for _, span := range trace.At(name).List() {
			m := deepEvalMoment(name, span)
			m.At = span.At("startTime").Time()
			m.Agent, m.Step.Depth, m.Level = deepEvalPlace(span, parents, agents)
			m.Step.DurationSeconds = record.SecondsBetween(m.At, span.At("endTime").Time())
			if span.At("status").Text() == "ERRORED" || span.At("error").Exists() {
				record.FailAnswer(&m.Step, span.At("error").ErrorText())
			}
			line.Moments = append(line.Moments, m)
		}
	}
	line.Build()
}

// deepEvalMoment is the step of a span.
func deepEvalMoment(name string, span record.Node) record.Moment {
	if name != "llmSpans" {
		step := trial.Step{
			Action: trial.CallTool, Tool: record.ValidText(span.At("name").Text()),
			Arguments: span.At("input").Parsed().Raw(), Output: span.At("output").Raw(),
		}
		return record.Moment{Step: step}
	}
	output := span.At("output")
	text := output.Speech()
	if text == "" && output.Exists() {
		text = string(output.Raw())
	}
	usage := record.Usage{Input: span.At("inputTokenCount").Count(), Output: span.At("outputTokenCount").Count()}
	in, out := span.At("costPerInputToken").Amount(), span.At("costPerOutputToken").Amount()
	if usage.HasTokens() && (in.Known || out.Known) {
		usage.Cost = trial.Some(in.Value*float64(usage.Input.Value) + out.Value*float64(usage.Output.Value))
	}
	m := record.AnswerMoment(record.Answer{Text: text, Model: span.At("model").Text(), Usage: usage})
	m.Guess = true // whether it calls tools is not said
	return m
}

// deepEvalPlace finds the agent whose step a span is, how many agents are above that one, and
// how deep the span lies.
func deepEvalPlace(span record.Node, spans map[string]record.Node, agents map[string]bool) (
	agent string, depth trial.Optional[int], level int) {
	above := 0
	for id := span.At("parentUuid").Text(); id != "" && level <= len(spans); level++ {
		if agents[id] {
			above++
			if agent == "" {
				agent = id
			}
		}
		id = spans[id].At("parentUuid").Text()
	}
	return agent, record.DepthOf(max(0, above-1)), level
}
