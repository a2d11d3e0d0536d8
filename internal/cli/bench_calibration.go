package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/bench"
)

func (r *run) benchCalibrationCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "calibration",
		Short: "measure the error rates of every decision",
		Long: `Measure how often every decision of this program errs, and compare that with what is
promised: by enumeration where that can be had, by simulation elsewhere. A rate that is
above its promise makes the exit code 1. Where nothing is promised the rate is shown.`,
		Example: `  tribunal bench calibration --short
  tribunal bench calibration --csv --output calibration.csv`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f benchFlags
	f.register(command.Flags(), "fewer settings and runs: half a minute on two processors instead of minutes", "")
	command.RunE = r.with(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		var found *bench.Calibration
		err := f.measure(ctx, r, flags, args, func(step func(done, all int, part string), _ bool) (_ measurement, err error) {
			found, err = r.calibrate(ctx, bench.CalibrationOptions{Short: f.short, Seed: uint64(f.seed), Progress: step})
			return measurement{report: found}, err
		})
		if err == nil && found.ExitCode != ExitPass {
			return decided(found.ExitCode)
		}
		return err
	})
	return command
}
