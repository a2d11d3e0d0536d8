package ingest

import (
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// chainEvents puts trials together from the events of astream_events: one for each
// run without a parent.
type chainEvents struct {
	in   *input
	runs map[string]*chainRun // by the id of the outermost run
	last []string             // ids of those that are open, in the order of their begin
}

// chainRun is an outermost run.
type chainRun struct {
	timeline
	steps map[string]int       // the moment of each run of a tool
	began map[string]time.Time // of each run, where events have times
}

// event takes in an event.
func (e *chainEvents) event(n node, line int) error {
	id := n.at("run_id").text()
	root := id
	if parents := n.at("parent_ids").list(); len(parents) > 0 {
		root = parents[0].text()
	} else if !n.has("parent_ids") && len(e.last) > 0 {
		root = e.last[len(e.last)-1] // the first version does not name the parents
	}
	r := e.runs[root]
	if r == nil {
		r = &chainRun{timeline: timeline{trace: newTrace(e.in, line)}, steps: map[string]int{}, began: map[string]time.Time{}}
		e.runs[root] = r
		e.last = append(e.last, root)
	}
	what, phase := cutLast(strings.TrimPrefix(n.at("event").text(), "on_"))
	at := n.either("timestamp", "time", "ts", "created_at").time()
	r.trace.addTime(at)
	if phase == "start" {
		r.began[id] = at
		if id == root {
			r.describe(n)
		}
	}
	switch what + " " + phase {
	case "chat_model end", "llm end", "chat_model error", "llm error":
		r.answer(n, secondsBetween(r.began[id], at))
	case "tool start", "retriever start":
		r.call(n, what)
	case "tool end", "tool error", "retriever end", "retriever error":
		r.returned(n, what, secondsBetween(r.began[id], at))
	case "chat_model start":
		r.asked(n.at("data", "input"))
	case "chain error":
		r.trace.Error = &trial.Cause{Message: stepError(n.at("data", "error").errorText())}
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

func (e *chainEvents) endRun(root string) error {
	r := e.runs[root]
	delete(e.runs, root)
	for i, id := range e.last {
		if id == root {
			e.last = append(e.last[:i:i], e.last[i+1:]...)
			break
		}
	}
	r.build()
	return e.in.emitTrace(r.trace)
}

// end hands out the runs whose end is not there.
func (e *chainEvents) end() error {
	for len(e.last) > 0 {
		e.in.notes.remark("the events end before a run does: the log is cut off")
		if err := e.endRun(e.last[0]); err != nil {
			return err
		}
	}
	return nil
}

// describe takes in the begin of the outermost run.
func (r *chainRun) describe(n node) {
	r.trace.Scenario = n.at("name").words()
	r.trace.setTag("metadata", n.at("metadata"))
	r.asked(n.at("data", "input"))
}

// asked takes in what a run was given.
func (r *chainRun) asked(input node) {
	if r.trace.Input == nil {
		r.trace.Input = chainInput(input)
	}
}

// chainInput returns the first message of a user, or the text that a chain was given.
func chainInput(input node) trial.Raw {
	var found trial.Raw
	messages := input.at("messages").orElse(input).list()
	for len(messages) > 0 && messages[0].isList() {
		messages = messages[0].list()
	}
	for _, n := range messages {
		if m := unwrapAny(n); m.kind == "human" && found == nil {
			found = m.body.at("content").input()
		}
	}
	if text := input.either("input", "question", "query", "prompt").orElse(input); found == nil && text.isText() {
		return text.raw()
	}
	return found
}

// chainAnswer returns the answer of a model in what a run of it gave.
func chainAnswer(output node) (m chainMessage, text string) {
	for _, name := range []string{"generations", "messages", "choices"} {
		list := output.at(name).list()
		for len(list) > 0 && list[0].isList() {
			list = list[0].list()
		}
		if len(list) > 0 {
			output, text = list[0], list[0].at("text").words()
			if name == "messages" {
				output = list[len(list)-1]
			}
			if message := output.at("message"); message.exists() {
				output = message
			}
			break
		}
	}
	m = unwrapAny(output)
	if said := m.body.at("content").speech(); said != "" {
		text = said
	} else if output.isText() {
		text = output.text()
	}
	return m, text
}

// answer adds an answer of a model.
func (r *chainRun) answer(n node, duration trial.Optional[float64]) {
	m, text := chainAnswer(n.at("data", "output"))
	model := chainModel(m.body)
	if model == "" {
		model = n.at("metadata", "ls_model_name").words()
	}
	a := answerMoment(answer{text: text, model: model, calls: chainCalls(m.body), usage: chainUsage(m.body)})
	a.step.DurationSeconds, a.step.Depth = duration, graphDepth(n.at("metadata"))
	if e := n.at("data", "error"); e.exists() {
		failAnswer(&a.step, e.errorText())
	}
	r.moments = append(r.moments, a)
}

// graphDepth is how many graphs the graph of a run is inside of; unknown for the
// outermost.
func graphDepth(metadata node) trial.Optional[int] {
	names := metadata.either("langgraph_checkpoint_ns", "checkpoint_ns").text()
	if inside := strings.Count(names, "|"); inside > 0 {
		return trial.Some(inside)
	}
	return trial.Optional[int]{}
}

// call adds a call of a tool or a retriever.
func (r *chainRun) call(n node, what string) {
	step := trial.Step{Action: trial.CallTool, Tool: n.at("name").words(), Arguments: toolInput(n.at("data", "input")).raw()}
	if what == "retriever" {
		step.Action = "retrieve"
	}
	step.Depth = graphDepth(n.at("metadata"))
	r.steps[n.at("run_id").text()] = len(r.moments)
	r.moments = append(r.moments, moment{step: step})
}

// toolInput is the input of a tool, without the wrapping that a mere text gets.
func toolInput(input node) node {
	if inner := input.at("input"); input.length() == 1 && inner.isText() {
		return inner.parsed()
	}
	return input.parsed()
}

// returned completes a call. Where its begin is not there, its end tells all of it.
func (r *chainRun) returned(n node, what string, duration trial.Optional[float64]) {
	id := n.at("run_id").text()
	if _, ok := r.steps[id]; !ok {
		r.call(n, what)
	}
	step := &r.moments[r.steps[id]].step
	delete(r.steps, id)
	step.DurationSeconds = duration
	setToolOutput(step, n.at("data", "output"))
	if e := n.at("data", "error"); e.exists() {
		step.Error = stepError(e.errorText())
	} else if n.at("event").text() == "on_tool_error" {
		step.Error = stepFailed
	}
}

// setToolOutput sets what a tool gave: a message, or any value.
func setToolOutput(step *trial.Step, output node) {
	m := unwrapAny(output)
	if m.kind != "tool" {
		step.Output = output.raw()
		return
	}
	content := m.body.at("content")
	step.Output = content.raw()
	if m.body.at("status").text() == "error" {
		step.Error = stepError(content.speech())
	}
}
