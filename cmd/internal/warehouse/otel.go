package warehouse

import (
	"cmp"
	"fmt"
	"strings"
)

// otelTrials reads a table of spans, and makes a trial of each trace that has an outermost span. In ClickHouse it
// is the table of the OpenTelemetry Collector's exporter; elsewhere it has the columns trace_id, parent_span_id,
// name, start_time, end_time, status_code, attributes and resource_attributes, the last two JSON objects.
func otelTrials(q Query) (*trials, error) {
	d := q.Dialect
	table, err := d.table(q.Table)
	if err != nil {
		return nil, err
	}
	for _, setting := range []struct{ what, key string }{
		{"attribute of the scenario", q.Scenario}, {"attribute of the variant", q.Variant},
		{"attribute of the input", q.Input},
		{"attribute of the outcome", q.Outcome}, {"attribute of the score", q.Score},
	} {
		if setting.key == "" {
			continue
		}
		if err := check(setting.what, setting.key); err != nil {
			return nil, err
		}
	}
	if err := checkTools(q.Tools); err != nil {
		return nil, err
	}
	c := spanColumnsOf(d)
	t := &trials{metrics: Metrics(), id: true, input: q.Input != ""}
	t.before = []string{"spans AS (\n" + indent("SELECT\n"+d.as(q.spanRows(c))+"\nFROM "+table) + "\n)"}
	n := d.quoted
	root := func(column string) string {
		return "MAX(CASE WHEN " + n("is_root") + " = 1 THEN " + n(column) + " END)"
	}
	variant := root("variant")
	if q.Variant == "" { // agents within a run may say it, and the run not
		variant = "COALESCE(" + variant + ", MAX(" + n("variant") + "))"
	}
	list := [][2]string{
		{"COALESCE(" + variant + ", '')", "variant"},
		{"COALESCE(" + root("scenario") + ", '')", "scenario"},
		{n("trace_id"), "trial_id"},
		{q.outcome(root("outcome"), root("score")), "outcome"},
	}
	if t.input {
		list = append(list, [2]string{d.digest("COALESCE(" + root("input") + ", '')"), "input"})
	}
	took, measures := d.spanMetrics(q.Tools)
	list, t.measures = append(list, took...), measures
	list = append(list, [2]string{d.seconds("MIN("+n("begins")+")", "MAX("+n("ends")+")"), "duration_s"})
	having := "MAX(" + n("is_root") + ") = 1"
	if period := q.period("MIN(" + n("begins") + ")"); period != "" {
		having += " AND " + period
	}
	t.rows = "SELECT\n" + d.as(list) + "\nFROM spans\nGROUP BY " + n("trace_id") + "\nHAVING " + having
	return t, nil
}

// spanColumns are expressions of what a table of spans has.
type spanColumns struct {
	trace, parent, name, start, end, status string
	attributes, resource                    string // objects or maps
}

func spanColumnsOf(d Dialect) spanColumns {
	if d == ClickHouse {
		start := d.quoted("Timestamp")
		return spanColumns{
			trace: d.quoted("TraceId"), parent: d.quoted("ParentSpanId"), name: d.quoted("SpanName"), start: start,
			end:    "addNanoseconds(" + start + ", toInt64(" + d.quoted("Duration") + "))",
			status: d.quoted("StatusCode"), attributes: d.quoted("SpanAttributes"), resource: d.quoted("ResourceAttributes"),
		}
	}
	n := func(name string) string { return d.quoted(d.folded(name)) }
	return spanColumns{
		trace: n("trace_id"), parent: n("parent_span_id"), name: n("name"), start: n("start_time"), end: n("end_time"),
		status: n("status_code"), attributes: n("attributes"), resource: n("resource_attributes"),
	}
}

// spanRows are the columns of a span, with what its attributes say.
func (q Query) spanRows(c spanColumns) [][2]string {
	d := q.Dialect
	attribute := func(key string) string { return d.member(c.attributes, key) }
	first := func(keys ...string) string {
		list := make([]string, len(keys))
		for i, key := range keys {
			list[i] = attribute(key)
		}
		return firstOf(list...)
	}
	// What is named may stand in the resource too.
	named := func(key string) string { return firstOf(attribute(key), d.member(c.resource, key)) }
	scenario := ""
	if q.Scenario != "" {
		scenario = named(q.Scenario)
	} else {
		var keys []string
		for _, prefix := range []string{"traceloop.association.properties.", "metadata.", "langfuse.trace.metadata.",
			"ai.telemetry.metadata.", "langsmith.metadata.", ""} {
			for _, key := range scenarioKeys() {
				keys = append(keys, prefix+key)
			}
		}
		keys = append(keys, "test.case.name", "langfuse.trace.name", "traceloop.workflow.name", "gen_ai.workflow.name",
			"ai.telemetry.functionId")
		scenario = "COALESCE(" + first(keys...) + ", NULLIF(" + d.withoutIDs(d.text(c.name)) + ", ''))"
	}
	variant := attribute("gen_ai.agent.version")
	if q.Variant != "" {
		variant = named(q.Variant)
	}
	tool := first("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name", "mcp.tool.name")
	list := [][2]string{
		{d.text(c.trace), "trace_id"},
		{"CASE WHEN COALESCE(" + d.text(c.parent) + ", '') IN ('', '0000000000000000') THEN 1 ELSE 0 END", "is_root"},
		{c.start, "begins"}, {c.end, "ends"},
		{scenario, "scenario"}, {"NULLIF(" + variant + ", '')", "variant"},
		{named(cmp.Or(q.Outcome, "test.case.result.status")), "outcome"},
		{d.number(named(cmp.Or(q.Score, "gen_ai.evaluation.score.value"))), "score"},
		{q.spanKind(attribute, tool), "kind"},
		{"COALESCE(" + tool + ", " + q.toolOfName(c.name) + ")", "tool"},
		{"CASE WHEN " + d.text(c.status) +
			" IN ('2', 'STATUS_CODE_ERROR', 'ERROR', 'StatusCode.ERROR', 'Error') OR COALESCE(" + attribute("error.type") +
			", '') <> '' THEN 1 ELSE 0 END", "failed"},
	}
	input := first("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
		"llm.usage.prompt_tokens", "ai.usage.inputTokens", "ai.usage.promptTokens")
	output := first("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
		"llm.usage.completion_tokens", "ai.usage.outputTokens", "ai.usage.completionTokens")
	total := first("llm.token_count.total", "llm.usage.total_tokens", "ai.usage.totalTokens", "gen_ai.usage.total_tokens")
	list = append(list, [2]string{d.number(input), "input_tokens"}, [2]string{d.number(output), "output_tokens"},
		[2]string{d.beyond(d.number(total), d.number(input), d.number(output)), "more_tokens"},
		[2]string{d.number(first("llm.cost.total", "operation.cost", "gen_ai.usage.cost")), "cost_usd"})
	if q.Input != "" {
		list = append(list, [2]string{named(q.Input), "input"})
	}
	return list
}

// beyond is what a total counts that its parts do not.
func (d Dialect) beyond(total, input, output string) string {
	return fmt.Sprintf("CASE WHEN (%s) > (%s) + (%s) THEN (%s) - (%s) - (%s) END", total, input, output, total, input,
		output)
}

// spanKind says whether a span is an answer of a model, the call of a tool, another step, or none.
func (q Query) spanKind(attribute func(string) string, tool string) string {
	operation, kind := attribute("gen_ai.operation.name"), "UPPER("+firstOf(attribute("openinference.span.kind"),
		attribute("langsmith.span.kind"), attribute("traceloop.span.kind"))+")"
	in := func(expr string, words ...string) string { return expr + " IN ('" + strings.Join(words, "', '") + "')" }
	merged := in(attribute("gen_ai.tool.name"), "(merged tools)", "merge")
	return "CASE WHEN " + in(operation, "chat", "generate_content", "text_completion") + " THEN 'llm'" +
		" WHEN " + merged + " THEN 'none'" +
		" WHEN " + in(operation, "execute_tool") + " THEN 'tool'" +
		" WHEN " + in(operation, "embeddings", "embedding", "retrieval", "search_memory", "handoff", "agent_handoff") +
		" THEN 'step'" +
		" WHEN " + in(operation, "invoke_agent", "invoke_workflow", "create_agent", "plan", "fetch_response", "create_memory",
		"update_memory", "upsert_memory", "delete_memory", "create_memory_store", "delete_memory_store") + " THEN 'none'" +
		" WHEN COALESCE(" + attribute("mcp.method.name") + ", 'tools/call') <> 'tools/call' THEN 'none'" +
		" WHEN " + firstOf(attribute("gen_ai.tool.name"), attribute("mcp.method.name")) + " IS NOT NULL THEN 'tool'" +
		" WHEN " + in(kind, "LLM") + " THEN 'llm'" +
		" WHEN " + in(kind, "TOOL") + " THEN 'tool'" +
		" WHEN " + in(kind, "RETRIEVER", "RERANKER", "EMBEDDING", "HANDOFF") + " THEN 'step'" +
		" ELSE 'none' END"
}

// toolOfName takes the name of a tool out of that of its span.
func (q Query) toolOfName(name string) string {
	const prefix = "execute_tool "
	text := q.Dialect.text(name)
	return fmt.Sprintf("CASE WHEN SUBSTR(%s, 1, %d) = '%s' THEN SUBSTR(%s, %d) ELSE %s END",
		text, len(prefix), prefix, text, len(prefix)+1, text)
}
