package storecmd

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// TracesCommand looks into the trials of a store.
func TracesCommand(a *world.World) *cobra.Command {
	names := []string{"query", "show", "sample"}
	command := &cobra.Command{
		Use:   "traces",
		Short: "look for trials in a store, show one, and draw samples of them",
		Long: `Look for trials in a store, show what happened in one, and draw samples of them. Wherever
a command reads a file of trials, store:QUERY stands for those of a store, so that what is
found here is judged there.

A QUERY is keys with values, all of which must hold, such as suite=shop,since=30d: run,
suite, kind, version, commit, branch, baseline, since, until, last (so many runs),
scenario, outcome and label.NAME. Trials of mutate, race, relate and conform are left out
unless it names run, kind, version or baseline.`,
		Example: `  tribunal traces query --version v2 --scenario "refund-*" --since 30d --outcome fail
  tribunal traces show 7d1a458236/0/4
  tribunal traces sample --version v2 -n 100 --seed 1 --json | tribunal judge tribunal.yaml -`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return problem.Usage(base.OrElse(problem.DidYouMean("tribunal traces ", args[0], names), base.SeeHelp(cmd)),
					"unknown command %q of traces", args[0])
			}
			return problem.Usage(base.SeeHelp(cmd), "no command of traces is given")
		},
	}
	command.AddCommand(tracesQueryCommand(a), tracesShowCommand(a), tracesSampleCommand(a))
	return command
}

// tracesFlags say which trials of a store are meant, and in what form they are printed.
type tracesFlags struct {
	store                                    app.StoreChoice
	version, scenario, since, until, outcome string // "" is any
	json                                     bool
	output                                   string // "" and "-" are standard output
}

func (f *tracesFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.version, base.VersionFlag, "", "only trials of this `VERSION`")
	flags.StringVar(&f.scenario, "scenario", "", "only trials of scenarios whose name matches the `GLOB`")
	flags.StringVar(&f.since, "since", "",
		"only of runs that began at this `TIME` or later, such as 2026-03-01, or 30d for that long ago")
	flags.StringVar(&f.until, "until", "", "only of runs that began before this `TIME`")
	flags.StringVar(&f.outcome, "outcome", "", "only trials with this `OUTCOME`: pass, fail or error")
	flags.BoolVar(&f.json, "json", false, "print the trials as JSON, one a line, in place of a table")
	flags.StringVarP(&f.output, "output", "o", "", "write to `FILE`, whole or not at all, instead of standard output")
	option.Of(flags).Below("traces").Text(base.StoreFlag, &f.store.Name)
}

// query is what the flags and the argument mean; a flag wins.
func (f *tracesFlags) query(a *world.World, flags *pflag.FlagSet, args []string) (q store.Query, err error) {
	if q, err = store.ParseQuery(strings.Join(args, ""), a.Now()); err != nil {
		return q, err
	}
	if f.version != "" {
		q.Version = f.version
	}
	if f.scenario != "" {
		q.Scenario = f.scenario
	}
	for _, time := range []struct {
		name, text string
		into       *time.Time
	}{{"since", f.since, &q.Since}, {"until", f.until, &q.Until}} {
		if time.text == "" {
			continue
		}
		at, ok := store.ParseTime(time.text, a.Now())
		if !ok {
			return q, problem.Usage("such as 2026-03-01, 2026-03-01T10:00:00Z or 30d", "%s %s is no time",
				base.Origin(flags, time.name), prose.Quote(time.text))
		}
		*time.into = at
	}
	if f.outcome != "" {
		o, ok := trial.ParseOutcome(f.outcome)
		if !ok || o == trial.Unjudged {
			return q, problem.Usage("pass, fail or error", "%s %s is no outcome", base.Origin(flags, "outcome"),
				prose.Quote(f.outcome))
		}
		q.Outcome = o
	}
	return q.WithoutExperiments(), nil
}

// print writes what a function makes of a store, to the file that --output names or to standard output.
func (f *tracesFlags) print(ctx context.Context, a *world.World, make func(s *store.Store, w io.Writer) error) error {
	s, err := f.store.Required(ctx, a, nil, true)
	if err != nil {
		return err
	}
	defer s.Close()
	to, err := (&deliver.Target{Output: f.output}).File(ctx, a, nil)
	if err != nil {
		return err
	}
	if to != nil {
		return to.Fill(ctx, func(w io.Writer) error { return make(s, w) })
	}
	// As of import: what breaks off is marked, so that nobody takes it for all.
	out := &outfile.StartedWriter{W: a.Out}
	err = make(s, out)
	if err != nil && out.Started && f.json {
		io.WriteString(a.Out, outfile.CutMark) // if that fails too, there is nothing else to do
	}
	return err
}

// ScreenOf is that of the terminal, or of a file.
func (f *tracesFlags) screenOf(a *world.World) world.Screen {
	if f.output != "" && f.output != "-" {
		return world.NewScreen(nil, a.Env, a.TerminalWidth)
	}
	return world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth)
}

// defaultTraces is how many trials a table shows. Chosen: two screens.
const defaultTraces = 50

func tracesQueryCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "query [QUERY]",
		Short: "list trials, those of the newest runs first",
		Long: `List the trials of a store that a QUERY and the flags mean, those of the newest runs first:
run, part and number in it, which tribunal traces show reads, when the trial began, its
version, scenario and outcome, what it cost and its turns. --search looks for a text in
what happened in a trial: input, output, steps and errors.`,
		Example: `  tribunal traces query --version v2 --scenario "refund-*" --since 30d --outcome fail
  tribunal traces query suite=shop,branch=main --search "out of stock"
  tribunal traces query --outcome fail --json -o failures.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  base.OneArgumentAtMost("query"),
	}
	var f tracesFlags
	var search string
	limit := value.Count{Least: 1, Most: value.MaxTrials}
	flags := command.Flags()
	f.register(flags)
	flags.StringVar(&search, "search", "", "only trials in which this `TEXT` stands, in upper or lower case")
	flags.Var(&limit, "limit", "print at most so many (default 50 in a table, all as JSON)")
	flags.Lookup("limit").DefValue = ""
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		q, err := f.query(a, flags, args)
		if err != nil {
			return err
		}
		most := limit.Value
		if most == 0 && !f.json {
			most = defaultTraces
		}
		return f.print(ctx, a, func(s *store.Store, w io.Writer) error {
			l := traceList{store: s, query: q, screen: f.screenOf(a)}
			if f.json {
				return l.write(w, func(each func(store.Kept) error) error { return l.search(ctx, search, most, true, each) })
			}
			err := l.table(w, func(each func(store.Kept) error) error { return l.search(ctx, search, most, false, each) })
			if err == nil && l.more {
				a.Notice("note", "there are more than %s; --limit shows more, --json all", prose.Count(most, "trial"))
			}
			return err
		})
	})
	return command
}

func tracesSampleCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "sample [QUERY] -n N",
		Short: "draw trials at random",
		Long: `Draw trials at random, without replacement, from those that a QUERY and the flags mean:
each with the same chance, or with --stratified as many of each scenario as of any other.
The same seed draws the same trials of the same store.`,
		Example: `  tribunal traces sample --version v2 -n 100 --seed 1
  tribunal traces sample suite=shop,since=7d -n 50 --stratified --json -o sample.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  base.OneArgumentAtMost("query"),
	}
	var f tracesFlags
	o := store.Sampling{}
	from := value.Seed(1)
	trials := value.Count{Least: 1, Most: maxSampled}
	flags := command.Flags()
	flags.VarP(&trials, "trials", "n", "draw so many; required")
	flags.Lookup("trials").DefValue = ""
	flags.Var(&from, "seed", "seed of what is drawn")
	flags.BoolVar(&o.Stratified, "stratified", false,
		"draw as many of each scenario as of any other, as far as there are so many")
	f.register(flags)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		if trials.Value == 0 {
			return problem.Usage("such as -n 100", "--trials is missing: how many to draw")
		}
		o.Trials, o.Seed = trials.Value, uint64(from)
		q, err := f.query(a, flags, args)
		if err != nil {
			return err
		}
		return f.print(ctx, a, func(s *store.Store, w io.Writer) error {
			l := traceList{store: s, query: q, screen: f.screenOf(a)}
			draw := func(each func(store.Kept) error) error { return l.sample(ctx, o, each) }
			if f.json {
				err = l.write(w, draw)
			} else {
				err = l.table(w, draw)
			}
			if err == nil && l.count < o.Trials {
				a.Notice("note", "there are no more than %s of that query", prose.Count(l.count, "trial"))
			}
			return err
		})
	})
	return command
}

// maxSampled is how large a sample may be, which is held in memory.
const maxSampled = 1_000_000

func tracesShowCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "show TRIAL",
		Short: "show what happened in a trial",
		Long: `Show what happened in a trial of a store, as tribunal try shows one: its input, output and
steps, what it took, and what each evaluator made of it. TRIAL is RUN/PART/POSITION as
tribunal traces query lists it; of the run the beginning is enough.`,
		Example: `  tribunal traces show 7d1a458236/0/4
  tribunal traces show 7d1a458236/0/4 --json`,
		DisableFlagsInUseLine: true,
	}
	var f app.StoreChoice
	var asJSON bool
	option.Of(command.Flags()).Below("traces").Text(base.StoreFlag, &f.Name)
	command.Flags().BoolVar(&asJSON, "json", false, "print the record of the trial as JSON")
	command.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return problem.Usage("such as 7d1a458236/0/4; tribunal traces query lists them",
				"traces show takes one trial, but there are %d", len(args))
		}
		return nil
	}
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		id, ok := store.ParseTrialID(args[0])
		if !ok {
			return problem.Usage("such as 7d1a458236/0/4; tribunal traces query lists them", "%s is no RUN/PART/POSITION",
				prose.Quote(args[0]))
		}
		s, err := f.Required(ctx, a, nil, true)
		if err != nil {
			return err
		}
		defer s.Close()
		run, err := s.Run(ctx, id.Run)
		if err != nil {
			return err
		}
		id.Run = run.ID
		kept, err := s.Trial(ctx, id)
		if err != nil {
			return err
		}
		if asJSON {
			text, err := trial.Append(nil, kept.Trial)
			if err == nil {
				_, err = a.Out.Write(append(text, '\n'))
			}
			return err
		}
		return writeTrace(a, run, kept)
	})
	return command
}
