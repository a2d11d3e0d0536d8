package otlp

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// trial puts the trial together that the trace is. More verdicts may come from beside
// the spans.
// The order of the calls matters: steps first, for verdicts of a part count only where the
// trial is no more than that part; failures last, for a verdict comes before them.
func (t *spanTree) trial(in *record.Input, more ...spanVerdict) *record.Trace {
	x := record.NewTrace(in, t.at.Line)
	x.Place = t.at
	steps := t.steps()
	x.Steps = slices.Grow(x.Steps, len(steps))
	for _, s := range t.spans {
		x.AddTime(s.start)
		x.AddTime(s.end)
	}
	results := resultsByID(steps)
	for i, s := range steps {
		t.addStep(x, s, steps[i+1:], results)
	}
	judgeByVerdicts(x, append(t.verdicts(len(x.Steps)), more...))
	t.describe(x, steps)
	t.total(x, steps)
	t.failed(x, steps)
	return x
}

// steps returns the spans that are steps, read and in their order.
// What models and tools said is read here, once, and kept with the span. After joining, steps
// that began at once are sorted by their calls.
func (t *spanTree) steps() []*span {
	var steps []*span
	for _, s := range t.spans {
		if s.evaluates || s.isRepeated() {
			continue
		}
		switch s.kind {
		case llmSpan:
			s.modelAnswer = s.answer()
		case toolSpan:
			s.toolCall = s.wholeTool()
		case handoffSpan, retrieverSpan, rerankerSpan, embeddingSpan:
		default:
			continue
		}
		steps = append(steps, s)
	}
	for _, s := range steps {
		s.takeOuterAnswer()
	}
	joinCalls(steps)
	slices.SortStableFunc(steps, bySpanStart)
	return steps
}

// isRepeated reports whether another span stands for the same: instrumentations of
// several layers write the same call of a model one inside the other, of which the
// innermost knows best what it took, and the same call of a tool, of which the outer
// one is what the agent called.
func (s *span) isRepeated() bool {
	switch s.kind {
	case llmSpan, embeddingSpan:
		return len(s.nested) > 0
	case retrieverSpan, rerankerSpan:
		return s.enclosing != nil && s.enclosing.kind == s.kind
	case toolSpan:
		return s.enclosing != nil && s.enclosing.kind == toolSpan && s.enclosing.tool().name == s.tool().name
	}
	return false
}

// takeOuterAnswer completes the answer of a model by that of the span around it which
// stands for the same call.
func (s *span) takeOuterAnswer() {
	for o := s; s.kind == llmSpan && o.enclosing != nil && o.enclosing.kind == llmSpan &&
		len(o.enclosing.nested) == 1; {
		o = o.enclosing
		if outer := o.answer(); len(s.modelAnswer.calls) == 0 && len(outer.calls) > 0 || s.modelAnswer.isEmpty() {
			s.modelAnswer = outer
		}
	}
}

// wholeTool is the tool with what a span inside of it, of the same call, knows.
func (s *span) wholeTool() spanTool {
	tool := s.tool()
	for _, i := range s.nested {
		inner := i.tool()
		if inner.name != tool.name {
			continue
		}
		if !tool.result.Exists() {
			tool.result = inner.result
		}
		if tool.failure == "" {
			tool.failure = inner.failure
		}
		if !tool.arguments.Exists() {
			tool.arguments = inner.arguments
		}
	}
	return tool
}

// addStep adds the step that a span is. The calls that an answer asks for and that no
// span stands for follow it.
// Such calls run inside of the provider or the program: they have no time and no error, and
// a result only if a later message repeats it.
func (t *spanTree) addStep(x *record.Trace, s *span, next []*span, results map[string]string) {
	before := len(x.Steps)
	switch s.kind {
	case llmSpan:
		t.addAnswer(x, s, next)
	case toolSpan:
		s.addTool(x, results)
	default:
		s.addOther(x)
	}
	own := &x.Steps[before]
	if seconds := record.SecondsBetween(s.start, s.end); seconds.Known {
		own.DurationSeconds = seconds
	}
	for _, c := range s.modelAnswer.calls {
		if severalDocuments(c.arguments) {
			x.Notes.Remark("the exporter joined parallel calls to one: see docs/hides.md#exporters-of-traces")
		}
		if !c.joined {
			step := x.AddEndedCall(record.Call{ID: c.id, Tool: c.name, Arguments: c.arguments})
			if text, ok := results[c.id]; ok && c.id != "" {
				step.Output = trial.RawString(text)
			}
		}
	}
	for i := range x.Steps[before:] {
		if s.depth > 0 {
			x.Steps[before+i].Depth = trial.Some(s.depth)
		}
	}
}

// addAnswer adds an answer of a model. One whose message is not recorded, or names no
// calls, as in a text that a program reads, reasons if a tool runs next.
// One that failed answered nobody.
func (t *spanTree) addAnswer(x *record.Trace, s *span, next []*span) {
	failure := s.failure()
	reasons := len(s.modelAnswer.calls) > 0 || s.finishesWithTools() && !s.answersByTool || failure != ""
	if !reasons && len(next) > 0 {
		n := next[0]
		reasons = (n.kind == toolSpan || n.kind == handoffSpan) && n.call == nil && n.depth == s.depth
	}
	step := x.AddAnswer(record.Answer{
		Text: s.modelAnswer.text, Model: s.modelName(), CallsTools: reasons, Depth: s.depth, Usage: s.wholeUsage(),
	})
	step.Error = failure
}

// addTool adds the call of a tool. The span knows its result; the message that asked for it
// knows the arguments as the model wrote them.
func (s *span) addTool(x *record.Trace, results map[string]string) {
	arguments, id := s.toolCall.arguments.Parsed(), s.toolCall.id
	if c := s.call; c != nil {
		if c.arguments.IsObject() {
			arguments = c.arguments // what the model asked for, without what the program wraps it in
		}
		if id == "" {
			id = c.id
		}
	}
	step := x.AddEndedCall(record.Call{ID: id, Tool: s.toolCall.name, Arguments: arguments})
	step.Output, step.Error = asText(s.toolCall.result), s.toolCall.failure
	if text, ok := results[id]; ok && id != "" && step.Output == nil {
		step.Output = trial.RawString(text)
	}
}

// spanActions are the actions of other kinds of steps.
var spanActions = map[spanKind]trial.Action{
	handoffSpan: "handoff", retrieverSpan: "retrieve", rerankerSpan: "rerank", embeddingSpan: "embed",
}

// handedOver says who passed the task to whom, as far as the span tells: by its attributes,
// or by a name such as "handoff to billing", "handoff from desk to billing" or "desk → billing".
func (s *span) handedOver() record.Node {
	from := s.attributes.first("gen_ai.handoff.from_agent", "from_agent", "handoff.from_agent").Text()
	to := s.attributes.first("gen_ai.handoff.to_agent", "to_agent", "handoff.to_agent").Text()
	if to == "" {
		name := s.name
		if before, after, ok := strings.Cut(name, "→"); ok {
			from, to = strings.TrimSpace(before), strings.TrimSpace(strings.TrimSuffix(after, ".handoff"))
		} else if i := strings.LastIndex(name, " to "); i >= 0 {
			before, _ := strings.CutPrefix(name[:i], "handoff")
			from, to = strings.TrimPrefix(strings.TrimSpace(before), "from "), name[i+len(" to "):]
		}
	}
	agents := map[string]any{}
	if from != "" {
		agents["from_agent"] = record.ValidText(from)
	}
	if to != "" {
		agents["to_agent"] = record.ValidText(to)
	}
	return record.Node{Value: agents}
}

// addOther adds a handoff, a retrieval, a reranking or an embedding.
func (s *span) addOther(x *record.Trace) {
	u := s.wholeUsage()
	step := trial.Step{
		Action: spanActions[s.kind], Error: s.failure(), Model: record.ValidText(s.modelName()),
		InputTokens: u.Input, OutputTokens: u.Output, CostUSD: u.Cost, CachedTokens: u.Cached, CacheWrites: u.Writes,
	}
	query, found := s.attributes.first("input.value", "gen_ai.retrieval.query.text"), s.attributes.first("output.value")
	if !query.Exists() {
		query = s.input
	}
	if !found.Exists() {
		found = s.output
	}
	step.Arguments, step.Output = query.Parsed().Raw(), asText(found)
	if s.kind == handoffSpan {
		step.Arguments = s.handedOver().Raw()
	}
	x.Steps = append(x.Steps, step)
}
