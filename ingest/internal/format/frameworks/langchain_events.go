package frameworks

import (
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// chainEvents puts trials together from the events of astream_events: one for each
// run without a parent.
//
//	{"event":"on_tool_start","name":"search","run_id":"r2","parent_ids":["r1"],"data":{"input":{"q":"x"}}}
type chainEvents struct {
	in   *record.Input
	runs map[string]*chainRun // by the id of the outermost run
	last openRuns             // those that are open
}

// chainRun is an outermost run.
type chainRun struct {
	record.Timeline
	steps map[string]int       // the moment of each run of a tool
	began map[string]time.Time // of each run, where events have times
}

// event takes in an event.
func (e *chainEvents) event(n record.Node, line int) error {
	id := n.At("run_id").Text()
	// Version 2 lists the ancestors, the outermost first. Version 1 has no parent_ids: then the
	// run belongs to the outermost one that began last and is still open.
	root := id
	if parents := n.At("parent_ids").List(); len(parents) > 0 {
		root = parents[0].Text()
	} else if newest, open := e.last.newest(); open && !n.Has("parent_ids") {
		root = newest // the first version does not name the parents
	}
	r := e.runs[root]
	if r == nil {
		r = &chainRun{Timeline: record.Timeline{Trace: record.NewTrace(e.in, line)}, steps: map[string]int{},
			began: map[string]time.Time{}}
		e.runs[root] = r
		e.last.begin(root)
	}
	// on_chat_model_start is chat_model and start.
	what, phase := cutLast(strings.TrimPrefix(n.At("event").Text(), "on_"))
	// astream_events has no times of its own; programs that write the file add them.
	at := n.Either("timestamp", "time", "ts", "created_at").Time()
	r.Trace.AddTime(at)
	if phase == "start" {
		r.began[id] = at
		if id == root {
			r.describe(n)
		}
	}
	// Streamed chunks are left out: the end has the whole. Chains are what encloses the steps.
	switch what + " " + phase {
	case "chat_model end", "llm end", "chat_model error", "llm error":
		r.answer(n, record.SecondsBetween(r.began[id], at))
	case "tool start", "retriever start":
		r.call(n, what)
	case "tool end", "tool error", "retriever end", "retriever error":
		r.endCall(n, what, record.SecondsBetween(r.began[id], at))
	case "chat_model start":
		r.setInput(n.At("data", "input"))
	case "chain error":
		r.Trace.Error = &trial.Cause{Message: record.StepError(n.At("data", "error").ErrorText())}
	}
	if id == root && (phase == "end" || phase == "error") {
		return e.endRun(root)
	}
	return nil
}

// cutLast cuts a word at its last underscore.
func cutLast(word string) (before, after string) {
	i := strings.LastIndexByte(word, '_')
	return word[:max(i, 0)], word[i+1:]
}

// endRun hands out the trial of an outermost run.
func (e *chainEvents) endRun(root string) error {
	r := e.runs[root]
	delete(e.runs, root)
	e.last.end(root)
	r.Build()
	r.Trace.SetMessageID(root)
	return e.in.EmitTrace(r.Trace)
}

// end hands out the runs whose end is not there.
func (e *chainEvents) end() error {
	for _, root := range e.last.all() {
		e.in.Notes.Remark("the events end before a run does: the log is cut off")
		if err := e.endRun(root); err != nil {
			return err
		}
	}
	return nil
}

// openRuns are the ids of the runs that began and did not end, in the order of their begin.
// Each begins and ends in constant time, whatever the order: a log may hold many.
type openRuns struct {
	ids   []string       // "" where a run ended; the last one is open
	place map[string]int // among the ids
}

func (o *openRuns) begin(id string) {
	if o.place == nil {
		o.place = map[string]int{}
	}
	o.place[id] = len(o.ids)
	o.ids = append(o.ids, id)
}

func (o *openRuns) end(id string) {
	place, open := o.place[id]
	if !open {
		return
	}
	delete(o.place, id)
	o.ids[place] = ""
	for n := len(o.ids); n > 0 && !o.isOpen(n-1); n-- {
		o.ids = o.ids[:n-1]
	}
}

// newest is the run that began last of those that are open.
func (o *openRuns) newest() (id string, open bool) {
	if len(o.ids) == 0 {
		return "", false
	}
	return o.ids[len(o.ids)-1], true
}

// all are those that are open now.
func (o *openRuns) all() (list []string) {
	for place, id := range o.ids {
		if o.isOpen(place) {
			list = append(list, id)
		}
	}
	return list
}

// isOpen reports whether the run at a place has not ended. A log may give a run an empty id.
func (o *openRuns) isOpen(place int) bool {
	at, open := o.place[o.ids[place]]
	return open && at == place
}

// describe takes in the begin of the outermost run.
func (r *chainRun) describe(n record.Node) {
	r.Trace.Scenario = n.At("name").Words()
	r.Trace.SetTag("metadata", n.At("metadata"))
	r.setInput(n.At("data", "input"))
}

// setInput takes in what a run was given.
func (r *chainRun) setInput(input record.Node) {
	if r.Trace.Input == nil {
		r.Trace.Input = chainInput(input)
	}
}

// chainInput returns the first message of a user, or the text that a chain was given.
func chainInput(input record.Node) trial.Raw {
	var found trial.Raw
	// A model is given a list of lists: one prompt of a batch.
	messages := input.At("messages").OrElse(input).List()
	for len(messages) > 0 && messages[0].IsList() {
		messages = messages[0].List()
	}
	for _, n := range messages {
		if m := unwrapAny(n); m.kind == "human" && found == nil {
			found = m.body.At("content").Input()
		}
	}
	if text := input.Either("input", "question", "query", "prompt").OrElse(input); found == nil && text.IsText() {
		return text.Raw()
	}
	return found
}

// chainAnswer returns the answer of a model in what a run of it gave.
// The output is a message; or an LLMResult, with generations; or a state, whose last message
// is the answer; or the response of OpenAI's client, with choices.
func chainAnswer(output record.Node) (m chainMessage, text string) {
	for _, name := range []string{"generations", "messages", "choices"} {
		list := output.At(name).List()
		for len(list) > 0 && list[0].IsList() {
			list = list[0].List()
		}
		if len(list) > 0 {
			output, text = list[0], list[0].At("text").Words()
			// generations and choices have the answer first, a state has it last.
			if name == "messages" {
				output = list[len(list)-1]
			}
			if message := output.At("message"); message.Exists() {
				output = message
			}
			break
		}
	}
	m = unwrapAny(output)
	// The message's content is better than the text of the generation, which leaves parts out.
	if said := m.body.At("content").Speech(); said != "" {
		text = said
	} else if output.IsText() {
		text = output.Text()
	}
	return m, text
}

// answer adds an answer of a model.
func (r *chainRun) answer(n record.Node, duration trial.Optional[float64]) {
	m, text := chainAnswer(n.At("data", "output"))
	// ls_model_name is what was asked for, and stands in for what answered.
	model := chainModel(m.body)
	if model == "" {
		model = n.At("metadata", "ls_model_name").Words()
	}
	a := record.AnswerMoment(record.Answer{Text: text, Model: model, Calls: chainCalls(m.body),
		Usage: chainUsage(m.body)})
	a.Step.DurationSeconds, a.Step.Depth = duration, graphDepth(n.At("metadata"))
	if e := n.At("data", "error"); e.Exists() {
		record.FailAnswer(&a.Step, e.ErrorText())
	}
	r.Moments = append(r.Moments, a)
}

// graphDepth is how many graphs the graph of a run is inside of; unknown for the
// outermost.
// The checkpoint namespace is a path such as "outer:uuid|inner:uuid", of which each bar
// leads into one more graph.
func graphDepth(metadata record.Node) trial.Optional[int] {
	names := metadata.Either("langgraph_checkpoint_ns", "checkpoint_ns").Text()
	if inside := strings.Count(names, "|"); inside > 0 {
		return trial.Some(inside)
	}
	return trial.Optional[int]{}
}

// call adds a call of a tool or a retriever.
// A retriever is a step of its own kind, and no call that a model made.
func (r *chainRun) call(n record.Node, what string) {
	step := trial.Step{Action: trial.CallTool, Tool: n.At("name").Words(),
		Arguments: toolInput(n.At("data", "input")).Raw()}
	if what == "retriever" {
		step.Action = "retrieve"
	}
	step.Depth = graphDepth(n.At("metadata"))
	// The index, not a pointer: the list moves as it grows.
	r.steps[n.At("run_id").Text()] = len(r.Moments)
	r.Moments = append(r.Moments, record.Moment{Step: step})
}

// toolInput is the input of a tool, without the wrapping that a mere text gets.
func toolInput(input record.Node) record.Node {
	if inner := input.At("input"); input.Length() == 1 && inner.IsText() {
		return inner.Parsed()
	}
	return input.Parsed()
}

// endCall completes a call. Where its begin is not there, its end tells all of it.
func (r *chainRun) endCall(n record.Node, what string, duration trial.Optional[float64]) {
	id := n.At("run_id").Text()
	if _, ok := r.steps[id]; !ok {
		r.call(n, what)
	}
	step := &r.Moments[r.steps[id]].Step
	delete(r.steps, id)
	step.DurationSeconds = duration
	setToolOutput(step, n.At("data", "output"))
	if e := n.At("data", "error"); e.Exists() {
		step.Error = record.StepError(e.ErrorText())
	} else if n.At("event").Text() == "on_tool_error" {
		step.Error = record.Failed
	}
}

// setToolOutput sets what a tool gave: a message, or any value.
func setToolOutput(step *trial.Step, output record.Node) {
	// Tools that LangGraph runs give a ToolMessage, whose status tells whether they failed;
	// tools that are called otherwise give any value.
	m := unwrapAny(output)
	if m.kind != "tool" {
		step.Output = output.Raw()
		return
	}
	content := m.body.At("content")
	step.Output = content.Raw()
	if m.body.At("status").Text() == "error" {
		step.Error = record.StepError(content.Speech())
	}
}
