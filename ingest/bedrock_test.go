package ingest

import "testing"

func TestBedrockForms(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an array, without the event around the trace, and a chunk that is text": {
			`[{"sessionId":"s","agentId":"a","trace":{"orchestrationTrace":{"invocationInput":{"traceId":"t","actionGroupInvocationInput":{"function":"find","parameters":[]}}}}},
{"sessionId":"s","trace":{"orchestrationTrace":{"observation":{"traceId":"t","repromptResponse":{"source":"ACTION_GROUP","text":"no such"}}}}},
{"chunk":{"bytes":"Sorry."}}]`,
			`1 {"scenario":"f","trial":0,"steps":[{"action":"call_tool","tool":"find","arguments":{},"error":"no such"}],"output":"Sorry.","tags":{"sessionId":"s","agentId":"a"}}`},
		"two prompts, a collaborator without a chain, a model of another family": {
			`{"trace":{"sessionId":"s","trace":{"orchestrationTrace":{"modelInvocationOutput":{"traceId":"t","rawResponse":{"content":"{\"output\":{\"message\":{\"content\":[{\"text\":\"hm\"}]}}}"}}}}}}
{"trace":{"sessionId":"h","collaboratorName":"helper","trace":{"orchestrationTrace":{"observation":{"traceId":"u","finalResponse":{"text":"one"}}}}}}
{"chunk":{"bytes":"Zmlyc3Q="}}
{"trace":{"sessionId":"s","trace":{"orchestrationTrace":{"observation":{"traceId":"v","type":"ASK_USER"}}}}}
{"chunk":{"bytes":"c2Vjb25k"}}`,
			`1 {"scenario":"f","trial":0,"steps":[{"action":"reason","output":"hm"},{"action":"respond","output":"one","depth":1},{"action":"respond"}],"output":"second","tags":{"sessionId":"s"}}`},
	} {
		t.Run(name, func(t *testing.T) { checkWritten(t, codingLog(c.text), c.want) })
	}
}
