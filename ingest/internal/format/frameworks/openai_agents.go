package frameworks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

func isAgentsExport(n record.Node) bool {
	switch n.At("object").Text() {
	case "trace":
		return n.Has("id", "workflow_name")
	case "trace.span":
		return n.Has("id", "span_data")
	}
	return false
}

func showsOpenAIAgents(s *record.Shape) bool {
	for _, n := range s.First().At("data").List() {
		return isAgentsExport(n)
	}
	return isAgentsExport(s.First())
}

// agentsTrace is one trace of the OpenAI Agents SDK. Its spans are exported as they
// end, mixed with those of others, and it has no end of its own.
type agentsTrace struct {
	record.Timeline
	spans map[string]agentsSpan
	owner []string     // span of each moment
	turns record.Usage // the sums that spans of turns and tasks repeat
	tasks record.Usage
}

// agentsSpan is what the tree of spans needs of one.
type agentsSpan struct {
	parent  string
	isAgent bool
}

// OpenAIAgents decodes OpenAI Agents SDK trace export.
var OpenAIAgents = record.Decoder{Shows: showsOpenAIAgents, Read: readOpenAIAgents}

// readOpenAIAgents makes a trial of each trace.
func readOpenAIAgents(in *record.Input) error {
	traces := map[string]*agentsTrace{}
	var order []*agentsTrace
	trace := func(id string, line int) *agentsTrace {
		if traces[id] == nil {
			traces[id] = &agentsTrace{Timeline: record.Timeline{Trace: record.NewTrace(in, line)},
				spans: map[string]agentsSpan{}}
			order = append(order, traces[id])
		}
		return traces[id]
	}
	var read func(n record.Node, line int) error
	read = func(n record.Node, line int) error {
		switch {
		case n.At("object").Text() == "trace":
			trace(n.At("id").Text(), line).describe(n)
		case n.At("object").Text() == "trace.span":
			trace(n.At("trace_id").Text(), line).span(in, n)
		case n.At("data").IsList():
			for _, m := range n.At("data").List() {
				if err := read(m, line); err != nil {
					return err
				}
			}
		default:
			in.Notes.Skip("records that are no traces or spans")
		}
		return nil
	}
	if err := in.Records(read); err != nil {
		return err
	}
	for _, t := range order {
		t.finish()
		if err := in.EmitTrace(t.Trace); err != nil {
			return err
		}
	}
	return nil
}

func (a *agentsTrace) describe(n record.Node) {
	a.Trace.Scenario = n.At("workflow_name").Words()
	a.Trace.SetTag("group_id", n.At("group_id"))
	a.Trace.SetTag("metadata", n.At("metadata"))
}

// span takes in a span.
func (a *agentsTrace) span(in *record.Input, n record.Node) {
	data := n.At("span_data")
	kind := data.At("type").Text()
	start, end := n.At("started_at").Time(), n.At("ended_at").Time()
	a.Trace.AddTime(start)
	a.Trace.AddTime(end)
	a.spans[n.At("id").Text()] = agentsSpan{n.At("parent_id").Text(), kind == "agent"}
	m := record.Moment{At: start}
	switch kind {
	case "generation", "response":
		m = a.answer(data, kind)
		m.At = start
	case "function":
		m.Step = trial.Step{Action: trial.CallTool, Tool: data.At("name").Words(),
			Arguments: data.At("input").Parsed().Raw(), Output: data.At("output").Raw()}
	case "handoff":
		m.Step = trial.Step{Action: "handoff",
			Arguments: record.Node{Value: map[string]any{"from_agent": data.At("from_agent").Value,
				"to_agent": data.At("to_agent").Value}}.Raw()}
	case "guardrail":
		if !data.At("triggered").IsTrue() {
			return
		}
		m.Step = trial.Step{Action: "guardrail", Output: data.At("name").Raw()}
	case "agent", "task", "turn", "custom":
		a.enclosing(in, n, data)
		return
	case "mcp_tools", "speech_group":
		return
	default:
		in.Notes.Skip("spans of kinds that are not read")
		return
	}
	m.Step.DurationSeconds = record.SecondsBetween(start, end)
	if message := spanError(n.At("error")); message != "" {
		m.Guess = false
		record.FailAnswer(&m.Step, message)
	}
	a.Moments = append(a.Moments, m)
	a.owner = append(a.owner, n.At("parent_id").Text())
}

// answer returns the answer of a model. The span of a response holds neither what it
// says nor what it calls.
func (a *agentsTrace) answer(data record.Node, kind string) record.Moment {
	u := transcript.Usage(data.At("usage"))
	if kind == "response" {
		m := record.AnswerMoment(record.Answer{Model: data.At("model").Words(), Usage: u})
		m.Guess = true
		return m
	}
	var text string
	var calls []record.Call
	for _, message := range data.At("output").List() {
		if said := transcript.Text(message); said != "" {
			text = said
		}
		calls = append(calls, transcript.Calls(message)...)
	}
	if a.Input == nil {
		for _, message := range data.At("input").List() {
			if message.At("role").Text() == "user" {
				a.Input = message.At("content").Input()
				break
			}
		}
	}
	m := record.AnswerMoment(record.Answer{Text: text, Model: data.At("model").Words(), Calls: calls, Usage: u})
	m.Guess = len(data.At("output").List()) == 0
	return m
}

// enclosing takes in a span that holds others: its usage is the sum of theirs, and an
// error of it is one of the trial.
func (a *agentsTrace) enclosing(in *record.Input, n, data record.Node) {
	kind := data.At("type").Text()
	if kind == "custom" {
		inner := data.At("data")
		kind = inner.At("sdk_span_type").Text()
		if kind == "" {
			in.Notes.Pass("custom spans")
			return
		}
		data = inner
	}
	sum := &a.turns
	if kind == "task" {
		sum = &a.tasks
	}
	sum.Add(transcript.Usage(data.At("usage")))
	if message := spanError(n.At("error")); message != "" && a.Trace.Error == nil {
		a.Trace.Error = &trial.Cause{Message: message}
	}
}

// spanError returns the message of an error, with what its data adds.
func spanError(e record.Node) string {
	if !e.Exists() {
		return ""
	}
	text := e.ErrorText()
	if more := e.At("data", "error").Words(); more != "" {
		text += ": " + more
	}
	return record.StepError(text)
}

// finish puts the trial together.
func (a *agentsTrace) finish() {
	for i := range a.Moments {
		agent, agents := a.agent(a.owner[i])
		a.Moments[i].Agent = agent
		a.Moments[i].Level = a.level(a.owner[i])
		if agents > 1 {
			a.Moments[i].Step.Depth = trial.Some(agents - 1)
		}
	}
	a.Build()
	t := a.Trace
	sum := t.StepUsage()
	if !sum.HasTokens() {
		sum = a.turns
		if !sum.Input.Known {
			sum = a.tasks
		}
	}
	t.InputTokens, t.OutputTokens = sum.Input, sum.Output
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
