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
	var loose *adk
	end := func() error {
		a := loose
		if loose = nil; a == nil {
			return nil
		}
		return a.end()
	}
	var read func(n node, line int) error
	read = func(n node, line int) error {
		cases := n.either("eval_case_results", "evalCaseResults")
		switch {
		case n.isList():
			for _, m := range n.list() {
				if err := read(m, line); err != nil {
					return err
				}
			}
			return end()
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
			if loose == nil {
				loose = newADK(in, line)
			}
			loose.event(n)
			return nil
		}
		in.notes.skip("records that are no sessions or events")
		return nil
	}
	if err := in.values(read); err != nil {
		return err
	}
	return end()
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
	return a.in.trial(a.trace)
}

// session takes in a session.
func (a *adk) session(n node) {
	for _, name := range []string{"id", "appName", "app_name", "userId", "user_id"} {
		a.trace.tag(name, n.at(name))
	}
	a.trace.tagTree("state", n.at("state"))
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
	t.seen(e.at("timestamp").time())
	parts := e.at("content", "parts").list()
	before := len(t.Steps)
	switch {
	case e.at("author").text() == "user":
		t.ask(node{adkText(parts)})
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
		if text := p.at("text").wordsOnly(); text != "" && !p.at("thought").isTrue() {
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
	t.reply(text, e.either("modelVersion", "model_version").wordsOnly(), calls, u)
	a.failed = nil
	if code.exists() {
		message := e.either("errorMessage", "error_message").wordsOnly()
		broken(&t.Steps[at], strings.TrimSuffix(code.text()+": "+message, ": "))
		a.failed = &trial.Cause{Type: code.text(), Message: validText(cut(message))}
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
			step := a.trace.give(r.at("id").text(), r.at("name").text(), response)
			if step == nil {
				a.in.notes.skip(resultWithoutCall)
				continue
			}
			if e := response.at("error"); e.exists() && e.value != false && e.text() != "" || e.isObject() {
				step.Error = failure(errorText(e))
			}
		}
		if r := p.either("codeExecutionResult", "code_execution_result"); r.isObject() {
			step := a.trace.give(adkCode, "", r.at("output"))
			if step == nil {
				a.in.notes.skip(resultWithoutCall)
			} else if outcome := r.at("outcome").text(); outcome != "" && outcome != "OUTCOME_OK" {
				step.Error = failure(r.at("output").wordsOnly())
			}
		}
	}
}
