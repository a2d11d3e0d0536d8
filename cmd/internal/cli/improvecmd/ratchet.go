package improvecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/improving"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// RatchetCommand is for loops that improve something attempt by attempt.
func RatchetCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "ratchet",
		Short: "improve something attempt by attempt, and never go backwards",
		Long: `Improve something attempt by attempt, and never go backwards. The best attempt so
far is the current version; another replaces it where it is shown to be better.

tribunal improve ratchet run is the whole loop over files: commands that ask models make and
mend them, tests say which attempt is better, and the files of the current version are on disk at
every instant. tribunal improve ratchet init and try are for any other loop over an agent that
varies: a candidate runs beside the current version, and the exit code says keep, revert or
undecided.`,
		Example: `  tribunal improve ratchet init --loop
  tribunal improve ratchet run
  tribunal improve ratchet init && tribunal improve ratchet try --challenger edited`,
	}
	return base.Holder(command, ratchetInitCommand(a), ratchetTryCommand(a), ratchetStatusCommand(a), ratchetRunCommand(a))
}

func ratchetRunCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "run [FILE]",
		Short: "run the loop of a ratchet.yaml until all tests pass, or no more is to be had",
		Long: `Run the loop of a ratchet.yaml, the one in this folder where none is named: commands make
and mend an attempt in a copy of the project, tests are run in another copy, and where
more of them pass the attempt's files replace those of the current version. Where an agent
varies, a suite decides by pairs of trials in place of the count.

The files of the current version are on disk at every instant: after an attempt that is worse, a cap,
Ctrl-C, or a kill. --resume continues where it stopped. Exit code 0: all tests pass; 1: the
loop came to its end before; 2: it was ended from outside.`,
		Example: `  tribunal improve ratchet run
  tribunal improve ratchet run examples/ratchet
  tribunal improve ratchet run --attempts 8 --max-cost 3
  tribunal improve ratchet run --resume
  tribunal improve ratchet run --show-prompt 3`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r improving.LoopRequest
	flags := command.Flags()
	o := option.Of(flags).Below("ratchet")
	option.Bind(o, "attempts", &r.Attempts, option.Count(1, mostRatchetAttempts))
	option.BindOptional(o, "max-cost", &r.MaxCost, option.Amount)
	base.NotOfSuite(flags, "max-cost") // there it is of the runs of the suite
	o.Switch("resume", &r.Resume)
	o.Switch("fresh", &r.Fresh)
	option.Bind(o, "show-prompt", &r.ShowPrompt, option.Count(1, mostRatchetAttempts))
	o.Text("output", &r.Output)
	o.Switch("json", &r.Result.JSON)
	bind.Reports(flags, &r.Result)
	bind.Verdict(flags, &r.Result)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) (err error) {
		r.Given = base.GivenOf(flags)
		if r.File, err = oneFile("run", args); err != nil {
			return err
		}
		return improving.Loop(ctx, a, r)
	})
	return command
}

// mostRatchetAttempts is chosen, far above what anybody pays for.
const mostRatchetAttempts = 1000

// oneFile is the file that is named; "" where none is.
func oneFile(command string, args []string) (string, error) {
	switch len(args) {
	case 0:
		return "", nil
	case 1:
		return args[0], nil
	}
	return "", problem.Usage("quote a name with blanks in it", "improve ratchet %s takes one file, but there are %d",
		command, len(args))
}
