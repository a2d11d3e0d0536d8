package frameworks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// isADKEvent reports whether n is an event of a session. Its names are in camel case or in
// snake case, as the program that wrote it chose, and so are all others below:
//
//	{"invocationId":"i1","author":"clerk","timestamp":1750000000,"content":{"parts":[{"text":"..."}]}}
func isADKEvent(n record.Node) bool {
	return n.At("author").IsText() && (n.Has("invocationId") || n.Has("invocation_id")) && !n.Has("events")
}

// isADKEval reports whether n is the result of adk eval, or one case of it.
func isADKEval(n record.Node) bool {
	return n.Either("eval_case_results", "evalCaseResults").IsList() || isADKCase(n)
}

// isADKCase reports whether n is a case with its status.
func isADKCase(n record.Node) bool {
	return (n.Has("eval_id") || n.Has("evalId")) && (n.Has("final_eval_status") || n.Has("finalEvalStatus"))
}

// isADKSession reports whether n is a session: events with authors, or none yet under the
// name of an app.
func isADKSession(n record.Node) bool {
	for _, e := range n.At("events").List() {
		return e.At("author").IsText() && (e.Has("content") || isADKEvent(e))
	}
	return n.At("events").IsList() && (n.Has("appName") || n.Has("app_name")) && n.Has("id")
}

// showsADK tells a file by its first record.
func showsADK(s *record.Shape) bool {
	return isADKSession(s.First()) || isADKEvent(s.First()) || isADKEval(s.First())
}

// ADK decodes Google ADK and Vertex sessions.
var ADK = record.Decoder{Shows: showsADK, Read: readADK}

// readADK makes a trial of each session, of each case of an evaluation, and of a list
// of events.
func readADK(in *record.Input) error {
	events := record.Group{Read: func(events []record.Node, line int) error {
		a := newADK(in, line)
		for _, e := range events {
			a.event(e)
		}
		return a.end()
	}}
	return events.ReadValues(in, func(n record.Node, line int) error {
		cases := n.Either("eval_case_results", "evalCaseResults")
		switch {
		case cases.IsList():
			for _, m := range cases.List() {
				if err := readADKCase(in, n, m, line); err != nil {
					return err
				}
			}
			return nil
		case isADKCase(n):
			return readADKCase(in, record.Node{}, n, line)
		case n.At("events").IsList() && n.At("events").Length() == 0:
			in.Notes.Pass("sessions without events")
			return nil
		case n.At("events").IsList():
			a := newADK(in, line)
			a.session(n)
			return a.end()
		case isADKEvent(n):
			events.Add(n, line)
			return nil
		}
		in.Notes.Skip("records that are no sessions or events")
		return nil
	})
}

// adk is a trial that is put together.
type adk struct {
	in     *record.Input
	trace  *record.Trace
	failed *trial.Cause // how the last answer of the model failed
}

// newADK begins a trial at a line.
func newADK(in *record.Input, line int) *adk { return &adk{in: in, trace: record.NewTrace(in, line)} }

// end hands out the trial. An error of the last answer is that of the trial, unless the
// evaluation has judged it.
func (a *adk) end() error {
	if a.failed != nil && a.trace.Outcome == trial.Unjudged {
		a.trace.Error = a.failed
		if a.failed.Origin == trial.InfrastructureOrigin {
			a.trace.Outcome = trial.Error
		}
	}
	return a.in.EmitTrace(a.trace)
}

// session takes in a session.
func (a *adk) session(n record.Node) {
	a.trace.SetTags("", n, "id", "appName", "app_name", "userId", "user_id")
	a.trace.SetTag("state", n.At("state"))
	for _, e := range n.At("events").List() {
		a.event(e)
	}
}

// event takes in an event: a message of the user, an answer of the model, or the
// results of tools. Parts of an answer that is still being written are passed over.
// With streaming on, ADK yields partial events and then the whole one: only that counts.
// Results of tools are looked for in events of every author.
func (a *adk) event(e record.Node) {
	if e.At("partial").IsTrue() || e.At("options", "partial").IsTrue() {
		return
	}
	t := a.trace
	// Programs choose the names of sessions, and may choose one twice; invocations are counted.
	t.SetMessageID(e.Either("invocationId", "invocation_id").Text())
	t.AddTime(e.At("timestamp").Time())
	parts := e.At("content", "parts").List()
	before := len(t.Steps)
	switch {
	case e.At("author").Text() == "user":
		t.SetInput(record.Node{Value: transcript.GeminiText(parts)})
	default:
		a.answer(e, parts)
	}
	a.results(parts)
	// The branch is the path of agents, "root.helper": its points count the agents above.
	if depth := strings.Count(e.At("branch").Text(), "."); depth > 0 {
		for i := before; i < len(t.Steps); i++ {
			t.Steps[i].Depth = trial.Some(depth)
		}
	}
}

// answer adds an answer of the model, if the event is one.
// Code that the model writes and the service runs is a call of the tool code_execution, with
// its result in a later part.
func (a *adk) answer(e record.Node, parts []record.Node) {
	t := a.trace
	text := transcript.GeminiText(parts)
	var calls []record.Call
	for _, p := range parts {
		if c := p.Either("functionCall", "function_call"); c.IsObject() {
			calls = append(calls, record.Call{ID: c.At("id").Text(), Tool: c.At("name").Text(),
				Arguments: c.At("args")})
		}
		if c := p.Either("executableCode", "executable_code"); c.IsObject() {
			calls = append(calls, record.Call{ID: adkCode, Tool: adkCode, Arguments: c})
		}
	}
	u := transcript.GeminiUsage(e.Either("usageMetadata", "usage_metadata"))
	code := e.Either("errorCode", "error_code")
	// Events of results or of state alone are no answers.
	if text == "" && len(calls) == 0 && !u.Input.Known && !u.Output.Known && !code.Exists() {
		return
	}
	at := len(t.Steps)
	t.AddAnswer(record.Answer{Text: text, Model: e.Either("modelVersion", "model_version").Words(),
		Calls: calls, Usage: u})
	// An answer after a failure means that the program went on.
	a.failed = nil
	if code.Exists() {
		message := e.Either("errorMessage", "error_message").Words()
		record.FailAnswer(&t.Steps[at], strings.TrimSuffix(code.Text()+": "+message, ": "))
		a.failed = record.NewCause(code.Text(), message)
		if isProviderFailure(code.Text()) {
			a.failed.Origin = trial.InfrastructureOrigin
		}
	}
}

// adkCode is the name of the tool that runs the model's code, whose result has no id.
const adkCode = "code_execution"

// isProviderFailure reports whether a code is one of Google's interfaces for what is
// not the model's doing.
// Codes of answers, such as MAX_TOKENS or SAFETY, are the agent's own doing.
func isProviderFailure(code string) bool {
	switch code {
	case "RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "UNAUTHENTICATED",
		"PERMISSION_DENIED", "CANCELLED", "UNKNOWN_ERROR",
		"429", "500", "502", "503", "504", "401", "403":
		return true
	}
	return false
}

// results completes calls of tools. An error is what the interface of Gemini has
// under this name.
func (a *adk) results(parts []record.Node) {
	for _, p := range parts {
		if r := p.Either("functionResponse", "function_response"); r.IsObject() {
			// ADK wraps what a function returns in an object; one that it could not call, or that
			// returned {"error": ...}, has the error there. False and "" are none.
			response := r.At("response")
			step := a.trace.SetResult(r.At("id").Text(), r.At("name").Text(), response)
			if step == nil {
				continue
			}
			if e := response.At("error"); e.Exists() && e.Value != false && e.Text() != "" || e.IsObject() {
				step.Error = record.StepError(e.ErrorText())
			}
		}
		if r := p.Either("codeExecutionResult", "code_execution_result"); r.IsObject() {
			step := a.trace.SetResult(adkCode, "", r.At("output"))
			if outcome := r.At("outcome").Text(); step != nil && outcome != "" && outcome != "OUTCOME_OK" {
				step.Error = record.StepError(r.At("output").Words())
			}
		}
	}
}
