package ingest

import "testing"

func FuzzOTLP(f *testing.F) {
	seed(f, "otlp",
		otlpText(`1 2 a {"gen_ai.operation.name":"chat","events":"[{\"event.name\":\"gen_ai.choice\",\"message\":{\"content\":\"a\"}}]"}`, `2 1 b {"openinference.span.kind":"TOOL","tool.name":"x","output.value":"\"y\""}`),
		otlpText(`1 - x.start-1 {"target":"x.start","name":"start","openinference.span.kind":"LLM"}`,
			`2 1 agent.react.update-1 {"target":"agent.react.update","name":"update","openinference.span.kind":"AGENT","tool.name":"x","output.value":"y"}`),
		otlpText(`1 - ai.generateText {"ai.operationId":"ai.generateText","llm.output_messages.0.message.contents.0.message_content.text":"x","llm.output_messages.0":1}`))
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "otlp") })
}

func FuzzLangfuse(f *testing.F) {
	seed(f, "langfuse", `{"trace":{"id":"1","timestamp":"x","input":"{\"contents\":\"a\"}"},"observations":[{"type":"GENERATION","output":"[[{\"text\":\"a\"}]]","usageDetails":{"total":1e300}},{"type":"SPAN","output":{"lc":1,"kwargs":{"tool_call_id":1,"content":[]}}}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "langfuse") })
}
