package ingest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// unjudged admits trials of formats that say no outcome.

// otlpText is an export of one trace, with spans that are given as "id parent name
// {attributes}", one second each.
func otlpText(spans ...string) string {
	var list []string
	for i, s := range spans {
		f := strings.SplitN(s, " ", 4)
		attributes, rest, _ := strings.Cut(f[3], " + ")
		if rest != "" {
			rest = "," + rest
		}
		list = append(list, fmt.Sprintf(`{"traceId":"t","spanId":%q,"parentSpanId":%q,"name":%q,"startTimeUnixNano":"%d000000000","endTimeUnixNano":%d000000000,"attributes":%s%s}`,
			f[0], strings.Trim(f[1], "-"), f[2], 1772097937+i, 1772097938+i, attributes, rest))
	}
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(list, ",") + `]}]}]}`
}

// shortSteps are the steps of the trials of a stream, a trial a line.
func shortSteps(s *Stream) string {
	var b strings.Builder
	for x, err := range s.Trials(context.Background()) {
		if err != nil {
			return err.Error()
		}
		for i, step := range x.Steps {
			b.WriteString([]string{"", " "}[min(i, 1)] + strings.Repeat(">", step.Depth.Value) + string(step.Action))
			if step.Tool != "" {
				b.WriteString(":" + step.Tool)
			}
			if step.Error != "" {
				b.WriteString("!")
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

func TestOTLPSteps(t *testing.T) {
	const (
		llm   = `{"gen_ai.operation.name":"chat","gen_ai.request.model":"m"`
		agent = `{"gen_ai.operation.name":"invoke_agent"}`
		tool  = `{"gen_ai.operation.name":"execute_tool"`
	)
	for name, c := range map[string]struct{ text, want string }{
		"a run without content reasons where tools follow": {
			otlpText("1 - run "+agent, "2 1 chat "+llm+`}`, "3 1 execute_tool_x "+tool+`,"gen_ai.tool.name":"x"}`,
				"4 1 chat "+llm+`}`), "reason call_tool:x respond"},
		"or where the reason to finish says so": {
			otlpText("1 - chat " + llm + `,"gen_ai.response.finish_reasons":["tool_calls"]}`), "reason"},
		"agents in agents": {
			otlpText("1 - workflow "+agent, "2 1 desk "+agent, "3 2 chat "+llm+`}`, "4 2 billing "+agent, "5 4 chat "+llm+`}`,
				"6 5 chat "+llm+`}`), "respond >respond"},
		"a circle of parents": {
			otlpText("1 2 a "+agent, "2 1 b "+llm+`}`, "3 3 c "+llm+`}`), "respond respond"},
		"a span twice": {
			otlpText("1 - chat "+llm+`}`, "1 - chat "+llm+`,"error.type":"x"}`), "reason!"},
		"a tool of MCP inside the same tool": {
			otlpText("1 - t "+tool+`,"gen_ai.tool.name":"x"}`,
				`2 1 tools/call {"mcp.method.name":"tools/call","gen_ai.tool.name":"x","error.type":"tool_error"}`,
				`3 1 initialize {"mcp.method.name":"initialize"}`), "call_tool:x!"},
		"a result of MCP that is an error": {
			otlpText("1 - t " + tool +
				`,"gen_ai.tool.name":"x","gen_ai.tool.call.result":"{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}"}`), "call_tool:x!"},
		"names that differ join in their order": {
			otlpText("1 - chat "+llm+`,"gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"name\":\"get_weather\",\"arguments\":{}}]}]"}`, "2 - t "+tool+`,"gen_ai.tool.name":"weather.get"}`), "reason call_tool:weather.get"},
		"ids that differ do not": {
			otlpText("1 - chat "+llm+`,"gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"x\",\"arguments\":{}}]}]"}`, "2 - t "+tool+`,"gen_ai.tool.name":"x","gen_ai.tool.call.id":"b"}`), "reason call_tool:x call_tool:x"},
		"an output tool is an answer": {
			otlpText("1 - chat " + llm +
				`,"gen_ai.response.finish_reasons":["tool_call"],"model_request_parameters":"{\"output_tools\":[{\"name\":\"final_result\"}]}","gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"name\":\"final_result\",\"arguments\":{\"a\":1}}]}]"}`), "respond"},
		"results that ADK merges": {
			otlpText("1 - t "+tool+`,"gen_ai.tool.name":"x"}`, "2 - t "+tool+`,"gen_ai.tool.name":"(merged tools)"}`),
			"call_tool:x"},
		"steps of the Vercel AI SDK": {
			otlpText(`1 - ai.streamText {"ai.operationId":"ai.streamText"}`,
				`2 1 ai.streamText.doStream {"ai.operationId":"ai.streamText.doStream","ai.response.toolCalls":"[{\"toolCallId\":\"c\",\"toolName\":\"x\",\"args\":\"{}\"}]"}`,
				`3 1 ai.toolCall {"ai.operationId":"ai.toolCall","ai.toolCall.name":"x","ai.toolCall.id":"c"}`,
				`4 1 ai.streamText.doStream {"ai.operationId":"ai.streamText.doStream","ai.response.text":"hi"}`,
				`5 1 ai.embed {"ai.operationId":"ai.embed"}`), "reason call_tool:x respond embed"},
		"pending spans": {
			otlpText("1 - chat "+llm+`,"logfire.span_type":"pending_span"}`, "2 - chat "+llm+`}`), "respond"},
	} {
		if got := shortSteps(streamOf(c.text, unjudged)); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestOTLPHandoff(t *testing.T) {
	text := strings.Replace(otlpText(`1 - response {"openinference.span.kind":"LLM","llm.output_messages.0.message.tool_calls.0.tool_call.function.name":"transfer_to_billing"}`, `2 - NAME {"openinference.span.kind":"TOOL"}`), "NAME", "handoff to billing", 1)
	if got := shortSteps(streamOf(text, unjudged)); got != "reason handoff" {
		t.Error(got)
	}
}

// The usage of agents repeats that of their calls, and stands for it only where no
// call tells its own.
func TestOTLPTotals(t *testing.T) {
	const u = `"gen_ai.usage.input_tokens":`
	for _, c := range []struct {
		text  string
		in    int64
		known bool
	}{
		{otlpText(`1 - a {"gen_ai.operation.name":"invoke_agent",`+u+`70}`, `2 1 c {"gen_ai.operation.name":"chat",`+u+`30}`,
			`3 1 c {"gen_ai.operation.name":"chat",`+u+`"12"}`), 42, true},
		{otlpText(`1 - a {"gen_ai.operation.name":"invoke_workflow"}`,
			`2 1 a {"gen_ai.operation.name":"invoke_agent",`+u+`70}`, `3 2 a {"gen_ai.operation.name":"invoke_agent",`+u+`30}`,
			`4 3 c {"gen_ai.operation.name":"chat"}`, `5 1 a {"gen_ai.operation.name":"invoke_agent",`+u+`5}`), 75, true},
		{otlpText(`1 - c {"gen_ai.operation.name":"chat"}`), 0, false},
		{otlpText(`1 - c {"gen_ai.operation.name":"chat",` + u + `-4}`), 0, false},
		{otlpText(`1 - c {"gen_ai.operation.name":"chat",` + u + `{"x":[]}}`), 0, false},
	} {
		for x, err := range streamOf(c.text, unjudged).Trials(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if x.InputTokens.Known != c.known || x.InputTokens.Value != c.in || x.CostUSD.Known {
				t.Errorf("%s: %v, %v", c.text, x.InputTokens, x.CostUSD)
			}
		}
	}
}

func TestOTLPVerdicts(t *testing.T) {
	event := func(name, rest string) string {
		return fmt.Sprintf(`"events":[{"name":"gen_ai.evaluation.result","attributes":{"gen_ai.evaluation.name":%q,%s}}]`,
			name, rest)
	}
	const score, label = `"gen_ai.evaluation.score.value":`, `"gen_ai.evaluation.score.label":`
	agent, chat := `{"gen_ai.operation.name":"invoke_agent"} + `, `{"gen_ai.operation.name":"chat"}`
	for name, c := range map[string]struct {
		text    string
		outcome trial.Outcome
		score   trial.Optional[float64]
	}{
		"a label": {otlpText("1 - a " + agent + event("done", label+`"PASSED"`)), trial.Pass,
			trial.Optional[float64]{}},
		"a label that is no verdict": {otlpText("1 - a " + agent + event("done", label+`"relevant",`+score+`0.5`)),
			trial.Unjudged, trial.Some(0.5)},
		"a boolean": {otlpText("1 - a " + agent + event("done", score+`false`)), trial.Fail,
			trial.Optional[float64]{}},
		"a boolean of a fault": {otlpText("1 - a " + agent + event("toxicity", score+`true`)), trial.Unjudged,
			trial.Optional[float64]{}},
		"two scores": {otlpText("1 - a "+agent+event("x", score+`1`), "2 1 b "+agent+event("y", score+`0`)),
			trial.Unjudged, trial.Optional[float64]{}},
		"two verdicts that disagree": {otlpText("1 - a "+agent+event("x", label+`"pass"`),
			"2 1 b "+agent+event("y", label+`"fail"`)), trial.Unjudged, trial.Optional[float64]{}},
		"a verdict on one of answers": {otlpText("1 - a {}", "2 1 c "+chat+" + "+event("x", label+`"pass"`), "3 1 c "+chat),
			trial.Unjudged, trial.Optional[float64]{}},
		"a verdict on the answer": {otlpText("1 - a {}", "2 1 c "+chat+" + "+event("x", label+`"pass"`)), trial.Pass,
			trial.Optional[float64]{}},
		"OpenInference": {otlpText(`1 - a {"openinference.span.kind":"AGENT","evaluations.0.evaluation.name":"x","evaluations.0.evaluation.label":"incorrect","evaluations.0.evaluation.score":0.5}`), trial.Fail, trial.Some(0.5)},
		"a test":        {otlpText(`1 - a {"gen_ai.operation.name":"invoke_agent","test.case.name":"x","test.case.result.status":"fail"}`), trial.Fail, trial.Optional[float64]{}},
	} {
		for x, err := range streamOf(c.text, unjudged).Trials(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if x.Outcome != c.outcome || x.Score != c.score {
				t.Errorf("%s: %v, %v", name, x.Outcome, x.Score)
			}
		}
	}
}

// A run that failed says why, and is an error of infrastructure only where the
// provider of the model ended it.
func TestOTLPFailures(t *testing.T) {
	failed := ` + "status":{"code":2,"message":"no"}`
	for kind, want := range map[string]trial.Outcome{"429": trial.Error, "openai.APITimeoutError": trial.Error,
		"BadRequestError": trial.Unjudged, "": trial.Unjudged} {
		text := otlpText(`1 - a {"gen_ai.operation.name":"invoke_agent"}`+failed,
			`2 1 c {"gen_ai.operation.name":"chat","error.type":"`+kind+`"}`+failed)
		for x, err := range streamOf(text, unjudged).Trials(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if x.Outcome != want || x.Error == nil || x.Error.Message != "no" ||
				(x.Error.Origin == trial.InfrastructureOrigin) != (want == trial.Error) {
				t.Errorf("%q: %v, %+v", kind, x.Outcome, x.Error)
			}
		}
	}
}

func TestOTLPVariant(t *testing.T) {
	text := otlpText(`1 - a {"gen_ai.operation.name":"invoke_agent","gen_ai.agent.version":"v2"}`,
		`2 1 c {"gen_ai.operation.name":"chat"}`)
	checkWritten(t, streamOf(text, unjudged),
		`1 {"scenario":"a","trial":0,"variant":"v2","started_at":"2026-02-26T09:25:37Z","duration_s":2,"steps":[{"action":"respond","duration_s":1}],"tags":{"traceId":"t","gen_ai.agent.version":"v2"}}`)
}

func TestOTLPNotes(t *testing.T) {
	s := streamOf(`{"resourceSpans":[]}`, unjudged)
	if _, err := written(s); err == nil || err.Error() != "f holds no trials" {
		t.Error(err)
	}
	s = streamOf("[\n"+`{"a":1}, 7, {"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"1"}]}]}]}]`,
		Options{From: "otlp"})
	if _, err := written(s); err == nil {
		t.Error("read")
	}
	checkNotes(t, s, "f: 0 trials (otlp); left out: objects that are no OTLP export (1), values that are not objects "+
		"(1), spans without a trace id (1)")
	s = streamOf(otlpText(`1 - a {"gen_ai.operation.name":"invoke_agent"}`), Options{})
	if _, err := written(s); err == nil || !strings.Contains(err.Error(), "otlp does not say whether this trial passed") {
		t.Error(err)
	}
}
