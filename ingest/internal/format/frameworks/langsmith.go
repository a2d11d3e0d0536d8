package frameworks

import (
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// isLangSmithRun reports whether n is a run, as the client's list_runs or the bulk export
// gives it: its type and inputs, and one of the members that place it in a tree.
//
//	{"id":"t1","trace_id":"a","run_type":"llm","dotted_order":"20250822T100000000000Za.2025...","inputs":{}}
func isLangSmithRun(n record.Node) bool {
	return n.At("run_type").IsText() && n.Has("inputs") &&
		(n.Has("trace_id") || n.Has("dotted_order") || n.Has("child_runs") || n.Has("parent_run_id"))
}

// showsLangSmith knows the rows themselves, and {"runs": []} around them.
func showsLangSmith(s *record.Shape) bool {
	for _, n := range s.First().At("runs").List() {
		return isLangSmithRun(n)
	}
	return isLangSmithRun(s.First())
}

// smithTrace is one trace of LangSmith. Its runs come in any order.
type smithTrace struct {
	record.Timeline
	// root is what the outermost run says it took in all: the sum of the runs below it, for a
	// trace whose model runs say nothing.
	root record.Usage
}

// smithRuns are the traces of a file.
// Traces have no end of their own, and rows of several are mixed: all are held until the
// file ends.
type smithRuns struct {
	in     *record.Input
	traces map[string]*smithTrace
	order  []*smithTrace
}

// LangSmith decodes LangSmith runs.
var LangSmith = record.Decoder{Shows: showsLangSmith, Read: readLangSmith}

// readLangSmith makes a trial of each trace.
func readLangSmith(in *record.Input) error {
	r := &smithRuns{in: in, traces: map[string]*smithTrace{}}
	if err := in.Records(r.record); err != nil {
		return err
	}
	for _, s := range r.order {
		// Finish sums the steps first: figures of the root fill in only what they leave unknown.
		s.Build()
		s.Trace.Finish()
		t := &s.Trace.Trial
		t.InputTokens = known(t.InputTokens, s.root.Input)
		t.OutputTokens = known(t.OutputTokens, s.root.Output)
		t.CostUSD = known(t.CostUSD, s.root.Cost)
		if err := in.EmitTrace(s.Trace); err != nil {
			return err
		}
	}
	return nil
}

// known returns the first of two values that is known.
func known[T any](a, b trial.Optional[T]) trial.Optional[T] {
	if a.Known {
		return a
	}
	return b
}

// record takes in a value of the file: a run, with those nested in it, or a list of runs.
func (r *smithRuns) record(n record.Node, line int) error {
	if runs := n.At("runs"); runs.IsList() && !n.Has("run_type") {
		for _, run := range runs.List() {
			r.run(run, "", 0, line)
		}
		return nil
	}
	r.run(n, "", 0, line)
	return nil
}

// mostRuns is how deep runs may be nested.
// It is chosen: far deeper than agents nest, and the recursion ends on any input.
const mostRuns = 1000

// run takes in a run and those nested in it.
func (r *smithRuns) run(n record.Node, trace string, level, line int) {
	if !n.At("run_type").IsText() || level > mostRuns {
		r.in.Notes.Skip("records that are no runs")
		return
	}
	// A run without a trace id belongs to that of its parent; a root without one is a trace of
	// its own, told by its line and id.
	if id := n.At("trace_id").Text(); id != "" {
		trace = id
	}
	name := trace
	if trace == "" {
		name = n.At("id").Text()
		trace = strconv.Itoa(line) + " " + name
	}
	s := r.traces[trace]
	if s == nil {
		s = &smithTrace{Timeline: record.Timeline{Trace: record.NewTrace(r.in, line)}}
		s.Trace.ID = name
		r.traces[trace] = s
		r.order = append(r.order, s)
	}
	if level == 0 && n.At("parent_run_id").Text() == "" {
		s.describe(n)
	}
	// The dotted order has one part for each ancestor, also where rows are not nested.
	s.step(n, max(level, strings.Count(n.At("dotted_order").Text(), ".")))
	for _, child := range n.At("child_runs").List() {
		r.run(child, trace, level+1, line)
	}
}

// describe takes in the run at the root.
func (s *smithTrace) describe(n record.Node) {
	t := s.Trace
	// A run of an experiment refers to the example of the data set, which is what was tried;
	// the session is then the experiment, that is the version under test. Elsewhere the session
	// is a project, and tells no version.
	t.Scenario = n.At("name").Words()
	if example := n.At("reference_example_id").Text(); example != "" {
		t.Scenario = example
		t.Variant = n.At("session_id").Text()
		t.SetTag("name", n.At("name"))
	} else {
		t.SetTag("session_id", n.At("session_id"))
	}
	t.SetTag("session_name", n.At("session_name"))
	t.SetTag("extra.metadata", n.At("extra", "metadata"))
	// Feedback has one mean for each key. With several, which one is the score is not for a
	// decoder to choose.
	feedback := n.At("feedback_stats")
	for key, stats := range feedback.Members() {
		score := stats.At("avg").Number()
		t.SetTag("feedback_stats."+key, stats.At("avg"))
		if feedback.Length() == 1 {
			t.Score = score
		}
	}
	start, end := n.At("start_time").Time(), n.At("end_time").Time()
	t.AddTime(start)
	t.DurationSeconds = record.SecondsBetween(start, end)
	// Inputs and outputs are whatever the chain takes and gives: messages where there are some,
	// then the usual names, then all of it.
	t.Input = chainInput(n.At("inputs"))
	if t.Input == nil && n.At("inputs").Length() > 0 {
		t.Input = n.At("inputs").Raw()
	}
	if m, text := chainAnswer(n.At("outputs")); text != "" && m.kind != "human" {
		t.Output = trial.RawString(text)
	} else if text := n.At("outputs").Either("output", "answer"); text.IsText() {
		t.Output = text.Raw()
	}
	if e := n.At("error"); e.Exists() && e.Text() != "" {
		t.Error = &trial.Cause{Message: record.StepError(e.ErrorText())}
	}
	s.root = smithUsage(n)
}

// smithUsage returns the figures of a run. Those of no tokens at all are of a run
// that nothing was counted for.
func smithUsage(n record.Node) record.Usage {
	u := record.Usage{Cost: n.At("total_cost").Amount()}
	input, output := n.At("prompt_tokens").Count(), n.At("completion_tokens").Count()
	if input.Value > 0 || output.Value > 0 {
		u.Input, u.Output = input, output
	}
	return u
}

// step adds the step of a run, if it is one.
func (s *smithTrace) step(n record.Node, level int) {
	var m record.Moment
	// Arguments of a tool come as {"input": "..."}, where Python has printed a dict with single
	// quotes: [record.Timeline] puts those that the model gave in their place.
	switch n.At("run_type").Text() {
	case "llm":
		m = smithAnswer(n)
	case "tool":
		m.Step = trial.Step{Action: trial.CallTool, Tool: n.At("name").Words(),
			Arguments: toolInput(n.At("inputs")).Raw()}
		setToolOutput(&m.Step, runOutput(n.At("outputs")))
	case "retriever":
		m.Step = trial.Step{Action: "retrieve", Tool: n.At("name").Words(), Arguments: n.At("inputs").Raw(),
			Output: n.At("outputs").Raw()}
	case "embedding":
		m.Step = trial.Step{Action: "embed", Tool: n.At("name").Words()}
	// Chains, prompts and parsers.
	default:
		return // a chain, prompt or parser: what it does are other runs
	}
	if e := n.At("error"); e.Exists() && e.Text() != "" {
		record.FailAnswer(&m.Step, e.ErrorText())
	} else if n.At("status").Text() == "error" {
		record.FailAnswer(&m.Step, record.Failed)
	}
	start, end := n.At("start_time").Time(), n.At("end_time").Time()
	// The dotted order sorts runs as they were executed, also those of one microsecond.
	m.At, m.Order, m.Level = start, n.At("dotted_order").Text(), level
	m.Step.DurationSeconds = record.SecondsBetween(start, end)
	m.Step.Depth = graphDepth(n.At("extra", "metadata"))
	s.Moments = append(s.Moments, m)
	s.Trace.AddTime(start)
	s.Trace.AddTime(end)
	if s.Input == nil && m.IsAnswer() {
		s.Input = chainInput(n.At("inputs"))
	}
}

// runOutput is the output of a run, without its wrapping.
func runOutput(outputs record.Node) record.Node {
	if outputs.Length() == 1 && outputs.Has("output") {
		return outputs.At("output")
	}
	return outputs
}

// smithAnswer reads a run of a model. Its message, model and tokens stand in places that
// differ with the library and its version: the run's own columns count first, then the
// message, then llm_output of the provider.
func smithAnswer(n record.Node) record.Moment {
	outputs := n.At("outputs")
	m, text := chainAnswer(runOutput(outputs))
	u := smithUsage(n)
	if !u.Input.Known && !u.Output.Known {
		own := chainUsage(m.body)
		if !own.Input.Known && !own.Output.Known {
			own = transcript.Usage(outputs.At("llm_output", "token_usage").OrElse(
				outputs.Either("usage", "usage_metadata")))
		}
		u.TakeTokens(own)
	}
	// ls_model_name and invocation_params are what was asked for: a last resort.
	extra := n.At("extra")
	model := chainModel(m.body)
	for _, name := range []record.Node{
		outputs.At("llm_output").Either("model_name", "model"), outputs.At("model"),
		extra.At("metadata", "ls_model_name"),
		extra.At("invocation_params").Either("model", "model_name"),
	} {
		if model == "" {
			model = name.Words()
		}
	}
	return record.AnswerMoment(record.Answer{Text: text, Model: model, Calls: chainCalls(m.body), Usage: u})
}
