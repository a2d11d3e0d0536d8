package benchmarks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// Braintrust has a row for each span of an experiment (braintrustdata/braintrust-sdk, ExperimentEvent), as its
// interface, its SDK and its export give them, alone or within events or data:
//
//	{"id":"e-1","experiment_id":"x-1","span_id":"s-1","root_span_id":"s-1","input":"2+2","output":"4","expected":"4",
//	  "scores":{"exact":1},"metrics":{"start":1764450000.5,"end":1764450001.5},"span_attributes":{"name":"eval"}}
//	{"span_id":"s-2","root_span_id":"s-1","span_parents":["s-1"],"span_attributes":{"name":"chat","type":"llm"},
//	  "metrics":{"prompt_tokens":100,"prompt_cached_tokens":40,"completion_tokens":10},"metadata":{"model":"m"}}
func showsBraintrust(s *record.Shape) bool {
	return isBraintrustRow(s.First()) || isBraintrustRow(s.First().Either("events", "data").First())
}

// isBraintrustRow reports whether n is a span of Braintrust.
func isBraintrustRow(n record.Node) bool {
	return n.Has("span_id", "root_span_id") && (n.Has("experiment_id") || n.Has("span_attributes") || n.Has("scores"))
}

// Braintrust decodes the rows of experiments of Braintrust.
var Braintrust = record.Decoder{Shows: showsBraintrust, Read: readBraintrust}

// braintrust reads the rows of a file, which come in any order.
type braintrust struct {
	scorers
	traces map[string]*braintrustTrace // by the id of the outermost span
	order  []*braintrustTrace
}

// braintrustTrace are the spans of a trial.
type braintrustTrace struct {
	line  int
	root  record.Node
	spans map[string]record.Node // by id
	order []record.Node
}

// readBraintrust makes a trial of each outermost span with those below it.
func readBraintrust(in *record.Input) error {
	b := &braintrust{scorers: scorers{in: in}, traces: map[string]*braintrustTrace{}}
	err := in.Records(func(n record.Node, line int) error {
		rows := n.Either("events", "data").List()
		if isBraintrustRow(n) {
			rows = []record.Node{n}
		}
		for _, row := range rows {
			b.row(row, line)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range b.order {
		if err := b.trial(t); err != nil {
			return err
		}
	}
	return b.end()
}

// row takes in a span.
func (b *braintrust) row(n record.Node, line int) {
	id, root := n.At("span_id").Text(), n.At("root_span_id").Text()
	if id == "" || root == "" {
		b.in.Notes.Skip("rows that are no spans")
		return
	}
	t := b.traces[root]
	if t == nil {
		t = &braintrustTrace{line: line, spans: map[string]record.Node{}}
		b.traces[root] = t
		b.order = append(b.order, t)
	}
	if id == root {
		t.root, t.line = n, line
	}
	t.spans[id] = n
	t.order = append(t.order, n)
}

// trial hands out the trial of a trace. Braintrust itself compares experiments by the input.
func (b *braintrust) trial(spans *braintrustTrace) error {
	root := spans.root
	if !root.Exists() {
		b.in.Notes.Skip("spans without the outermost one")
		return nil
	}
	l := record.Timeline{Trace: record.NewTrace(b.in, spans.line)}
	t := l.Trace
	for _, n := range spans.order {
		if m, ok := braintrustStep(n); ok && !spans.scores(n) {
			l.Moments = append(l.Moments, m)
		}
	}
	l.Build()
	if len(t.Steps) == 0 {
		t.Steps = nil // an export may have the outermost spans alone
	}
	t.Scenario = record.ValidText(inputName(root.At("input")))
	t.Variant, t.ID = root.At("experiment_id").Text(), root.At("root_span_id").Text()
	t.Input, t.Output = root.At("input").Raw(), root.At("output").Raw()
	if t.Model == "" {
		t.Model = root.At("metadata", "model").Words()
	}
	t.SetTag("metadata", root.At("metadata"))
	t.SetTag("tags", root.At("tags"))
	start, end := root.At("metrics", "start").Time(), root.At("metrics", "end").Time()
	t.AddTime(start)
	if t.DurationSeconds = record.SecondsBetween(start, end); !t.DurationSeconds.Known {
		t.DurationSeconds = root.At("metrics", "duration").Amount()
	}
	if used := braintrustUsage(root); !t.StepUsage().HasTokens() {
		t.AddTotals(used)
	}
	b.judge(t, root)
	return b.in.EmitTrace(t)
}

// judge takes the score that is alone, or that the options name: 1 and 0 are a pass and a fail. A task that raised an
// error has no scores.
func (b *braintrust) judge(t *record.Trace, root record.Node) {
	var names []string
	scores := map[string]trial.Optional[float64]{}
	for name, score := range root.At("scores").Members() {
		if name = record.ValidText(name); score.Number().Known {
			names = append(names, name)
			scores[name] = score.Number()
			t.SetTag("scores."+name, score)
		}
	}
	if e := root.At("error"); len(names) == 0 && e.Exists() && e.ErrorText() != "" {
		t.Outcome, t.Error = trial.Error, record.NewCause("", e.ErrorText())
		return
	}
	if name, ok := b.choose(names); ok {
		setScore(t, scores[name])
	}
}

// scores reports whether a span is one of a scorer, or below one.
func (t *braintrustTrace) scores(n record.Node) bool {
	for range mostSpans {
		kind := n.At("span_attributes")
		if kind.At("type").Text() == "score" || kind.At("purpose").Text() == "scorer" {
			return true
		}
		parent, ok := t.spans[n.At("span_parents").First().Text()]
		if !ok {
			return false
		}
		n = parent
	}
	return false
}

// mostSpans is how deep spans are believed to be nested; chosen.
const mostSpans = 100

// braintrustStep is the step of a span: an answer of a model, or a call of a tool.
func braintrustStep(n record.Node) (m record.Moment, ok bool) {
	switch n.At("span_attributes", "type").Text() {
	case "llm":
		m = record.AnswerMoment(braintrustAnswer(n))
	case "tool":
		m.Step = trial.Step{Action: trial.CallTool, Tool: n.At("span_attributes", "name").Words(),
			Arguments: n.At("input").Parsed().Raw(), Output: n.At("output").Output()}
	default:
		return m, false
	}
	if e := n.At("error"); e.Exists() && e.ErrorText() != "" {
		record.FailAnswer(&m.Step, e.ErrorText())
	}
	m.At = n.At("metrics", "start").Time()
	m.Step.DurationSeconds = record.SecondsBetween(m.At, n.At("metrics", "end").Time())
	return m, true
}

// braintrustAnswer reads the output of a model: choices, items of a response, or a message.
func braintrustAnswer(n record.Node) record.Answer {
	a := record.Answer{Model: n.At("metadata", "model").Words(), Usage: braintrustUsage(n)}
	messages := []record.Node{n.At("output")}
	if list := n.At("output").List(); len(list) > 0 {
		messages = list
	}
	for _, m := range messages {
		m = m.At("message").OrElse(m)
		if text := transcript.Text(m); text != "" {
			a.Text = text
		}
		if m.At("type").Text() == "function_call" {
			a.Calls = append(a.Calls, record.Call{ID: m.At("call_id").Text(), Tool: m.At("name").Text(),
				Arguments: m.At("arguments")})
		}
		a.Calls = append(a.Calls, transcript.Calls(m)...)
	}
	return a
}

// braintrustUsage are the metrics of a span. The tokens of the prompt include cached ones, also of Anthropic's models
// (anthropic-tokens-util.ts), and those of the completion include reasoning, but not of Google's
// (google-genai-plugin.ts), where the sum tells.
func braintrustUsage(n record.Node) record.Usage {
	m := n.At("metrics")
	u := record.Usage{Input: m.At("prompt_tokens").Count(), Output: m.At("completion_tokens").Count(),
		Cached: m.At("prompt_cached_tokens").Count(), Writes: m.At("prompt_cache_creation_tokens").Count(),
		Cost: m.Either("estimated_cost", "cost").Amount()}
	thought := m.At("completion_reasoning_tokens").Count()
	if sum := record.Plus(u.Input, u.Output, thought); thought.Value > 0 && sum == m.At("tokens").Count() {
		record.Add(&u.Output, thought)
	}
	return u
}
