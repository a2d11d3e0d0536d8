package importcmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report/store"
)

// sqlFlags are those of the command sql.
type sqlFlags struct {
	dialect value.Word[warehouse.Dialect]
	format  value.Word[warehouse.Format]
	query   warehouse.Query
	// As they were typed: an age, a date or a time.
	since, until string
	passScore    value.Finite
	sample       value.Count
	seed         value.Seed
	measures     []string // NAME=COLUMN, or the column alone
}

// SQLCommand prints a query, and asks no database.
func SQLCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "sql --dialect D --table T",
		Short: "print the query by which a database counts trials, for verdict and compare",
		Long: `Print the query by which a database counts trials: a row for each variant and scenario, with
counts, sums and sums of squares, and the ids of some trials. The trials stay where they
are. tribunal verdict and compare judge the rows with --counts: the verdict is that of the
trials.

A trial is a row of a table, a trace of OpenTelemetry spans, or a trace of Langfuse. Where
its scenario, variant, input, outcome and score are is said by a column of the table, an
attribute of the outermost span or its resource, or a key of the metadata of Langfuse,
where outcome and score are names of scores. Names of tables and columns are written as
in SQL. No database is asked.`,
		Example: `  tribunal sql --dialect duckdb --table trials > rows.sql
  tribunal sql --dialect bigquery --format otel --table project.telemetry.spans --since 30d
  tribunal sql --dialect postgres --format langfuse --table traces --tool search
  tribunal sql --dialect snowflake --table evals.trials --variant-column model --cost-column usd`,
		DisableFlagsInUseLine: true,
		Args:                  base.NoArguments,
	}
	var f sqlFlags
	f.register(command.Flags())
	command.RunE = base.With(a, func(_ context.Context, flags *pflag.FlagSet, _ []string) error {
		return f.execute(a, flags)
	})
	return command
}

func (f *sqlFlags) register(flags *pflag.FlagSet) {
	f.dialect = value.Word[warehouse.Dialect]{Kind: "DIALECT", Words: warehouse.Dialects()}
	f.format = value.Word[warehouse.Format]{Kind: "FORMAT", Words: warehouse.Formats()}
	f.sample, f.seed = value.Count{Value: 20, Most: warehouse.MostSample}, 1
	flags.Var(&f.dialect, "dialect", f.dialect.Usage("the SQL of the database")+"; required")
	flags.Lookup("dialect").DefValue = ""
	flags.Var(&f.format, "format", f.format.Usage("what the table holds: a row a trial, spans, or traces of Langfuse"))
	q := &f.query
	flags.StringVar(&q.Table, "table", "", "`TABLE` of trials or spans, or traces of Langfuse; required")
	for _, of := range []struct {
		into      *string
		name, use string
	}{
		{&q.Scenario, "scenario", "`COLUMN` that names what was tried (of a table, default scenario)"},
		{&q.Variant, "variant", "`COLUMN` that names the version of the system"},
		{&q.Input, "input", "`COLUMN` that holds what the system was given: rows are by input too"},
		{&q.Outcome, "outcome", "`COLUMN` that says pass, fail or error (of a table, default outcome)"},
		{&q.Score, "score", "`COLUMN` that holds a number, for --pass-score"},
		{&q.ID, "id", "of a table: the `COLUMN` of the id of a trial, for --sample"},
		{&q.Time, "time", "of a table: the `COLUMN` of when a trial began, for --since and --until"},
		{&q.Cost, "cost", "of a table: the `COLUMN` of US dollars"},
		{&q.Tokens, "tokens", "of a table: the `COLUMN` of input and output tokens"},
		{&q.Turns, "turns", "of a table: the `COLUMN` of answers of the model"},
		{&q.ToolCalls, "tool-calls", "of a table: the `COLUMN` of calls of tools"},
		{&q.ToolErrors, "tool-errors", "of a table: the `COLUMN` of calls of tools that failed"},
		{&q.Duration, "duration", "of a table: the `COLUMN` of seconds"},
	} {
		flags.StringVar(of.into, of.name+"-column", "", of.use)
	}
	flags.Var(&f.passScore, "pass-score", "a trial with a score and no outcome passes if its score is at least this")
	flags.Lookup("pass-score").DefValue = ""
	flags.StringArrayVar(&f.measures, "measure", nil,
		"of a table: a further `COLUMN` of numbers, or NAME=COLUMN; may be given again")
	flags.StringArrayVar(&q.Tools, "tool", nil, "of spans: count the calls of this `TOOL` by itself; may be given again")
	flags.StringVar(&f.since, "since", "", "trials from this `TIME` on: an age such as 30d, a date or a time")
	flags.StringVar(&f.until, "until", "", "trials before this `TIME`")
	flags.Var(&f.sample, "sample", "draw the ids of so many trials of each row; 0 draws none")
	flags.Var(&f.seed, "seed", "seed of the drawing")
}

func (f *sqlFlags) execute(a *world.World, flags *pflag.FlagSet) error {
	for _, needed := range []struct{ name, hint string }{
		{"dialect", "one of " + strings.Join(dialectWords(), ", ")}, {"table", "such as --table analytics.trials"},
	} {
		if !flags.Changed(needed.name) {
			return problem.Usage(needed.hint, "--%s is missing", needed.name)
		}
	}
	q := f.query
	q.Dialect, q.Format, q.Sample, q.Seed = f.dialect.Value, f.format.Value, f.sample.Value, uint64(f.seed)
	if flags.Changed("pass-score") {
		q.PassScore = new(float64(f.passScore))
	}
	for _, period := range []struct {
		name, text string
		into       *time.Time
	}{{"since", f.since, &q.Since}, {"until", f.until, &q.Until}} {
		if period.text == "" {
			continue
		}
		at, ok := store.ParseTime(period.text, a.Now())
		if !ok {
			return problem.Usage("such as 30d, 12h, 2026-11-01 or 2026-11-01T12:00:00Z", "%s %q is no age, date or time",
				base.Origin(flags, period.name), period.text)
		}
		*period.into = at
	}
	for _, measure := range f.measures {
		name, column, both := strings.Cut(measure, "=")
		if !both {
			column = name
		}
		q.Measures = append(q.Measures, warehouse.Measure{Name: name, Column: column})
	}
	text, err := q.SQL()
	if err != nil {
		if e, ok := err.(*warehouse.Error); ok {
			return problem.Usage(e.Hint(), "%s", e.Message())
		}
		return err
	}
	_, err = fmt.Fprint(a.Out, text)
	return err
}

func dialectWords() (list []string) {
	for _, d := range warehouse.Dialects() {
		list = append(list, d.String())
	}
	return list
}
