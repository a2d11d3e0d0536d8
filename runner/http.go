package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
)

// httpAgent is what listens at an address as an agent: one request an attempt.
type httpAgent struct {
	caller   *endpoint.Caller
	response suite.Response
	// What reads a body, where no paths are given.
	parse func(Request, []byte) (*trial.Trial, error)
	unansweredRule
}

// newHTTPAgent returns the agent of a suite.
func newHTTPAgent(a suite.Agent, parse func(Request, []byte) (*trial.Trial, error)) *httpAgent {
	return &httpAgent{
		caller: endpoint.New(endpoint.Call{
			URL: a.HTTP.URL, Method: a.HTTP.Method, Headers: a.HTTP.Headers, Body: a.HTTP.Body,
			Timeout: a.Timeout, MaxBytes: a.MaxOutputBytes, Async: a.HTTP.Async,
		}),
		response: a.HTTP.Response, parse: parse, unansweredRule: unansweredOf(a),
	}
}

// Close closes its connections.
func (a *httpAgent) Close() { a.caller.Close() }

// valuesOf are what a request is made of.
func valuesOf(r Request) (endpoint.Values, error) {
	text, err := r.JSON()
	return endpoint.Values{
		Request: text, Input: r.Input, Scenario: r.Scenario, Variant: r.Variant, Trial: r.Trial, Seed: r.Seed, ID: r.id(),
	}, err
}

// Run asks once.
func (a *httpAgent) Run(ctx context.Context, r Request) Attempt {
	values, err := valuesOf(r)
	if err != nil {
		return notJSON(err)
	}
	start := time.Now()
	answer, err := a.caller.Do(ctx, values)
	took := time.Since(start)
	if err != nil {
		return a.attempt(r, err, took)
	}
	t, err := a.read(r, answer)
	if err != nil {
		err = fmt.Errorf("the agent's answer cannot be used: %w", err)
		return a.failed(r, outputProblem, err, answer.Body, took, a.outputIsError)
	}
	if !t.DurationSeconds.Known {
		t.DurationSeconds = trial.Some(took.Seconds())
	}
	return Attempt{Trial: t, came: answer.Body}
}

// read makes a trial of an answer: of the parts at the paths, or of the whole in the format of the suite. Of a stream
// of events without paths that is the last one.
func (a *httpAgent) read(r Request, answer *endpoint.Answer) (*trial.Trial, error) {
	if !a.response.Asked() {
		body := answer.Body
		if answer.IsEvents {
			if len(answer.Events) == 0 {
				return nil, errors.New("it is a stream without an event")
			}
			body = []byte(answer.Events[len(answer.Events)-1])
		}
		return a.parse(r, body)
	}
	var documents []any
	if answer.IsEvents {
		for _, event := range answer.Events {
			if document, err := endpoint.Decode([]byte(event)); err == nil {
				documents = append(documents, document)
			}
		}
	} else {
		document, err := endpoint.Decode(answer.Body)
		if err != nil {
			return nil, fmt.Errorf("it is not JSON: %w", err)
		}
		documents = []any{document}
	}
	return a.gather(r, documents, answer.IsEvents)
}

// gather makes a trial of the parts of one document, or of the events of a stream.
func (a *httpAgent) gather(r Request, documents []any, isStream bool) (*trial.Trial, error) {
	record := map[string]any{}
	for name, text := range map[string]string{
		"output": a.response.Output, "outcome": a.response.Outcome, "steps": a.response.Steps, "model": a.response.Model,
		"cost_usd": a.response.CostUSD, "input_tokens": a.response.InputTokens, "output_tokens": a.response.OutputTokens,
	} {
		if text == "" {
			continue
		}
		path, err := oracle.ParsePath(text)
		if err != nil {
			return nil, err
		}
		value, found := partOf(documents, path, isStream && name == "output")
		switch passed, isTruth := value.(bool); {
		case !found && (name == "output" || name == "outcome"):
			return nil, fmt.Errorf("nothing stands at %s, where its %s should", text, name)
		case !found || value == nil:
		case name == "outcome" && isTruth:
			record["passed"] = passed
		default:
			record[name] = value
		}
	}
	text, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	return trial.Decode(text, trial.Options{Scenario: r.Scenario, Unjudged: true})
}

// partOf is what stands at a path: in the last document that has it, or the texts of all of them one after the other.
func partOf(documents []any, path oracle.Path, joined bool) (last any, found bool) {
	var texts strings.Builder
	all := true
	for _, document := range documents {
		value, ok := path.Find(document)
		if !ok {
			continue
		}
		text, isText := value.(string)
		texts.WriteString(text)
		all = all && (isText || value == nil)
		last, found = value, true
	}
	if joined && found && all {
		return texts.String(), true
	}
	return last, found
}
