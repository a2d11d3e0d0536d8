package postgres_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse"
)

// database is what a test puts into one: tables, as SQL that PostgreSQL and DuckDB both take, and the query over them.
type database struct {
	tables []tableOf
	query  warehouse.Query
}

// tableOf is a table with its rows, whose values are literals of SQL.
type tableOf struct {
	name    string
	columns []string // with their types
	rows    [][]string
}

// sql makes the tables. JSON is the type of objects.
func (d *database) sql(json string) string {
	var b strings.Builder
	for _, t := range d.tables {
		fmt.Fprintf(&b, "CREATE TABLE %s (%s);\n", t.name, strings.ReplaceAll(strings.Join(t.columns, ", "), " JSON",
			" "+json))
		values := make([]string, len(t.rows))
		for i, row := range t.rows {
			values[i] = "(" + strings.Join(row, ", ") + ")"
		}
		if len(values) > 0 {
			fmt.Fprintf(&b, "INSERT INTO %s VALUES %s;\n", t.name, strings.Join(values, ",\n"))
		}
	}
	return b.String()
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func object(members map[string]any) string {
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return literal(string(text))
}

// run is a trial before it is written down in one form or another.
type run struct {
	variant, scenario, input, id string
	outcome                      string
	score                        float64
	steps                        []step
	began                        time.Time
}

// step is one of a run: an answer of a model, or the call of a tool.
type step struct {
	tool          string // "" is an answer
	failed        bool
	input, output int64
	cost          float64
	after, took   time.Duration
}

var began = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// tools have names that are hard to quote.
var tools = []string{"search", `it's a "tool"`, `back\slash`}

// drawRuns draws runs of two variants, scenario by scenario. Scenarios of one trial a side come often: these are pairs.
func drawRuns(random *rand.Rand, errors bool) (list []run) {
	scenarios := 1 + random.IntN(5)
	single := random.IntN(3) == 0
	for _, variant := range []string{"base", "next"} {
		for s := range scenarios {
			n := 1 + random.IntN(9)
			if single {
				n = 1
			}
			for range n {
				r := run{variant: variant, scenario: []string{"refund", "cancel", "ä'\"ö", "a b", `c\d`}[s],
					id: fmt.Sprintf("%032x", random.Uint64()), score: float64(random.IntN(5)) / 4,
					input: fmt.Sprintf("question %d", random.IntN(3)), began: began.Add(time.Duration(len(list)) * time.Hour)}
				r.outcome = []string{"pass", "pass", "fail", "error"}[random.IntN(3+map[bool]int{true: 1}[errors])]
				at := time.Duration(0)
				for range 1 + random.IntN(4) {
					answer := step{
						input: 1 + random.Int64N(900), output: 1 + random.Int64N(90), cost: float64(1+random.IntN(64)) / 1024,
						after: at, took: time.Duration(1+random.IntN(40)) * 125 * time.Millisecond,
					}
					at += answer.took + time.Second
					r.steps = append(r.steps, answer)
					if random.IntN(2) == 0 {
						call := step{tool: tools[random.IntN(len(tools))], failed: random.IntN(4) == 0, after: at,
							took: 250 * time.Millisecond}
						at += call.took + time.Second
						r.steps = append(r.steps, call)
					}
				}
				list = append(list, r)
			}
		}
	}
	return list
}

// Hostile names of tables and columns, as SQL writes them.
const (
	hostileTable  = `"tri""als; DROP TABLE x; --"`
	hostileColumn = `"scen'ario"") FROM x; --"`
)

// asTable are the runs as rows, and as the lines of trials.
func asTable(runs []run, byInput bool) (d database, variants map[string][]string) {
	t := tableOf{name: hostileTable, columns: []string{
		"model TEXT", hostileColumn + " TEXT", "outcome TEXT", "id TEXT", "usd DOUBLE PRECISION", "tokens BIGINT",
		"turns BIGINT",
		"calls BIGINT", "failed BIGINT", "seconds DOUBLE PRECISION", "begun TIMESTAMP", "question TEXT", "steps BIGINT",
	}}
	variants = map[string][]string{}
	for i, r := range runs {
		line := map[string]any{"scenario": r.scenario, "variant": r.variant, "outcome": r.outcome, "trial": i}
		var cost, seconds float64
		var input, output, turns, calls, failed int64
		var steps []map[string]any
		for _, s := range r.steps {
			cost += s.cost
			input += s.input
			output += s.output
			seconds = (s.after + s.took).Seconds()
			if s.tool == "" {
				turns++
				steps = append(steps, map[string]any{"action": "respond"})
				continue
			}
			calls++
			one := map[string]any{"action": "call_tool", "tool": s.tool}
			if s.failed {
				failed++
				one["error"] = "no"
			}
			steps = append(steps, one)
		}
		line["input_tokens"], line["output_tokens"], line["steps"], line["duration_s"] = input, output, steps, seconds
		usd := "NULL"
		if i%7 != 3 { // some do not tell their cost
			line["cost_usd"] = cost
			usd = strconv.FormatFloat(cost, 'g', -1, 64)
		}
		if byInput {
			line["input"] = r.input
		}
		text, err := json.Marshal(line)
		if err != nil {
			panic(err)
		}
		variants[r.variant] = append(variants[r.variant], string(text))
		t.rows = append(t.rows, []string{
			literal(r.variant), literal(r.scenario), literal(r.outcome), literal(r.id), usd, fmt.Sprint(input + output),
			fmt.Sprint(turns), fmt.Sprint(calls), fmt.Sprint(failed), strconv.FormatFloat(seconds, 'g', -1, 64),
			literal(r.began.Format("2006-01-02 15:04:05")), literal(r.input), fmt.Sprint(len(steps)),
		})
	}
	d.tables = []tableOf{t}
	d.query = warehouse.Query{
		Table: hostileTable, Variant: "model", Scenario: hostileColumn, ID: "id", Cost: "usd", Tokens: "tokens",
		Turns:     "turns",
		ToolCalls: "calls", ToolErrors: "failed", Duration: "seconds", Time: "begun", Sample: 3, Seed: 7,
		Measures: []warehouse.Measure{{Name: "steps", Column: "steps"}},
	}
	if byInput {
		d.query.Input = "question"
	}
	return d, variants
}

// asSpans are the runs as spans of OpenTelemetry, in a table and in its JSON.
func asSpans(runs []run) (d database, variants map[string][]string) {
	t := tableOf{name: "spans", columns: []string{
		"trace_id TEXT", "parent_span_id TEXT", "name TEXT", "start_time TIMESTAMP", "end_time TIMESTAMP", "status_code TEXT",
		"attributes JSON", "resource_attributes JSON",
	}}
	variants = map[string][]string{}
	for _, r := range runs {
		var spans []map[string]any
		add := func(parent, name string, from, to time.Time, failed bool, attributes map[string]any) {
			id := fmt.Sprintf("%016x", len(spans)+1)
			status, code := map[string]any{}, "STATUS_CODE_UNSET"
			if failed {
				status, code = map[string]any{"code": 2}, "STATUS_CODE_ERROR"
			}
			var list []map[string]any
			for key, value := range attributes {
				kind := "stringValue"
				switch v := value.(type) {
				case int64:
					kind, value = "intValue", fmt.Sprint(v)
				case float64:
					kind = "doubleValue"
				}
				list = append(list, map[string]any{"key": key, "value": map[string]any{kind: value}})
			}
			spans = append(spans, map[string]any{
				"traceId": r.id, "spanId": id, "parentSpanId": parent, "name": name, "status": status, "attributes": list,
				"startTimeUnixNano": fmt.Sprint(from.UnixNano()), "endTimeUnixNano": fmt.Sprint(to.UnixNano()),
			})
			t.rows = append(t.rows, []string{
				literal(r.id), literal(parent), literal(name), literal(from.Format("2006-01-02 15:04:05.000000")),
				literal(to.Format("2006-01-02 15:04:05.000000")), literal(code), object(attributes),
				literal(`{"service.name":"shop"}`),
			})
		}
		last := r.steps[len(r.steps)-1]
		root := map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.version": r.variant,
			"scenario": r.scenario}
		if r.outcome != "" {
			root["test.case.result.status"] = r.outcome
		}
		add("", "invoke_agent shop", r.began, r.began.Add(last.after+last.took), false, root)
		for _, s := range r.steps {
			from := r.began.Add(s.after)
			if s.tool == "" {
				add(fmt.Sprintf("%016x", 1), "chat m", from, from.Add(s.took), false, map[string]any{
					"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": s.input,
					"gen_ai.usage.output_tokens": s.output, "gen_ai.usage.cost": s.cost,
				})
				continue
			}
			add(fmt.Sprintf("%016x", 1), "execute_tool "+s.tool, from, from.Add(s.took), s.failed, map[string]any{
				"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": s.tool,
			})
		}
		text, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
			"resource":   map[string]any{"attributes": []any{}},
			"scopeSpans": []any{map[string]any{"spans": spans}},
		}}})
		if err != nil {
			panic(err)
		}
		variants[r.variant] = append(variants[r.variant], string(text))
	}
	d.tables = []tableOf{t}
	d.query = warehouse.Query{Format: warehouse.OTel, Table: "spans", Tools: tools, Sample: 3, Seed: 7}
	return d, variants
}

// asLangfuse are the runs as traces of Langfuse: in the tables of version 2, which is PostgreSQL's, or as version
// 3 exports them; and as its export in JSON.
func asLangfuse(runs []run, two bool) (d database, variants map[string][]string) {
	traces := tableOf{name: "traces", columns: []string{
		"id TEXT", "timestamp TIMESTAMP", "name TEXT", "metadata JSON", "release TEXT", "version TEXT", "input TEXT",
	}}
	took := []string{"usage_details JSON", "cost_details JSON"}
	if two {
		took = []string{"prompt_tokens BIGINT", "completion_tokens BIGINT", "total_tokens BIGINT", "total_cost NUMERIC",
			"calculated_total_cost NUMERIC"}
	}
	observations := tableOf{name: "observations", columns: append([]string{
		"trace_id TEXT", "type TEXT", "start_time TIMESTAMP", "end_time TIMESTAMP", "name TEXT", "level TEXT",
	}, took...)}
	scores := tableOf{name: "scores", columns: []string{
		"trace_id TEXT", "observation_id TEXT", "name TEXT", "value DOUBLE PRECISION", "data_type TEXT", "string_value TEXT",
	}}
	variants = map[string][]string{}
	at := func(t time.Time) string { return literal(t.Format("2006-01-02 15:04:05.000")) }
	iso := func(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }
	for i, r := range runs {
		traces.rows = append(traces.rows,
			[]string{literal(r.id), at(r.began), literal("shop 6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
				object(map[string]any{"scenario": r.scenario}), "NULL", literal(r.variant), literal("hello")})
		var list []map[string]any
		for k, s := range r.steps {
			from, to := r.began.Add(s.after), r.began.Add(s.after+s.took)
			kind, name, level := "GENERATION", "answer", "DEFAULT"
			one := map[string]any{"id": fmt.Sprintf("%s-%d", r.id, k), "startTime": iso(from), "endTime": iso(to),
				"level": "DEFAULT"}
			var amounts []string
			if s.tool == "" {
				one["usageDetails"] = map[string]any{"input": s.input, "output": s.output, "total": s.input + s.output}
				one["costDetails"] = map[string]any{"total": s.cost}
				usd := strconv.FormatFloat(s.cost, 'g', -1, 64)
				amounts = []string{object(one["usageDetails"].(map[string]any)), object(one["costDetails"].(map[string]any))}
				if two {
					amounts = []string{fmt.Sprint(s.input), fmt.Sprint(s.output), fmt.Sprint(s.input + s.output), "NULL", usd}
				}
			} else {
				kind, name = "TOOL", s.tool
				if s.failed {
					level = "ERROR"
				}
				amounts = []string{"'{}'", "'{}'"}
				if two {
					amounts = []string{"0", "0", "0", "NULL", "NULL"}
				}
			}
			one["type"], one["name"], one["level"] = kind, name, level
			list = append(list, one)
			observations.rows = append(observations.rows, append([]string{
				literal(r.id), literal(kind), at(from), at(to), literal(name), literal(level),
			}, amounts...))
		}
		judged := []map[string]any{}
		score := func(name, kind string, value float64, text string) {
			judged = append(judged, map[string]any{"name": name, "dataType": kind, "value": value, "stringValue": text})
			scores.rows = append(scores.rows, []string{literal(r.id), "NULL", literal(name), fmt.Sprint(value), literal(kind),
				literal(text)})
		}
		passed := map[string]float64{"pass": 1}[r.outcome]
		switch {
		case r.outcome == "":
		case i%2 == 0:
			score("correct", "BOOLEAN", passed, "")
		default:
			score("verdict", "CATEGORICAL", passed, map[string]string{"pass": "Passed", "fail": "incorrect"}[r.outcome])
		}
		score("hallucination", "BOOLEAN", 1-passed, "") // true of a bad answer
		score("helpfulness", "NUMERIC", r.score, "")
		text, err := json.Marshal(map[string]any{
			"trace": map[string]any{"id": r.id, "timestamp": iso(r.began), "name": "shop", "projectId": "p",
				"version":  r.variant,
				"metadata": map[string]any{"scenario": r.scenario}, "scores": judged},
			"observations": list,
		})
		if err != nil {
			panic(err)
		}
		variants[r.variant] = append(variants[r.variant], string(text))
	}
	d.tables = []tableOf{traces, observations, scores}
	d.query = warehouse.Query{Format: warehouse.Langfuse, Table: "traces", Tools: tools, Sample: 3, Seed: 7}
	return d, variants
}
