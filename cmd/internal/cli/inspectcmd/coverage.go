package inspectcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/inspecting"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// CoverageCommand has an exit code of 1 and yet no verdict: it measures, and nothing about
// it is a test. That is why it uses with and not judging.
func CoverageCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "coverage TRACES...",
		Short: "what recorded trials have tried of an agent, and what not",
		Long: `Measure how much of what an agent can do recorded trials have tried: the tools
called, the decision paths and states seen, the limits of parameters touched, the
models run on; and name what they have not. Trials need not be judged.

Tools, models, limits, graph, weights and capabilities are declared in a suite; --tools
takes the tools and their limits from an MCP or OpenAI list. What nobody declared
is not measured. Exit code 1 says that the lower limit of the overall coverage is
below the minimum, or that it is not measured; without a minimum the code is 0.`,
		Example: `  tribunal check coverage trials.jsonl --tools tools.json
  tribunal check coverage small.jsonl large.jsonl --suite tribunal.yaml --minimum 0.8
  tribunal check coverage trusted.jsonl --calibrate-lambda
  tribunal check coverage trials.jsonl --tools tools.json --chart coverage.svg --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r inspecting.CoverageRequest
	flags := command.Flags()
	o := option.Of(flags)
	o.Text("suite", &r.Suite)
	o.Text("tools", &r.Tools)
	option.BindOptional(o, "minimum", &r.Minimum, option.Proportion)
	o.Text("variant", &r.Variant)
	o.Switch("calibrate-lambda", &r.Calibrate)
	o.Text("chart", &r.Chart)
	bind.Reading(flags, &r.Reading)
	o.Switch("json", &r.Result.JSON)
	o.Text("output", &r.Result.Output)
	bind.Reports(flags, &r.Result)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		r.Files, r.Given = args, base.GivenOf(flags)
		return inspecting.Coverage(ctx, a, r)
	})
	return command
}
