package benchmarks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// openai/evals writes what it records (evals/record.py), a line each, between the specification and the report:
//
//	{"spec":{"completion_fns":["gpt-4o-mini"],"eval_name":"refund.dev.v0","run_id":"261101ABC"}}
//	{"run_id":"261101ABC","event_id":0,"sample_id":"refund.dev.0","type":"sampling","data":{"prompt":[],"sampled":["a"]}}
//	{"run_id":"261101ABC","event_id":1,"sample_id":"refund.dev.0","type":"match","data":{"correct":true}}
//	{"final_report":{"accuracy":1.0}}
func showsOpenAIEvals(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		return n.At("spec").Has("completion_fns", "eval_name") || n.Has("run_id", "event_id", "sample_id", "type", "data")
	})
}

// OpenAIEvals decodes the logs of openai/evals.
var OpenAIEvals = record.Decoder{Shows: showsOpenAIEvals, Read: readOpenAIEvals}

// openAIEvals reads a run, whose samples are recorded at once.
type openAIEvals struct {
	in      *record.Input
	variant string
	name    string
	samples map[string]*evalsSample
	order   []*evalsSample
}

// evalsSample is the trial of a sample.
type evalsSample struct {
	*record.Trace
	matches, correct int
	metrics          record.Node
}

// readOpenAIEvals makes a trial of each sample.
func readOpenAIEvals(in *record.Input) error {
	e := &openAIEvals{in: in, samples: map[string]*evalsSample{}}
	isOver := false
	err := in.Records(func(n record.Node, line int) error {
		switch {
		case n.Has("spec"):
			spec := n.At("spec")
			e.name = spec.At("eval_name").Text()
			e.variant = record.ValidText(spec.At("completion_fns").First().Text())
		case n.Has("final_report"):
			isOver = true
		case n.At("sample_id").IsText():
			e.event(n, line)
		default:
			in.Notes.Skip(record.UnknownEvent)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, s := range e.order {
		s.judge()
		if len(s.Steps) == 0 {
			s.Steps = nil // the log has no answers of some solvers
		}
		if err := in.EmitTrace(s.Trace); err != nil {
			return err
		}
	}
	if !isOver {
		in.Notes.Remark("the run has no final report: samples may be missing")
	}
	return nil
}

// event takes in an event of a sample.
func (e *openAIEvals) event(n record.Node, line int) {
	id := n.At("sample_id").Text()
	s := e.samples[id]
	if s == nil {
		s = &evalsSample{Trace: record.NewTrace(e.in, line)}
		s.Scenario, s.Variant = record.ValidText(id), e.variant
		s.ID = strings.TrimSpace(n.At("run_id").Text() + " " + id)
		s.SetTag("eval_name", record.Node{Value: e.name})
		s.SetTag("run_id", n.At("run_id"))
		e.samples[id] = s
		e.order = append(e.order, s)
	}
	data := n.At("data")
	switch n.At("type").Text() {
	case "sampling":
		s.sampling(data)
	case "match":
		s.matches++
		if data.At("correct").IsTrue() {
			s.correct++
		}
	case "metrics":
		s.metrics = data
	case "error":
		s.SetInfrastructureError(data.At("type").Text(), data.At("message").Text())
	default:
		e.in.Notes.Pass("events that are no answers and no results")
	}
}

// sampling takes in an answer of the model.
func (s *evalsSample) sampling(data record.Node) {
	prompt := data.At("prompt")
	if messages := prompt.List(); len(messages) > 0 {
		prompt = messages[len(messages)-1].At("content").OrElse(prompt)
	}
	s.SetInput(prompt)
	sampled := data.At("sampled")
	if sampled.IsList() {
		sampled = sampled.First()
	}
	s.AddAnswer(record.Answer{Text: sampled.OrElse(data.At("result")).Text(), Model: data.At("model").Text(),
		Usage: transcript.Usage(data.At("usage"))})
}

// judge sets the outcome: that of all its matches, or else of the only metric.
func (s *evalsSample) judge() {
	switch {
	case s.Outcome == trial.Error:
		return
	case s.matches > 0:
		s.Outcome = trial.Fail
		if s.correct == s.matches {
			s.Outcome = trial.Pass
		}
		return
	}
	s.SetTag("metrics", s.metrics)
	if s.metrics.Length() != 1 {
		return
	}
	for _, value := range s.metrics.Members() {
		if truth := value.Truth(); truth.Known {
			s.Outcome = trial.Fail
			if truth.Value {
				s.Outcome = trial.Pass
			}
		}
		s.Score = value.Number()
	}
}
