package plancmd

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	verdictplan "github.com/tribunal-dev/tribunal/verdict/plan"
)

// behaviourPlanFlags ask how many trials show a shift of behaviour.
type behaviourPlanFlags struct {
	// Recorded trials of one system; "" is not asked for.
	traces   string
	shifts   columnShifts
	distance value.Deviations
	test     value.Word[fingerprint.Test]
	// It counts only where it is given, in place of beta.
	power   value.Level
	maxCost value.Amount
}

// columnShifts are shifts of columns, in the order in which they were given.
type columnShifts []verdictplan.ColumnShift

// Set adds a shift such as "output_tokens=0.5sd". The flag may be given several times.
func (c *columnShifts) Set(text string) error {
	column, by, ok := strings.Cut(strings.TrimSpace(text), "=")
	number, unit := strings.CutSuffix(by, "sd")
	if !ok || !unit || column == "" {
		return &value.Refusal{Problem: "must be a column and its shift in standard deviations",
			Hint: "such as output_tokens=0.5sd"}
	}
	x, err := value.ParseNumber(strings.TrimSpace(number), "a shift of at most 10 standard deviations, and not of 0",
		func(x float64) bool { return x != 0 && math.Abs(x) <= 10 })
	if err != nil {
		return err
	}
	if slices.ContainsFunc(*c, func(s verdictplan.ColumnShift) bool { return s.Column == column }) {
		return &value.Refusal{Problem: "names " + column + " twice", Hint: "leave one of them out"}
	}
	*c = append(*c, verdictplan.ColumnShift{Column: column, SD: x})
	return nil
}

// String is what Set reads, of the last one.
func (c *columnShifts) String() string {
	var parts []string
	for _, s := range *c {
		parts = append(parts, s.Column+"="+strconv.FormatFloat(s.SD, 'g', -1, 64)+"sd")
	}
	return strings.Join(parts, ",")
}

// Type names the kind of value.
func (c *columnShifts) Type() string { return "COLUMN=SD" }

func (f *behaviourPlanFlags) register(flags *pflag.FlagSet) {
	f.test = judging.BehaviourTests()
	flags.StringVar(&f.traces, "behaviour", "",
		"how many trials of each side show a shift of behaviour, from the recorded trials in `TRACES`")
	flags.Var(&f.shifts, "shift", "with --behaviour: shift of a column, such as output_tokens=0.5sd; may be given again")
	flags.Var(&f.distance, "distance",
		"with --behaviour: Mahalanobis distance of a shift in any direction, in place of --shift")
	flags.Var(&f.power, "power", "with --behaviour: chance to find the shift, in place of --beta (default 0.9)")
	flags.Var(&f.test, "behaviour-test", f.test.Usage("with --behaviour: the test that is planned"))
	flags.Var(&f.maxCost, "max-cost", "with --behaviour: how many trials so many dollars pay for, and what they find")
	for _, name := range []string{"distance", "power", "max-cost"} {
		flags.Lookup(name).DefValue = ""
	}
}

// names are the flags that are for --behaviour alone.
func (f *behaviourPlanFlags) names() []string {
	return []string{"shift", "distance", "power", "behaviour-test", "max-cost"}
}

// checkBehaviour refuses what has no meaning for the question.
func (f *planFlags) checkBehaviour(flags *pflag.FlagSet, args []string) error {
	if len(args) > 0 {
		return problem.Usage("put quotation marks around a pattern", "plan takes no argument, but there is %q", args[0])
	}
	for _, name := range []string{"threshold", "side-by-side", "baseline", "baseline-scenario", "method", "gamma", "guard",
		"sides", "baseline-trials", "candidates", "max-trials", "design", "prior", "prior-mode", "group", "looks", "seconds",
		"chart", "compare"} {
		if base.Typed(flags, name) {
			return problem.Usage("leave it out", "--%s does not go with --behaviour", name)
		}
	}
	b := &f.behaviour
	switch {
	case len(b.shifts) == 0 && b.distance == 0:
		return problem.Usage("such as --shift output_tokens=0.5sd; tribunal fingerprint prints the columns",
			"--behaviour needs a shift that is to be found")
	case len(b.shifts) > 0 && b.distance != 0:
		return problem.Usage("leave one of them out", "--shift and --distance both say what is to be found")
	case base.Typed(flags, "power") && base.Typed(flags, "beta"):
		return problem.Usage("leave one of them out", "--power is one less --beta")
	}
	return nil
}

// planBehaviour says how many trials show a shift of behaviour.
func (f *planFlags) planBehaviour(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.checkBehaviour(flags, args); err != nil {
		return err
	}
	to, err := f.result.File(ctx, a, []string{f.behaviour.traces})
	if err != nil {
		return err
	}
	o := verdictplan.BehaviourOptions{
		Test: f.behaviour.test.Value, Alpha: float64(f.alpha), Beta: float64(f.design.Beta), Delta: float64(f.design.Delta),
		Shift: f.behaviour.shifts, Distance: float64(f.behaviour.distance),
		Seed: verdictplan.BehaviourSeed,
	}
	if flags.Changed("power") {
		o.Beta = 1 - float64(f.behaviour.power)
	}
	if flags.Changed("max-cost") {
		o.MaxCostUSD = f.behaviour.maxCost.Pointer()
	}
	o.PriceUSD, _ = f.prices(flags)
	sample, err := f.behaviour.read(ctx, a, flags, f)
	if err != nil {
		return err
	}
	plan, err := verdictplan.TestOfBehaviour(ctx, sample, o)
	if err != nil {
		return behaviourPlanError(err)
	}
	return f.result.DeliverWith(ctx, a, to, plan, f.result.TextOptions(a, to))
}

// read reads the recorded trials.
func (f *behaviourPlanFlags) read(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, p *planFlags,
) (*fingerprint.Sample, error) {
	var sample fingerprint.Sample
	o := p.evidence.Options(p.variant, trial.BasicFields|trial.TimeField|trial.StepFields|trial.ContentFields)
	o.Unjudged = true
	if err := evidence.Read(ctx, a, []string{f.traces}, o, evidence.Kept, sample.Add); err != nil {
		return nil, evidence.Naming("variant", err)
	}
	if lost := sample.Errors(); lost > 0 {
		a.Notice("warning", "%s: trials that ended in an error are left out, %d of %d", prose.FileName(f.traces), lost,
			lost+sample.Len())
	}
	return &sample, nil
}

// behaviourPlanError puts a hint to what cannot be planned.
func behaviourPlanError(err error) error {
	if errors.Is(err, fingerprint.ErrTooFewTrials) {
		return problem.BadInput(err.Error(), "record more trials of each scenario")
	}
	if e, ok := errors.AsType[*stats.ArgumentError](err); ok {
		return problem.Usage("tribunal fingerprint prints the columns of recorded trials", "%s", e)
	}
	if e, ok := errors.AsType[*verdict.OptionError](err); ok {
		return problem.Usage("say it with --price", "%s", e)
	}
	return err
}
