package importcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/importing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

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
		Example: `  tribunal import sql --dialect duckdb --table trials > rows.sql
  tribunal import sql --dialect bigquery --format otel --table project.telemetry.spans --since 30d
  tribunal import sql --dialect postgres --format langfuse --table traces --tool search
  tribunal import sql --dialect snowflake --table evals.trials --variant-column model --cost-column usd`,
		DisableFlagsInUseLine: true,
		Args:                  base.NoArguments,
	}
	r := importing.SQLRequest{Query: warehouse.Query{Sample: 20, Seed: 1}}
	o := option.Of(command.Flags())
	option.Bind(o, "dialect", &r.Dialect, option.Word("DIALECT", "", warehouse.Dialects()...))
	option.Bind(o, "format", &r.Format, option.Word("FORMAT", "", warehouse.Formats()...))
	o.Text("table", &r.Table)
	for _, column := range []struct {
		name string
		into *string
	}{
		{"scenario", &r.Scenario}, {"variant", &r.Variant}, {"input", &r.Input}, {"outcome", &r.Outcome},
		{"score", &r.Score}, {"id", &r.ID}, {"time", &r.Time}, {"cost", &r.Cost}, {"tokens", &r.Tokens},
		{"turns", &r.Turns}, {"tool-calls", &r.ToolCalls}, {"tool-errors", &r.ToolErrors}, {"duration", &r.Duration},
	} {
		o.Text(column.name+"-column", column.into)
	}
	option.BindOptional(o, "pass-score", &r.PassScore, option.Finite)
	o.Texts("measure", &r.Measures)
	o.Texts("tool", &r.Tools)
	o.Text("since", &r.Since)
	o.Text("until", &r.Until)
	option.Bind(o, "sample", &r.Sample, option.Count(0, warehouse.MostSample))
	option.Bind(o, "seed", &r.Seed, option.Seed)
	command.RunE = base.With(a, func(_ context.Context, flags *pflag.FlagSet, _ []string) error {
		r.Given = base.GivenOf(flags)
		return importing.SQL(a, r)
	})
	return command
}
