package frameworks

import (
	"slices"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// isSmolStep reports whether n is a step of the memory of an agent.
// smolagents 1.27 dumps its memory with dict(); a run result is
//
//	{"output":"42","state":"success","steps":[...],"token_usage":{},"timing":{"duration":3.5}}
//
// and a step {"step_number":1,"model_output":"...","tool_calls":[],"observations":"..."}, a
// plan {"plan":"..."} or the task {"task":"...","task_images":null}.
func isSmolStep(n record.Node) bool {
	return n.Has("task", "task_images") || n.Has("step_number") &&
		(n.Has("model_output") || n.Has("observations") || n.Has("code_action")) ||
		n.Has("model_input_messages", "plan")
}

// isSmolRun reports whether n is a run result, or an object that holds a list of steps.
// LangSmith has steps and outputs as well, and a run type.
func isSmolRun(n record.Node) bool {
	steps := n.At("steps").List()
	return n.Has("output", "state", "steps") && !n.Has("run_type") && slices.ContainsFunc(steps, isSmolStep) ||
		len(steps) > 0 && (isSmolStep(steps[0]) || steps[0].Has("system_prompt"))
}

// showsSmolagents knows a list of steps, too, which begins with the system prompt where it
// is the whole memory.
func showsSmolagents(s *record.Shape) bool {
	first := s.First()
	return isSmolRun(first) || isSmolStep(first) || first.Length() == 1 && first.Has("system_prompt") &&
		s.Any(isSmolStep)
}

// Smolagents decodes smolagents run results.
var Smolagents = record.Decoder{Shows: showsSmolagents, Read: readSmolagents}

// readSmolagents makes a trial of each result of a run, or list of steps.
func readSmolagents(in *record.Input) error {
	// Steps without a run around them are one trial until a run or the end of their list.
	loose := record.Group{Read: func(steps []record.Node,
		line int) error {
		return readSmolRun(in, record.Node{}, steps, line)
	}}
	return loose.ReadValues(in, func(n record.Node, line int) error {
		switch {
		case n.At("steps").IsList():
			if err := loose.End(); err != nil {
				return err
			}
			return readSmolRun(in, n, n.At("steps").List(), line)
		case isSmolStep(n) || n.Length() == 1 && (n.Has("system_prompt") || n.Has("output") || n.Has("task")):
			loose.Add(n, line)
			return nil
		}
		in.Notes.Skip("records that are no runs or steps")
		return nil
	})
}

// smolFailures are the types of errors that are those of a model's provider.
// AgentGenerationError is what smolagents raises when the model itself cannot be asked.
// Errors of parsing, execution and limits are the agent's own.
var smolFailures = []string{"AgentGenerationError"}

// readSmolRun makes the trial of a run and its steps; n is zero for steps alone.
func readSmolRun(in *record.Input, n record.Node, steps []record.Node, line int) error {
	t := record.NewTrace(in, line)
	var failed string // how the model failed at the end
	for _, s := range steps {
		// A step after a failure means that the run went on.
		failed = ""
		t.AddTime(s.At("timing", "start_time").Time())
		t.AddTime(s.At("timing", "end_time").Time())
		switch {
		// The kind of a step is told by its members: dict() keeps no type.
		case s.Has("step_number"):
			if failed = addSmolAction(t, s); failed != "" {
				continue
			}
		case s.Has("plan"):
			step := t.AddAnswer(record.Answer{Text: s.At("plan").Words(), Model: smolModel(s), CallsTools: true,
				Usage: transcript.Usage(s.At("token_usage"))})
			step.DurationSeconds = smolDuration(s)
		case s.Has("task"):
			t.SetInput(s.At("task"))
		case s.Has("output"):
			t.Output = s.At("output").Raw()
		case s.Has("system_prompt"):
		default:
			in.Notes.Skip("steps that are not known")
		}
	}
	// What the run says counts more than what its steps let one think.
	if output := n.At("output"); output.Exists() {
		t.Output = output.Raw()
	}
	u := transcript.Usage(n.At("token_usage"))
	t.SetTokens(u)
	t.AddTime(n.At("timing", "start_time").Time())
	t.DurationSeconds = n.At("timing", "duration").Amount()
	state := n.At("state")
	t.SetTag("state", state)
	// max_steps_error: the agent did not finish; whether its answer is right is not judged here.
	if text := state.Text(); text != "" && text != "success" {
		t.Error = &trial.Cause{Type: text}
	}
	if failed != "" {
		t.SetInfrastructureError("AgentGenerationError", failed)
	}
	return in.EmitTrace(t)
}

// smolModel is the model in the provider's raw response, the only place that names it.
func smolModel(s record.Node) string { return s.At("model_output_message", "raw", "model").Words() }

// smolDuration is the time of a step, of the model and its tools together.
func smolDuration(s record.Node) trial.Optional[float64] {
	if d := s.At("timing", "duration").Amount(); d.Known {
		return d
	}
	return record.SecondsBetween(s.At("timing", "start_time").Time(), s.At("timing", "end_time").Time())
}

// addSmolAction adds an answer of the model with its calls. The duration of the whole is
// that of the answer only if nothing was called. It returns how the model failed.
func addSmolAction(t *record.Trace, s record.Node) (failed string) {
	// final_answer is a tool to smolagents; to the reader of the trial it is the answer.
	calls := slices.DeleteFunc(transcript.Calls(s), func(c record.Call) bool { return c.Tool == "final_answer" })
	// The model's own words, unless the step is the answer itself.
	text := s.At("model_output").Speech()
	output := s.At("action_output")
	if len(calls) == 0 && s.At("is_final_answer").IsTrue() && output.IsText() {
		text = output.Text()
	}
	step := t.AddAnswer(record.Answer{Text: text, Model: smolModel(s), CallsTools: len(calls) > 0,
		Usage: transcript.Usage(s.At("token_usage"))})
	if len(calls) == 0 {
		step.DurationSeconds = smolDuration(s)
	}
	kind, message := s.At("error", "type").Text(), ""
	// That the steps ran out is the state of the run, and no failure of this step.
	if s.At("error").Exists() && kind != "AgentMaxStepsError" {
		message = record.StepError(s.At("error").ErrorText())
	}
	if len(calls) == 0 && message != "" {
		step.Error, step.Action = message, trial.Reason // nobody got it
		if t.Output = nil; slices.Contains(smolFailures, kind) {
			return message
		}
	}
	// Several calls share one observation, so that which of them failed is not known: it stands
	// with the last.
	first := len(t.Steps)
	for _, c := range calls {
		t.AddEndedCall(c)
	}
	if first < len(t.Steps) { // what was observed is one text for all calls
		last := &t.Steps[len(t.Steps)-1]
		last.Error = message
		if observed := s.At("observations"); observed.Exists() {
			last.Output = observed.Raw()
		}
	}
	if output.Exists() && s.At("is_final_answer").IsTrue() {
		t.Output = output.Raw()
	}
	return ""
}
