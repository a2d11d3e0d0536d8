package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestBedrock(t *testing.T) {
	s := Open([]string{"testdata/bedrock.jsonl"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"bedrock","trial":0,"started_at":"2026-07-01T10:00:00Z","duration_s":5,"model":"m-big","input_tokens":230,"output_tokens":27,"steps":[`+
		`{"action":"reason","output":"fine","duration_s":0.9,"input_tokens":10,"output_tokens":2,"model":"m-small"},`+
		`{"action":"reason","output":"both","input_tokens":100,"output_tokens":20,"model":"m-big"},`+
		`{"action":"call_tool","tool":"PUT /orders/{id}","arguments":{"id":"W1","note":"hi"},"output":"ok","duration_s":1},`+
		`{"action":"retrieve","arguments":{"knowledgeBaseId":"KB","text":"notes"},"output":[{"content":{"text":"n"}}],"duration_s":0.5},`+
		`{"action":"reason","output":"Now compute."},`+
		`{"action":"call_tool","tool":"code_interpreter","arguments":{"code":"1/0"},"error":"ZeroDivisionError","duration_s":0.15},`+
		`{"action":"reason","output":"<call","error":"not a call","input_tokens":120,"output_tokens":5},`+
		`{"action":"call_tool","tool":"helper","arguments":{"text":"help","type":"TEXT"},"error":"model throttled"},`+
		`{"action":"respond","output":"Done, half."}`+
		`],"input":"two things","output":"Done, half.","tags":{"sessionId":"b-1","agentId":"A","agentAliasId":"L","agentVersion":"3","guardrailTrace.action":"INTERVENED"}}
21 {"scenario":"bedrock","trial":1,"outcome":"error","error":{"origin":"infrastructure","type":"throttlingException","message":"too fast"},"started_at":"2026-07-01T11:00:00Z","steps":[],"tags":{"sessionId":"b-2","agentId":"A"}}
24 {"scenario":"bedrock","trial":2,"started_at":"2026-07-01T12:00:00Z","steps":[],"tags":{"sessionId":"b-3","agentId":"A"}}`)
	checkNotes(t, s, "testdata/bedrock.jsonl: 3 trials (bedrock); left out: events that are not understood (1), events of a custom orchestration (1); "+
		"a session ends without an answer; was the program stopped?")
}

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
