package improvecmd

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/runner/ratchet"
	"github.com/tribunal-dev/tribunal/sprt/keep"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// starterLoop is the file of a loop to start from.
//
//go:embed starter-ratchet/ratchet.yaml
var starterLoop []byte

// ratchetInitFlags are those of a session that is begun.
type ratchetInitFlags struct {
	loop     bool
	fresh    bool
	alpha    value.Level
	spending value.Word[keep.Spending]
	gain     value.Level
	rate     value.Level
	power    value.Level
	odds     value.Amount
	maxPairs value.Count
	seed     value.Seed
	json     bool
}

func ratchetInitCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "init [SUITE]",
		Short: "begin a session of challengers, or write a ratchet.yaml to start from",
		Long: `Begin a session: challengers of the agent of a suite are tried one after the other by
tribunal ratchet try, and the chance that the session keeps any that is no better is at
most alpha, however many there are. The scenarios are split once, by a hash: half of them
to search with, three of ten held out, which answer keep or revert alone, and two of ten
for the end. What the tests do is computed and said before anything is run.

--loop writes a ratchet.yaml for tribunal ratchet run instead.`,
		Example: `  tribunal ratchet init
  tribunal ratchet init --gain 0.05 --rate 0.9
  tribunal ratchet init --spending lord++ --fresh
  tribunal ratchet init --loop`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := ratchetInitFlags{alpha: keep.DefaultAlpha, gain: keep.DefaultGain, rate: keep.DefaultRate,
		power: keep.DefaultPower,
		odds:  keep.DefaultOdds, seed: 1, maxPairs: value.Count{Least: 1, Most: keep.MostPairs}}
	f.spending = value.Word[keep.Spending]{Kind: "WAY", Words: []keep.Spending{keep.Bonferroni, keep.LORD}}
	flags := command.Flags()
	flags.BoolVar(&f.loop, "loop", false, "write a ratchet.yaml to start from, and begin no session")
	flags.Var(&f.alpha, "alpha", "chance, at most, that the session keeps any challenger that is no better")
	flags.Var(&f.spending, "spending",
		f.spending.Usage("how challengers share alpha; by lord++ it is the expected share of false keeps"))
	flags.Var(&f.gain, "gain", "the smallest gain of the pass rate that is to be found")
	flags.Var(&f.rate, "rate", "pass rate of the champion, as it is expected: it sets lengths, and no error")
	flags.Var(&f.power, "power", "chance that such a gain is kept")
	flags.Var(&f.odds, "odds",
		"revert where no gain is so many times as likely; lower ones decide sooner and lose more gains")
	flags.Var(&f.maxPairs, "max-pairs",
		"a challenger is undecided after so many pairs (default as many as the power takes)")
	flags.Lookup("max-pairs").DefValue = ""
	flags.Var(&f.seed, "seed", "by which the scenarios are split and drawn")
	flags.BoolVar(&f.fresh, "fresh", false, "begin another session although there is one, which is kept aside")
	flags.BoolVar(&f.json, "json", false, "print one JSON document instead of text")
	base.NotOfSuite(flags, "alpha", "seed") // there they are of runs
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *ratchetInitFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if f.loop {
		if len(args) > 0 {
			return problem.Usage("leave one of them out", "--loop writes %s here, and takes no suite", ratchet.FileName)
		}
		return f.writeLoop(a)
	}
	p := ratchet.Pairs{Alpha: float64(f.alpha), Spending: f.spending.Value, Question: keep.Question{
		Gain: float64(f.gain), Rate: float64(f.rate), Power: float64(f.power), Odds: float64(f.odds),
		MaxPairs: f.maxPairs.Value,
	}}
	q := p.Question
	q.Alpha = p.Alpha
	if bad, ok := errors.AsType[*keep.QuestionError](q.Check()); ok {
		return problem.Usage("tribunal ratchet init --help has what each means", "--%s %s", bad.Option, bad.Problem)
	}
	s, err := suitefile.Load(a, args)
	if err != nil {
		return err
	}
	session, err := ratchet.BeginSession(s, p, uint64(f.seed), ratchet.Options{Fresh: f.fresh, Version: a.Version,
		Now: a.Now})
	if err != nil {
		return ratchetProblem(err)
	}
	promised, err := session.Promise(ctx)
	if err = errors.Join(err, session.Close()); err != nil {
		return err
	}
	if f.json {
		return deliver.WriteJSON(a.Out, promised)
	}
	return writePromise(a, promised)
}

// writeLoop writes the file to start from.
func (f *ratchetInitFlags) writeLoop(a *world.World) error {
	file, err := os.OpenFile(ratchet.FileName, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return problem.BadInput(fmt.Sprintf("%s cannot be written: %v", ratchet.FileName, problem.WithoutPath(err)),
			"it is written where there is none")
	}
	_, err = file.Write(starterLoop)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "wrote %s: name your files, tests and commands in it, then tribunal ratchet run\n",
		ratchet.FileName)
	return err
}

// writePromise says what the tests of a session do.
func writePromise(a *world.World, p *ratchet.Promise) error {
	page := table.Table{Columns: []table.Column{
		{Header: "round", Align: table.Right}, {Header: "level", Align: table.Right}, {Header: "most", Align: table.Right},
		{Header: "no change", Align: table.Right}, {Header: "kept", Align: table.Right},
		{Header: "worse", Align: table.Right},
		{Header: "better", Align: table.Right}, {Header: "kept", Align: table.Right},
	}}
	pairs := func(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }
	share := func(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + "%" }
	for _, r := range p.Rounds {
		page.Rows = append(page.Rows, []string{
			strconv.Itoa(r.Round), strconv.FormatFloat(r.Level, 'g', 2, 64), strconv.Itoa(r.MaxPairs), pairs(r.Same.Pairs),
			share(r.Same.Keep), pairs(r.Worse.Pairs), pairs(r.Better.Pairs), share(r.Better.Keep),
		})
	}
	promise := fmt.Sprintf("The chance that the session keeps anything that is no better is at most %s.",
		phrase.Percent(p.Alpha))
	if p.Spending == keep.LORD {
		promise = fmt.Sprintf("At most %s of what the session keeps is expected to be no better; each keep earns more level.",
			phrase.Percent(p.Alpha))
	}
	sets := fmt.Sprintf("%s: %d to search, %d held out, %d for the end", prose.Count(p.Scenarios, "scenario"),
		p.Sets.Search,
		p.Sets.HeldOut, p.Sets.Final)
	if p.Sets.Final == 0 {
		sets = fmt.Sprintf("%s: too few to be split, all are to search and held out", prose.Count(p.Scenarios, "scenario"))
	}
	return deliver.PrintTable(a, page,
		fmt.Sprintf("expected pairs of a challenger, exact, where the champion passes %s and nothing is kept before;",
			phrase.Percent(p.Rate)),
		fmt.Sprintf("worse and better are by %s", phrase.Points(p.Gain)),
		sets, promise)
}

// ratchetTryFlags are those of one challenger.
type ratchetTryFlags struct {
	suite      string
	champion   string
	challenger string
	final      value.Count
	maxCost    value.Amount
	output     string
	result     deliver.Target
}

func ratchetTryCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "try",
		Short: "try a challenger beside the champion: keep, revert or undecided",
		Long: `Try a challenger beside the champion, pair by pair on scenarios that are held out, until
the test decides: exit code 0 is keep, 1 revert, and 2 undecided. Each of both is a
variant of the suite, by its name, or the agent of a suite in another folder; the champion
is the agent of the suite where none is named.

Each challenger of a session has its own level, so that whoever tries again and again pays
for each look. --final N opens the final set, once: N pairs of each of its scenarios, and
no decision.`,
		Example: `  tribunal ratchet try --challenger edited
  tribunal ratchet try --champion current --challenger short --max-cost 2
  tribunal ratchet try --challenger ../branch/tribunal.yaml
  tribunal ratchet try --challenger edited --final 10`,
		DisableFlagsInUseLine: true,
		Args:                  base.NoArguments,
	}
	var f ratchetTryFlags
	flags := command.Flags()
	flags.StringVar(&f.suite, "suite", "", "suite `FILE`, or its folder (default the tribunal.yaml here or above)")
	flags.StringVar(&f.champion, "champion", "",
		"`NAME` of a variant, or suite of another folder (default the suite's agent)")
	flags.StringVar(&f.challenger, "challenger", "", "`NAME` of a variant, or suite of another folder")
	f.final = value.Count{Least: 1, Most: 1000}
	flags.Var(&f.final, "final", "open the final set, once, with so many pairs of each of its scenarios")
	flags.Lookup("final").DefValue = ""
	flags.Var(&f.maxCost, "max-cost", "begin no further pair after so many USD, which leaves it undecided")
	flags.Lookup("max-cost").DefValue = ""
	base.NotOfSuite(flags, "max-cost")
	flags.StringVarP(&f.output, "output", "o", "", "save the result in this `FILE`")
	flags.BoolVar(&f.result.JSON, "json", false, "print one JSON document instead of text")
	bind.Reports(flags, &f.result)
	bind.Verdict(flags, &f.result)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, _ []string) error {
		return f.execute(ctx, a, flags)
	})
	return command
}

// side is the agent that a name means.
func ratchetSide(a *world.World, s *suite.Suite, flag, name string) (ratchet.Side, error) {
	for _, v := range s.Variants {
		if v.Name == name {
			return ratchet.Side{Suite: s, Variant: name}, nil
		}
	}
	if name == "" {
		if len(s.Variants) > 0 {
			return ratchet.Side{Suite: s, Variant: s.Variants[0].Name}, nil
		}
		return ratchet.Side{Suite: s}, nil
	}
	if !evidence.IsSuite(name) || a.Guest != nil { // a guest has the agents of one suite
		var names []string
		for _, v := range s.Variants {
			names = append(names, v.Name)
		}
		hint := base.OrElse(problem.DidYouMean("", name, names),
			"name a variant, or the suite of another folder, such as ../branch/tribunal.yaml")
		return ratchet.Side{}, problem.Usage(hint, "%s %s is no variant of the suite, and no suite", flag, prose.Quote(name))
	}
	other, err := suitefile.Load(a, []string{name})
	return ratchet.Side{Suite: other}, err
}

func (f *ratchetTryFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet) (err error) {
	if f.challenger == "" {
		return problem.Usage("such as --challenger edited", "no challenger is named")
	}
	if flags.Changed("max-cost") && f.maxCost == 0 {
		return problem.Usage("leave it out for no bound", "%s 0 ends it before its first pair",
			base.Origin(flags, "max-cost"))
	}
	var named []string
	if f.suite != "" {
		named = []string{f.suite}
	}
	s, err := suitefile.Load(a, named)
	if err != nil {
		return err
	}
	champion, err := ratchetSide(a, s, "--champion", f.champion)
	if err != nil {
		return err
	}
	challenger, err := ratchetSide(a, s, "--challenger", f.challenger)
	if err != nil {
		return err
	}
	if champion.Same(challenger) {
		return problem.Usage("name another one", "champion and challenger are the same")
	}
	current, err := ratchet.OpenSession(s, ratchet.Options{Version: a.Version, Now: a.Now})
	if err != nil {
		return ratchetProblem(err)
	}
	defer func() { err = errors.Join(err, current.Close()) }()
	done := session.Of(ctx).Tend()
	defer done()
	if f.final.Value > 0 {
		return f.openFinal(ctx, a, current, champion, challenger)
	}
	return f.try(ctx, a, flags, current, champion, challenger)
}

// try tries the challenger.
func (f *ratchetTryFlags) try(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, session *ratchet.Session, champion, challenger ratchet.Side,
) error {
	var to *outfile.File
	var err error
	if f.output != "" {
		if to, err = outfile.New(base.Origin(flags, "output"), f.output); err != nil {
			return err
		}
		if err := f.result.Reports.Open(to.Path); err != nil {
			return err
		}
	} else if err := f.result.Reports.Open(); err != nil {
		return err
	}
	bounds := ratchet.Bounds{MaxCostUSD: float64(f.maxCost)}
	if g := a.Guest; g != nil {
		bounds.MaxTrials = g.Trials
		bounds.Each = func(trials int, usd float64) {
			if g.Progress != nil {
				g.Progress(runner.Progress{Test: "ratchet", Trials: trials, Spent: journal.Spend{Attempts: trials, CostUSD: usd}})
			}
		}
	}
	result, err := session.Try(ctx, champion, challenger, bounds)
	if err != nil {
		return ratchetProblem(err)
	}
	result.ExitCode = f.result.Exit(a, result.Verdict, result.Reasons)
	if to != nil {
		if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
			return err
		}
		a.Notice("note", "the result is in %s", to.Path)
	}
	return f.result.Conclude(ctx, a, nil, result)
}

// openFinal opens the final set.
func (f *ratchetTryFlags) openFinal(
	ctx context.Context, a *world.World, session *ratchet.Session, champion, challenger ratchet.Side,
) error {
	final, err := session.OpenFinal(ctx, champion, challenger, f.final.Value)
	if err != nil {
		return ratchetProblem(err)
	}
	if f.result.JSON {
		return deliver.WriteJSON(a.Out, final)
	}
	_, err = fmt.Fprintf(a.Out,
		"the final set, %s: the champion passes %d of %d, the challenger %d of %d; %d mended, %d broke\n",
		prose.Count(final.Scenarios, "scenario"), final.Champion.Passes, final.Champion.Trials,
		final.Challenger.Passes, final.Challenger.Trials, final.Mended, final.Broke)
	return err
}

// ratchetStatusFlags are those of what is known of a session, or of a loop.
type ratchetStatusFlags struct {
	result deliver.Target
}

func ratchetStatusCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "status [FILE]",
		Short: "what became of the attempts of a loop, or of the challengers of a session, so far",
		Long: `Say what became of the attempts of a loop so far, also while it runs or after it was
killed, where FILE is a ratchet.yaml or its folder has one; and else of the challengers of
the session of a suite. Nothing is run, and no verdict is given: the exit code is 0.`,
		Example: `  tribunal ratchet status
  tribunal ratchet status examples/ratchet --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f ratchetStatusFlags
	bind.Form(command.Flags(), &f.result)
	bind.Explain(command.Flags(), &f.result)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, args)
	})
	return command
}

func (f *ratchetStatusFlags) execute(ctx context.Context, a *world.World, args []string) error {
	if len(args) > 1 {
		return problem.Usage("quote a name with blanks in it", "ratchet status takes one file, but there are %d", len(args))
	}
	to, err := f.result.File(ctx, a, args)
	if err != nil {
		return err
	}
	options := ratchet.Options{Version: a.Version, Now: a.Now}
	if c, err := ratchet.Load(ctx, append(args, ratchet.FileName)[0]); err == nil {
		result, err := ratchet.Status(c, options)
		if err != nil {
			return ratchetProblem(err)
		}
		return f.result.Deliver(ctx, a, to, result)
	} else if !errors.Is(err, os.ErrNotExist) && !isSuiteFile(args) {
		return err
	}
	s, err := suitefile.Load(a, args)
	if err != nil {
		return err
	}
	result, err := ratchet.SessionStatus(ctx, s, options)
	if err != nil {
		return ratchetProblem(err)
	}
	return f.result.Deliver(ctx, a, to, result)
}

// isSuiteFile reports whether an argument names a suite, whose keys are none of a loop.
func isSuiteFile(args []string) bool { return len(args) > 0 && evidence.IsSuite(args[0]) }
