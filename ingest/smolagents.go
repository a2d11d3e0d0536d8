package ingest

import (
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// isSmolStep reports whether n is a step of the memory of an agent.
func isSmolStep(n node) bool {
	return n.has("task", "task_images") || n.has("step_number") && (n.has("model_output") || n.has("observations") || n.has("code_action")) ||
		n.has("model_input_messages", "plan")
}

func isSmolRun(n node) bool {
	steps := n.at("steps").list()
	return n.has("output", "state", "steps") && !n.has("run_type") && slices.ContainsFunc(steps, isSmolStep) ||
		len(steps) > 0 && (isSmolStep(steps[0]) || steps[0].has("system_prompt"))
}

func showsSmolagents(s *shape) bool {
	first := s.first()
	return isSmolRun(first) || isSmolStep(first) || first.length() == 1 && first.has("system_prompt") && s.any(isSmolStep)
}

// readSmolagents makes a trial of each result of a run, or list of steps.
func readSmolagents(in *input) error {
	loose := group{read: func(steps []node, line int) error { return readSmolRun(in, node{}, steps, line) }}
	return loose.readValues(in, func(n node, line int) error {
		switch {
		case n.at("steps").isList():
			if err := loose.end(); err != nil {
				return err
			}
			return readSmolRun(in, n, n.at("steps").list(), line)
		case isSmolStep(n) || n.length() == 1 && (n.has("system_prompt") || n.has("output") || n.has("task")):
			loose.add(n, line)
			return nil
		}
		in.notes.skip("records that are no runs or steps")
		return nil
	})
}

// smolFailures are the types of errors that are those of a model's provider.
var smolFailures = []string{"AgentGenerationError"}

func readSmolRun(in *input, n node, steps []node, line int) error {
	t := newTrace(in, line)
	var failed string // how the model failed at the end
	for _, s := range steps {
		failed = ""
		t.addTime(s.at("timing", "start_time").time())
		t.addTime(s.at("timing", "end_time").time())
		switch {
		case s.has("step_number"):
			if failed = addSmolAction(t, s); failed != "" {
				continue
			}
		case s.has("plan"):
			step := t.addAnswer(answer{text: s.at("plan").words(), model: smolModel(s), callsTools: true, usage: chatUsage(s.at("token_usage"))})
			step.DurationSeconds = smolDuration(s)
		case s.has("task"):
			t.setInput(s.at("task"))
		case s.has("output"):
			t.Output = s.at("output").raw()
		case s.has("system_prompt"):
		default:
			in.notes.skip("steps that are not known")
		}
	}
	if output := n.at("output"); output.exists() {
		t.Output = output.raw()
	}
	u := chatUsage(n.at("token_usage"))
	t.InputTokens, t.OutputTokens = u.input, u.output
	t.addTime(n.at("timing", "start_time").time())
	t.DurationSeconds = n.at("timing", "duration").amount()
	state := n.at("state")
	t.setTag("state", state)
	if text := state.text(); text != "" && text != "success" {
		t.Error = &trial.Cause{Type: text}
	}
	if failed != "" {
		t.setInfrastructureError("AgentGenerationError", failed)
	}
	return in.emitTrace(t)
}

func smolModel(s node) string { return s.at("model_output_message", "raw", "model").words() }

func smolDuration(s node) trial.Optional[float64] {
	if d := s.at("timing", "duration").amount(); d.Known {
		return d
	}
	return secondsBetween(s.at("timing", "start_time").time(), s.at("timing", "end_time").time())
}

// addSmolAction adds an answer of the model with its calls. The duration of the whole is
// that of the answer only if nothing was called. It returns how the model failed.
func addSmolAction(t *trace, s node) (failed string) {
	calls := slices.DeleteFunc(chatCalls(s), func(c toolCall) bool { return c.tool == "final_answer" })
	text := s.at("model_output").speech()
	output := s.at("action_output")
	if len(calls) == 0 && s.at("is_final_answer").isTrue() && output.isText() {
		text = output.text()
	}
	step := t.addAnswer(answer{text: text, model: smolModel(s), callsTools: len(calls) > 0, usage: chatUsage(s.at("token_usage"))})
	if len(calls) == 0 {
		step.DurationSeconds = smolDuration(s)
	}
	kind, message := s.at("error", "type").text(), ""
	if s.at("error").exists() && kind != "AgentMaxStepsError" {
		message = stepError(s.at("error").errorText())
	}
	if len(calls) == 0 && message != "" {
		step.Error, step.Action = message, trial.Reason // nobody got it
		if t.Output = nil; slices.Contains(smolFailures, kind) {
			return message
		}
	}
	first := len(t.Steps)
	for _, c := range calls {
		t.addEndedCall(c)
	}
	if first < len(t.Steps) { // what was observed is one text for all calls
		last := &t.Steps[len(t.Steps)-1]
		last.Error = message
		if observed := s.at("observations"); observed.exists() {
			last.Output = observed.raw()
		}
	}
	if output.exists() && s.at("is_final_answer").isTrue() {
		t.Output = output.raw()
	}
	return ""
}
