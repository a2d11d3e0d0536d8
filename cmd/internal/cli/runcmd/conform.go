package runcmd

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/plancmd"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// conformFlags are those of the command conform: of a run, and what a corpus is run by.
type conformFlags struct {
	run       RunFlags
	agent     string // a suite whose agent is tried; "" is that of the corpus
	threshold value.BelowOne
	success   value.Level
	keep      string // where the result is kept as a baseline, if it passes; "" is nowhere
	// Of a month, and what tokens cost where trials do not tell; they count only where they are given.
	runsPerDay, price value.Amount
}

// ConformCommand is a run whose suite is a folder.
func ConformCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "conform DIR [-- COMMAND...]",
		Short: "show what an agent does, bears and resists, by capability",
		Long: `Run a corpus: a folder in which conformance, faults and security are folders of scenarios.
A file that is dropped in is a scenario, named after it. The agent is the COMMAND, that of
another suite with --agent, or that of a tribunal.yaml in the folder, which is not needed.

Each scenario has a test of its own. An attack, a scenario of security, passes where it
is ruled out that it succeeds in 5% of trials: 59 that are all resisted show that. What
ends in an error was not resisted.

Below the tests stands the matrix of capabilities and kinds, with pass^k, an interval
and the cost of a success for each cell, and the backlog: what did not pass, attacks
first. Journal, result and exit code are those of tribunal run.`,
		Example: `  tribunal conform corpus -- python3 agent.py
  tribunal conform corpus --agent examples/support-agent/tribunal.yaml
  tribunal conform corpus --only "security/*" --attack-success 0.01 -- ./agent
  tribunal conform corpus --record 250 --save-baseline good.result.json -- ./agent
  tribunal conform corpus --baseline good.result.json -- ./agent --model small
  tribunal conform corpus --forecast-runs-per-day 500 -- ./agent`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f conformFlags
	flags := command.Flags()
	flags.StringVar(&f.agent, "agent", "", "try the agent of this suite `FILE`")
	flags.Var(&f.threshold, "threshold", "pass rate to hold, but for attacks (default the corpus's, or 0.9)")
	flags.Lookup("threshold").DefValue = ""
	flags.Var(&f.success, "attack-success",
		"share of attacks that may succeed, from 0.001 to 0.5 (default the corpus's, or 0.05)")
	flags.Lookup("attack-success").DefValue = ""
	flags.StringVar(&f.keep, "save-baseline", "",
		"keep the result of a Pass, or of --record, in this `FILE` for --baseline")
	flags.Var(&f.runsPerDay, "forecast-runs-per-day", "project the cost of a month with so many runs a day that succeed")
	flags.Lookup("forecast-runs-per-day").DefValue = ""
	flags.Var(&f.price, "price-per-mtok", "USD a million tokens, in a forecast, for trials that do not tell their cost")
	flags.Lookup("price-per-mtok").DefValue = ""
	f.run.Tests.register(flags)
	f.run.register(flags)
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *conformFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	folder, command := args, []string(nil)
	if at := flags.ArgsLenAtDash(); at >= 0 {
		folder, command = args[:at], args[at:]
	}
	if err := f.check(flags, folder, command); err != nil {
		return err
	}
	o := suite.CorpusOptions{Command: command, Agent: f.agent}
	if flags.Changed("threshold") {
		o.Threshold = float64(f.threshold)
	}
	if flags.Changed("attack-success") {
		o.AttackSuccess = float64(f.success)
	}
	s, err := suite.LoadCorpus(folder[0], o)
	if err != nil {
		return err
	}
	suitefile.TellOfSuite(a, s)
	var keep *outfile.File
	if f.keep != "" {
		if keep, err = NewRunFile(base.Origin(flags, "save-baseline"), f.keep, s); err != nil {
			return err
		}
		f.run.others = append(f.run.others, f.keep)
	}
	if len(command) > 0 {
		f.run.advice = "run it by hand over a wire: tribunal wire -- " + strings.Join(command, " ")
	}
	// Scenarios that are new since the baseline are held to their threshold: a corpus grows.
	f.run.newAlone, f.run.Brief, f.run.Kind = true, true, "conform"
	var against struct{ removed, added []string }
	f.run.compared = func(c runner.Comparison) { against.removed, against.added = c.Removed, c.Added }
	f.run.found = func(e *runs.Evidence) { e.Gone, e.Added = against.removed, against.added }
	done, err := f.run.Carry(ctx, a, flags, s)
	if err != nil {
		return err
	}
	// A forecast that cannot be made takes nothing from the result.
	failed := f.run.deliver(ctx, a, done.Result, done.To)
	if problem.Is[problem.Decided](failed) {
		f.run.KeepRun(ctx, a, done, done.Result)
	}
	if f.runsPerDay > 0 {
		if err := f.forecast(ctx, a, flags, done.Result); err != nil {
			a.Warn("there is no forecast: " + strings.SplitN(err.Error(), "\n", 2)[0])
		}
	}
	if keep != nil {
		if err := f.save(ctx, a, keep, done.Result); err != nil {
			return errors.Join(err, failed)
		}
	}
	return failed
}

// check refuses what does not go together.
func (f *conformFlags) check(flags *pflag.FlagSet, folder, command []string) error {
	switch {
	case len(folder) != 1:
		return problem.Usage("such as tribunal conform corpus -- python3 agent.py",
			"conform takes one folder, but there are %d arguments before the command", len(folder))
	case f.agent != "" && len(command) > 0:
		return problem.Usage("leave one of them out", "%s names an agent, and so does the command",
			base.Origin(flags, "agent"))
	case flags.Changed("attack-success") && (f.success < suite.LeastAttackSuccess || f.success > suite.MostAttackSuccess):
		return problem.Usage("0.05 takes 59 attacks that are all resisted, 0.01 takes 299",
			"%s must lie between %v and %v", base.Origin(flags,
				"attack-success"), suite.LeastAttackSuccess, suite.MostAttackSuccess)
	case flags.Changed("price-per-mtok") && !flags.Changed("forecast-runs-per-day"):
		return problem.Usage("such as --forecast-runs-per-day 500", "%s is for a forecast",
			base.Origin(flags, "price-per-mtok"))
	case flags.Changed("forecast-runs-per-day") && f.run.result.JSON:
		return problem.Usage("tribunal forecast RESULT --json prints it by itself",
			"--json prints one document, and a forecast is another one")
	}
	return f.run.check(flags)
}

// forecast prints below the result what a month would cost.
func (f *conformFlags) forecast(ctx context.Context, a *world.World, flags *pflag.FlagSet, r *runs.Result) error {
	trials, err := plancmd.ForecastTrials(r, "the result")
	if err != nil {
		return err
	}
	forecast, err := plan.NewForecast(trials, plancmd.ForecastOptions(flags, f.runsPerDay, &f.price,
		plancmd.StoppedOfRun(r)))
	if err != nil {
		return err
	}
	options := f.run.result.TextOptions(a, nil)
	return a.Deliver(ctx, nil, func(w io.Writer) error {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		return report.Write(w, forecast, report.TextFormat, options)
	})
}

// save keeps the result as a baseline, or a recording that is whole: one that did not pass would let others not pass.
func (f *conformFlags) save(ctx context.Context, a *world.World, to *outfile.File, r *runs.Result) error {
	recorded := r.Recorded && r.ExitCode == verdict.Pass.ExitCode()
	if r.Verdict != verdict.Pass && !recorded {
		a.Notice("note", "the verdict is %s: %s stays as it is", r.Verdict, to.Path)
		return nil
	}
	if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, r) }); err != nil {
		return err
	}
	a.Notice("note", "the baseline is in %s", to.Path)
	return nil
}
