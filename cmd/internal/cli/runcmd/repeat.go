package runcmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/verdict"
)

// RepeatCommand runs the tests of another runner many times.
func RepeatCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "repeat [flags] -- COMMAND [ARG...]",
		Short: "run a test command until each of its tests is decided",
		Long: `Run a test command again and again. One execution is one trial of every test in its
report, or of one test that passes with exit code 0, where it is no test runner. Each test has
a sequential design of its own, which stops as soon as it decides. Each execution runs the whole
command, as a test may fail only behind others. With --isolate what is decided is left out of
later executions, where the test runner can be told so.

Known runners are pytest, go test, gotestsum, vitest, jest, mocha, playwright, ctest and dotnet
test: their report is asked for, and a test that failed is not tried again. Any other command
that writes a report that tribunal import reads (JUnit XML, CTRF, TAP and more) names its file
by {report}, or prints it: --stdout. Without these its exit code counts: 0 is a pass, any other
a failure; a signal and 126 or 127, by which a shell says that it finds no program, are errors.
With --isolate an argument {tests} is replaced by the names of the tests that are to run.

Journal, result, --resume, --record, --baseline and exit codes are those of tribunal run.`,
		Example: `  tribunal repeat -- pytest -q
  tribunal repeat --threshold 0.95 --concurrency 2 -- go test ./...
  tribunal repeat -- ./check.sh
  tribunal repeat --isolate -- ./run-tests --junit {report} --only {tests}
  tribunal repeat --stdout -- prove --verbose --merge t/refund.t
  tribunal repeat --record 100 --output main.result.json -- pytest
  tribunal repeat --baseline main.result.json -- pytest`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := running.RepeatRequest{
		Threshold: 0.9, Alpha: verdict.DefaultAlpha, Delta: verdict.DefaultDelta, Beta: verdict.DefaultBeta,
	}
	flags := command.Flags()
	flags.SetInterspersed(false) // what stands behind the program is its own
	o := option.Of(flags)
	option.Bind(o, "threshold", &r.Threshold, option.Threshold)
	option.Bind(o, "delta", &r.Delta, option.Level)
	option.Bind(o, "alpha", &r.Alpha, option.Risk)
	option.Bind(o, "beta", &r.Beta, option.Risk)
	option.BindOptional(o, "max-trials", &r.MaxTrials, option.Count(1, value.MaxDesign))
	o.Duration("max-duration", &r.MaxTime)
	o.List("only", &r.Only)
	o.Text("from", &r.From)
	o.Switch("stdout", &r.Stdout)
	o.Duration("timeout", &r.Timeout)
	o.Switch("isolate", &r.Isolate)
	o.Text("name", &r.Name)
	o.Text("quarantine", &r.Quarantine)
	bindTests(flags, &r.Tests)
	bindTrials(flags, &r.Request)
	command.RunE = judging(a, &r.Request, func(ctx context.Context, args []string) error {
		r.Command = args
		return running.Repeat(ctx, a, r)
	})
	return command
}
