package otlp

import (
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// describe sets what the trace says of the trial besides its steps.
// The tags come first: the task may be among them.
func (t *spanTree) describe(x *record.Trace, steps []*span) {
	root := t.root()
	t.tags(x)
	if x.Scenario = taskNamed(x); x.Scenario == "" {
		x.Scenario = t.workflow()
	}
	// The version of the agent is the variant; that of a sub-agent is not.
	for _, s := range t.spans {
		if version := s.attributes.at("gen_ai.agent.version").Text(); version != "" && s.depth == 0 {
			x.Variant = record.ValidText(version)
			break
		}
	}
	if text := t.request(steps); text != "" {
		x.Input = trial.RawString(text)
	}
	if x.Output == nil {
		if text := root.finalText(); text != "" {
			x.Output = trial.RawString(text)
		}
	}
}

// request is the first message of the user: that of the outermost span which has
// one, or else the text that the run was given.
// The outermost span knows best what the run was given. Else the first answer of the agent
// itself tells, by its own prompt or that of a span around it.
func (t *spanTree) request(steps []*span) string {
	root := t.root()
	if text := firstOfUser(messagesIn(root.wholeInput())); text != "" {
		return text
	}
	for _, s := range steps {
		if s.kind != llmSpan || s.depth > 0 {
			continue
		}
		if text := firstOfUser(s.prompt()); text != "" {
			return text
		}
		for o := s.enclosing; o != nil && o.kind == llmSpan; o = o.enclosing {
			if text := firstOfUser(o.prompt()); text != "" {
				return text
			}
		}
		break
	}
	return plainRequest(root.wholeInput())
}

// wholeInput is the input of a span as a whole.
// The names are of the GenAI conventions, OpenInference, the Vercel AI SDK and OpenLLMetry.
func (s *span) wholeInput() record.Node {
	if v := s.attributes.first("gen_ai.input.messages", "input.value", "ai.prompt",
		"traceloop.entity.input", "langfuse.trace.input"); v.Exists() {
		return v
	}
	return s.input
}

// plainRequest takes the text out of what a program was given, such as
// {"prompt":"..."} or {"args":["..."]}; as a last resort it is the whole.
func plainRequest(n record.Node) string {
	value := n.Parsed()
	for _, name := range []string{"prompt", "query", "question", "input"} {
		if text := value.At(name); text.IsText() {
			return text.Text()
		}
	}
	if list := value.At("args").List(); len(list) == 1 && list[0].IsText() {
		return list[0].Text()
	}
	if n.IsText() {
		return n.Text()
	}
	return string(n.Raw())
}

// finalText is what a run says that it gave in the end.
// A value that holds messages, of which none is an answer, is no text by itself.
func (s *span) finalText() string {
	value := s.attributes.first("final_result", "gen_ai.output.messages", "output.value",
		"traceloop.entity.output", "ai.response.text")
	if !value.Exists() {
		value = s.output
	}
	messages := messagesIn(value)
	for i := len(messages) - 1; i >= 0; i-- {
		if m := messages[i]; m.role == "assistant" && m.text != "" {
			return m.text
		}
	}
	if len(messages) > 0 {
		return ""
	}
	return asText(value).Text()
}

// scenarioTags are names under which users tell which task a trace is of.
// Users set them as association properties (Traceloop) or metadata (OpenInference, Langfuse,
// the Vercel AI SDK, LangSmith).
var scenarioTags = []string{"scenario", "scenario_id", "task_id", "test_case_id", "test_name", "sample_id",
	"dataset_item_id"}

// taskNamed returns the task that a tag names.
func taskNamed(t *record.Trace) string {
	for _, name := range scenarioNames() {
		if text, ok := t.Tag(name); ok {
			return text
		}
	}
	return ""
}

// scenarioNames are those names in all places, in the order in which they count.
var scenarioNames = sync.OnceValue(func() (names []string) {
	for _, prefix := range []string{"traceloop.association.properties.", "metadata.", "langfuse.trace.metadata.",
		"ai.telemetry.metadata.", "langfuse.observation.metadata.", "langsmith.metadata.", ""} {
		for _, name := range scenarioTags {
			names = append(names, prefix+name)
		}
	}
	return names
})

// workflow is the name of the workflow, or of the outermost span without what is
// different each time.
func (t *spanTree) workflow() string {
	root := t.root()
	for _, name := range []string{"test.case.name", "langfuse.trace.name", "traceloop.workflow.name",
		"gen_ai.workflow.name", "ai.telemetry.functionId"} {
		if text := root.attributes.at(name).Text(); text != "" {
			return record.ValidText(text)
		}
	}
	// The conventions name the span after the agent. Vercel AI SDK 7 names it after the model, and the agent by its
	// functionId.
	agent := root.attributes.at("gen_ai.agent.name").Text()
	if agent != "" && strings.HasPrefix(root.name, "invoke_agent") && !strings.Contains(root.name, agent) {
		return record.ValidText(agent)
	}
	return withoutIDs(root.name)
}

// uuid is an id with what separates it from the words around it.
var uuid = lazy.Regexp(`(?i)[ ._:/-]*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// withoutIDs leaves the ids of runs out of a name: with them no two trials would be
// of one scenario.
func withoutIDs(name string) string { return strings.TrimSpace(uuid().ReplaceAllString(name, "")) }

// tags keeps what may name the task, the system or the session.
// The resource tells the service, and the root span the run. Attributes that hold for the
// trace are taken from any span: frameworks set them where they can. The first one counts.
func (t *spanTree) tags(x *record.Trace) {
	root := t.root()
	x.SetTag("traceId", record.Node{Value: t.id})
	for _, e := range root.resource.list {
		if !hasPrefix(e.name, machineAttributes) {
			x.SetTag(e.name, e.value)
		}
	}
	t.keepAttributes(x, root)
	for _, s := range t.spans {
		if s == root {
			continue
		}
		for _, e := range s.attributes.list {
			if hasPrefix(e.name, traceAttributes) {
				if _, known := x.Tag(e.name); !known {
					x.SetTag(e.name, e.value.Parsed())
				}
			}
		}
	}
}

// keepAttributes keeps the attributes of the outermost span that are no contents.
func (t *spanTree) keepAttributes(x *record.Trace, s *span) {
	for _, e := range s.attributes.list {
		switch {
		case hasPrefix(e.name, contentAttributes):
		case hasPrefix(e.name, traceAttributes):
			x.SetTag(e.name, e.value.Parsed())
		case e.value.IsScalar():
			x.SetTag(e.name, e.value)
		}
	}
}

// traceAttributes hold for the whole trace, whichever span has them.
var traceAttributes = []string{
	"gen_ai.conversation.id", "session.id", "user.id", "traceloop.association.properties.", "metadata", "tag.tags",
	"langfuse.trace.", "langfuse.session.id", "langfuse.user.id", "ai.telemetry.metadata.", "ai.telemetry.functionId",
	"langsmith.metadata.",
}

// contentAttributes are what the run was given and gave, what it took, and how it was
// written.
// They are prefixes. What they name is read elsewhere, or too long for a tag.
var contentAttributes = []string{
	"gen_ai.input.", "gen_ai.output.", "gen_ai.prompt", "gen_ai.completion", "gen_ai.system_instructions",
	"gen_ai.tool.", "gen_ai.usage.", "gen_ai.response.",
	"llm.", "input.", "output.", "ai.prompt", "ai.response", "ai.usage", "ai.toolCall",
	"traceloop.entity.input", "traceloop.entity.output",
	"gcp.vertex.agent.llm_", "gcp.vertex.agent.tool_", "tool_arguments", "tool_response", "logfire.",
	"events", "all_messages_events", "pydantic_ai.all_messages",
	"langfuse.trace.input", "langfuse.trace.output", "langfuse.internal.",
	"langfuse.observation.input", "langfuse.observation.output", "langfuse.observation.type",
	"langfuse.observation.usage_details", "langfuse.observation.cost_details", "langfuse.observation.model",
	"openinference.span.kind", "langsmith.span.kind", "traceloop.span.kind", "gen_ai.operation.name",
	"operation.name", "ai.operationId",
	"final_result", "model_request_parameters", "evaluations.", "code.", "thread.", "exception.", "operation.cost",
}

// machineAttributes are of the machine and the library that recorded, not of the
// system.
// They differ from machine to machine, and would tell equal systems apart.
var machineAttributes = []string{"telemetry.", "process.", "host.", "os."}
