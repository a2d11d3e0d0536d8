package frameworks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
	"github.com/tribunal-dev/tribunal/trial"
)

// isAgentsExport reports whether n is a trace or a span, as the SDK's exporter writes them:
//
//	{"object":"trace","id":"trace_1","workflow_name":"desk","group_id":null,"metadata":{}}
//	{"object":"trace.span","id":"span_2","trace_id":"trace_1","parent_id":"span_1","span_data":{"type":"function"}}
func isAgentsExport(n record.Node) bool {
	switch n.At("object").Text() {
	case "trace":
		return n.Has("id", "workflow_name")
	case "trace.span":
		return n.Has("id", "span_data")
	}
	return false
}

// showsOpenAIAgents knows the records themselves, and the body that is posted, {"data": []}.
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
	// spans are all spans by their id, those that are no steps, too: they place the others.
	spans map[string]agentsSpan
	owner []string     // span of each moment
	turns record.Usage // the sums that spans of turns and tasks repeat
	tasks record.Usage
}

// agentsSpan is what the tree of spans needs of one.
type agentsSpan struct {
	// parent is the id of the span around this one, "" for the outermost.
	parent  string
	isAgent bool
}

// OpenAIAgents decodes OpenAI Agents SDK trace export.
var OpenAIAgents = record.Decoder{Shows: showsOpenAIAgents, Read: readOpenAIAgents}

// readOpenAIAgents makes a trial of each trace.
func readOpenAIAgents(in *record.Input) error {
	// A span may come before its trace: whichever is first opens the trial.
	traces := map[string]*agentsTrace{}
	var order []*agentsTrace
	trace := func(id string, line int) *agentsTrace {
		if traces[id] == nil {
			traces[id] = &agentsTrace{Timeline: record.Timeline{Trace: record.NewTrace(in, line)},
				spans: map[string]agentsSpan{}}
			traces[id].Trace.ID = id
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

// describe takes in what the trace itself says. Its workflow is what was tried; a group is a
// conversation of several traces, which stay trials of their own.
func (a *agentsTrace) describe(n record.Node) {
	a.Trace.Scenario = n.At("workflow_name").Words()
	a.Trace.SetTag("group_id", n.At("group_id"))
	a.Trace.SetTag("metadata", n.At("metadata"))
}

// span takes in a span.
// The types are those of version 0.22: what asks a model (generation for Chat Completions,
// response for the Responses interface), what runs (function, handoff, guardrail), and what
// encloses others (agent, task, turn).
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
	// One that let everything pass did nothing that changes the run.
	case "guardrail":
		if !data.At("triggered").IsTrue() {
			return
		}
		m.Step = trial.Step{Action: "guardrail", Output: data.At("name").Raw()}
	case "agent", "task", "turn", "custom":
		a.enclosing(in, n, data)
		return
	// Lists of tools, and brackets around speech.
	case "mcp_tools", "speech_group":
		return
	default:
		in.Notes.Skip("spans of kinds that are not read")
		return
	}
	m.Step.DurationSeconds = record.SecondsBetween(start, end)
	if message := spanError(n.At("error")); message != "" {
		// One that failed called nothing, whatever came next.
		m.Guess = false
		record.FailAnswer(&m.Step, message)
	}
	a.Moments = append(a.Moments, m)
	a.owner = append(a.owner, n.At("parent_id").Text())
}

// answer returns the answer of a model. The span of a response holds neither what it
// says nor what it calls.
// Whether such a response called tools is guessed from the next step of the same agent, see
// [record.Moment].
func (a *agentsTrace) answer(data record.Node, kind string) record.Moment {
	u := transcript.Usage(data.At("usage"))
	if kind == "response" {
		m := record.AnswerMoment(record.Answer{Model: data.At("model").Words(), Usage: u})
		m.Guess = true
		return m
	}
	var text string
	var calls []record.Call
	output := data.At("output").List()
	// The output of a generation is a list of chat messages, or, in JavaScript, of completions
	// as the model's API gave them, with what each took.
	if completions := output; len(completions) > 0 && completions[0].At("choices").IsList() {
		output = nil
		var used record.Usage
		for _, c := range completions {
			used.Add(transcript.Usage(c.At("usage")))
			output = append(output, c.At("choices").First().At("message"))
		}
		if !u.HasTokens() {
			u = used
		}
	}
	for _, message := range output {
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
	m.Guess = len(output) == 0
	return m
}

// enclosing takes in a span that holds others: its usage is the sum of theirs, and an
// error of it is one of the trial.
// Custom spans of users are passed over; those of the SDK itself name their type inside.
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
	// Turns and tasks repeat one another's sums: each kind is summed on its own, and one is used.
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
	// Only now are all spans known, so that owners and depths can be looked up.
	for i := range a.Moments {
		agent, agents := a.agent(a.owner[i])
		a.Moments[i].Agent = agent
		a.Moments[i].Level = a.level(a.owner[i])
		// An agent that runs as a tool stands below the function span of another agent.
		if agents > 1 {
			a.Moments[i].Step.Depth = trial.Some(agents - 1)
		}
	}
	a.Build()
	t := a.Trace
	// Usage of the calls themselves is exact; the sums around them stand in for it.
	sum := t.StepUsage()
	if !sum.HasTokens() {
		sum = a.turns
		if !sum.Input.Known {
			sum = a.tasks
		}
	}
	t.SetTokens(sum)
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

// level is how many spans are around the one with the id, up to mostSpans.
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
