package ingest

import (
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

func isLangSmithRun(n node) bool {
	return n.at("run_type").isText() && n.has("inputs") && (n.has("trace_id") || n.has("dotted_order") || n.has("child_runs") || n.has("parent_run_id"))
}

func showsLangSmith(s *shape) bool {
	for _, n := range s.first().at("runs").list() {
		return isLangSmithRun(n)
	}
	return isLangSmithRun(s.first())
}

// smithTrace is one trace of LangSmith. Its runs come in any order.
type smithTrace struct {
	timeline
	root usage
}

// smithRuns are the traces of a file.
type smithRuns struct {
	in     *input
	traces map[string]*smithTrace
	order  []*smithTrace
}

// readLangSmith makes a trial of each trace.
func readLangSmith(in *input) error {
	r := &smithRuns{in: in, traces: map[string]*smithTrace{}}
	if err := in.records(r.record); err != nil {
		return err
	}
	for _, s := range r.order {
		s.build()
		s.trace.finish()
		t := &s.trace.Trial
		t.InputTokens = known(t.InputTokens, s.root.input)
		t.OutputTokens = known(t.OutputTokens, s.root.output)
		t.CostUSD = known(t.CostUSD, s.root.cost)
		if err := in.emitTrace(s.trace); err != nil {
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

func (r *smithRuns) record(n node, line int) error {
	if runs := n.at("runs"); runs.isList() && !n.has("run_type") {
		for _, run := range runs.list() {
			r.run(run, "", 0, line)
		}
		return nil
	}
	r.run(n, "", 0, line)
	return nil
}

// mostRuns is how deep runs may be nested.
const mostRuns = 1000

// run takes in a run and those nested in it.
func (r *smithRuns) run(n node, trace string, level, line int) {
	if !n.at("run_type").isText() || level > mostRuns {
		r.in.notes.skip("records that are no runs")
		return
	}
	if id := n.at("trace_id").text(); id != "" {
		trace = id
	}
	if trace == "" {
		trace = strconv.Itoa(line) + " " + n.at("id").text()
	}
	s := r.traces[trace]
	if s == nil {
		s = &smithTrace{timeline: timeline{trace: newTrace(r.in, line)}}
		r.traces[trace] = s
		r.order = append(r.order, s)
	}
	if level == 0 && n.at("parent_run_id").text() == "" {
		s.describe(n)
	}
	s.step(n, max(level, strings.Count(n.at("dotted_order").text(), ".")))
	for _, child := range n.at("child_runs").list() {
		r.run(child, trace, level+1, line)
	}
}

// describe takes in the run at the root.
func (s *smithTrace) describe(n node) {
	t := s.trace
	t.Scenario = n.at("name").words()
	if example := n.at("reference_example_id").text(); example != "" {
		t.Scenario = example
		t.Variant = n.at("session_id").text()
		t.setTag("name", n.at("name"))
	} else {
		t.setTag("session_id", n.at("session_id"))
	}
	t.setTag("session_name", n.at("session_name"))
	t.setTag("extra.metadata", n.at("extra", "metadata"))
	feedback := n.at("feedback_stats")
	for key, stats := range feedback.members() {
		score := stats.at("avg").number()
		t.setTag("feedback_stats."+key, stats.at("avg"))
		if feedback.length() == 1 {
			t.Score = score
		}
	}
	start, end := n.at("start_time").time(), n.at("end_time").time()
	t.addTime(start)
	t.DurationSeconds = secondsBetween(start, end)
	t.Input = chainInput(n.at("inputs"))
	if t.Input == nil && n.at("inputs").length() > 0 {
		t.Input = n.at("inputs").raw()
	}
	if m, text := chainAnswer(n.at("outputs")); text != "" && m.kind != "human" {
		t.Output = trial.RawString(text)
	} else if text := n.at("outputs").either("output", "answer"); text.isText() {
		t.Output = text.raw()
	}
	if e := n.at("error"); e.exists() && e.text() != "" {
		t.Error = &trial.Cause{Message: stepError(e.errorText())}
	}
	s.root = smithUsage(n)
}

// smithUsage returns the figures of a run. Those of no tokens at all are of a run
// that nothing was counted for.
func smithUsage(n node) usage {
	u := usage{cost: n.at("total_cost").amount()}
	input, output := n.at("prompt_tokens").count(), n.at("completion_tokens").count()
	if input.Value > 0 || output.Value > 0 {
		u.input, u.output = input, output
	}
	return u
}

// step adds the step of a run, if it is one.
func (s *smithTrace) step(n node, level int) {
	var m moment
	switch n.at("run_type").text() {
	case "llm":
		m = smithAnswer(n)
	case "tool":
		m.step = trial.Step{Action: trial.CallTool, Tool: n.at("name").words(), Arguments: toolInput(n.at("inputs")).raw()}
		setToolOutput(&m.step, runOutput(n.at("outputs")))
	case "retriever":
		m.step = trial.Step{Action: "retrieve", Tool: n.at("name").words(), Arguments: n.at("inputs").raw(), Output: n.at("outputs").raw()}
	case "embedding":
		m.step = trial.Step{Action: "embed", Tool: n.at("name").words()}
	default:
		return // a chain, prompt or parser: what it does are other runs
	}
	if e := n.at("error"); e.exists() && e.text() != "" {
		failAnswer(&m.step, e.errorText())
	} else if n.at("status").text() == "error" {
		failAnswer(&m.step, stepFailed)
	}
	start, end := n.at("start_time").time(), n.at("end_time").time()
	m.at, m.order, m.level = start, n.at("dotted_order").text(), level
	m.step.DurationSeconds = secondsBetween(start, end)
	m.step.Depth = graphDepth(n.at("extra", "metadata"))
	s.moments = append(s.moments, m)
	s.trace.addTime(start)
	s.trace.addTime(end)
	if s.input == nil && m.isAnswer() {
		s.input = chainInput(n.at("inputs"))
	}
}

// runOutput is the output of a run, without its wrapping.
func runOutput(outputs node) node {
	if outputs.length() == 1 && outputs.has("output") {
		return outputs.at("output")
	}
	return outputs
}

func smithAnswer(n node) moment {
	outputs := n.at("outputs")
	m, text := chainAnswer(runOutput(outputs))
	u := smithUsage(n)
	if !u.input.Known && !u.output.Known {
		own := chainUsage(m.body)
		if !own.input.Known && !own.output.Known {
			own = chatUsage(outputs.at("llm_output", "token_usage").orElse(outputs.either("usage", "usage_metadata")))
		}
		u.input, u.output = own.input, own.output
	}
	extra := n.at("extra")
	model := chainModel(m.body)
	for _, name := range []node{
		outputs.at("llm_output").either("model_name", "model"), outputs.at("model"), extra.at("metadata", "ls_model_name"),
		extra.at("invocation_params").either("model", "model_name"),
	} {
		if model == "" {
			model = name.words()
		}
	}
	return answerMoment(answer{text: text, model: model, calls: chainCalls(m.body), usage: u})
}
