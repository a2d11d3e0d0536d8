package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// toldTrial are the parts of a trial that the tests of dialects look at, in one line.
func toldTrial(x *trial.Trial) string {
	steps := make([]string, len(x.Steps))
	for i, s := range x.Steps {
		steps[i] = string(s.Action)
		if s.Tool != "" {
			steps[i] += ":" + s.Tool
		}
		if s.Error != "" {
			steps[i] += "!"
		}
		if s.InputTokens.Known {
			steps[i] += fmt.Sprintf("(%d,%d)", s.InputTokens.Value, s.OutputTokens.Value)
		}
	}
	return fmt.Sprintf("%s | %s | %d %d | %s | %s", x.Scenario, strings.Join(steps, " "), x.InputTokens.Value,
		x.OutputTokens.Value, x.Input.Text(), x.Output.Text())
}

// told returns the trials of a stream, each in one line.
func told(t *testing.T, s *Stream) []string {
	t.Helper()
	var lines []string
	for x, err := range s.Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, toldTrial(x))
	}
	return lines
}

func checkTold(t *testing.T, s *Stream, want ...string) {
	t.Helper()
	if got := told(t, s); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestOneConversationInDialects reads one conversation, recorded with the real tools: a call
// that works, one that fails, an answer; 1,000, 1,100 and 1,200 tokens of input, of which 400
// were cached each time, and 10, 11 and 12 of output.
func TestOneConversationInDialects(t *testing.T) {
	const steps = "reason(1000,10) call_tool:%[1]s reason(1100,11) call_tool:%[1]s! respond(1200,12) | 3300 33"
	weather := fmt.Sprintf(steps, "get_weather")
	const bonn, answer = "What is the weather in Bonn?", "The answer is 42."
	for name, want := range map[string][]string{
		"otlp-vercel-ai-sdk-6.0.326.json": {"weather-1 | " + weather + " | " + bonn + " | " + answer,
			"weather-1 | " + weather + " | " + bonn + " | " + answer},
		"otlp-langfuse-js-5.11.1.json": {"weather-1 | " + weather + " | Weather in Bonn? | " + answer},
		"openai-agents-js-0.20.0.json": {"weather-workflow | " + weather + " | Weather in Bonn? | " + answer,
			// A span of a response tells neither what was said nor what one call took.
			"weather-workflow | reason call_tool:get_weather reason call_tool:get_weather! respond | 3300 33 |  | "},
		"claude-2.1.197-session.jsonl": {"claude-2.1.197-session | " + fmt.Sprintf(steps, "Bash") + " | Say the answer | " +
			answer},
	} {
		t.Run(name, func(t *testing.T) {
			checkTold(t, Open([]string{sample(t, "formats-unread", name)}, unjudged), want...)
		})
	}
}

// Each writer of spans that stand alone has its own names for where a span belongs. The
// samples are of the documented shapes: ReadableSpan.to_json of Python, the console exporter
// and the object of JavaScript, rows of Phoenix and its interface, and the log group of AWS.
func TestSpansThatStandAlone(t *testing.T) {
	const agent = `"gen_ai.operation.name":"invoke_agent","gen_ai.input.messages":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"hi\"}]}]"`
	const chat = `"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":5,"gen_ai.usage.output_tokens":2,"gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"hello\"}]}]"`
	const want = "desk | reason!(5,2) | 5 2 | hi | " // a call that failed answered nobody
	python := `[{"name":"chat","context":{"trace_id":"0x0A","span_id":"0x02","trace_state":"[]"},"kind":"SpanKind.CLIENT","parent_id":"0x01","start_time":"2026-02-26T09:25:38.000000Z","end_time":"2026-02-26T09:25:39.000000Z","status":{"status_code":"ERROR","description":"slow"},"attributes":{` + chat + `},"events":[],"links":[],"resource":{"attributes":{"service.name":"x"},"schema_url":""}},
		{"name":"desk","context":{"trace_id":"0x0a","span_id":"0x01"},"parent_id":null,"start_time":"2026-02-26T09:25:37.000000Z","end_time":"2026-02-26T09:25:40.000000Z","status":{"status_code":"UNSET"},"attributes":{` + agent + `}}]`
	console := `{"resource":{"attributes":{"service.name":"x"}},"traceId":"0a","parentSpanContext":{"traceId":"0a","spanId":"01"},"name":"chat","id":"02","kind":2,"timestamp":1772097938000000,"duration":1000000,"attributes":{` + chat + `},"status":{"code":2,"message":"slow"},"events":[],"links":[]}
{"traceId":"0a","name":"desk","id":"01","kind":0,"timestamp":1772097937000000,"duration":3000000,"attributes":{` + agent + `},"status":{"code":0},"events":[]}`
	readable := `[{"name":"chat","_spanContext":{"traceId":"0a","spanId":"02"},"parentSpanContext":{"spanId":"01"},"startTime":[1772097938,0],"endTime":[1772097939,0],"status":{"code":2},"attributes":{` + chat + `}},
		{"name":"desk","_spanContext":{"traceId":"0a","spanId":"01"},"startTime":[1772097937,0],"endTime":[1772097940,0],"status":{"code":0},"attributes":{` + agent + `}}]`
	phoenix := `[{"name":"chat","span_kind":"LLM","parent_id":"01","start_time":1772097938000,"end_time":1772097939000,"status_code":"ERROR","status_message":"slow","events":[],"context.span_id":"02","context.trace_id":"0a","attributes.llm.output_messages":[{"message.role":"assistant","message.content":"hello"}],"attributes.llm.token_count.prompt":5,"attributes.llm.token_count.completion":2,"attributes.metadata":null},
		{"name":"desk","span_kind":"AGENT","parent_id":null,"start_time":1772097937000,"end_time":1772097940000,"status_code":"OK","status_message":"","context.span_id":"01","context.trace_id":"0a","attributes.input.value":"hi","attributes.llm.output_messages":null}]`
	rest := `{"data":[{"id":"U3Bhbjox","name":"chat","context":{"trace_id":"0a","span_id":"02"},"span_kind":"LLM","parent_id":"01","start_time":"2026-02-26T09:25:38+00:00","end_time":"2026-02-26T09:25:39+00:00","status_code":"ERROR","status_message":"slow","attributes":{"llm":{"output_messages":[{"message":{"role":"assistant","content":"hello"}}],"token_count":{"prompt":5,"completion":2}}},"events":[]},
		{"id":"U3Bhbjoy","name":"desk","context":{"trace_id":"0a","span_id":"01"},"span_kind":"AGENT","parent_id":null,"start_time":"2026-02-26T09:25:37+00:00","end_time":"2026-02-26T09:25:40+00:00","status_code":"OK","attributes":{"input":{"value":"hi"}}}],"next_cursor":null}`
	aws := `{"resource":{"attributes":{"service.name":"x"}},"scope":{"name":"s"},"traceId":"0a","spanId":"02","parentSpanId":"01","flags":256,"name":"chat","kind":"CLIENT","startTimeUnixNano":1772097938000000000,"endTimeUnixNano":1772097939000000000,"durationNano":1000000000,"attributes":{` + chat + `},"status":{"code":"ERROR"}}
{"resource":{"attributes":{"service.name":"x"}},"traceId":"0a","spanId":"01","name":"desk","kind":"INTERNAL","startTimeUnixNano":1772097937000000000,"endTimeUnixNano":1772097940000000000,"attributes":{` + agent + `},"status":{"code":"UNSET"}}`
	for name, text := range map[string]string{
		"to_json of Python": python, "the console of JavaScript": console, "ReadableSpan of JavaScript": readable,
		"rows of Phoenix": phoenix, "a page of Phoenix": rest, "lines of AWS": aws,
	} {
		t.Run(name, func(t *testing.T) {
			checkTold(t, streamOf(text, unjudged), want)
			for x, err := range streamOf(text, unjudged).Trials(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if s := x.Steps[0]; s.Output.Text() != "hello" || s.DurationSeconds.Value != 1 || x.DurationSeconds.Value != 3 ||
					x.StartedAt != "2026-02-26T09:25:37Z" || s.Error == "" {
					t.Errorf("%+v, %v, %v", s, x.StartedAt, x.DurationSeconds)
				}
			}
		})
	}
	t.Run("strands", func(t *testing.T) {
		checkTold(t, Open([]string{sample(t, "formats-unread", "flat-spans_pydantic_ai.json")}, unjudged),
			"invoke_agent agent | reason(588,53) call_tool:get_weather respond(663,25) | 1251 78 | "+
				"What's the weather like in Seattle right now? | The current weather in Seattle is 62°F and cloudy with light "+
				"rain. Pretty typical Seattle weather!")
	})
}

// Tempo answers with the protocol's own objects under other names.
func TestAnswersOfTempo(t *testing.T) {
	spans := strings.TrimPrefix(otlpText(`1 - desk {"gen_ai.operation.name":"chat"}`), `{"resourceSpans":`)
	checkTold(t, streamOf(`{"batches":`+spans, unjudged), "desk | respond | 0 0 |  | ")
	checkTold(t, streamOf(`{"trace":{"resourceSpans":`+spans+`}`, unjudged), "desk | respond | 0 0 |  | ")
}

// Four tokens of input beside 32,308 that were read from a cache are 32,312: the figures of a
// recorded call of Anthropic's, which counts cached tokens beside the input. Another call of
// the same trace has fewer cached tokens than input, and counts them as the first one does.
func TestCachedTokensBesideTheInput(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"more than the input": {
			otlpText(`1 - chat {"openinference.span.kind":"LLM","llm.token_count.prompt":4,"llm.token_count.completion":50,"llm.token_count.total":54,"llm.token_count.prompt_details.cache_read":32308}`), "32312 50"},
		"the whole trace": {
			otlpText(`1 - run {"gen_ai.operation.name":"invoke_agent"}`,
				`2 1 chat {"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":1500,"gen_ai.usage.output_tokens":1,"gen_ai.usage.cache_creation.input_tokens":1000}`,
				`3 1 chat {"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":3,"gen_ai.usage.output_tokens":1,"gen_ai.usage.cache_read.input_tokens":2500}`), "5003 2"},
		"inside": {
			otlpText(`1 - chat {"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":1000,"gen_ai.usage.output_tokens":7,"gen_ai.usage.cache_read.input_tokens":400}`), "1000 7"},
		"the total tells": {
			otlpText(`1 - chat {"openinference.span.kind":"LLM","llm.token_count.prompt":600,"llm.token_count.completion":10,"llm.token_count.total":1010,"llm.token_count.prompt_details.cache_read":400}`), "1000 10"},
	} {
		if got := told(t, streamOf(c.text, unjudged)); len(got) != 1 || !strings.Contains(got[0], "| "+c.want+" |") {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// An agent that is only created did not run.
func TestCreatingAnAgentIsNoTrial(t *testing.T) {
	s := streamOf(otlpText(`1 - create_agent {"gen_ai.operation.name":"create_agent","gen_ai.agent.name":"desk"}`),
		unjudged)
	if _, err := written(s); err == nil || !strings.Contains(err.Error(), "every record was skipped") {
		t.Error(err)
	}
	checkNotes(t, s, "f: 0 trials (otlp); left out: traces without calls of models, tools or agents (1)")
}

func TestHandoffsOfAllWriters(t *testing.T) {
	for name, c := range map[string]struct{ span, want string }{
		"an operation": {`1 - agent_handoff {"gen_ai.operation.name":"agent_handoff","gen_ai.handoff.to_agent":"billing"}`,
			`{"to_agent":"billing"}`},
		"a short name": {`1 - x {"gen_ai.operation.name":"handoff"}`, `{}`},
		"a kind": {`1 - desk→billing.handoff {"traceloop.span.kind":"handoff"}`,
			`{"from_agent":"desk","to_agent":"billing"}`},
		"in attributes": {`1 - h {"gen_ai.operation.name":"handoff","from_agent":"desk","to_agent":"billing"}`,
			`{"from_agent":"desk","to_agent":"billing"}`},
	} {
		for x, err := range streamOf(otlpText(c.span), unjudged).Trials(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if len(x.Steps) != 1 || x.Steps[0].Action != "handoff" || string(x.Steps[0].Arguments) != c.want {
				t.Errorf("%s: %+v", name, x.Steps)
			}
		}
	}
	text := strings.Replace(otlpText(`1 - NAME {"gen_ai.operation.name":"handoff"}`), "NAME",
		"handoff from desk to billing", 1)
	for x, err := range streamOf(text, unjudged).Trials(t.Context()) {
		if err != nil || string(x.Steps[0].Arguments) != `{"from_agent":"desk","to_agent":"billing"}` {
			t.Error(err, x)
		}
	}
}

// What a run of the Vercel AI SDK was called is its function's id; without one it is the
// call's own name.
func TestVercelFunctionNamesTheScenario(t *testing.T) {
	checkTold(t, streamOf(otlpText(`1 - ai.generateText {"ai.operationId":"ai.generateText","ai.telemetry.functionId":"refund"}`), unjudged),
		"refund | respond | 0 0 |  | ")
	checkTold(t, streamOf(otlpText(`1 - ai.generateText {"ai.operationId":"ai.generateText","ai.telemetry.functionId":"refund","ai.telemetry.metadata.scenario":"late"}`), unjudged),
		"late | respond | 0 0 |  | ")
}
