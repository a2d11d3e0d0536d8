package ingest

import "github.com/tribunal-dev/tribunal/trial"

// readADKCase makes a trial of a case of an evaluation: of its session, where that is
// kept, else of what the invocations tell.
func readADKCase(in *input, set, n node, line int) error {
	a := newADK(in, line)
	t := a.trace
	t.Scenario = n.either("eval_id", "evalId").text()
	for _, name := range []string{"eval_set_result_id", "evalSetResultId", "eval_set_id", "evalSetId"} {
		t.setTag(name, n.at(name).orElse(set.at(name)))
	}
	t.setTags("", n, "session_id", "sessionId")
	if session := n.either("session_details", "sessionDetails"); len(session.at("events").list()) > 0 {
		for _, e := range session.at("events").list() {
			a.event(e)
		}
	} else {
		for _, i := range n.either("eval_metric_result_per_invocation", "evalMetricResultPerInvocation").list() {
			a.invocation(i.either("actual_invocation", "actualInvocation"))
		}
	}
	switch n.either("final_eval_status", "finalEvalStatus").text() {
	case "1", "PASSED":
		t.Outcome = trial.Pass
	case "2", "FAILED":
		t.Outcome = trial.Fail
	}
	metrics := n.either("overall_eval_metric_results", "overallEvalMetricResults").list()
	for _, m := range metrics {
		t.setTag("overall_eval_metric_results."+m.either("metric_name", "metricName").text(), m.at("score"))
		if len(metrics) == 1 {
			t.Score = m.at("score").number()
		}
	}
	return a.end()
}

// invocation takes in one turn of an evaluation.
func (a *adk) invocation(n node) {
	t := a.trace
	t.addTime(n.either("creation_timestamp", "creationTimestamp").time())
	t.setInput(node{adkText(n.either("user_content", "userContent").at("parts").list())})
	data := n.either("intermediate_data", "intermediateData")
	for _, e := range data.either("invocation_events", "invocationEvents").list() {
		a.answer(e, e.at("content", "parts").list())
		a.results(e.at("content", "parts").list())
	}
	var calls []toolCall
	for _, c := range data.either("tool_uses", "toolUses").list() {
		calls = append(calls, toolCall{c.at("id").text(), c.at("name").text(), c.at("args")})
	}
	if len(calls) > 0 {
		t.addAnswer(answer{calls: calls})
	}
	for _, r := range data.either("tool_responses", "toolResponses").list() {
		a.results([]node{{map[string]any{"function_response": r.value}}})
	}
	if text := adkText(n.either("final_response", "finalResponse").at("parts").list()); text != "" {
		t.addAnswer(answer{text: text})
	}
}
