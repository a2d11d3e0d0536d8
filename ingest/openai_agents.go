package ingest

import (
	"github.com/tribunal-dev/tribunal/trial"
)

func isAgentsExport(n node) bool {
	switch n.at("object").text() {
	case "trace":
		return n.has("id", "workflow_name")
	case "trace.span":
		return n.has("id", "span_data")
	}
	return false
}

func showsOpenAIAgents(s *shape) bool {
	for _, n := range s.first().at("data").list() {
		return isAgentsExport(n)
	}
	return isAgentsExport(s.first())
}

// agentsTrace is one trace of the OpenAI Agents SDK. Its spans are exported as they
// end, mixed with those of others, and it has no end of its own.
type agentsTrace struct {
	timeline
	spans map[string]agentsSpan
	owner []string // span of each moment
	turns usage    // the sums that spans of turns and tasks repeat
	tasks usage
}

// agentsSpan is what the tree of spans needs of one.
type agentsSpan struct {
	parent  string
	isAgent bool
}

// readOpenAIAgents makes a trial of each trace.
func readOpenAIAgents(in *input) error {
	traces := map[string]*agentsTrace{}
	var order []*agentsTrace
	trace := func(id string, line int) *agentsTrace {
		if traces[id] == nil {
			traces[id] = &agentsTrace{timeline: timeline{trace: newTrace(in, line)}, spans: map[string]agentsSpan{}}
			order = append(order, traces[id])
		}
		return traces[id]
	}
	var read func(n node, line int) error
	read = func(n node, line int) error {
		switch {
		case n.at("object").text() == "trace":
			trace(n.at("id").text(), line).describe(n)
		case n.at("object").text() == "trace.span":
			trace(n.at("trace_id").text(), line).span(in, n)
		case n.at("data").isList():
			for _, m := range n.at("data").list() {
				if err := read(m, line); err != nil {
					return err
				}
			}
		default:
			in.notes.skip("records that are no traces or spans")
		}
		return nil
	}
	if err := in.records(read); err != nil {
		return err
	}
	for _, t := range order {
		t.finish()
		if err := in.emitTrace(t.trace); err != nil {
			return err
		}
	}
	return nil
}

func (a *agentsTrace) describe(n node) {
	a.trace.Scenario = n.at("workflow_name").words()
	a.trace.setTag("group_id", n.at("group_id"))
	a.trace.setTag("metadata", n.at("metadata"))
}

// span takes in a span.
func (a *agentsTrace) span(in *input, n node) {
	data := n.at("span_data")
	kind := data.at("type").text()
	start, end := n.at("started_at").time(), n.at("ended_at").time()
	a.trace.addTime(start)
	a.trace.addTime(end)
	a.spans[n.at("id").text()] = agentsSpan{n.at("parent_id").text(), kind == "agent"}
	m := moment{at: start}
	switch kind {
	case "generation", "response":
		m = a.answer(data, kind)
		m.at = start
	case "function":
		m.step = trial.Step{Action: trial.CallTool, Tool: data.at("name").words(), Arguments: data.at("input").parsed().raw(), Output: data.at("output").raw()}
	case "handoff":
		m.step = trial.Step{Action: "handoff", Arguments: node{map[string]any{"from_agent": data.at("from_agent").value, "to_agent": data.at("to_agent").value}}.raw()}
	case "guardrail":
		if !data.at("triggered").isTrue() {
			return
		}
		m.step = trial.Step{Action: "guardrail", Output: data.at("name").raw()}
	case "agent", "task", "turn", "custom":
		a.around(in, n, data)
		return
	case "mcp_tools", "speech_group":
		return
	default:
		in.notes.skip("spans of kinds that are not read")
		return
	}
	m.step.DurationSeconds = secondsBetween(start, end)
	if message := spanError(n.at("error")); message != "" {
		m.guess = false
		failAnswer(&m.step, message)
	}
	a.moments = append(a.moments, m)
	a.owner = append(a.owner, n.at("parent_id").text())
}

// answer returns the answer of a model. The span of a response holds neither what it
// says nor what it calls.
func (a *agentsTrace) answer(data node, kind string) moment {
	u := chatUsage(data.at("usage"))
	if kind == "response" {
		m := answerMoment(answer{model: data.at("model").words(), usage: u})
		m.guess = true
		return m
	}
	var text string
	var calls []toolCall
	for _, message := range data.at("output").list() {
		if said := chatText(message); said != "" {
			text = said
		}
		calls = append(calls, chatCalls(message)...)
	}
	if a.input == nil {
		for _, message := range data.at("input").list() {
			if message.at("role").text() == "user" {
				a.input = message.at("content").input()
				break
			}
		}
	}
	m := answerMoment(answer{text: text, model: data.at("model").words(), calls: calls, usage: u})
	m.guess = len(data.at("output").list()) == 0
	return m
}

// around takes in a span that holds others: its usage is the sum of theirs, and an
// error of it is one of the trial.
func (a *agentsTrace) around(in *input, n, data node) {
	kind := data.at("type").text()
	if kind == "custom" {
		inner := data.at("data")
		kind = inner.at("sdk_span_type").text()
		if kind == "" {
			in.notes.pass("custom spans")
			return
		}
		data = inner
	}
	sum := &a.turns
	if kind == "task" {
		sum = &a.tasks
	}
	sum.add(chatUsage(data.at("usage")))
	if message := spanError(n.at("error")); message != "" && a.trace.Error == nil {
		a.trace.Error = &trial.Cause{Message: message}
	}
}

// spanError returns the message of an error, with what its data adds.
func spanError(e node) string {
	if !e.exists() {
		return ""
	}
	text := e.errorText()
	if more := e.at("data", "error").words(); more != "" {
		text += ": " + more
	}
	return stepError(text)
}

// finish puts the trial together.
func (a *agentsTrace) finish() {
	for i := range a.moments {
		agent, agents := a.agent(a.owner[i])
		a.moments[i].agent = agent
		a.moments[i].level = a.level(a.owner[i])
		if agents > 1 {
			a.moments[i].step.Depth = trial.Some(agents - 1)
		}
	}
	a.build()
	t := a.trace
	sum := t.stepUsage()
	if !sum.hasTokens() {
		sum = a.turns
		if !sum.input.Known {
			sum = a.tasks
		}
	}
	t.InputTokens, t.OutputTokens = sum.input, sum.output
}

// mostSpans is how far up the tree of spans is followed: it may hold a circle.
const mostSpans = 100

// agent returns the span of the agent that a span belongs to, and how many agents
// there are from it to the root.
func (a *agentsTrace) agent(id string) (agent string, agents int) {
	for range mostSpans {
		s, ok := a.spans[id]
		if !ok {
			break
		}
		if s.isAgent {
			if agents++; agent == "" {
				agent = id
			}
		}
		id = s.parent
	}
	return agent, agents
}

func (a *agentsTrace) level(id string) (level int) {
	for ; level < mostSpans; level++ {
		s, ok := a.spans[id]
		if !ok {
			break
		}
		id = s.parent
	}
	return level
}
