package warehouse

import (
	"slices"
)

// langfuseTrials reads the tables of Langfuse, and makes a trial of each trace that has observations. In
// PostgreSQL they are those of version 2; in ClickHouse those of version 3, and elsewhere what version 3 exports,
// where usage_details, cost_details and metadata are JSON objects.
func langfuseTrials(q Query) (*trials, error) {
	d := q.Dialect
	var tables [3]string
	var err error
	for i, name := range []string{"", "observations", "scores"} {
		if name == "" {
			tables[i], err = d.table(q.Table)
		} else {
			tables[i], err = d.neighbour(q.Table, name)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, setting := range []struct{ what, key string }{
		{"key of the scenario", q.Scenario}, {"key of the variant", q.Variant}, {"key of the input", q.Input},
		{"name of the score of the outcome", q.Outcome}, {"name of the score", q.Score},
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
	t := &trials{metrics: Metrics(), id: true, input: q.Input != ""}
	n := d.quoted
	took, measures := d.spanMetrics(q.Tools)
	t.measures = measures
	took = append(took, [2]string{d.seconds("MIN("+n("begins")+")", "MAX("+n("ends")+")"), "duration_s"})
	t.before = []string{
		"observed AS (\n" + indent("SELECT\n"+d.as(q.observationRows())+"\nFROM "+d.current(tables[1])) + "\n)",
		"taken AS (\n" + indent("SELECT\n"+d.as(append([][2]string{{n("trace_id"), "trace_id"}}, took...))+
			"\nFROM observed\nGROUP BY "+n("trace_id")) + "\n)",
		"judged AS (\n" + indent(q.scoreRows(d.current(tables[2]))) + "\n)",
	}
	column := func(name string) string { return "head." + d.quoted(d.folded(name)) }
	list := [][2]string{
		{"COALESCE(" + q.langfuseVariant(column) + ", '')", "variant"},
		{"COALESCE(" + q.langfuseScenario(column) + ", '')", "scenario"},
		{d.text(column("id")), "trial_id"},
		{q.langfuseOutcome(), "outcome"},
	}
	if t.input {
		list = append(list, [2]string{d.digest("COALESCE(" + q.langfuseMember(column, q.Input) + ", '')"), "input"})
	}
	for _, m := range took {
		list = append(list, [2]string{"taken." + n(m[1]), m[1]})
	}
	t.rows = "SELECT\n" + d.as(list) + "\nFROM (SELECT * FROM " + d.current(tables[0]) + ") AS head\n" +
		"JOIN taken ON taken." + n("trace_id") + " = " + d.text(column("id")) + "\n" +
		"LEFT JOIN judged ON judged." + n("trace_id") + " = " + d.text(column("id"))
	if period := q.period(column("timestamp")); period != "" {
		t.rows += "\nWHERE " + period
	}
	return t, nil
}

// current is a table without the rows that later ones replaced.
func (d Dialect) current(table string) string {
	if d == ClickHouse {
		return table + " FINAL WHERE is_deleted = 0"
	}
	return table
}

// observationRows are the columns of an observation.
func (q Query) observationRows() [][2]string {
	d := q.Dialect
	n := func(name string) string { return d.quoted(d.folded(name)) }
	kind := "UPPER(" + d.text(n("type")) + ")"
	list := [][2]string{
		{d.text(n("trace_id")), "trace_id"},
		{n("start_time"), "begins"}, {"COALESCE(" + n("end_time") + ", " + n("start_time") + ")", "ends"},
		{"CASE WHEN " + kind + " = 'GENERATION' THEN 'llm' WHEN " + kind + " = 'TOOL' THEN 'tool' WHEN " + kind +
			" IN ('RETRIEVER', 'EMBEDDING') THEN 'step' ELSE 'none' END", "kind"},
		{d.text(n("name")), "tool"},
		{"CASE WHEN " + d.text(n("level")) + " = 'ERROR' THEN 1 ELSE 0 END", "failed"},
	}
	var input, output, total, cost string
	switch d {
	case Postgres: // version 2, where 0 is unknown
		known := func(name string) string { return d.double("NULLIF(" + n(name) + ", 0)") }
		input, output, total = known("prompt_tokens"), known("completion_tokens"), known("total_tokens")
		cost = "COALESCE(" + known("total_cost") + ", " + known("calculated_total_cost") + ")"
	case ClickHouse:
		details := func(key string) string {
			return "CASE WHEN mapContains(" + n("usage_details") + ", '" + key + "') THEN " +
				d.double(n("usage_details")+"['"+key+"']") + " END"
		}
		input, output, total = details("input"), details("output"), details("total")
		cost = d.double(n("total_cost"))
	default:
		details := func(key string) string { return d.number(d.member(n("usage_details"), key)) }
		input, output, total = details("input"), details("output"), details("total")
		cost = d.number(d.member(n("cost_details"), "total"))
	}
	return append(list, [2]string{input, "input_tokens"}, [2]string{output, "output_tokens"},
		[2]string{d.beyond(total, input, output), "more_tokens"}, [2]string{cost, "cost_usd"})
}

// faults are names of scores that are true of a bad answer: they judge nothing.
const faults = `hallucinat|toxic|harm|bias|error|fail|refus|jailbreak|violat|leak|unsafe|incorrect|issue`

// scoreRows are what the scores of whole traces say, a row a trace: how many say pass and fail, and the one number.
func (q Query) scoreRows(table string) string {
	d := q.Dialect
	n := func(name string) string { return d.quoted(d.folded(name)) }
	kind := "UPPER(" + d.text(n("data_type")) + ")"
	word := "LOWER(TRIM(" + d.text(n("string_value")) + "))"
	name := d.text(n("name"))
	// A boolean is 1 or 0 with its text beside it; a category has a text.
	truth := kind + " = 'BOOLEAN'"
	if q.Outcome == "" {
		truth += " AND NOT (" + d.matches(name, faults, true) + ")"
	}
	chosen := ""
	if q.Outcome != "" {
		chosen = name + " = " + d.literal(q.Outcome) + " AND "
	}
	says := func(value, words string) string {
		return "SUM(CASE WHEN " + chosen + "(" + truth + " AND " + n("value") + " = " + value + " OR " + kind +
			" <> 'BOOLEAN' AND " + word + " IN (" + words + ")) THEN 1 ELSE 0 END)"
	}
	numeric := "CASE WHEN " + kind + " = 'NUMERIC'"
	if q.Score != "" {
		numeric += " AND " + name + " = " + d.literal(q.Score)
	}
	number := numeric + " THEN " + d.double(n("value")) + " END"
	list := [][2]string{
		{d.text(n("trace_id")), "trace_id"},
		{says("1", "'pass', 'passed', 'correct'"), "passes"},
		{says("0", "'fail', 'failed', 'incorrect'"), "fails"},
		{"CASE WHEN COUNT(" + number + ") = 1 THEN MAX(" + number + ") END", "score"},
	}
	where := "WHERE"
	if d == ClickHouse { // it has a condition already
		where = "AND"
	}
	return "SELECT\n" + d.as(list) + "\nFROM " + table + "\n" + where + " COALESCE(" + d.text(n("observation_id")) +
		", '') = ''\nGROUP BY " + d.text(n("trace_id"))
}

// langfuseOutcome is what the scores of a trace agree on.
func (q Query) langfuseOutcome() string {
	n := q.Dialect.quoted
	passes, fails := "COALESCE(judged."+n("passes")+", 0)", "COALESCE(judged."+n("fails")+", 0)"
	word := "CASE WHEN " + passes + " > 0 AND " + fails + " = 0 THEN 'pass' WHEN " + fails + " > 0 AND " + passes +
		" = 0 THEN 'fail' WHEN " + passes + " > 0 THEN 'disagree' END"
	score := "CASE WHEN " + passes + " = 0 AND " + fails + " = 0 THEN judged." + n("score") + " END"
	return q.outcome(word, score)
}

// headColumns are the columns of a trace that a key may name in place of one of its metadata.
func headColumns() []string {
	return []string{"name", "version", "release", "environment", "user_id", "session_id", "input"}
}

// langfuseMember is a column of the trace, or a member of its metadata.
func (q Query) langfuseMember(column func(string) string, key string) string {
	if slices.Contains(headColumns(), key) {
		return q.Dialect.text(column(key))
	}
	return q.Dialect.member(column("metadata"), key)
}

func (q Query) langfuseVariant(column func(string) string) string {
	if q.Variant == "" {
		return firstOf(q.langfuseMember(column, "version"), q.langfuseMember(column, "release"))
	}
	return firstOf(q.langfuseMember(column, q.Variant))
}

func (q Query) langfuseScenario(column func(string) string) string {
	name := q.Dialect.withoutIDs(q.Dialect.text(column("name")))
	if q.Scenario != "" {
		return firstOf(q.langfuseMember(column, q.Scenario))
	}
	var list []string
	for _, key := range scenarioKeys() {
		list = append(list, q.langfuseMember(column, key))
	}
	return firstOf(append(list, name)...)
}
