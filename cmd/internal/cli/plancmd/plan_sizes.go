package plancmd

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/verdict"
	verdictplan "github.com/tribunal-dev/tribunal/verdict/plan"
)

// sizesFlags ask how many trials to run or record, for a rate of the baseline that is
// supposed.
type sizesFlags struct {
	// Rates; 0 is not asked for.
	sides, recorded rateOfBaseline
	candidates      value.Count
}

// rateOfBaseline is a rate above 0, and at most 1.
type rateOfBaseline float64

func (r *rateOfBaseline) Set(text string) error {
	x, err := value.ParseShare(text, "a number above 0 and at most 1", func(x float64) bool { return x > 0 && x <= 1 })
	if err == nil {
		*r = rateOfBaseline(x)
	}
	return err
}

func (r *rateOfBaseline) String() string { return (*value.Finite)(r).String() }
func (r *rateOfBaseline) Type() string   { return "P" }

// register has the questions before what shapes them.
func (f *sizesFlags) register(flags *pflag.FlagSet) {
	// Twenty is chosen, about a month of working days.
	f.candidates = value.Count{Value: 20, Least: 1, Most: 1_000_000}
	flags.Var(&f.sides, "sides", "how many trials of each side compare takes, where the baseline passes at this `RATE`")
	flags.Var(&f.recorded, "baseline-trials",
		"how many trials of a baseline to record once, where it passes at this `RATE`")
	flags.Var(&f.candidates, "candidates", "with --baseline-trials: so many candidates are tested against it later")
	for _, name := range []string{"sides", "baseline-trials"} {
		flags.Lookup(name).DefValue = ""
	}
}

// asked reports whether a number of trials is asked for, and no design.
func (f *sizesFlags) asked() bool { return f.sides > 0 || f.recorded > 0 }

// checkSizes refuses what has no meaning for the question.
func (f *planFlags) checkSizes(flags *pflag.FlagSet, args []string) error {
	if len(args) > 0 {
		return problem.Usage("leave it out", "plan takes no argument, but there is %q", args[0])
	}
	question, other := "sides", "baseline-trials"
	refused := []string{"gamma", "candidates"}
	if f.sizes.recorded > 0 {
		question, other, refused = other, question, nil
	}
	if f.sizes.sides > 0 && f.sizes.recorded > 0 {
		return problem.Usage("ask one after the other", "--%s and --%s are two questions", question, other)
	}
	refused = append(refused, "threshold", "side-by-side", "baseline", "baseline-scenario", "method", "guard",
		"max-trials", "design", "prior", "prior-mode", "group", "looks", "price", "seconds", "chart", "compare", "variant")
	for _, name := range refused {
		if base.Typed(flags, name) {
			return problem.Usage("leave it out", "--%s does not go with --%s", name, question)
		}
	}
	return nil
}

// planSizes says how many trials to run or record.
func (f *planFlags) planSizes(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.checkSizes(flags, args); err != nil {
		return err
	}
	to, err := f.result.File(ctx, a, nil)
	if err != nil {
		return err
	}
	f.against.Given = flags.Changed("gamma")
	var sizes *verdictplan.Sizes
	delta, alpha, beta := float64(f.design.Delta), float64(f.alpha), float64(f.design.Beta)
	if f.sizes.sides > 0 {
		sizes, err = verdictplan.SidesFor(ctx, float64(f.sizes.sides), delta, alpha, beta)
	} else {
		sizes, err = verdictplan.RecordedFor(ctx, f.against.Question(delta, alpha, beta), float64(f.sizes.recorded),
			f.sizes.candidates.Value)
	}
	if e, ok := errors.AsType[*verdict.OptionError](err); ok {
		return problem.Usage("the rate must leave room for a drop of --delta, which must not be too small", "%s %v %s",
			e.Option,
			e.Value, e.Problem)
	}
	if err != nil {
		return judging.AgainstError(flags, err)
	}
	return f.result.DeliverWith(ctx, a, to, sizes, f.result.TextOptions(a, to))
}
