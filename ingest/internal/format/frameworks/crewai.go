package frameworks

import (
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
)

// isCrewOutput reports whether n is a CrewOutput as version 1.15 dumps it:
//
//	{"raw":"...","tasks_output":[{"description":"...","raw":"...","messages":[]}],"token_usage":{}}
func isCrewOutput(n record.Node) bool { return n.At("tasks_output").IsList() && n.Has("raw") }

// isCrewLog reports whether n is a line of output_log_file, two for each task:
//
//	{"timestamp":"2026-08-21 10:00:00","task_name":"draft","task":"...","agent":"...","status":"started"}
func isCrewLog(n record.Node) bool {
	return n.Has("timestamp", "task", "agent", "status") && n.At("status").IsText()
}

// crewEvents are the beginnings of the types of events.
// The bus has dozens of types in families: a type of a known family is taken for an event
// of CrewAI, also where a later version has added it.
var crewEvents = []string{
	"crew_", "task_", "agent_", "lite_agent_", "llm_", "tool_", "flow_", "method_", "memory_", "knowledge_",
	"reasoning_",
	"mcp_", "a2a_", "human_", "guardrail_", "cc_env", "default_env", "batch_",
}

// isCrewEvent reports whether n is an event of the bus. A type alone is too common a thing:
// an event has its own id, too, or the role of the agent that it is of.
func isCrewEvent(n record.Node) bool {
	if !n.Has("timestamp", "type", "event_id") && !n.Has("timestamp", "type", "agent_role") {
		return false
	}
	for _, begin := range crewEvents {
		if strings.HasPrefix(n.At("type").Words(), begin) {
			return true
		}
	}
	return false
}

// showsCrewAI tells a file by its first record: all three kinds say what they are at once.
// An output is known by its totals, too, where raw is not among its members.
func showsCrewAI(s *record.Shape) bool {
	n := s.First()
	return isCrewOutput(n) || isCrewLog(n) || isCrewEvent(n) || n.Has("tasks_output", "token_usage")
}

// CrewAI decodes CrewAI outputs, logs and events.
var CrewAI = record.Decoder{Shows: showsCrewAI, Read: readCrewAI}

// readCrewAI reads the outputs of crews, each a trial, their log of tasks, and the
// events of their bus.
func readCrewAI(in *record.Input) error {
	c := &crew{in: in}
	err := in.Records(func(n record.Node, line int) error {
		switch {
		case n.At("tasks_output").IsList():
			return c.output(n, line)
		case isCrewLog(n):
			return c.task(n, line)
		case n.At("type").IsText():
			return c.event(n, line)
		}
		in.Notes.Skip("records that are no events of a crew")
		return nil
	})
	if err != nil {
		return err
	}
	if c.trace != nil && c.inside > 0 {
		in.Notes.Remark("the events end before the crew does: the log is cut off")
	}
	return c.end()
}

// crew is the trial that is open.
type crew struct {
	in *record.Input

	// All else belongs to one trial: [crew.end] leaves it empty, [crew.begin] makes it anew.
	trace   *record.Trace   // nil: none
	tasks   map[string]bool // their names
	begun   map[string]bool // tasks of the log
	from    time.Time       // the first time of the log
	running int             // tasks that began and did not end
	name    string          // of the crew or flow; "" if unknown

	inside int // crews and flows that are open; of events alone
	// calls are the times of begins: of calls of models by their call_id, of the tasks of
	// the log by the key of the task.
	calls  map[string]time.Time
	failed string // how the last call of a model failed
}

// begin opens a trial at a line, with nothing known of it.
func (c *crew) begin(line int) {
	*c = crew{in: c.in, trace: record.NewTrace(c.in, line), tasks: map[string]bool{}, begun: map[string]bool{},
		calls: map[string]time.Time{}}
}

// end hands out the trial. Its scenario is its task, if there is but one, else the
// name of the crew.
func (c *crew) end() error {
	t := c.trace
	if t == nil {
		return nil
	}
	// The name of a crew stays the same whatever it is given; that of an only task tells more.
	// An empty name is none.
	t.Scenario = c.name
	if len(c.tasks) == 1 {
		for task := range c.tasks {
			if task != "" {
				t.Scenario = task
			}
		}
	}
	if c.running > 0 {
		c.in.Notes.Remark("tasks that began do not end: the log is cut off")
	}
	// The last call of a model failed, and nothing came after it that went well.
	if c.failed != "" {
		t.SetInfrastructureError("", c.failed)
	}
	*c = crew{in: c.in}
	return c.in.EmitTrace(t)
}

// task takes in a line of the log of tasks. A task that begins again is one of
// another run.
func (c *crew) task(n record.Node, line int) error {
	// Names of tasks are optional in CrewAI; the description, which is not, tells them apart.
	name := n.At("task_name").Words()
	key := name
	if key == "" {
		key = n.At("task").Text()
	}
	isStart := n.At("status").Text() == "started"
	if c.trace == nil || isStart && c.begun[key] {
		if err := c.end(); err != nil {
			return err
		}
		c.begin(line)
	}
	t := c.trace
	c.tasks[name], c.begun[key] = true, true
	at := n.At("timestamp").Time()
	// The log has local time without a zone: durations hold, a start does not.
	if c.from.IsZero() {
		c.from = at
	}
	t.DurationSeconds = record.SecondsBetween(c.from, at)
	if _, err := time.Parse(time.RFC3339, n.At("timestamp").Text()); err == nil {
		t.AddTime(at) // else it is local time: good for durations alone
	}
	t.SetInput(n.At("task"))
	switch {
	// Each task is one answer: what its agent did in between is not in the log.
	case isStart:
		c.running++
		c.calls[key] = at
	case n.At("status").Text() == "completed":
		c.running = max(c.running-1, 0)
		step := t.AddAnswer(record.Answer{Text: n.At("output").Text()})
		step.DurationSeconds = record.SecondsBetween(c.calls[key], at)
	default:
		c.in.Notes.Skip("tasks of unknown status")
	}
	return nil
}

// output reads the output of a crew: what its agents said, where it is there, else
// what came of each task.
func (c *crew) output(n record.Node, line int) error {
	if err := c.end(); err != nil {
		return err
	}
	c.begin(line)
	t := c.trace
	for _, task := range n.At("tasks_output").List() {
		c.tasks[task.At("name").Words()] = true
		t.SetInput(task.At("description"))
		// Where the task has no messages its raw text is all that is left of it.
		before := len(t.Steps)
		said := &transcript.Conversation{Trace: t}
		for _, m := range task.At("messages").List() {
			said.Message(m)
		}
		said.Flush()
		if len(t.Steps) == before {
			t.AddAnswer(record.Answer{Text: task.At("raw").Text()})
		}
		// They name a tool and a message and no call: which step failed cannot be told.
		for range task.At("tool_failures").List() {
			c.in.Notes.Skip("failures of tools without their call")
		}
	}
	if raw := n.At("raw"); raw.IsText() {
		t.Output = raw.Raw()
	}
	c.setTotals(n.At("token_usage"))
	return c.end()
}

// setTotals takes in the sums of a crew.
func (c *crew) setTotals(n record.Node) {
	// A crew whose models report nothing writes zeros, which are no count.
	u := transcript.Usage(n)
	if u.Input.Value > 0 || u.Output.Value > 0 {
		u.Cached = n.At("cached_prompt_tokens").Count()
		c.trace.SetTokens(u)
	}
}
