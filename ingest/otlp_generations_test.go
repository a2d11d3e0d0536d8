package ingest

import (
	"fmt"
	"strings"
	"testing"
)

// The GenAI conventions of OpenTelemetry renamed what they say in 1.27, 1.28, 1.37 and 1.38, by their changelog: spans
// in the names of each give the same trial.
func TestOTLPGenerations(t *testing.T) {
	const in, out = `[{"role":"user","content":"hi"}]`, `[{"role":"assistant","content":"yo"}]`
	const partsIn = `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`
	const partsOut = `[{"role":"assistant","parts":[{"type":"text","content":"yo"}],"finish_reason":"stop"}]`
	old, tokens := "gen_ai.usage.prompt_tokens=#10 gen_ai.usage.completion_tokens=#5 ",
		"gen_ai.usage.input_tokens=#10 gen_ai.usage.output_tokens=#5 "
	chat := "gen_ai.operation.name=chat gen_ai.request.model=m gen_ai.response.model=m-1 "
	texts := strings.NewReplacer("PARTSIN", partsIn, "PARTSOUT", partsOut, "IN", in, "OUT", out, "MESSAGE",
		out[1:len(out)-1])
	attributes := func(list string) string {
		var members []string
		for _, pair := range strings.Fields(list) {
			key, value, _ := strings.Cut(pair, "=")
			kind := fmt.Sprintf(`{"stringValue":%q}`, texts.Replace(value))
			if number, ok := strings.CutPrefix(value, "#"); ok {
				kind = `{"intValue":"` + number + `"}`
			}
			members = append(members, fmt.Sprintf(`{"key":%q,"value":%s}`, key, kind))
		}
		return "[" + strings.Join(members, ",") + "]"
	}
	first := ""
	for _, c := range []struct{ version, call, events string }{
		{"1.26", "gen_ai.system=openai gen_ai.request.model=m gen_ai.response.model=m-1 " + old,
			"gen_ai.content.prompt gen_ai.prompt=IN;gen_ai.content.completion gen_ai.completion=OUT"},
		{"1.27", "gen_ai.system=openai gen_ai.prompt=IN gen_ai.completion=OUT " + chat + tokens, ""},
		{"1.28", "gen_ai.system=openai " + chat + tokens, "gen_ai.user.message content=hi;gen_ai.choice message=MESSAGE"},
		{"1.37", "gen_ai.provider.name=openai gen_ai.input.messages=PARTSIN gen_ai.output.messages=PARTSOUT " + chat + tokens,
			""},
		{"1.37, as an event", "gen_ai.provider.name=openai " + chat + tokens,
			"gen_ai.client.inference.operation.details gen_ai.input.messages=PARTSIN gen_ai.output.messages=PARTSOUT"},
	} {
		var events []string
		for _, e := range strings.Split(c.events, ";") {
			if name, list, ok := strings.Cut(e, " "); ok {
				events = append(events, fmt.Sprintf(`{"name":%q,"timeUnixNano":"1772000001000000000","attributes":%s}`, name,
					attributes(list)))
			}
		}
		span := func(id, parent, name string, from, to int, list, events string) string {
			return fmt.Sprintf(`{"traceId":"t","spanId":%q,"parentSpanId":%q,"name":%q,"startTimeUnixNano":"177200000%d000000000",`+
				`"endTimeUnixNano":"177200000%d000000000","attributes":%s,"events":[%s]}`, id, parent, name, from, to,
				attributes(list), events)
		}
		text := `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join([]string{
			span("a", "", "invoke_agent desk", 0, 9,
				"gen_ai.operation.name=invoke_agent gen_ai.agent.name=desk gen_ai.agent.id=a1 gen_ai.conversation.id=c1", ""),
			span("b", "a", "chat m", 1, 3, c.call, strings.Join(events, ",")),
			span("c", "a", "execute_tool lookup", 4, 5,
				"gen_ai.operation.name=execute_tool gen_ai.tool.name=lookup gen_ai.tool.call.id=t1 "+
					`gen_ai.tool.call.arguments={"q":1} gen_ai.tool.call.result=found`, ""),
		}, ",") + `]}]}]}`
		got, err := written(streamOf(text, unjudged))
		if err != nil {
			t.Fatalf("%s: %v", c.version, err)
		}
		for _, want := range []string{`"model":"m-1"`, `"input_tokens":10,"output_tokens":5`, `"input":"hi"`, `"output":"yo"`,
			`"tool":"lookup","arguments":{"q":1},"output":"found"`, `"gen_ai.agent.id":"a1"`, `"gen_ai.agent.name":"desk"`,
			`"gen_ai.conversation.id":"c1"`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in\n%s", c.version, want, got)
			}
		}
		if first == "" {
			first = got
		}
		if got != first {
			t.Errorf("%s:\n%s\nwant\n%s", c.version, got, first)
		}
	}
}
