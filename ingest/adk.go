package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

func isADKEvent(n node) bool {
	return n.at("author").isText() && (n.has("invocationId") || n.has("invocation_id")) && !n.has("events")
}

func isADKEval(n node) bool {
	return n.either("eval_case_results", "evalCaseResults").isList() || isADKCase(n)
}

func isADKCase(n node) bool {
	return (n.has("eval_id") || n.has("evalId")) && (n.has("final_eval_status") || n.has("finalEvalStatus"))
}

func isADKSession(n node) bool {
	for _, e := range n.at("events").list() {
		return e.at("author").isText() && (e.has("content") || isADKEvent(e))
	}
	return n.at("events").isList() && (n.has("appName") || n.has("app_name")) && n.has("id")
}

func showsADK(s *shape) bool {
	return isADKSession(s.first()) || isADKEvent(s.first()) || isADKEval(s.first())
}

// readADK makes a trial of each session, of each case of an evaluation, and of a list
// of events.
func readADK(in *input) error {
	events := group{read: func(events []node, line int) error {
		a := newADK(in, line)
		for _, e := range events {
			a.event(e)
		}
		return a.end()
	}}
	return events.readValues(in, func(n node, line int) error {
		cases := n.either("eval_case_results", "evalCaseResults")
		switch {
		case cases.isList():
			for _, m := range cases.list() {
				if err := readADKCase(in, n, m, line); err != nil {
					return err
				}
			}
			return nil
		case isADKCase(n):
			return readADKCase(in, node{}, n, line)
		case n.at("events").isList():
			a := newADK(in, line)
			a.session(n)
			return a.end()
		case isADKEvent(n):
			events.add(n, line)
			return nil
		}
		in.notes.skip("records that are no sessions or events")
		return nil
	})
}

// adk is a trial that is put together.
type adk struct {
	in     *input
	trace  *trace
	failed *trial.Cause // how the last answer of the model failed
}

func newADK(in *input, line int) *adk { return &adk{in: in, trace: newTrace(in, line)} }

func (a *adk) end() error {
	if a.failed != nil && a.trace.Outcome == trial.Unjudged {
		a.trace.Error = a.failed
		if a.failed.Origin == trial.InfrastructureOrigin {
			a.trace.Outcome = trial.Error
		}
	}
	return a.in.emitTrace(a.trace)
}

// session takes in a session.
func (a *adk) session(n node) {
	a.trace.setTags("", n, "id", "appName", "app_name", "userId", "user_id")
	a.trace.setTag("state", n.at("state"))
	for _, e := range n.at("events").list() {
		a.event(e)
	}
}

// event takes in an event: a message of the user, an answer of the model, or the
// results of tools. Parts of an answer that is still being written are passed over.
func (a *adk) event(e node) {
	if e.at("partial").isTrue() || e.at("options", "partial").isTrue() {
		return
	}
	t := a.trace
	t.addTime(e.at("timestamp").time())
	parts := e.at("content", "parts").list()
	before := len(t.Steps)
	switch {
	case e.at("author").text() == "user":
		t.setInput(node{adkText(parts)})
	default:
		a.answer(e, parts)
	}
	a.results(parts)
	if depth := strings.Count(e.at("branch").text(), "."); depth > 0 {
		for i := before; i < len(t.Steps); i++ {
			t.Steps[i].Depth = trial.Some(depth)
		}
	}
}

// adkText returns the text of parts that are no thoughts.
func adkText(parts []node) string {
	var texts []string
	for _, p := range parts {
		if text := p.at("text").words(); text != "" && !p.at("thought").isTrue() {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// answer adds an answer of the model, if the event is one.
func (a *adk) answer(e node, parts []node) {
	t := a.trace
	text := adkText(parts)
	var calls []toolCall
	for _, p := range parts {
		if c := p.either("functionCall", "function_call"); c.isObject() {
			calls = append(calls, toolCall{c.at("id").text(), c.at("name").text(), c.at("args")})
		}
		if c := p.either("executableCode", "executable_code"); c.isObject() {
			calls = append(calls, toolCall{adkCode, adkCode, c})
		}
	}
	spent := e.either("usageMetadata", "usage_metadata")
	u := usage{input: spent.either("promptTokenCount", "prompt_token_count").count(), output: plus(
		spent.either("candidatesTokenCount", "candidates_token_count").count(), spent.either("thoughtsTokenCount", "thoughts_token_count").count())}
	code := e.either("errorCode", "error_code")
	if text == "" && len(calls) == 0 && !u.input.Known && !u.output.Known && !code.exists() {
		return
	}
	at := len(t.Steps)
	t.addAnswer(answer{text: text, model: e.either("modelVersion", "model_version").words(), calls: calls, usage: u})
	a.failed = nil
	if code.exists() {
		message := e.either("errorMessage", "error_message").words()
		failAnswer(&t.Steps[at], strings.TrimSuffix(code.text()+": "+message, ": "))
		a.failed = newCause(code.text(), message)
		if isProviderFailure(code.text()) {
			a.failed.Origin = trial.InfrastructureOrigin
		}
	}
}

// adkCode is the name of the tool that runs the model's code, whose result has no id.
const adkCode = "code_execution"

// isProviderFailure reports whether a code is one of Google's interfaces for what is
// not the model's doing.
func isProviderFailure(code string) bool {
	switch code {
	case "RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "UNAUTHENTICATED", "PERMISSION_DENIED", "CANCELLED", "UNKNOWN_ERROR",
		"429", "500", "502", "503", "504", "401", "403":
		return true
	}
	return false
}

// results completes calls of tools. An error is what the interface of Gemini has
// under this name.
func (a *adk) results(parts []node) {
	for _, p := range parts {
		if r := p.either("functionResponse", "function_response"); r.isObject() {
			response := r.at("response")
			step := a.trace.setResult(r.at("id").text(), r.at("name").text(), response)
			if step == nil {
				continue
			}
			if e := response.at("error"); e.exists() && e.value != false && e.text() != "" || e.isObject() {
				step.Error = stepError(e.errorText())
			}
		}
		if r := p.either("codeExecutionResult", "code_execution_result"); r.isObject() {
			step := a.trace.setResult(adkCode, "", r.at("output"))
			if outcome := r.at("outcome").text(); step != nil && outcome != "" && outcome != "OUTCOME_OK" {
				step.Error = stepError(r.at("output").words())
			}
		}
	}
}
