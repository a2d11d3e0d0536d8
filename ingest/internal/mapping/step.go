package mapping

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// steps are where the steps of a trial are, and what of one stands where in it.
type steps struct {
	at      trial.Place
	records recordPath
	own     []*source // all of them

	action, tool, arguments, output, failure, model  *source
	depth, duration, cost, inputTokens, outputTokens *source
}

// steps reads the mapping of steps.
func (d *decoder) steps(target **steps) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s := &steps{at: d.Place(n)}
		before := len(d.sources)
		d.Object(n,
			key{Name: "path", About: "of the list of steps in a record", Read: d.recordPath(&s.records), Needed: true,
				Advice: "give the path of the list of steps"},
			d.field("action", &s.action, texts,
				"reason, call_tool, respond or another word; default: call_tool where there is a tool, else reason"),
			d.field("tool", &s.tool, texts, "its name"),
			d.field("arguments", &s.arguments, texts, "what the tool was given"),
			d.field("output", &s.output, texts, "what came back, or was said"),
			d.field("error", &s.failure, texts, "the step failed: a text, an object with a message, or true"),
			d.field("model", &s.model, texts, "that was asked"),
			d.field("depth", &s.depth, numbers, "0 is the system itself, 1 a sub-agent of it"),
			d.field("duration_s", &s.duration, durations, ""),
			d.field("cost_usd", &s.cost, costs, ""),
			d.field("input_tokens", &s.inputTokens, numbers, "with cached ones"),
			d.field("output_tokens", &s.outputTokens, numbers, "that the model wrote"),
		)
		s.own = slices.Clone(d.sources[before:])
		for _, source := range s.own {
			source.field = "step." + source.field
		}
		*target = s
	}
}

// isOfStep reports whether a source is one of steps, of which not every step says everything.
func (m *Mapping) isOfStep(s *source) bool { return m.steps != nil && slices.Contains(m.steps.own, s) }

// stepsOf sets the steps of a trial. A record without the list has none that are known.
func (r *mappedFile) stepsOf(t *record.Trace, in *scope) error {
	s := r.mapping.steps
	if s == nil {
		return nil
	}
	if s.records.isIn(in.value) {
		r.hasSteps = true
		t.Steps = []trial.Step{}
	}
	return s.records.each(in, func(at *scope) error {
		at.number, at.table = in.number, false
		if len(r.steps) < keptSamples {
			r.steps = append(r.steps, at)
		}
		step, err := r.step(at)
		t.Steps = append(t.Steps, step)
		return err
	})
}

// step makes a step. One without an action calls a tool, if it has one, and reasons, if not.
func (r *mappedFile) step(in *scope) (step trial.Step, err error) {
	s := r.mapping.steps
	step.Tool, step.Model = r.text(s.tool, in), r.text(s.model, in)
	step.Action = trial.Action(r.text(s.action, in))
	switch {
	case step.Action != "":
	case step.Tool != "":
		step.Action = trial.CallTool
	default:
		step.Action = trial.Reason
	}
	step.Arguments, step.Output = r.value(s.arguments, in).Parsed().Raw(), r.raw(s.output, in)
	// An error is a text or an object; false says that there is none, and true that there is one.
	switch n := r.value(s.failure, in); {
	case !n.Exists() || n.Text() == "false" || n.IsText() && n.Text() == "" || n.IsObject() && n.Length() == 0:
	case n.Text() == "true":
		step.Error = record.Failed
	default:
		step.Error = record.StepError(n.ErrorText())
	}
	if step.Depth, err = r.ordinal(s.depth, in); err != nil {
		return step, err
	}
	if step.DurationSeconds, err = r.amount(s.duration, in); err != nil {
		return step, err
	}
	if step.CostUSD, err = r.amount(s.cost, in); err != nil {
		return step, err
	}
	if step.InputTokens, err = r.count(s.inputTokens, in); err != nil {
		return step, err
	}
	step.OutputTokens, err = r.count(s.outputTokens, in)
	return step, err
}
