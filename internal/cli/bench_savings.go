package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/internal/chart"
)

func (r *run) benchSavingsCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "savings",
		Short: "how many trials, and how much money, at which error rates",
		Long: `Compare tests of one question, is the pass rate at least 0.90, or 0.80 or less?, by what
they take and how often they err: fixed numbers of trials, Wald's test, the optimal one,
with a history, with a test of behaviour, against a stored baseline.

Trials and error rates are exact; what is simulated, of behaviour alone, says so and has
its standard error. The seed decides about the latter.`,
		Example: `  tribunal bench savings --short
  tribunal bench savings --chart savings.svg
  tribunal bench savings --csv -o savings.csv`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f benchFlags
	f.register(command.Flags(), "simulate less: behaviour at a pass rate of 1 alone, in fewer runs", "the expected trials at every pass rate")
	command.RunE = r.with(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.measure(ctx, r, flags, args, func(step func(done, all int, part string), drawn bool) (measurement, error) {
			found, err := bench.MeasureSavings(ctx, bench.SavingsOptions{Short: f.short, Seed: uint64(f.seed), Curves: drawn, Progress: step})
			return measurement{found, func(w io.Writer) error { return chart.ExpectedTrials(w, savingsChart(found)) }}, err
		})
	})
	return command
}
