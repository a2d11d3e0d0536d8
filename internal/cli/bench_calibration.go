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
		to, _, err := f.files(flags, args)
		if err != nil {
			return err
		}
		progress := r.newMeasuring()
		found, err := r.calibrate(ctx, bench.CalibrationOptions{Short: f.short, Seed: uint64(f.seed), Progress: progress.step})
		progress.end()
		if err != nil {
			return err
		}
		if err := f.deliver(ctx, r, to, found); err != nil {
			return err
		}
		if found.ExitCode != ExitPass {
			return decided(found.ExitCode)
		}
		return nil
	})
	return command
}
