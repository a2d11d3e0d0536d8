package storecmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/storing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// StoreCommand looks after a store.
func StoreCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "store",
		Short: "look after a store of runs: what it holds, copies of it, what of it is kept",
		Long: `Look after a store, in which commands keep what they gathered: runs with their trials,
traces and results, and baselines with names. A store is a file, or a database of
PostgreSQL by its URL; --store names it, the variable TRIBUNAL_STORE, or the key store
of a suite.`,
		Example: `  tribunal store info --store runs.db
  tribunal store prune --store runs.db --keep-traces 90d`,
	}
	return base.Holder(command, storeInfoCommand(a), storeExportCommand(a), storeImportCommand(a),
		storePruneCommand(a), storeResultCommand(a), storeLabelCommand(a))
}

// onStore completes a command on a store that is there.
func onStore(
	a *world.World, command *cobra.Command, s *app.StoreChoice, answer func(ctx context.Context, args []string) error,
) *cobra.Command {
	command.DisableFlagsInUseLine = true
	option.Of(command.Flags()).Below("store").Text(base.StoreFlag, &s.Name)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		return answer(ctx, args)
	})
	return command
}

func storeInfoCommand(a *world.World) *cobra.Command {
	var r storing.InfoRequest
	command := onStore(a, &cobra.Command{
		Use:     "info",
		Short:   "say what a store holds",
		Long:    `Say what a store holds: how many runs and trials, since when, and how large it is.`,
		Example: `  tribunal store info --store runs.db --json`,
		Args:    base.NoArguments,
	}, &r.Store, func(ctx context.Context, _ []string) error { return storing.Info(ctx, a, r) })
	bind.Listing(command.Flags(), &r.To)
	return command
}

func storeExportCommand(a *world.World) *cobra.Command {
	var r storing.ExportRequest
	command := onStore(a, &cobra.Command{
		Use:   "export [QUERY]",
		Short: "write runs, or all of a store, as JSON lines",
		Long: `Write the runs that a query means, or all, with their trials, traces and results, and the
baselines that consist of them, as lines of JSON, which tribunal store import reads. A
result is written as it was saved, so that a signature of it still holds.`,
		Example: `  tribunal store export --store runs.db --output runs.jsonl
  tribunal store export suite=shop,since=30d --store runs.db`,
		Args: base.OneArgumentAtMost("query"),
	}, &r.Store, func(ctx context.Context, args []string) error {
		r.Query = strings.Join(args, "")
		return storing.Export(ctx, a, r)
	})
	option.Of(command.Flags()).Below("store").Text("output", &r.Output)
	return command
}

func storeImportCommand(a *world.World) *cobra.Command {
	var r storing.ImportRequest
	return onStore(a, &cobra.Command{
		Use:   "import FILE",
		Short: "add what was exported from another store",
		Long: `Add the runs and baselines that tribunal store export wrote. Runs that are there already
stay as they are; a run that is not what its id says is refused. Recordings of other
tools are added by tribunal import --store.`,
		Example: `  tribunal store import runs.jsonl --store postgres://ci@db/tribunal`,
		Args:    base.OneArgument("export"),
	}, &r.Store, func(ctx context.Context, args []string) error {
		r.File = args[0]
		return storing.Import(ctx, a, r)
	})
}

func storePruneCommand(a *world.World) *cobra.Command {
	var r storing.PruneRequest
	command := onStore(a, &cobra.Command{
		Use:   "prune",
		Short: "take away old traces, or trials; counts and results stay",
		Long: `Take away what happened in the trials of old runs, or their trials. Counts and sums by
scenario and the saved results stay for ever, and so does all of the runs that are a
baseline now. An age is in hours (h), days (d) or weeks (w).`,
		Example: `  tribunal store prune --store runs.db --keep-traces 90d --dry-run`,
		Args:    base.NoArguments,
	}, &r.Store, func(ctx context.Context, _ []string) error { return storing.Prune(ctx, a, r) })
	o := option.Of(command.Flags()).Below("store")
	o.Text("keep-traces", &r.Traces)
	o.Text("keep-trials", &r.Trials)
	o.Switch("dry-run", &r.DryRun)
	return command
}

func storeResultCommand(a *world.World) *cobra.Command {
	var r storing.RunRequest
	return onStore(a, &cobra.Command{
		Use:     "result RUN",
		Short:   "print the saved result of a run, to the byte",
		Long:    `Print the result that a run was stored with, as it was saved: for tribunal report verify or report.`,
		Example: `  tribunal store result 4f0c2d --store runs.db | tribunal report verify -`,
		Args:    base.OneArgument("run"),
	}, &r.Store, func(ctx context.Context, args []string) error {
		r.Run = args[0]
		return storing.Result(ctx, a, r)
	})
}

func storeLabelCommand(a *world.World) *cobra.Command {
	var r storing.RunRequest
	return onStore(a, &cobra.Command{
		Use:   "label RUN NAME=VALUE...",
		Short: "set labels of a run, for queries",
		Long: `Set labels of a run, by which queries find it: label.NAME=VALUE. An empty value takes a
label away.`,
		Example: `  tribunal store label 4f0c2d model=small owner= --store runs.db`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return problem.Usage("such as 4f0c2d model=small", "store label takes a run and labels of it, but there %s %s",
					prose.Form(len(args), "is", "are"), prose.Count(len(args), "argument"))
			}
			return nil
		},
	}, &r.Store, func(ctx context.Context, args []string) error {
		r.Run, r.Labels = args[0], args[1:]
		return storing.Label(ctx, a, r)
	})
}
