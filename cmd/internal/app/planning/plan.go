package planning

import (
	"context"
	"io"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report/chart"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	verdictplan "github.com/tribunal-dev/tribunal/verdict/plan"
)

// PlanRequest asks how many trials a test takes, and how often it errs.
type PlanRequest struct {
	Args      []string // a suite, for Pipeline
	Design    judging.Design
	Alpha     float64
	Threshold float64 // where it is not given the baseline gives it
	PriorMode PriorMode
	Group     int // looks at the trials after multiples of it alone; 1 looks after every one
	Looks     int // so many at most, in place of Group; 0 is none
	Served    int // so often each answer is served; 0 does not ask
	Against   judging.Against
	Reading   evidence.ReadOptions
	Variant   string // of the trials of the recordings

	SideBySide bool // both sides run, in rounds
	Sizes      Sizes
	Pipeline   bool // what a published formula makes of a suite
	Behaviour  Behaviour
	Proxy      []string                // recordings of the target and of a proxy
	ProxyPrice trial.Optional[float64] // USD a trial of the proxy

	Price, Seconds trial.Optional[float64] // USD and seconds a trial
	Result         deliver.Target
	Chart          string // an SVG file; "-" draws characters below the text; "" does so on a terminal
	Compare        bool   // shows the fixed sample and Wald's test too

	Given value.GivenOptions // the options that were given
}

// check refuses options that do not go together.
func (r *PlanRequest) check() error {
	switch {
	case len(r.Args) > 0:
		return problem.Usage("recordings are given with --prior FILE or --baseline FILE",
			"plan takes no argument, but there is %q", r.Args[0])
	case !r.Given.Has("threshold") && r.Against.Baseline == "":
		return problem.Usage("such as --threshold 0.9, or --baseline FILE",
			"--threshold is missing: the least pass rate that is good enough")
	case r.Given.Has("threshold") && r.Against.Baseline != "" && r.Given.Typed("threshold") == r.Given.Typed("baseline"):
		return problem.Usage("omit one of them", "%s and %s both say what to test against",
			r.Given.Origin("threshold"),
			r.Given.Origin("baseline"))
	case r.Given.Typed("candidates"):
		return problem.Usage("omit it", "--candidates is for --baseline-trials")
	// A drawing of characters would make the document no JSON.
	case r.Chart == "-" && r.Result.JSON:
		return problem.Usage("name an SVG file", "%s - draws below the text, and --json prints none",
			r.Given.Origin("chart"))
	// The default of --design is optimal too, so only one that was typed contradicts.
	case r.PriorMode == DensityRatioPrior && r.Given.Typed("design") && r.Design.Kind == sprt.OptimalKind:
		return problem.Usage("omit --design",
			"--prior-mode density-ratio is a start of Wald's test, not of an optimal design")
	case r.PriorMode == DensityRatioPrior:
		return r.Design.CheckHistory()
	case r.Design.Kind == sprt.WaldKind && r.Given.Typed("group"):
		return problem.Usage("omit it", "--group is for optimal designs")
	case r.Given.Typed("looks") && r.Given.Typed("group"):
		return problem.Usage("omit one of them", "--looks and --group both set the times of the analyses")
	case r.Looks > 0 && (r.Design.Kind == sprt.WaldKind || r.PriorMode == DensityRatioPrior):
		return problem.Usage("omit it", "--looks is for optimal designs")
	}
	if err := r.Against.Check(r.Given); err != nil {
		return err
	}
	if r.byFamily() {
		return r.checkFamily()
	}
	return r.Design.Check(r.Given)
}

// againstBaseline reports whether the threshold comes from a baseline. A flag wins
// over a variable.
func (r *PlanRequest) againstBaseline() bool {
	return r.Against.Baseline != "" && !(r.Given.Typed("threshold"))
}

// Plan designs what verdict --sequential and run carry out, once: text, JSON and drawing come from the same plan. Or it
// answers another question of how many trials something takes.
func Plan(ctx context.Context, a *world.World, r PlanRequest) error {
	other := r.Pipeline || r.Given.Has("proxy") || r.Behaviour.Traces != "" || r.Sizes.asked() || r.SideBySide
	if r.Given.Typed("design-effect") && other {
		if r.SideBySide {
			return problem.Usage("give the trials of both sides answers of their own, without a cache",
				"--design-effect is for a test against a threshold or a recorded baseline: what it makes of rounds, in which "+
					"both sides draw, is not computed")
		}
		return problem.Usage("give --threshold or --baseline",
			"--design-effect is for a test against a threshold or a recorded baseline")
	}
	if r.Pipeline {
		return r.planPipeline(ctx, a)
	}
	if r.Given.Has("proxy") {
		return r.planProxy(ctx, a)
	}
	if r.Given.Typed("proxy-price") {
		return problem.Usage("name recorded trials with --proxy", "--proxy-price is for --proxy")
	}
	if r.Behaviour.Traces != "" {
		return r.planBehaviour(ctx, a)
	}
	for _, name := range behaviourOptions {
		if r.Given.Typed(name) {
			return problem.Usage("name recorded trials with --behaviour", "--%s is for --behaviour", name)
		}
	}
	if r.Sizes.asked() {
		return r.planSizes(ctx, a)
	}
	if r.SideBySide {
		return r.planRounds(ctx, a)
	}
	return r.planTest(ctx, a)
}

// planTest plans a test against a threshold or a recorded baseline.
func (r *PlanRequest) planTest(ctx context.Context, a *world.World) error {
	if err := r.check(); err != nil {
		return err
	}
	// A path that cannot be written costs nothing now, and a design of seconds later.
	to, drawing, err := r.files(ctx, a)
	if err != nil {
		return err
	}
	if r.byFamily() {
		return r.planFamily(ctx, a, to)
	}
	options, err := r.options(ctx, a)
	if err != nil {
		// Errors of the baseline are among these: package sprt refuses one that is too
		// small.
		return judging.DesignError(r.Given, r.Threshold, err)
	}
	progress := a.NewDesigning()
	options.Progress = progress.Share
	plan, err := verdictplan.Test(ctx, options)
	progress.End()
	if err != nil {
		return judging.DesignError(r.Given, r.Threshold, err)
	}
	if drawing != nil {
		if err := a.Deliver(ctx, drawing, func(w io.Writer) error { return chart.Plan(w, plan) }); err != nil {
			return err
		}
	}
	// A person who asked for nothing in particular sees the boundaries; a log does not need
	// them.
	watched := to == nil && world.NewScreen(a.Out.Stream, a.Env, a.TerminalWidth).Terminal
	below := r.Chart == "-" || r.Chart == "" && !r.Compare && watched
	o := r.Result.TextOptions(a, to)
	o.Compare, o.Chart = r.Compare, below
	return r.Result.DeliverWith(ctx, a, to, plan, o)
}

// prices are what a trial costs and takes, nil where that is not said.
func (r *PlanRequest) prices() (usd, seconds *float64) {
	if r.Price.Known {
		usd = &r.Price.Value
	}
	if r.Seconds.Known {
		seconds = &r.Seconds.Value
	}
	return usd, seconds
}

// options are what to plan, with the recordings read.
func (r *PlanRequest) options(ctx context.Context, a *world.World) (verdictplan.Options, error) {
	o := verdictplan.Options{
		Hypotheses: sprt.Hypotheses{
			Threshold: r.Threshold, Delta: r.Design.Delta,
			Alpha: r.Alpha, Beta: r.Design.Beta,
		},
		MaxTrials: r.Design.MaxTrials,
		Kind:      r.Design.Kind,
		Group:     r.Group,
		Looks:     r.Looks,
		Served:    r.Served,
	}
	o.PriceUSD, o.Seconds = r.prices()
	sources := evidence.Recordings{App: a, Named: r.Given.Origin, Reading: &r.Reading, Variant: r.Variant}
	// The threshold is then the low limit of the baseline's rate, and the rate that is too
	// low lies delta below the high one: what is not known of the baseline makes the test
	// harder. Alpha and beta stay as they are given.
	if r.againstBaseline() {
		b, scenarios, err := r.Against.Limits(ctx, sources, &o.Hypotheses)
		if err != nil {
			return o, err
		}
		o.Scenarios = scenarios
		o.Baseline, o.Delta, o.Gamma, o.Hypotheses = b, r.Design.Delta, r.Against.GammaOf(), b.Hypotheses
	}
	prior, scenarios, err := r.Design.Weighting(ctx, sources)
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
	if r.PriorMode == DensityRatioPrior {
		o.Kind, o.History, o.Prior = sprt.DensityRatioKind, prior.History, prior.Name
	}
	return o, nil
}
