package ingest

import (
	"strings"
	"time"
)

func isCrewOutput(n node) bool { return n.at("tasks_output").isList() && n.has("raw") }

func isCrewLog(n node) bool {
	return n.has("timestamp", "task", "agent", "status") && n.at("status").isText()
}

// crewEvents are the beginnings of the types of events.
var crewEvents = []string{
	"crew_", "task_", "agent_", "lite_agent_", "llm_", "tool_", "flow_", "method_", "memory_", "knowledge_", "reasoning_",
	"mcp_", "a2a_", "human_", "guardrail_", "cc_env", "default_env", "batch_",
}

func isCrewEvent(n node) bool {
	if !n.has("timestamp", "type", "event_id") && !n.has("timestamp", "type", "agent_role") {
		return false
	}
	for _, begin := range crewEvents {
		if strings.HasPrefix(n.at("type").words(), begin) {
			return true
		}
	}
	return false
}

func showsCrewAI(s *shape) bool {
	n := s.first()
	return isCrewOutput(n) || isCrewLog(n) || isCrewEvent(n) || n.has("tasks_output", "token_usage")
}

// readCrewAI reads the outputs of crews, each a trial, their log of tasks, and the
// events of their bus.
func readCrewAI(in *input) error {
	c := &crew{in: in}
	err := in.records(func(n node, line int) error {
		switch {
		case n.at("tasks_output").isList():
			return c.output(n, line)
		case isCrewLog(n):
			return c.task(n, line)
		case n.at("type").isText():
			return c.event(n, line)
		}
		in.notes.skip("records that are no events of a crew")
		return nil
	})
	if err != nil {
		return err
	}
	if c.trace != nil && c.inside > 0 {
		in.notes.remark("the events end before the crew does: the log is cut off")
	}
	return c.end()
}

// crew is the trial that is open.
type crew struct {
	in      *input
	trace   *trace          // nil: none
	tasks   map[string]bool // their names
	begun   map[string]bool // tasks of the log
	from    time.Time       // the first time of the log
	running int             // tasks that began and did not end
	name    string          // of the only task, or the crew

	inside int // crews and flows that are open
	calls  map[string]time.Time
	failed string // how the last call of a model failed
}

func (c *crew) begin(line int) {
	*c = crew{in: c.in, trace: newTrace(c.in, line), tasks: map[string]bool{}, begun: map[string]bool{}, calls: map[string]time.Time{}}
}

// end hands out the trial. Its scenario is its task, if there is but one, else the
// name of the crew.
func (c *crew) end() error {
	t := c.trace
	if t == nil {
		return nil
	}
	t.Scenario = c.name
	if len(c.tasks) == 1 {
		for task := range c.tasks {
			if task != "" {
				t.Scenario = task
			}
		}
	}
	if c.running > 0 {
		c.in.notes.remark("tasks that began do not end: the log is cut off")
	}
	if c.failed != "" {
		t.setInfrastructureError("", c.failed)
	}
	*c = crew{in: c.in}
	return c.in.emitTrace(t)
}

// task takes in a line of the log of tasks. A task that begins again is one of
// another run.
func (c *crew) task(n node, line int) error {
	name := n.at("task_name").words()
	key := name
	if key == "" {
		key = n.at("task").text()
	}
	isStart := n.at("status").text() == "started"
	if c.trace == nil || isStart && c.begun[key] {
		if err := c.end(); err != nil {
			return err
		}
		c.begin(line)
	}
	t := c.trace
	c.tasks[name], c.begun[key] = true, true
	at := n.at("timestamp").time()
	if c.from.IsZero() {
		c.from = at
	}
	t.DurationSeconds = secondsBetween(c.from, at)
	if _, err := time.Parse(time.RFC3339, n.at("timestamp").text()); err == nil {
		t.addTime(at) // else it is local time: good for durations alone
	}
	t.setInput(n.at("task"))
	switch {
	case isStart:
		c.running++
		c.calls[key] = at
	case n.at("status").text() == "completed":
		c.running = max(c.running-1, 0)
		step := t.addAnswer(answer{text: n.at("output").text()})
		step.DurationSeconds = secondsBetween(c.calls[key], at)
	default:
		c.in.notes.skip("tasks of unknown status")
	}
	return nil
}

// output reads the output of a crew: what its agents said, where it is there, else
// what came of each task.
func (c *crew) output(n node, line int) error {
	if err := c.end(); err != nil {
		return err
	}
	c.begin(line)
	t := c.trace
	for _, task := range n.at("tasks_output").list() {
		c.tasks[task.at("name").words()] = true
		t.setInput(task.at("description"))
		before := len(t.Steps)
		said := &conversation{trace: t}
		for _, m := range task.at("messages").list() {
			said.message(m)
		}
		said.flush()
		if len(t.Steps) == before {
			t.addAnswer(answer{text: task.at("raw").text()})
		}
		for range task.at("tool_failures").list() {
			c.in.notes.skip("failures of tools without their call")
		}
	}
	if raw := n.at("raw"); raw.isText() {
		t.Output = raw.raw()
	}
	c.total(n.at("token_usage"))
	return c.end()
}

// total takes in the sums of a crew.
func (c *crew) total(n node) {
	u := chatUsage(n)
	if u.input.Value > 0 || u.output.Value > 0 {
		c.trace.InputTokens, c.trace.OutputTokens = u.input, u.output
	}
}
