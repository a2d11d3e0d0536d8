package inspectcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict/compliance"
)

// contractFlags are those of the command contract check.
type contractFlags struct {
	evidence evidence.Reading
	result   deliver.Target
	variant  string
}

// ContractCommand only holds the command check. Called without it, it is an error and not a
// help with exit code 0: a script should notice.
func ContractCommand(a *world.World) *cobra.Command {
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
				return problem.Usage(base.OrElse(problem.DidYouMean("tribunal contract ", args[0], []string{"check"}),
					base.SeeHelp(cmd)),
					"unknown command %q of contract", args[0])
			}
			return problem.Usage(base.SeeHelp(cmd), "no command of contract is given")
		},
	}
	command.AddCommand(contractCheckCommand(a))
	return command
}

// contractCheckCommand judges traces without any pass rate: a single violation of a hard
// clause is a Fail, so there is no level and no interval to ask for.
func contractCheckCommand(a *world.World) *cobra.Command {
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
	bind.Reading(command.Flags(), &f.evidence)
	command.Flags().StringVar(&f.variant, "variant", "", "check the trials of this `VARIANT`")
	// The rows of this text are clauses, so the flag of that number has another name here.
	bind.Target(command.Flags(), &f.result)
	bind.Reports(command.Flags(), &f.result)
	bind.Clauses(command.Flags(), &f.result)
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// execute reads the contract first: a mistake in it should not cost the reading of the
// traces.
func (f *contractFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	switch {
	case len(args) == 0:
		return problem.Usage("such as tribunal contract check contract.yaml trials.jsonl",
			"name a contract file, and recordings to check")
	case len(args) == 1:
		return problem.Usage("name files, or - for standard input", "there is nothing to check against %s", args[0])
	}
	file, traces := args[0], args[1:]
	if err := evidence.CheckNames(traces, f.evidence.Duplicates); err != nil {
		return err
	}
	to, err := f.result.File(ctx, a, args)
	if err != nil {
		return err
	}
	if err := f.result.Spared("--output", to, traces, f.evidence.EveryFile()); err != nil {
		return err
	}
	c, err := evidence.LoadContract(file)
	if err != nil {
		return err
	}
	summary := contract.NewSummary(c)
	// No fields are left out: a clause may speak of any of them.
	options := f.evidence.Options(f.variant, 0)
	// The contract is what judges.
	options.Unjudged = true
	// Trials are checked one by one and forgotten; only the summary is kept.
	err = evidence.Read(ctx, a, traces, options, evidence.Counted,
		func(t *trial.Trial) { summary.Add(t, c.Check(ctx, t)) })
	if err != nil {
		return evidence.Naming("variant", err)
	}
	// With 0 the intervals have the usual level. They decide nothing: a single
	// violation counts.
	result, err := compliance.Judge(summary, 0)
	if err != nil {
		return err
	}
	return f.result.Conclude(ctx, a, to, result)
}
