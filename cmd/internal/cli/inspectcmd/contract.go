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

// ContractCommand judges traces without any pass rate: a single violation of a hard
// clause is a Fail, so there is no level and no interval to ask for.
func ContractCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "contract CONTRACT TRACES...",
		Short: "check recorded trials against the clauses of a contract",
		Long: `Check recorded trials against the clauses of a contract file: what an agent must and must
not do, as preconditions, postconditions, invariants of every step, and guardrails that
forbid tools, paths, URLs and commands.
Pass (exit code 0) if no trial violates a hard clause, Fail (1) if one does,
Inconclusive (2) if there is nothing to judge: no trials, or a clause that could be
judged in none. TRACES are recordings in any format that is read, judged or not; - is
standard input.`,
		Example: `  tribunal check contract contract.yaml trials.jsonl
  tribunal check contract contract.yaml traces/*.json --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r inspecting.ContractRequest
	flags := command.Flags()
	bind.Reading(flags, &r.Reading)
	option.Of(flags).Text("variant", &r.Variant)
	// The rows of this text are clauses, so the option of that number has another name here.
	bind.Target(flags, &r.Result)
	bind.Reports(flags, &r.Result)
	bind.Clauses(flags, &r.Result)
	command.RunE = base.Judging(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		switch {
		case len(args) == 0:
			return problem.Usage("such as tribunal check contract contract.yaml trials.jsonl",
				"name a contract file, and recordings to check")
		case len(args) == 1:
			return problem.Usage("name files, or - for standard input", "there is nothing to check against %s", args[0])
		}
		r.Contract, r.Files = args[0], args[1:]
		return inspecting.CheckContract(ctx, a, r)
	})
	return command
}
