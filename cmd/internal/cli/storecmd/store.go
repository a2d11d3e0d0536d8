package storecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
)

// StoreCommand looks after a store.
func StoreCommand(a *world.World) *cobra.Command {
	names := []string{"info", "export", "import", "prune", "result", "label"}
	command := &cobra.Command{
		Use:   "store",
		Short: "look after a store of runs: what it holds, copies of it, what of it is kept",
		Long: `Look after a store, in which commands keep what they gathered: runs with their trials,
traces and results, and baselines with names. A store is a file, or a database of
PostgreSQL by its URL; --store names it, the variable TRIBUNAL_STORE, or the key store
of a suite.`,
		Example: `  tribunal store info --store runs.db
  tribunal store prune --store runs.db --keep-traces 90d`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return problem.Usage(base.OrElse(problem.DidYouMean("tribunal store ", args[0], names), base.SeeHelp(cmd)),
					"unknown command %q of store", args[0])
			}
			return problem.Usage(base.SeeHelp(cmd), "no command of store is given")
		},
	}
	command.AddCommand(storeInfoCommand(a), storeExportCommand(a), storeImportCommand(a), storePruneCommand(a),
		storeResultCommand(a), storeLabelCommand(a))
	return command
}

// storeUse is a command on a store that is there.
func storeUse(
	a *world.World, command *cobra.Command, f *app.StoreChoice, readOnly bool,
	of func(ctx context.Context, s *store.Store, args []string) error,
) *cobra.Command {
	command.DisableFlagsInUseLine = true
	option.Of(command.Flags()).Below("store").Text(base.StoreFlag, &f.Name)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		s, err := f.Required(ctx, a, nil, readOnly)
		if err != nil {
			return err
		}
		defer s.Close()
		return of(ctx, s, args)
	})
	return command
}

func storeInfoCommand(a *world.World) *cobra.Command {
	var asJSON bool
	command := storeUse(a, &cobra.Command{
		Use:     "info",
		Short:   "say what a store holds",
		Long:    `Say what a store holds: how many runs and trials, since when, and how large it is.`,
		Example: `  tribunal store info --store runs.db --json`,
		Args:    base.NoArguments,
	}, new(app.StoreChoice), true, func(ctx context.Context, s *store.Store, _ []string) error {
		info, err := s.Info(ctx)
		if err != nil {
			return err
		}
		if asJSON {
			return deliver.WriteJSON(a.Out, struct {
				Schema string `json:"schema"`
				Store  string `json:"store"`
				store.Info
			}{"tribunal/store/v1", s.String(), info})
		}
		return writeInfo(a, s, info)
	})
	command.Flags().BoolVar(&asJSON, "json", false, "print one JSON document instead of text")
	return command
}

// writeInfo writes what a store holds.
func writeInfo(a *world.World, s *store.Store, info store.Info) error {
	rows := [][2]string{
		{"store", prose.FileName(s.String())},
		{"runs", fmt.Sprintf("%d of %s", info.Runs, prose.Count(info.Suites, "suite"))},
		{"trials", fmt.Sprint(info.Trials)},
	}
	if info.Kept < info.Trials {
		rows[2][1] = fmt.Sprintf("%d, of which %d are counted alone", info.Trials, info.Trials-info.Kept)
	}
	if !info.Latest.IsZero() {
		rows = append(rows, [2]string{"started", info.Earliest.Format(time.DateOnly) + " to " +
			info.Latest.Format(time.DateOnly)})
	}
	rows = append(rows, [2]string{"size", megabytes(info.Bytes)})
	if len(info.Names) > 0 {
		names := make([]string, len(info.Names))
		for i, name := range info.Names {
			names[i] = prose.Printable(name)
		}
		rows = append(rows, [2]string{"baselines", strings.Join(names, ", ")})
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%-10s %s\n", row[0], row[1])
	}
	_, err := io.WriteString(a.Out, b.String())
	return err
}

// megabytes is a size for a person.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

func storeExportCommand(a *world.World) *cobra.Command {
	var output string
	command := storeUse(a, &cobra.Command{
		Use:   "export [QUERY]",
		Short: "write runs, or all of a store, as JSON lines",
		Long: `Write the runs that a query means, or all, with their trials, traces and results, and the
baselines that consist of them, as lines of JSON, which tribunal store import reads. A
result is written as it was saved, so that a signature of it still holds.`,
		Example: `  tribunal store export --store runs.db --output runs.jsonl
  tribunal store export suite=shop,since=30d --store runs.db`,
		Args: base.OneArgumentAtMost("query"),
	}, new(app.StoreChoice), true, func(ctx context.Context, s *store.Store, args []string) error {
		q, err := store.ParseQuery(strings.Join(args, ""), a.Now())
		if err != nil {
			return err
		}
		to, err := (&deliver.Target{Output: output}).File(ctx, a, nil)
		if err != nil {
			return err
		}
		var runs int
		if err := a.Deliver(ctx, to, func(w io.Writer) error {
			runs, err = s.Export(ctx, w, q)
			return err
		}); err != nil {
			return err
		}
		a.Notice("note", "%s exported", prose.Count(runs, "run"))
		return nil
	})
	command.Flags().StringVarP(&output, "output", "o", "",
		"write the lines to `FILE`, whole or not at all, instead of standard output")
	return command
}

func storeImportCommand(a *world.World) *cobra.Command {
	return storeUse(a, &cobra.Command{
		Use:   "import FILE",
		Short: "add what was exported from another store",
		Long: `Add the runs and baselines that tribunal store export wrote. Runs that are there already
stay as they are; a run that is not what its id says is refused. Recordings of other
tools are added by tribunal import --store.`,
		Example: `  tribunal store import runs.jsonl --store postgres://ci@db/tribunal`,
		Args:    base.OneArgument("export"),
	}, new(app.StoreChoice), false, func(ctx context.Context, s *store.Store, args []string) error {
		var in io.Reader = a.Stdin
		if args[0] != "-" {
			file, err := input.Open(ctx, args[0])
			if errors.Is(err, fs.ErrNotExist) {
				return problem.BadInput(prose.FileName(args[0])+" does not exist", "tribunal store export writes it")
			}
			if err != nil {
				return err
			}
			defer file.Close()
			in = file
		}
		done, err := s.Import(ctx, in)
		if err != nil {
			if line, ok := errors.AsType[*store.LineError](err); ok {
				return problem.BadInput(fmt.Sprintf("%s: %v", prose.FileName(args[0]), line), "the runs before it are added")
			}
			return err
		}
		_, err = fmt.Fprintf(a.Out, "%s added, %d known\n", prose.Count(done.Runs, "run"), done.Known)
		return err
	})
}

func storePruneCommand(a *world.World) *cobra.Command {
	var traces, trials string
	var dry bool
	command := storeUse(a, &cobra.Command{
		Use:   "prune",
		Short: "take away old traces, or trials; counts and results stay",
		Long: `Take away what happened in the trials of old runs, or their trials. Counts and sums by
scenario and the saved results stay for ever, and so does all of the runs that are a
baseline now. An age is in hours (h), days (d) or weeks (w).`,
		Example: `  tribunal store prune --store runs.db --keep-traces 90d --dry-run`,
		Args:    base.NoArguments,
	}, new(app.StoreChoice), false, func(ctx context.Context, s *store.Store, _ []string) error {
		p := store.Pruning{DryRun: dry}
		if traces == "" && trials == "" {
			return problem.Usage("such as --keep-traces 90d", "nothing says what is kept")
		}
		for _, age := range []struct {
			flag, text string
			into       *time.Time
		}{{"keep-traces", traces, &p.Traces}, {"keep-trials", trials, &p.Trials}} {
			if age.text == "" {
				continue
			}
			at, ok := store.ParseTime(age.text, a.Now())
			if !ok {
				return problem.Usage("such as 90d", "--%s %s is no age, date or time", age.flag, prose.Printable(age.text))
			}
			*age.into = at
		}
		pruned, err := s.Prune(ctx, p)
		if err != nil {
			return err
		}
		said := "taken away"
		if dry {
			said = "would be taken away"
		}
		_, err = fmt.Fprintf(a.Out, "%s and what happened in %d others %s, of %s\n", prose.Count(pruned.Trials, "trial"),
			pruned.Traces, said,
			prose.Count(pruned.Runs, "run"))
		return err
	})
	flags := command.Flags()
	flags.StringVar(&traces, "keep-traces", "", "keep what happened in trials of the last `AGE`, or since a date")
	flags.StringVar(&trials, "keep-trials", "", "keep trials of the last `AGE`, or since a date")
	flags.BoolVar(&dry, "dry-run", false, "say what would go, and take nothing away")
	return command
}

func storeResultCommand(a *world.World) *cobra.Command {
	return storeUse(a, &cobra.Command{
		Use:     "result RUN",
		Short:   "print the saved result of a run, to the byte",
		Long:    `Print the result that a run was stored with, as it was saved: for tribunal verify or report.`,
		Example: `  tribunal store result 4f0c2d --store runs.db | tribunal verify -`,
		Args:    base.OneArgument("run"),
	}, new(app.StoreChoice), true, func(ctx context.Context, s *store.Store, args []string) error {
		r, err := s.Run(ctx, args[0])
		if err != nil {
			return err
		}
		if r.Result == nil {
			return problem.BadInput("run "+r.ID+" has no saved result", "recordings that are imported have none")
		}
		_, err = a.Out.Write(r.Result.Text)
		return err
	})
}

func storeLabelCommand(a *world.World) *cobra.Command {
	return storeUse(a, &cobra.Command{
		Use:   "label RUN NAME=VALUE...",
		Short: "set labels of a run, for queries",
		Long: `Set labels of a run, by which queries find it: label.NAME=VALUE. An empty value takes a
label away.`,
		Example: `  tribunal store label 4f0c2d model=small owner= --store runs.db`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return problem.Usage("such as 4f0c2d model=small", "label takes a run and labels of it, but there %s %s",
					prose.Form(len(args), "is", "are"), prose.Count(len(args), "argument"))
			}
			return nil
		},
	}, new(app.StoreChoice), false, func(ctx context.Context, s *store.Store, args []string) error {
		r, err := s.Run(ctx, args[0])
		if err != nil {
			return err
		}
		for _, pair := range args[1:] {
			name, value, ok := strings.Cut(pair, "=")
			if !ok || name == "" {
				return problem.Usage("write it as in model=small", "%s is no label with a value", prose.Quote(pair))
			}
			if err := s.Label(ctx, r.ID, name, value); err != nil {
				return err
			}
		}
		return nil
	})
}
