package frameworks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// readADKCase makes a trial of a case of an evaluation: of its session, where that is
// kept, else of what the invocations tell.
// readADKCase reads
//
//	{"eval_id":"book","final_eval_status":1,"overall_eval_metric_results":[{"metric_name":"match","score":0.75}],
//	"session_details":{"id":"s9","events":[...]},"eval_metric_result_per_invocation":[...]}
//
// Of session_details and the invocations, whichever is there tells the steps.
func readADKCase(in *record.Input, set, n record.Node, line int) error {
	a := newADK(in, line)
	t := a.trace
	t.Scenario = n.Either("eval_id", "evalId").Text()
	for _, name := range []string{"eval_set_result_id", "evalSetResultId", "eval_set_id", "evalSetId"} {
		t.SetTag(name, n.At(name).OrElse(set.At(name)))
	}
	t.SetTags("", n, "session_id", "sessionId")
	if session := n.Either("session_details", "sessionDetails"); len(session.At("events").List()) > 0 {
		for _, e := range session.At("events").List() {
			a.event(e)
		}
	} else {
		for _, i := range n.Either("eval_metric_result_per_invocation", "evalMetricResultPerInvocation").List() {
			a.invocation(i.Either("actual_invocation", "actualInvocation"))
		}
	}
	// EvalStatus is 1 for passed, 2 for failed and 3 for not evaluated, which stays unjudged.
	switch n.Either("final_eval_status", "finalEvalStatus").Text() {
	case "1", "PASSED":
		t.Outcome = trial.Pass
	case "2", "FAILED":
		t.Outcome = trial.Fail
	}
	// A single metric is the score; of several each is a tag, for a rule to choose.
	metrics := n.Either("overall_eval_metric_results", "overallEvalMetricResults").List()
	for _, m := range metrics {
		t.SetTag("overall_eval_metric_results."+m.Either("metric_name", "metricName").Text(), m.At("score"))
		if len(metrics) == 1 {
			t.Score = m.At("score").Number()
		}
	}
	return a.end()
}

// invocation takes in one turn of an evaluation.
// An invocation lists its tools and their responses apart from one another and from the
// text between them: the calls become one answer with all of them, as their order to the
// texts is lost. Newer ones have invocation_events in order instead.
func (a *adk) invocation(n record.Node) {
	t := a.trace
	t.AddTime(n.Either("creation_timestamp", "creationTimestamp").Time())
	t.SetInput(record.Node{Value: transcript.GeminiText(n.Either("user_content", "userContent").At("parts").List())})
	data := n.Either("intermediate_data", "intermediateData")
	for _, e := range data.Either("invocation_events", "invocationEvents").List() {
		a.answer(e, e.At("content", "parts").List())
		a.results(e.At("content", "parts").List())
	}
	var calls []record.Call
	for _, c := range data.Either("tool_uses", "toolUses").List() {
		calls = append(calls, record.Call{ID: c.At("id").Text(), Tool: c.At("name").Text(), Arguments: c.At("args")})
	}
	if len(calls) > 0 {
		t.AddAnswer(record.Answer{Calls: calls})
	}
	// The shape that a.results expects of a part.
	for _, r := range data.Either("tool_responses", "toolResponses").List() {
		a.results([]record.Node{{Value: map[string]any{"function_response": r.Value}}})
	}
	if text := transcript.GeminiText(n.Either("final_response", "finalResponse").At("parts").List()); text != "" {
		t.AddAnswer(record.Answer{Text: text})
	}
}
