package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// event takes in an event of the bus. A trial lasts from the begin of a crew, or of
// a flow of crews, to its end.
func (c *crew) event(n node, line int) error {
	kind := n.at("type").text()
	if !isCrewEvent(n) {
		c.in.notes.skip(unknownEvent)
		return nil
	}
	isStart := kind == "crew_kickoff_started" || kind == "flow_started" || kind == "lite_agent_execution_started"
	if isStart && c.trace != nil && !n.at("parent_event_id").exists() {
		if c.inside > 0 {
			c.in.notes.remark("a crew begins before the one before ends: the log is cut off there")
		}
		if err := c.end(); err != nil {
			return err
		}
	}
	if c.trace == nil {
		c.begin(line)
	}
	at := n.at("timestamp").time()
	c.trace.addTime(at)
	switch kind {
	case "crew_kickoff_started", "flow_started", "lite_agent_execution_started":
		c.started(n)
	case "crew_kickoff_completed", "flow_finished", "lite_agent_execution_completed":
		c.inside--
		if output := n.at("output").orElse(n.at("result")); output.at("raw").isText() {
			c.trace.Output = output.at("raw").raw()
			c.total(output.at("token_usage"))
		} else if output.isText() {
			c.trace.Output = output.raw()
		}
	case "crew_kickoff_failed", "flow_failed", "lite_agent_execution_error":
		c.inside--
		c.trace.Error = &trial.Cause{Message: stepError(n.at("error").errorText())}
	case "task_started":
		c.tasks[n.at("task_name").words()] = true
	default:
		c.work(kind, n)
		return nil
	}
	if !isStart && c.inside <= 0 {
		return c.end()
	}
	return nil
}

// started takes in the begin of a crew or flow: the outermost names the trial.
func (c *crew) started(n node) {
	c.inside++
	if c.inside > 1 {
		return
	}
	t := c.trace
	c.name = n.either("crew_name", "flow_name").words()
	if task := n.at("task_name").words(); task != "" {
		c.tasks[task] = true
	}
	if inputs := n.at("inputs"); inputs.length() > 0 {
		t.Input = inputs.raw()
	}
	t.setTag("inputs", n.at("inputs"))
	t.setTag("crew_name", n.at("crew_name"))
}

// work takes in what an agent does.
func (c *crew) work(kind string, n node) {
	t := c.trace
	if name := n.at("task_name").words(); name != "" {
		c.tasks[name] = true
	}
	call, at := n.at("call_id").text(), n.at("timestamp").time()
	switch kind {
	case "llm_call_started":
		if t.Input == nil {
			t.Input = chainInput(n.at("messages"))
		}
		c.calls[call] = at
	case "llm_call_completed":
		response := n.at("response")
		calls := n.at("call_type").text() == "tool_call" || n.at("finish_reason").text() == "tool_calls"
		step := t.addAnswer(answer{
			text: response.words(), model: n.at("model").words(), callsTools: calls, usage: chatUsage(n.at("usage")),
		})
		step.DurationSeconds = secondsBetween(c.calls[call], at)
		c.failed = ""
	case "llm_call_failed":
		c.failed = stepError(n.at("error").errorText())
		step := t.addAnswer(answer{model: n.at("model").words()})
		step.DurationSeconds = secondsBetween(c.calls[call], at)
		failAnswer(step, c.failed)
	case "tool_usage_started":
		c.call(n)
	case "tool_usage_finished", "tool_usage_error":
		c.returned(n)
	case "tool_validate_input_error", "tool_selection_error", "tool_execution_error":
		c.in.notes.pass("errors of tools beside their calls")
	}
}

// call adds a call of a tool. The answer before it, which may ask for it in words
// alone, did call tools.
func (c *crew) call(n node) {
	t := c.trace
	for i := len(t.Steps) - 1; i >= 0 && t.Steps[i].Action != trial.CallTool; i-- {
		if t.Steps[i].Error == "" {
			t.Steps[i].Action = trial.Reason
			if t.Output.Text() == t.Steps[i].Output.Text() {
				t.Output = nil
			}
			break
		}
	}
	t.addCall(crewCall(n))
}

func crewCall(n node) toolCall {
	return toolCall{tool: strings.TrimSpace(n.at("tool_name").words()), arguments: n.at("tool_args")}
}

// returned completes a call. One that is tried again has no begin of its own, and is
// another step.
func (c *crew) returned(n node) {
	call := crewCall(n)
	step := c.trace.takeCall("", validText(call.tool))
	if step == nil {
		c.call(n)
		step = c.trace.takeCall("", validText(call.tool))
	}
	step.Output = n.at("output").output()
	step.DurationSeconds = secondsBetween(n.at("started_at").time(), n.at("finished_at").time())
	if n.at("type").text() == "tool_usage_error" {
		step.Error = stepError(n.at("error").errorText())
	} else if f := n.at("failure"); f.exists() && f.value != false {
		step.Error = stepError(f.errorText())
	}
}
