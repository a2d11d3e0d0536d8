package improvecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner/ratchet"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// RatchetCommand is for loops that improve something attempt by attempt.
func RatchetCommand(a *world.World) *cobra.Command {
	names := []string{"init", "try", "status", "run"}
	command := &cobra.Command{
		Use:   "ratchet",
		Short: "improve something attempt by attempt, and never go backwards",
		Long: `Improve something attempt by attempt, and never go backwards. What is best so far is the
champion; an attempt takes its place where it is shown to be better.

tribunal ratchet run is the whole loop over files: commands that ask models make and
mend them, tests say which attempt is better, and the champion's files are on disk at
every instant. tribunal ratchet init and try are for any other loop over an agent that
varies: a challenger runs beside the champion, and the exit code says keep, revert or
undecided.`,
		Example: `  tribunal ratchet init --loop
  tribunal ratchet run
  tribunal ratchet init && tribunal ratchet try --challenger edited`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return problem.Usage(base.OrElse(problem.DidYouMean("tribunal ratchet ", args[0], names),
					base.SeeHelp(cmd)),
					"unknown command %q of ratchet", args[0])
			}
			return problem.Usage(base.SeeHelp(cmd), "no command of ratchet is given")
		},
	}
	command.AddCommand(ratchetInitCommand(a), ratchetTryCommand(a), ratchetStatusCommand(a), ratchetRunCommand(a))
	return command
}

// ratchetRunFlags are those of a loop.
type ratchetRunFlags struct {
	resume, fresh bool
	show          value.Count // the prompt of an attempt is printed, and nothing is run
	attempts      value.Count
	maxCost       value.Amount
	output        string
	result        deliver.Target
}

func ratchetRunCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "run [FILE]",
		Short: "run the loop of a ratchet.yaml until all tests pass, or no more is to be had",
		Long: `Run the loop of a ratchet.yaml, the one in this folder where none is named: commands make
and mend an attempt in a copy of the project, tests are run in another copy, and where
more of them pass the attempt's files take the place of the champion's. Where an agent
varies, a suite decides by pairs of trials in place of the count.

The champion's files are on disk at every instant: after an attempt that is worse, a cap,
Ctrl-C, or a kill. --resume goes on where it was. Exit code 0: all tests pass; 1: the
loop came to its end before; 2: it was ended from outside.`,
		Example: `  tribunal ratchet run
  tribunal ratchet run examples/ratchet
  tribunal ratchet run --attempts 8 --max-cost 3
  tribunal ratchet run --resume
  tribunal ratchet run --show-prompt 3`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f ratchetRunFlags
	f.register(command.Flags())
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// mostRatchetAttempts is chosen, far above what anybody pays for.
const mostRatchetAttempts = 1000

func (f *ratchetRunFlags) register(flags *pflag.FlagSet) {
	f.attempts = value.Count{Least: 1, Most: mostRatchetAttempts}
	f.show = value.Count{Least: 1, Most: mostRatchetAttempts}
	flags.Var(&f.attempts, "attempts", "make at most so many attempts (default that of the file)")
	flags.Lookup("attempts").DefValue = ""
	flags.Var(&f.maxCost, "max-cost", "spend at most so many USD (default that of the file)")
	flags.Lookup("max-cost").DefValue = ""
	base.NotOfSuite(flags, "max-cost") // there it is of the runs of the suite
	flags.BoolVar(&f.resume, "resume", false, "go on with the loop that was interrupted")
	flags.BoolVar(&f.fresh, "fresh", false, "begin anew from what lies there; the journal is kept aside")
	flags.Var(&f.show, "show-prompt", "print what the program of the attempt of this `NUMBER` was told, and run nothing")
	flags.Lookup("show-prompt").DefValue = ""
	flags.StringVarP(&f.output, "output", "o", "",
		"`FILE` of the saved result (default .tribunal/NAME.ratchet.json beside the file)")
	flags.BoolVar(&f.result.JSON, "json", false, "print one JSON document instead of text")
	bind.Reports(flags, &f.result)
	bind.Verdict(flags, &f.result)
}

// config reads the file of the loop.
func (f *ratchetRunFlags) config(ctx context.Context, flags *pflag.FlagSet, args []string) (*ratchet.Config, error) {
	if len(args) > 1 {
		return nil, problem.Usage("quote a name with blanks in it", "ratchet run takes one file, but there are %d", len(args))
	}
	c, err := ratchet.Load(ctx, append(args, ratchet.FileName)[0])
	if err != nil {
		return nil, err
	}
	if f.attempts.Value > 0 {
		c.Attempts = f.attempts.Value
	}
	if flags.Changed("max-cost") {
		c.MaxCost = float64(f.maxCost)
	}
	return c, nil
}

func (f *ratchetRunFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	switch {
	case f.resume && f.fresh:
		return problem.Usage("leave one of them out", "--resume goes on with a loop, and --fresh begins one")
	case flags.Changed("max-cost") && f.maxCost == 0:
		return problem.Usage("leave it out for that of the file", "%s 0 ends a loop before its first attempt",
			base.Origin(flags, "max-cost"))
	}
	c, err := f.config(ctx, flags, args)
	if err != nil {
		return err
	}
	if f.show.Value > 0 {
		return f.showPrompt(ctx, a, c)
	}
	if err := outfile.WorkFolder(filepath.Join(c.Dir(), ".tribunal")); err != nil {
		return err
	}
	usual := filepath.Join(c.Dir(), ".tribunal", resultName(c.Name)+".ratchet.json")
	to, err := outfile.New(base.Origin(flags, "output"), cmp.Or(f.output, usual))
	if err != nil {
		return err
	}
	if err := f.result.Reports.Open(to.Path); err != nil {
		return err
	}
	result, err := f.loop(ctx, a, c)
	if err != nil {
		return err
	}
	if result.Stop == improvement.Interrupted {
		a.Notice("note", "the champion's files are on disk: tribunal ratchet run --resume goes on")
	}
	result.ExitCode = f.result.Exit(a, result.Verdict, result.Reasons)
	if err := a.Deliver(context.WithoutCancel(ctx), to,
		func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
		return err
	}
	a.Notice("note", "the result is in %s", to.Path)
	return f.result.Conclude(context.WithoutCancel(ctx), a, nil, result)
}

// resultName is the name of a loop as one of a file.
func resultName(name string) string { return running.NotInNames().ReplaceAllString(name, "-") }

// loop runs it, while the command tends its programs.
func (f *ratchetRunFlags) loop(
	ctx context.Context, a *world.World, c *ratchet.Config,
) (result *improvement.Result, err error) {
	done := session.Of(ctx).Tend()
	defer done()
	l, err := ratchet.Open(ctx, c, ratchet.Options{
		Resume: f.resume, Fresh: f.fresh, Version: a.Version, Now: a.Now,
		Told: func(text string) { a.Notice("note", "%s", prose.Printable(text)) },
	})
	if err != nil {
		return nil, ratchetProblem(err)
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	result, err = l.Run(ctx)
	return result, ratchetProblem(err)
}

// showPrompt prints what the journal has of an attempt.
func (f *ratchetRunFlags) showPrompt(ctx context.Context, a *world.World, c *ratchet.Config) error {
	prompts, err := c.Prompts(f.show.Value)
	if err != nil {
		return ratchetProblem(err)
	}
	if len(prompts) == 0 {
		return problem.BadInput(fmt.Sprintf("attempt %d of the loop was not begun", f.show.Value),
			"tribunal ratchet status shows those that were")
	}
	return a.Deliver(ctx, nil, func(w io.Writer) error {
		for _, p := range prompts {
			if _, err := fmt.Fprintf(w, "=== %s\n", p.Stage); err != nil {
				return err
			}
			// Others wrote most of it: tests, and what they print.
			for line := range strings.Lines(p.Text) {
				line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
				if _, err := fmt.Fprintln(w, prose.Printable(line)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// ratchetProblem says what to do about an error of a loop.
func ratchetProblem(err error) error {
	hints := []struct {
		of   error
		hint string
	}{
		{ratchet.ErrBegun, "--resume goes on with it, and --fresh begins anew from what lies there"},
		{ratchet.ErrNoLoop, "leave --resume out to begin one"},
		{ratchet.ErrChanged, "undo the change of the file, or begin anew from what lies there with --fresh"},
		{ratchet.ErrSessionBegun, "tribunal ratchet try goes on with it; --fresh begins another, with the whole level again"},
		{ratchet.ErrNoSession, "tribunal ratchet init begins one"},
		{ratchet.ErrOtherTask, "undo the change of the suite, or begin another session with tribunal ratchet init --fresh"},
		{ratchet.ErrFinalOpened,
			"what is looked at again to choose by is no final set; tribunal ratchet init --fresh --seed N splits anew"},
		{ratchet.ErrNoFinal, "a suite of five scenarios or more has one"},
		{fs.ErrNotExist, ""},
	}
	for _, h := range hints {
		if errors.Is(err, h.of) && h.hint != "" {
			return problem.BadInput(err.Error(), h.hint)
		}
	}
	var missing *os.PathError
	if errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist) {
		return problem.BadInput("no loop was begun here", "tribunal ratchet run begins one")
	}
	return err
}
