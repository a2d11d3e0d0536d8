package frameworks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// event takes in an event of the bus. A trial lasts from the begin of a crew, or of
// a flow of crews, to its end.
//
//	{"timestamp":"...","type":"llm_call_completed","event_id":"e7","call_id":"c1","response":"..."}
//
// Crews nest in flows and flows in flows: inside counts how many are open, and the trial
// ends when the outermost does.
func (c *crew) event(n record.Node, line int) error {
	kind := n.At("type").Text()
	if !isCrewEvent(n) {
		c.in.Notes.Skip(record.UnknownEvent)
		return nil
	}
	// A begin without a parent is that of another run; with one it lies in the run that is open.
	isStart := kind == "crew_kickoff_started" || kind == "flow_started" || kind == "lite_agent_execution_started"
	if isStart && c.trace != nil && !n.At("parent_event_id").Exists() {
		if c.inside > 0 {
			c.in.Notes.Remark("a crew begins before the one before ends: the log is cut off there")
		}
		if err := c.end(); err != nil {
			return err
		}
	}
	if c.trace == nil {
		c.begin(line)
		c.trace.SetMessageID(n.At("event_id").Text())
	}
	at := n.At("timestamp").Time()
	c.trace.AddTime(at)
	// Begin and end of a crew, a flow or an agent that runs alone. All else is work inside of it.
	switch kind {
	case "crew_kickoff_started", "flow_started", "lite_agent_execution_started":
		c.enter(n)
	case "crew_kickoff_completed", "flow_finished", "lite_agent_execution_completed":
		c.inside--
		// A CrewOutput, or the plain text that a flow or a single agent gives.
		if output := n.At("output").OrElse(n.At("result")); output.At("raw").IsText() {
			c.trace.Output = output.At("raw").Raw()
			c.setTotals(output.At("token_usage"))
		} else if output.IsText() {
			c.trace.Output = output.Raw()
		}
	case "crew_kickoff_failed", "flow_failed", "lite_agent_execution_error":
		c.inside--
		c.trace.Error = &trial.Cause{Message: record.StepError(n.At("error").ErrorText())}
	case "task_started":
		c.tasks[n.At("task_name").Words()] = true
	default:
		c.work(kind, n)
		return nil
	}
	// The outermost has ended. An end whose begin is lost makes inside negative: it ends, too.
	if !isStart && c.inside <= 0 {
		return c.end()
	}
	return nil
}

// enter takes in the begin of a crew or flow: the outermost names the trial.
func (c *crew) enter(n record.Node) {
	c.inside++
	if c.inside > 1 {
		return
	}
	t := c.trace
	c.name = n.Either("crew_name", "flow_name").Words()
	if task := n.At("task_name").Words(); task != "" {
		c.tasks[task] = true
	}
	// The variables that the prompts of the tasks are filled with are what differs from run to
	// run; without any, the first message to the model is the input.
	if inputs := n.At("inputs"); inputs.Length() > 0 {
		t.Input = inputs.Raw()
	}
	t.SetTag("inputs", n.At("inputs"))
	t.SetTag("crew_name", n.At("crew_name"))
}

// work takes in what an agent does.
// The bus tells calls of models by call_id, so that one that began gets its duration; those
// of tools have no id, and are told by the name.
func (c *crew) work(kind string, n record.Node) {
	t := c.trace
	if name := n.At("task_name").Words(); name != "" {
		c.tasks[name] = true
	}
	call, at := n.At("call_id").Text(), n.At("timestamp").Time()
	switch kind {
	case "llm_call_started":
		if t.Input == nil {
			t.Input = chainInput(n.At("messages"))
		}
		c.calls[call] = at
	case "llm_call_completed":
		response := n.At("response")
		// Either says that the model asked for a tool: call_type is CrewAI's own, finish_reason the
		// provider's.
		calls := n.At("call_type").Text() == "tool_call" || n.At("finish_reason").Text() == "tool_calls"
		step := t.AddAnswer(record.Answer{
			Text: response.Words(), Model: n.At("model").Words(), CallsTools: calls,
			Usage: transcript.Usage(n.At("usage")),
		})
		step.DurationSeconds = record.SecondsBetween(c.calls[call], at)
		// A retry that went well takes the failure back.
		c.failed = ""
	case "llm_call_failed":
		c.failed = record.StepError(n.At("error").ErrorText())
		step := t.AddAnswer(record.Answer{Model: n.At("model").Words()})
		step.DurationSeconds = record.SecondsBetween(c.calls[call], at)
		record.FailAnswer(step, c.failed)
	case "tool_usage_started":
		c.call(n)
	case "tool_usage_finished", "tool_usage_error":
		c.endCall(n)
	// They come before the tool_usage_error of the same call, which says the same.
	case "tool_validate_input_error", "tool_selection_error", "tool_execution_error":
		c.in.Notes.Pass("errors of tools beside their calls")
	}
}

// call adds a call of a tool. The answer before it, which may ask for it in words
// alone, did call tools.
func (c *crew) call(n record.Node) {
	t := c.trace
	// CrewAI's own loop asks for a tool in words ("Action: search"), which llm_call_completed
	// reports as a plain answer. That the tool runs is what tells: the answer reasons, and its
	// text was not the output of the trial.
	for i := len(t.Steps) - 1; i >= 0 && t.Steps[i].Action != trial.CallTool; i-- {
		if t.Steps[i].Error == "" {
			t.Steps[i].Action = trial.Reason
			if t.Output.Text() == t.Steps[i].Output.Text() {
				t.Output = nil
			}
			break
		}
	}
	t.AddCall(crewCall(n))
}

// crewCall reads the tool and its arguments. Names come with white space where the model
// wrote them in words.
func crewCall(n record.Node) record.Call {
	return record.Call{Tool: strings.TrimSpace(n.At("tool_name").Words()), Arguments: n.At("tool_args")}
}

// endCall completes a call. One that is tried again has no begin of its own, and is
// another step.
func (c *crew) endCall(n record.Node) {
	call := crewCall(n)
	// CrewAI tries a tool again inside of one usage: a second finish has no second begin.
	step := c.trace.TakeCall("", record.ValidText(call.Tool))
	if step == nil {
		c.call(n)
		step = c.trace.TakeCall("", record.ValidText(call.Tool))
	}
	step.Output = n.At("output").Output()
	step.DurationSeconds = record.SecondsBetween(n.At("started_at").Time(), n.At("finished_at").Time())
	if n.At("type").Text() == "tool_usage_error" {
		step.Error = record.StepError(n.At("error").ErrorText())
		// A tool that finished may carry a failure that its result describes; false says there is none.
	} else if f := n.At("failure"); f.Exists() && f.Value != false {
		step.Error = record.StepError(f.ErrorText())
	}
}
