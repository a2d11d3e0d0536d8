package plancmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report/chart"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
	verdictplan "github.com/tribunal-dev/tribunal/verdict/plan"
)

// planFlags are those of the command plan.
type planFlags struct {
	design   judging.DesignFlags
	evidence evidence.Reading
	result   deliver.Target
	// It counts only where it is given; else the baseline gives it.
	threshold value.BelowOne
	alpha     value.Level
	priorMode value.Word[priorMode]
	// Looks at the trials after multiples of it alone; 1 looks after every one.
	group value.Count
	// So many looks at most, in place of group; 0 is none.
	looks value.Count
	// Each answer is served so often; 0 is not asked.
	served  value.Count
	against judging.AgainstFlags
	// Both sides run, in rounds.
	sideBySide bool
	sizes      sizesFlags
	// What a published formula makes of a suite.
	pipeline  bool
	behaviour behaviourPlanFlags
	proxy     proxyPlanFlags
	// Dollars a trial, and seconds a trial; both count only where they are given.
	price   value.Amount
	seconds value.Amount
	variant string
	// An SVG file; "-" draws characters below the text; "" does so on a terminal.
	chart   string
	compare bool
}

// PlanCommand designs what verdict --sequential and run carry out; it ends without a
// verdict.
func PlanCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "plan --threshold P",
		Short: "design a test: how many trials it takes, and how often it errs",
		Long: `Design a sequential test before a trial is paid for: how many trials to expect, how
many at most, when it ends, and its exact error rates.

The test tells a system that passes at least the threshold from one that passes
less by delta or more. It ends as soon as the evidence suffices. With --baseline
it tells a candidate that is as good as recorded trials from one that is worse by
delta; its errors hold over the sampling of both. --baseline-trials says how many
trials of a baseline to record once, --sides how many of each side compare takes,
--behaviour how many show a shift of behaviour, beside what published formulas say;
--proxy whether trials of a cheaper system save any of this one; --pipeline multiplies
a published theorem's factors for a suite.`,
		Example: `  tribunal plan --threshold 0.90 --delta 0.10 --max-trials 152
  tribunal plan --threshold 0.95 --price 0.12 --seconds 40 --chart plan.svg
  tribunal plan --baseline main.jsonl --delta 0.10
  tribunal plan --side-by-side --guard 0.9 --delta 0.10
  tribunal plan --baseline-trials 0.95 --candidates 20
  tribunal plan --sides 0.95 --delta 0.10
  tribunal plan --behaviour main.jsonl --shift output_tokens=0.5sd --power 0.9
  tribunal plan --proxy large.jsonl,mini.jsonl --price 0.15 --proxy-price 0.01
  tribunal plan --pipeline examples/ticket-routing --price 0.15`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f planFlags
	f.register(command.Flags())
	execute := base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	command.RunE = func(command *cobra.Command, args []string) error {
		// It reads a suite itself, which need not be the one that is found here.
		if f.pipeline {
			for _, d := range base.SuiteDefaults {
				base.NotOfSuite(command.Flags(), d.Flag)
			}
		}
		return execute(command, args)
	}
	return command
}

// register lists what the question is first, then the design, then money and time, then
// files.
func (f *planFlags) register(flags *pflag.FlagSet) {
	f.alpha = verdict.DefaultAlpha
	f.priorMode = value.Word[priorMode]{Kind: "MODE", Words: []priorMode{honestPrior, densityRatioPrior}}
	f.group = value.Count{Value: 1, Least: 1, Most: value.MaxDesign}
	flags.Var(&f.threshold, "threshold", "the least pass rate that is good enough; required without --baseline")
	flags.Lookup("threshold").DefValue = ""
	base.RegisterProfile(flags)
	f.design.Register(flags)
	flags.Var(&f.alpha, "alpha", "bounds the chance of a false Fail")
	flags.Var(&f.priorMode, "prior-mode",
		f.priorMode.Usage("what a recorded prior does (honest: it shapes where the test stops, never its errors)"))
	flags.Var(&f.group, "group", "look after multiples of so many trials alone")
	f.looks = value.Count{Least: 1, Most: value.MaxDesign}
	flags.Var(&f.looks, "looks", "look so often at most, evenly apart, and list what each look says")
	flags.Lookup("looks").DefValue = ""
	f.served = value.Count{Least: 2, Most: verdictplan.MostServed}
	flags.Var(&f.served, "design-effect",
		"say what becomes of the errors where each answer is served so many times, as by a cache")
	flags.Lookup("design-effect").DefValue = ""
	f.against.Register(flags, "test against this baseline, a `FILE` (recording or result of run) or K/N")
	flags.BoolVar(&f.sideBySide, "side-by-side", false,
		"run the baseline beside the candidate, a trial of each in every round")
	f.sizes.register(flags)
	flags.BoolVar(&f.pipeline, "pipeline", false,
		"what Theorem 7.6 of AgentAssay makes of a check of SUITE, beside what its tests expect")
	f.behaviour.register(flags)
	f.proxy.register(flags)
	flags.Var(&f.price, "price", "price of a trial in dollars")
	flags.Lookup("price").DefValue = ""
	flags.Var(&f.seconds, "seconds", "duration of a trial")
	flags.Lookup("seconds").DefValue = ""
	flags.StringVar(&f.chart, "chart", "",
		"draw the design into this SVG `FILE`; - draws its boundaries below the text")
	flags.BoolVar(&f.compare, "compare", false, "set the fixed sample, Wald's test and the design side by side")
	flags.StringVar(&f.variant, "variant", "", "take the trials of this `VARIANT` from the recordings")
	bind.Reading(flags, &f.evidence)
	flags.BoolVar(&f.result.JSON, "json", false, "print one JSON document instead of text")
	flags.StringVarP(&f.result.Output, "output", "o", "",
		"write the result to `FILE`, whole or not at all, instead of standard output")
	bind.Reports(flags, &f.result)
}

// check refuses flags that do not go together.
func (f *planFlags) check(flags *pflag.FlagSet, args []string) error {
	// What was typed; a variable may be meant for another command.
	given := func(name string) bool { return flags.Changed(name) && base.Origin(flags, name) == "--"+name }
	switch {
	case len(args) > 0:
		return problem.Usage("recordings are given with --prior FILE or --baseline FILE",
			"plan takes no argument, but there is %q", args[0])
	case !flags.Changed("threshold") && f.against.Baseline == "":
		return problem.Usage("such as --threshold 0.9, or --baseline FILE",
			"--threshold is missing: the least pass rate that is good enough")
	case flags.Changed("threshold") && f.against.Baseline != "" && given("threshold") == given("baseline"):
		return problem.Usage("leave one of them out", "%s and %s both say what to test against",
			base.Origin(flags, "threshold"),
			base.Origin(flags, "baseline"))
	case given("candidates"):
		return problem.Usage("leave it out", "--candidates is for --baseline-trials")
	// A drawing of characters would make the document no JSON.
	case f.chart == "-" && f.result.JSON:
		return problem.Usage("name an SVG file", "%s - draws below the text, and --json prints none",
			base.Origin(flags, "chart"))
	// The default of --design is optimal too, so only one that was typed contradicts.
	case f.priorMode.Value == densityRatioPrior && given("design") && f.design.Kind.Value == sprt.OptimalKind:
		return problem.Usage("leave --design out",
			"--prior-mode density-ratio is a start of Wald's test, not of an optimal design")
	case f.priorMode.Value == densityRatioPrior:
		return f.design.CheckHistory()
	case f.design.Kind.Value == sprt.WaldKind && given("group"):
		return problem.Usage("leave it out", "--group is for optimal designs")
	case given("looks") && given("group"):
		return problem.Usage("leave one of them out", "--looks and --group both say when to look")
	case f.looks.Value > 0 && (f.design.Kind.Value == sprt.WaldKind || f.priorMode.Value == densityRatioPrior):
		return problem.Usage("leave it out", "--looks is for optimal designs")
	}
	if err := f.against.Check(flags); err != nil {
		return err
	}
	if f.byFamily(flags) {
		return f.checkFamily(flags)
	}
	return f.design.Check(flags)
}

// againstBaseline reports whether the threshold comes from a baseline. A flag wins
// over a variable.
func (f *planFlags) againstBaseline(flags *pflag.FlagSet) bool {
	return f.against.Baseline != "" && !(flags.Changed("threshold") && base.Origin(flags, "threshold") == "--threshold")
}

// execute designs once: text, JSON and drawing come from the same plan.
func (f *planFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	other := f.pipeline || flags.Changed("proxy") || f.behaviour.traces != "" || f.sizes.asked() || f.sideBySide
	if base.Typed(flags, "design-effect") && other {
		if f.sideBySide {
			return problem.Usage("give the trials of both sides answers of their own, without a cache",
				"--design-effect is for a test against a threshold or a recorded baseline: what it makes of rounds, in which "+
					"both sides draw, is not computed")
		}
		return problem.Usage("give --threshold or --baseline",
			"--design-effect is for a test against a threshold or a recorded baseline")
	}
	if f.pipeline {
		return f.planPipeline(ctx, a, flags, args)
	}
	if flags.Changed("proxy") {
		return f.planProxy(ctx, a, flags, args)
	}
	if base.Typed(flags, "proxy-price") {
		return problem.Usage("name recorded trials with --proxy", "--proxy-price is for --proxy")
	}
	if f.behaviour.traces != "" {
		return f.planBehaviour(ctx, a, flags, args)
	}
	for _, name := range f.behaviour.names() {
		if base.Typed(flags, name) {
			return problem.Usage("name recorded trials with --behaviour", "--%s is for --behaviour", name)
		}
	}
	if f.sizes.asked() {
		return f.planSizes(ctx, a, flags, args)
	}
	if f.sideBySide {
		return f.planRounds(ctx, a, flags, args)
	}
	if err := f.check(flags, args); err != nil {
		return err
	}
	// A path that cannot be written costs nothing now, and a design of seconds later.
	to, drawing, err := f.files(ctx, a, flags)
	if err != nil {
		return err
	}
	if f.byFamily(flags) {
		return f.planFamily(ctx, a, flags, to)
	}
	options, err := f.options(ctx, a, flags)
	if err != nil {
		// Errors of the baseline are among these: package sprt refuses one that is too
		// small.
		return judging.DesignError(flags, err)
	}
	progress := a.NewDesigning()
	options.Progress = progress.Share
	plan, err := verdictplan.Test(ctx, options)
	progress.End()
	if err != nil {
		return judging.DesignError(flags, err)
	}
	if drawing != nil {
		if err := a.Deliver(ctx, drawing, func(w io.Writer) error { return chart.Plan(w, plan) }); err != nil {
			return err
		}
	}
	// A person who asked for nothing in particular sees the boundaries; a log does not need
	// them.
	watched := to == nil && world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth).Terminal
	below := f.chart == "-" || f.chart == "" && !f.compare && watched
	o := f.result.TextOptions(a, to)
	o.Compare, o.Chart = f.compare, below
	return f.result.DeliverWith(ctx, a, to, plan, o)
}

// prices are what a trial costs and takes, nil where that is not said.
func (f *planFlags) prices(flags *pflag.FlagSet) (usd, seconds *float64) {
	if flags.Changed("price") {
		usd = f.price.Pointer()
	}
	if flags.Changed("seconds") {
		seconds = f.seconds.Pointer()
	}
	return usd, seconds
}

// options are what to plan, with the recordings read.
func (f *planFlags) options(ctx context.Context, a *world.World, flags *pflag.FlagSet) (verdictplan.Options, error) {
	o := verdictplan.Options{
		Hypotheses: sprt.Hypotheses{
			Threshold: float64(f.threshold), Delta: float64(f.design.Delta),
			Alpha: float64(f.alpha), Beta: float64(f.design.Beta),
		},
		MaxTrials: f.design.MaxTrials.Value,
		Kind:      f.design.Kind.Value,
		Group:     f.group.Value,
		Looks:     f.looks.Value,
		Served:    f.served.Value,
	}
	o.PriceUSD, o.Seconds = f.prices(flags)
	sources := evidence.Recordings{App: a, Named: base.Origins(flags), Reading: &f.evidence, Variant: f.variant}
	// The threshold is then the low limit of the baseline's rate, and the rate that is too
	// low lies delta below the high one: what is not known of the baseline makes the test
	// harder. Alpha and beta stay as they are given.
	if f.againstBaseline(flags) {
		b, scenarios, err := f.against.Limits(ctx, sources, &o.Hypotheses)
		if err != nil {
			return o, err
		}
		o.Scenarios = scenarios
		o.Baseline, o.Delta, o.Gamma, o.Hypotheses = b, float64(f.design.Delta), f.against.GammaOf(), b.Hypotheses
	}
	prior, scenarios, err := f.design.Weighting(ctx, sources)
	if err != nil {
		return o, err
	}
	// A baseline that is a recording goes before: it is what the candidate is tested on.
	if o.Scenarios == nil {
		o.Scenarios = scenarios
	}
	// A prior shapes optimal designs alone.
	if o.Kind == sprt.OptimalKind {
		o.Weighting, o.Prior = prior.Weighting, prior.Name
	}
	if f.priorMode.Value == densityRatioPrior {
		o.Kind, o.History, o.Prior = sprt.DensityRatioKind, prior.History, prior.Name
	}
	return o, nil
}
