package storecmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
)

// BaselineCommand holds the commands on baselines with names.
func BaselineCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "baseline",
		Short: "give names to the runs that others are compared with",
		Long: `Give a name to runs of a store, so that gate --baseline main, run --baseline main and
a suite's baseline: main compare with them. Several runs are pooled: each keeps how it
was sampled, so that the errors of a test against all of them are exact.

A name has revisions, each with who set it, when and why; the last one holds.`,
		Example: `  tribunal baseline record main --trials 300 --store runs.db
  tribunal baseline show main
  tribunal gate --baseline main`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			names := []string{"set", "show", "list", "record", "promote"}
			if len(args) > 0 {
				return problem.Usage(base.OrElse(problem.DidYouMean("tribunal baseline ", args[0], names),
					base.SeeHelp(cmd)),
					"unknown command %q of baseline", args[0])
			}
			return problem.Usage(base.SeeHelp(cmd), "no command of baseline is given")
		},
	}
	command.AddCommand(baselineSetCommand(a), baselineShowCommand(a), baselineListCommand(a),
		baselineRecordCommand(a), baselinePromoteCommand(a))
	return command
}

// age is how old something may be, such as 60d; 0 is any.
type age time.Duration

func (g *age) Set(text string) error {
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		*g = age(d)
		return nil
	}
	units := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if n := len(text); n > 1 && units[text[n-1]] > 0 {
		const most = 36_500 // days: a hundred years, far below where durations end
		if x, err := strconv.ParseUint(text[:n-1], 10, 32); err == nil &&
			time.Duration(x)*units[text[n-1]] <= most*24*time.Hour {
			*g = age(time.Duration(x) * units[text[n-1]])
			return nil
		}
	}
	return &value.Refusal{Problem: "must be an age", Hint: "such as 60d, 8w or 36h; 0 is any"}
}

func (g *age) String() string {
	if d := time.Duration(*g); d%(24*time.Hour) == 0 && d > 0 {
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return time.Duration(*g).String()
}

func (g *age) Type() string { return "AGE" }

// baselineFlags are those of a command that makes a revision of a name.
type baselineFlags struct {
	store  app.StoreChoice
	reason string
	who    string
	maxAge age
}

func (f *baselineFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.reason, "reason", "", "why, for those who read it later")
	flags.StringVar(&f.who, "who", "", "who sets it (default: who is logged in, or the build server says)")
	flags.Var(&f.maxAge, "max-age", "after which it is no baseline any more (default: that of the revision before)")
	flags.Lookup("max-age").DefValue = "0s" // which is not printed
	option.Of(flags).Below("baseline").Text(base.StoreFlag, &f.store.Name)
}

// nameOf is the name of a baseline that is set, or why it can be none.
func nameOf(text string) error {
	if !app.IsBaselineName(text) {
		return problem.Usage("such as main: letters, digits, dots, dashes and underscores", "%s is no name of a baseline",
			prose.Quote(text))
	}
	return nil
}

// whoVariables say who is at work: those of build servers first.
var whoVariables = []string{"GITHUB_ACTOR", "GITLAB_USER_LOGIN", "BUILDKITE_BUILD_CREATOR", "CIRCLE_USERNAME", "USER",
	"LOGNAME", "USERNAME"}

// set makes a revision of a name.
func (f *baselineFlags) set(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, s *store.Store, name string, ids []string,
) error {
	changed, err := app.CheckBaseline(ctx, s, name, ids)
	if err != nil {
		return err
	}
	b := store.Baseline{Name: name, Runs: ids, Reason: f.reason, Who: f.who, At: a.Now()}
	if b.Who == "" {
		for _, variable := range whoVariables {
			b.Who = cmp.Or(b.Who, a.Env.Get(variable))
		}
	}
	b.Policy.MaxAge = time.Duration(f.maxAge)
	if !flags.Changed("max-age") {
		all, err := s.Baselines(ctx)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(all, func(o store.Baseline) bool { return o.Name == name }); i >= 0 {
			b.Policy = all[i].Policy
		}
	}
	set, err := s.SetBaseline(ctx, b)
	if err != nil {
		return err
	}
	for _, line := range changed {
		a.Warn("the agents of the runs differ, and their rate is one of both: " + prose.Printable(line))
	}
	text := fmt.Sprintf("baseline %s, revision %d: %s", set.Name, set.Revision, prose.Count(len(set.Runs), "run"))
	if set.Policy.MaxAge > 0 {
		text += ", may be " + phrase.Age(set.Policy.MaxAge) + " old"
	}
	_, err = fmt.Fprintln(a.Out, text)
	return err
}

func baselineSetCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "set NAME RUN...",
		Short: "give a name to runs of the store",
		Long: `Give a name to runs of the store, as its next revision. RUN is the beginning of a run's
ID, or a query such as suite=shop,last=3. Several runs must have been asked the same and
judged alike, and every test of theirs must have ended.`,
		Example: `  tribunal baseline set main 4f0c2d1 --reason "release 2.4"
  tribunal baseline set main suite=shop,branch=main,last=3 --max-age 60d`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f baselineFlags
	f.register(command.Flags())
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		if len(args) < 2 {
			return problem.Usage("such as tribunal baseline set main 4f0c2d1", "name the baseline and its runs")
		}
		if err := nameOf(args[0]); err != nil {
			return err
		}
		s, err := f.store.Required(ctx, a, nil, false)
		if err != nil {
			return err
		}
		defer s.Close()
		ids, err := runsNamed(ctx, a, s, args[1:])
		if err != nil {
			return err
		}
		return f.set(ctx, a, flags, s, args[0], ids)
	})
	return command
}

// runsNamed are the IDs of the runs that arguments mean, each once, in their order; those of a query are the latest
// last.
func runsNamed(ctx context.Context, a *world.World, s *store.Store, args []string) (ids []string, err error) {
	add := func(id string) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, text := range args {
		if !strings.Contains(text, "=") {
			r, err := s.Run(ctx, text)
			if err != nil {
				return nil, err
			}
			add(r.ID)
			continue
		}
		q, err := store.ParseQuery(text, a.Now())
		if err != nil {
			return nil, err
		}
		list, err := s.Runs(ctx, q, 0, mostRunsNamed+1)
		switch {
		case err != nil:
			return nil, err
		case len(list) == 0:
			return nil, problem.BadInput("the store "+prose.FileName(s.String())+" holds no run of "+prose.Quote(text),
				"tribunal history lists its runs")
		case len(list) > mostRunsNamed:
			return nil, problem.BadInput(fmt.Sprintf("%s means more than %d runs", prose.Quote(text), mostRunsNamed),
				"add last=3")
		}
		for _, r := range slices.Backward(list) {
			add(r.ID)
		}
	}
	return ids, nil
}

// mostRunsNamed bounds the runs of a query: a baseline can have no more.
const mostRunsNamed = 100

// promoteFlags are those of baseline promote.
type promoteFlags struct {
	baselineFlags
	to    string
	force bool
}

func baselinePromoteCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "promote RUN NAME",
		Short: "let a run that passed its gate be the baseline",
		Long: `Let a run for which tribunal gate decided to deploy be the next revision of a baseline:
the decision, which the store keeps, is judged again. With --to in place of NAME, what is
promoted is another baseline: its runs become those of the name, such as candidate of
main. What did not pass a gate is refused, unless it is forced with a reason.`,
		Example: `  tribunal baseline promote 4f0c2d1 main
  tribunal baseline promote candidate --to main
  tribunal baseline promote 4f0c2d1 main --force --reason "the first of all"`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f promoteFlags
	f.register(command.Flags())
	command.Flags().StringVar(&f.to, "to", "", "promote the runs of a baseline to this `NAME`")
	command.Flags().BoolVar(&f.force, "force", false, "promote what passed no gate, with a --reason")
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.promote(ctx, a, flags, args)
	})
	return command
}

// promote checks the gate of each run, and makes the revision.
func (f *promoteFlags) promote(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	name := f.to
	if name == "" && len(args) == 2 {
		name = args[1]
		args = args[:1]
	}
	switch {
	case len(args) != 1 || name == "":
		return problem.Usage("such as tribunal baseline promote 4f0c2d1 main",
			"name a run and a baseline, or a baseline and --to")
	case f.force && f.reason == "":
		return problem.Usage("add --reason", "--force promotes what passed no gate, and says why")
	}
	if err := nameOf(name); err != nil {
		return err
	}
	s, err := f.store.Required(ctx, a, nil, false)
	if err != nil {
		return err
	}
	defer s.Close()
	var ids []string
	if f.to != "" {
		candidate, err := s.Baseline(ctx, args[0])
		if err != nil {
			return err
		}
		ids = candidate.Runs
	} else if ids, err = runsNamed(ctx, a, s, args); err != nil {
		return err
	}
	for _, id := range ids {
		if f.force {
			break
		}
		if err := app.PassedGate(ctx, s, id); err != nil {
			return err
		}
	}
	return f.set(ctx, a, flags, s, name, ids)
}
