package suitecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/authoring"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// InitCommand gives somebody new a run that works within a minute, without a key or a
// network.
func InitCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "init [FOLDER]",
		Short: "write a suite to start from, with a demo agent that works",
		Long: `Write a commented tribunal.yaml into a folder, which may be new, and beside it a small
demo agent that needs no key and no network. It is written in what the folder is: Python
where there is a pyproject.toml, requirements or *.py, JavaScript where there is a
package.json, and else as a shell script. Nothing is overwritten.

With --model the agent is no program: the model of that name is asked itself, and a tool
that it calls answers as the suite says.

With --from the scenarios are those of a promptfoo configuration (YAML or JSON), of a
data set of Inspect (JSON, JSON lines or CSV), of a specification by properties or
graders (YAML), of scenarios in TOML, one or a folder, or of recordings, with limits of
what trials took and a contract of what they kept to. What could not be carried over is
listed, and the agent is left to write.`,
		Example: `  tribunal init
  tribunal init demo && tribunal run demo
  tribunal init --python
  tribunal init --model gpt-5-mini
  tribunal init evals --from promptfooconfig.yaml
  tribunal init evals --from runs/`,
		DisableFlagsInUseLine: true,
		Args:                  base.OneArgumentAtMost("folder"),
	}
	var r authoring.InitRequest
	o := option.Of(command.Flags())
	o.Text("from", &r.From)
	option.BindOptional(o, "model", &r.Model, option.Text)
	var chosen [len(authoring.Languages)]bool
	for i, l := range authoring.Languages {
		o.Switch(l.Flag, &chosen[i])
	}
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		r.Folder = append(args, ".")[0]
		for i, l := range authoring.Languages {
			if chosen[i] {
				r.Languages = append(r.Languages, l)
			}
		}
		return authoring.Init(ctx, a, r)
	})
	return command
}
