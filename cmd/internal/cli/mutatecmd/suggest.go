package mutatecmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/probing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// SuggestCommand proposes; what is run, and kept, is for a person to say.
func SuggestCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "suggest SUITE [TRACES...]",
		Short: "propose scenarios where coverage is furthest from its target",
		Long: `Find the dimension of coverage that reaches the least share of its target, and propose
scenarios that may raise it, as a part of a suite: for a tool that was never called a
task of its description and schema; for a limit that no call came near, a path or a
state that nobody took, the nearest recorded input moved towards it; for a model that
was not run a variant. Without TRACES the journal of the suite's last run is read.

--schema draws inputs of a JSON Schema in place of that, and --generator asks a
program, which is given what is missing as JSON. With --run the suite's agent tries
what is proposed: each scenario says what it raised, what raised nothing and passed is
left out, and an input of a schema that fails is made smaller as long as it fails.`,
		Example: `  tribunal check suggest tribunal.yaml
  tribunal check suggest tribunal.yaml runs/ --target tool=0.9,path=0.8 -o suggested.yaml
  tribunal check suggest tribunal.yaml runs/ --run --max-cost 2
  tribunal check suggest tribunal.yaml --schema input.schema.json --count 20 --run
  tribunal check suggest tribunal.yaml runs/ --generator "python3 scenarios.py"`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := probing.SuggestRequest{Count: 5, GeneratorTimeout: time.Minute, Confirm: 2, Shrink: 100}
	flags := command.Flags()
	o := option.Of(flags)
	option.Bind(o, "target", &r.Targets, option.Rule("D=C,...", probing.ParseTargets))
	option.Bind(o, "count", &r.Count, option.Count(1, 1000))
	o.Text("schema", &r.Schema)
	o.Text("generator", &r.Generator)
	o.Duration("generator-timeout", &r.GeneratorTimeout)
	option.BindOptional(o, "seed", &r.Seed, option.Seed)
	o.Switch("run", &r.Run)
	option.BindOptional(o, "max-cost", &r.MaxCost, option.Amount)
	option.Bind(o, "confirm", &r.Confirm, option.Count(0, 100))
	option.Bind(o, "shrink", &r.Shrink, option.Count(0, 100_000))
	o.Text("variant", &r.Variant)
	bind.Reading(flags, &r.Reading)
	o.Switch("json", &r.To.JSON)
	o.Text("output", &r.To.Output)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		if len(args) > 0 {
			r.Suite, r.Files = args[0], args[1:]
		}
		r.Given = base.GivenOf(flags)
		return probing.Suggest(ctx, a, r)
	})
	return command
}
