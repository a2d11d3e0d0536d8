package warehouse

import (
	"fmt"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/enum"
)

// Format is the shape of what a database holds of trials.
type Format uint8

// The formats.
const (
	Table    Format = iota // a row a trial
	OTel                   // a row a span: a trace is a trial
	Langfuse               // the tables traces, observations and scores
)

var formatNames = enum.Of[Format]("format", "table", "otel", "langfuse")

// String returns the name, such as "otel".
func (f Format) String() string { return formatNames.String(f) }

// Formats are all of them.
func Formats() []Format { return []Format{Table, OTel, Langfuse} }

// Query says which trials are counted, and how.
type Query struct {
	Dialect Dialect
	Format  Format
	Table   string // as SQL writes it, such as analytics.trials; of Langfuse the table traces, beside which the others are

	// Where a trial has what: the column of a table, the attribute of the outermost span or of its resource, the
	// key of the metadata of Langfuse. "" is the usual place, see the defaults of each format.
	Scenario, Variant, Input, Outcome, Score string
	// Columns of a table alone. "" is none.
	ID, Time, Cost, Tokens, Turns, ToolCalls, ToolErrors, Duration string

	Measures []Measure // further columns of a table whose sums are asked for
	Tools    []string  // of spans and observations: names of tools whose calls are counted each

	PassScore *float64 // a trial with a score and no outcome passes if its score is at least this; nil judges none

	Since, Until time.Time // of the beginning of trials, Until itself left out; zero is no limit

	Sample int    // ids of trials that are drawn of each group; 0 is none
	Seed   uint64 // of the drawing
}

// Measure is a further number of a trial.
type Measure struct{ Name, Column string }

// The most that a query may ask for. Chosen.
const (
	MostSample   = 1000
	mostMeasures = 100
)

// Metrics are what trials may have taken, by the names that the columns of a row begin with.
func Metrics() []string {
	return []string{"cost_usd", "tokens", "turns", "tool_calls", "tool_errors", "duration_s"}
}

// SQL returns the query, which ends in a semicolon and a newline. An error is an [*Error].
func (q Query) SQL() (string, error) {
	if err := q.check(); err != nil {
		return "", err
	}
	read := map[Format]func(Query) (*trials, error){Table: tableTrials, OTel: otelTrials, Langfuse: langfuseTrials}
	t, err := read[q.Format](q)
	if err != nil {
		return "", err
	}
	return q.counted(t), nil
}

func (q Query) check() error {
	switch {
	case q.Sample < 0 || q.Sample > MostSample:
		return &Error{What: "sample", Problem: fmt.Sprintf("must be from 0 to %d", MostSample)}
	case len(q.Measures)+len(q.Tools) > mostMeasures:
		return &Error{What: "measures", Problem: fmt.Sprintf("are more than %d", mostMeasures)}
	case !q.Since.IsZero() && !q.Until.IsZero() && !q.Since.Before(q.Until):
		return &Error{What: "until", Problem: "is not after since"}
	}
	if q.Format != Table {
		for _, option := range []struct{ what, column string }{
			{"id", q.ID}, {"time", q.Time}, {"cost", q.Cost}, {"tokens", q.Tokens}, {"turns", q.Turns},
			{"tool calls", q.ToolCalls}, {"tool errors", q.ToolErrors}, {"duration", q.Duration},
		} {
			if option.column != "" {
				return &Error{What: "column of the " + option.what, Problem: "is for a table of trials",
					Advice: "omit it: the format says where it is"}
			}
		}
		if len(q.Measures) > 0 {
			return &Error{What: "measures", Problem: "are for a table of trials", Advice: "name tools instead"}
		}
		return nil
	}
	if len(q.Tools) > 0 {
		return &Error{What: "tools", Problem: "are for spans and observations", Advice: "name columns as measures instead"}
	}
	if (!q.Since.IsZero() || !q.Until.IsZero()) && q.Time == "" {
		return &Error{What: "period", Problem: "needs the column that has the time of a trial"}
	}
	return nil
}

// trials are what a format makes of its tables: a query whose columns have the names of the fields, and those
// before it.
type trials struct {
	before   []string // common table expressions, "name AS (...)"
	rows     string   // the query of the trials, one a row
	metrics  []string // the columns of metrics that it has
	measures []string // names of further measures, whose columns are m1, m2, ...
	input    bool     // it has the column input
	id       bool     // it has the column trial_id
}

// What stands for a pass, a failure and an error in a column of outcomes, in lower case.
const (
	passWords  = "'pass', 'passed', 'correct', 'true', 't', '1'"
	failWords  = "'fail', 'failed', 'incorrect', 'false', 'f', '0'"
	errorWords = "'error'"
)

// outcome makes pass, fail or error of a word and of a score, NULL where neither tells.
func (q Query) outcome(word, score string) string {
	var b strings.Builder
	b.WriteString("CASE")
	if word != "" {
		w := "LOWER(TRIM(" + word + "))"
		fmt.Fprintf(&b, " WHEN %s IN (%s) THEN 'pass' WHEN %s IN (%s) THEN 'fail' WHEN %s IN (%s) THEN 'error'",
			w, passWords, w, failWords, w, errorWords)
	}
	if score != "" && q.PassScore != nil {
		fmt.Fprintf(&b, " WHEN %s >= %s THEN 'pass' WHEN %s IS NOT NULL THEN 'fail'", score, q.threshold(), score)
	}
	if b.Len() == len("CASE") {
		return "CAST(NULL AS " + strings.TrimSuffix(strings.TrimPrefix(q.Dialect.text("x"), "CAST(x AS "), ")") + ")"
	}
	return b.String() + " END"
}

// threshold is the least score that passes.
func (q Query) threshold() string {
	return q.Dialect.double(fmt.Sprintf("'%v'", *q.PassScore))
}

// counted counts trials.
func (q Query) counted(t *trials) string {
	d := q.Dialect
	name := func(column string) string { return d.quoted(column) }
	keys := []string{name("variant"), name("scenario")}
	if t.input {
		keys = append(keys, name("input"))
	}
	group := strings.Join(keys, ", ")
	from := "trials"
	ctes := append(t.before, "trials AS (\n"+indent(t.rows)+"\n)")
	sampled := q.Sample > 0 && t.id
	if sampled {
		from = "placed"
		ctes = append(ctes, fmt.Sprintf("placed AS (\n  SELECT trials.*, "+
			"ROW_NUMBER() OVER (PARTITION BY %s ORDER BY %s, %s) AS %s\n  FROM trials\n)", group,
			d.digest(fmt.Sprintf("CONCAT('%d:', %s)", q.Seed, name("trial_id"))), name("trial_id"),
			name("place")))
	}
	var columns []string
	add := func(expr, as string) { columns = append(columns, expr+" AS "+name(as)) }
	columns = append(columns, keys...)
	outcome := name("outcome")
	when := func(condition string) string { return "SUM(CASE WHEN " + condition + " THEN 1 ELSE 0 END)" }
	add(when(outcome+" = 'pass'"), "passes")
	add(when(outcome+" = 'fail'"), "fails")
	add(when(outcome+" = 'error'"), "errors")
	add(when(outcome+" IS NULL"), "unjudged")
	add("COUNT(*)", "n")
	sums := func(expr, as string) {
		add("COUNT("+expr+")", as+"_n")
		add("COALESCE(SUM("+expr+"), 0)", as+"_sum")
		add("COALESCE(SUM("+expr+" * "+expr+"), 0)", as+"_sum2")
	}
	for _, metric := range t.metrics {
		sums(name(metric), metric)
		if metric == "cost_usd" {
			add(when(outcome+" = 'pass' AND "+name(metric)+" IS NOT NULL"), "cost_usd_passes")
		}
	}
	for i, measure := range t.measures {
		as := fmt.Sprintf("m%d", i+1)
		add(d.literal(measure), as+"_name")
		// As of a fingerprint: a trial without a verdict may have broken off anywhere.
		sums("CASE WHEN COALESCE("+outcome+", '') <> 'error' THEN "+name(as)+" END", as)
	}
	if sampled {
		add(d.first(name("trial_id"), name("place"), q.Sample), "sample_trace_ids")
	}
	return fmt.Sprintf("WITH %s\nSELECT\n  %s\nFROM %s\nGROUP BY %s\nORDER BY %s;\n", strings.Join(ctes, ",\n"),
		strings.Join(columns, ",\n  "), from, group, group)
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// as lists expressions with the names of their columns, one a line.
func (d Dialect) as(list [][2]string) string {
	lines := make([]string, len(list))
	for i, column := range list {
		lines[i] = "  " + column[0] + " AS " + d.quoted(column[1])
	}
	return strings.Join(lines, ",\n")
}
