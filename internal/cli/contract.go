package cli

import (
	"context"
	"errors"
	"io/fs"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/oracle/contract"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
)

// contractFlags are those of the command contract check.
type contractFlags struct {
	evidence evidenceFlags
	result   resultFlags
	variant  string
}

// contractCommand only holds the command check. Called without it, it is an error and not a
// help with exit code 0: a script should notice.
func (a *App) contractCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "contract",
		Short: "check recorded trials against the clauses of a contract",
		Long: `Check what an agent must and must not do, clause by clause: preconditions,
postconditions, invariants of every step, and guardrails that forbid tools, paths,
URLs and commands.`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(orElse(didYouMean("tribunal contract ", args[0], []string{"check"}), seeHelp(cmd)),
					"unknown command %q of contract", args[0])
			}
			return usage(seeHelp(cmd), "no command of contract is given")
		},
	}
	command.AddCommand(a.contractCheckCommand())
	return command
}

// contractCheckCommand judges traces without any pass rate: a single violation of a hard
// clause is a Fail, so there is no level and no interval to ask for.
func (a *App) contractCheckCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "check CONTRACT TRACES...",
		Short: "check recorded trials against the clauses of a contract",
		Long: `Check recorded trials against the clauses of a contract file.
Pass (exit code 0) if no trial violates a hard clause, Fail (1) if one does,
Inconclusive (2) if there is nothing to judge: no trials, or a clause that could be
judged in none. TRACES are recordings in any format that is read, judged or not; - is
standard input.`,
		Example: `  tribunal contract check contract.yaml trials.jsonl
  tribunal contract check contract.yaml traces/*.json --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f contractFlags
	f.evidence.register(command.Flags())
	command.Flags().StringVar(&f.variant, "variant", "", "check the trials of this `VARIANT`")
	// The rows of this text are clauses, so the flag of that number has another name here.
	f.result.scenarios = count{value: 20, least: 1, most: math.MaxInt32}
	f.result.registerTarget(command.Flags())
	f.result.registerReports(command.Flags())
	command.Flags().Var(&f.result.scenarios, "clauses", "most rows of clauses in the text")
	command.RunE = a.judging(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// execute reads the contract first: a mistake in it should not cost the reading of the
// traces.
func (f *contractFlags) execute(ctx context.Context, a *App, flags *pflag.FlagSet, args []string) error {
	switch {
	case len(args) == 0:
		return usage("such as tribunal contract check contract.yaml trials.jsonl",
			"name a contract file, and recordings to check")
	case len(args) == 1:
		return usage("name files, or - for standard input", "there is nothing to check against %s", args[0])
	}
	file, traces := args[0], args[1:]
	if err := checkNames(traces, f.evidence.duplicates); err != nil {
		return err
	}
	to, err := f.result.file(ctx, a, args)
	if err != nil {
		return err
	}
	if err := f.result.spared("--output", to, traces, f.evidence.everyFile()); err != nil {
		return err
	}
	c, err := loadContract(file)
	if err != nil {
		return err
	}
	summary := contract.NewSummary(c)
	// No fields are left out: a clause may speak of any of them.
	options := f.evidence.options(flags, f.variant, 0)
	// The contract is what judges.
	options.Unjudged = true
	// Trials are checked one by one and forgotten; only the summary is kept.
	err = a.read(ctx, traces, options, counted, func(t *trial.Trial) { summary.Add(t, c.Check(ctx, t)) })
	if err != nil {
		return naming("variant", err)
	}
	// With 0 the intervals have the usual level. They decide nothing: a single
	// violation counts.
	result, err := compliance.Judge(summary, 0)
	if err != nil {
		return err
	}
	return f.result.conclude(ctx, a, to, result)
}

// loadContract reads a contract. What is wrong within it has its place already; what is
// wrong with the file gets the name that the person typed, and a hint for the arguments in
// the wrong order.
func loadContract(file string) (*contract.Contract, error) {
	c, err := contract.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &trial.FileError{
			File: file, Problem: "does not exist", Advice: "name the contract first, and then the recordings", Err: err,
		}
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, &trial.FileError{File: file, Problem: "cannot be read: " + at.Err.Error(), Err: err}
	}
	return c, err
}
