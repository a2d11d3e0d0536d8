package inspectcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/inspecting"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

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
	var r inspecting.ContractRequest
	flags := command.Flags()
	bind.Reading(flags, &r.Reading)
	option.Of(flags).Below("contract").Text("variant", &r.Variant)
	// The rows of this text are clauses, so the option of that number has another name here.
	bind.Target(flags, &r.Result)
	bind.Reports(flags, &r.Result)
	bind.Clauses(flags, &r.Result)
	command.RunE = base.Judging(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		switch {
		case len(args) == 0:
			return problem.Usage("such as tribunal contract check contract.yaml trials.jsonl",
				"name a contract file, and recordings to check")
		case len(args) == 1:
			return problem.Usage("name files, or - for standard input", "there is nothing to check against %s", args[0])
		}
		r.Contract, r.Files = args[0], args[1:]
		return inspecting.CheckContract(ctx, a, r)
	})
	return command
}
