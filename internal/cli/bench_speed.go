package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/bench"
)

func (r *run) benchSpeedCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "speed",
		Short: "time the hot paths, and how time and memory grow",
		Long: `Time the hot paths of this program on this machine: intervals, tests, designs,
reading, behaviour, reports. Then measure how time and memory grow with the
trials, the scenarios, and the most trials of a design. It takes about two
minutes, with --short some seconds.`,
		Example: `  tribunal bench speed --short
  tribunal bench speed --json --chart growth.svg`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f benchFlags
	f.register(command.Flags(), "smaller sizes and fewer rounds: some seconds", "the growth curves")
	command.RunE = r.with(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.measure(ctx, r, flags, args, func(step func(done, all int, part string), _ bool) (measurement, error) {
			found, err := bench.Speed(ctx, bench.SpeedOptions{Short: f.short, Seed: uint64(f.seed), Progress: step})
			return measurement{found, func(w io.Writer) error { return found.Draw(w) }}, err
		})
	})
	return command
}
