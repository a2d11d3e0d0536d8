package otlp

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// spanVerdict is what an evaluation says of a trial.
// label, explanation and name may be "". score is on whatever scale the evaluator has; truth
// is known where the value is a boolean.
type spanVerdict struct {
	tag         string // name of the tag that keeps it
	name        string
	label       string
	explanation string
	score       trial.Optional[float64]
	truth       trial.Optional[bool]
}

// evaluationOf reads an evaluation from its members, however they are prefixed.
// at returns the member of the name, from attributes or from an object.
func evaluationOf(at func(name string) record.Node) spanVerdict {
	v := spanVerdict{name: at("name").Text(), label: at("score.label").Text(),
		explanation: at("explanation").Text(), score: at("score.value").Number()}
	if truth, ok := at("score.value").Value.(bool); ok {
		v.truth = trial.Some(truth)
	}
	v.tag = "evaluation." + v.name
	return v
}

// outcome returns the outcome that the verdict clearly states, [trial.Unjudged] if it
// states none: a score of 1 may be as bad as it is good.
func (v spanVerdict) outcome() trial.Outcome {
	switch strings.ToLower(strings.TrimSpace(v.label)) {
	case "pass", "passed", "correct":
		return trial.Pass
	case "fail", "failed", "incorrect":
		return trial.Fail
	}
	switch {
	case !v.truth.Known || findsFaults().MatchString(v.name):
		return trial.Unjudged
	case v.truth.Value:
		return trial.Pass
	}
	return trial.Fail
}

// findsFaults are names of evaluations that are true of a bad answer.
var findsFaults = lazy.Regexp(
	`(?i)hallucinat|toxic|harm|bias|error|fail|refus|jailbreak|violat|leak|unsafe|incorrect|issue`)

// text is the verdict as a tag.
// The label says most, then the truth, then the number.
func (v spanVerdict) text() record.Node {
	switch {
	case v.label != "":
		return record.Node{Value: v.label}
	case v.truth.Known:
		return record.Node{Value: v.truth.Value}
	case v.score.Known:
		return record.Node{Value: json.Number(strconv.FormatFloat(v.score.Value, 'g', -1, 64))}
	}
	return record.Node{}
}

// verdicts returns the evaluations of the whole trace. An evaluation of one answer,
// or of one call, is none, unless the trace is no more than that.
// They come as events or log records of the conventions, as evaluations of OpenInference, and
// as the status of a test.
func (t *spanTree) verdicts(steps int) (verdicts []spanVerdict) {
	take := func(events []spanEvent) {
		for _, e := range events {
			if e.name == "gen_ai.evaluation.result" {
				verdicts = append(verdicts,
					evaluationOf(func(name string) record.Node { return e.attributes.at("gen_ai.evaluation." + name) }))
			}
		}
	}
	take(t.logs)
	for _, s := range t.spans {
		if isPart := s.kind != agentSpan && s.kind != plainSpan && s.kind != evaluatorSpan &&
			s.parentSpan != nil; isPart && steps > 1 {
			continue
		}
		take(s.events)
		for _, e := range s.attributes.unflatten("evaluations.").List() {
			e = e.At("evaluation")
			verdicts = append(verdicts,
				evaluationOf(
					func(name string) record.Node { return e.At(strings.Replace(name, "score.value", "score", 1)) }))
			last := &verdicts[len(verdicts)-1]
			last.label = e.At("label").Text()
		}
	}
	if result := t.root().attributes.at("test.case.result.status"); result.Exists() {
		verdicts = append(verdicts, spanVerdict{tag: "test.case.result.status", name: "test", label: result.Text()})
	}
	return verdicts
}

// judgeByVerdicts sets the outcome that the verdicts agree on, and the score if there is but
// one number. All stay as tags.
// Two evaluators that disagree tell nothing without knowing which one counts.
func judgeByVerdicts(t *record.Trace, verdicts []spanVerdict) {
	var scores []float64
	disagree := false
	for _, v := range verdicts {
		t.SetTag(v.tag, v.text())
		if v.score.Known {
			scores = append(scores, v.score.Value)
		}
		o := v.outcome()
		switch {
		case o == trial.Unjudged:
			continue
		case t.Outcome == trial.Unjudged:
			t.Outcome = o
		case t.Outcome != o:
			disagree = true
		}
		if o == trial.Fail && t.Error == nil && v.explanation != "" {
			t.Error = record.NewCause(v.name, v.explanation)
		}
	}
	if len(scores) == 1 {
		t.Score = trial.Some(scores[0])
	}
	if disagree {
		t.Outcome, t.Error = trial.Unjudged, nil
		t.Notes.Remark("evaluations of one trace disagree: a rule must choose among them")
	}
}

// failed takes in the failure of the whole run. It is one of infrastructure if the
// run ended because the provider of the model failed.
// A verdict comes before a failure: a run may fail after it did what was asked.
func (t *spanTree) failed(x *record.Trace, steps []*span) {
	root := t.root()
	message, n := root.failure(), len(steps)
	cutAnswer := n > 0 && steps[n-1].finishesInError()
	if message == "" && !cutAnswer || x.Outcome != trial.Unjudged {
		return
	}
	if cutAnswer || n > 0 && steps[n-1].kind == llmSpan && steps[n-1].failure() != "" && providerFailed(steps[n-1]) {
		x.SetInfrastructureError(steps[n-1].failureType(), steps[n-1].failure())
		return
	}
	x.Error = &trial.Cause{Type: record.ValidText(root.failureType()), Message: message}
}

// providerFailures are names of errors, and HTTP status codes, that are not the doing
// of the system.
// 408, 429 and 5xx are what clients of models try again for.
var (
	providerFailures = lazy.Regexp(`(?i)^(408|429|5\d\d)$|timeout|timed_out|rate_?limit|api_?connection|` +
		`connect_?error|connection_?error|unavailable|overloaded|internal_?server`)
	providerMessages = lazy.Regexp(`(?i)error code: (408|429|5\d\d)\b`)
)

// providerFailed reports whether a call of a model failed by no doing of the agent: by the
// type of its error, its message, or the status of the response.
func providerFailed(s *span) bool {
	return providerFailures().MatchString(s.failureType()) || providerMessages().MatchString(s.message) ||
		providerFailures().MatchString(s.attributes.first("http.response.status_code", "http.status_code").Text())
}
