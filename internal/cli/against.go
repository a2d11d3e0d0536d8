package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/variation"
)

// againstFlags are those of a test against a recorded baseline.
type againstFlags struct {
	// A file or K/N; "" is none.
	baseline string
	scenario string
	method   word[method]
	// How often the guarded rates, or the limits, may miss the baseline's; it counts only
	// where it is given, see gammaOf.
	gamma level
	given bool
	// The lowest guarded rate; 0 leaves it to the baseline.
	guard level
}

// method is how a test against a baseline allows for the sampling of the baseline.
type method uint8

const (
	familyMethod method = iota // errors over what the baseline might have come to
	limitsMethod               // a threshold and a rate that is too low from limits of its rate
)

// String is the word of the flag.
func (m method) String() string {
	if m == limitsMethod {
		return "limits"
	}
	return "family"
}

// register leaves delta, alpha, beta and the length of the test to the command.
func (f *againstFlags) register(flags *pflag.FlagSet, use string) {
	f.method = word[method]{kind: "METHOD", words: []method{familyMethod, limitsMethod}}
	flags.StringVar(&f.baseline, "baseline", "", use)
	flags.StringVar(&f.scenario, "baseline-scenario", "", "take the trials of the scenario `NAME` from the baseline")
	flags.Var(&f.method, "method", f.method.usage(
		"how the test allows for the sampling of the baseline (limits: it asks between limits of its rate)"))
	flags.Var(&f.gamma, "gamma", "chance that the baseline's rate is none of those that the errors are kept for "+
		"(default 0.000001; with --method limits 0.05)")
	flags.Var(&f.guard, "guard", "keep the errors for rates of the baseline from this one on, in place of --gamma")
	for _, name := range []string{"gamma", "guard"} {
		flags.Lookup(name).DefValue = ""
	}
}

// names are the flags that are for a baseline.
func (f *againstFlags) names() []string {
	return []string{"baseline-scenario", "method", "gamma", "guard"}
}

// check refuses what does not go together. What comes from a variable may be meant for
// other commands.
func (f *againstFlags) check(flags *pflag.FlagSet) error {
	given := func(name string) bool { return flags.Changed(name) && origin(flags, name) == "--"+name }
	f.given = flags.Changed("gamma")
	if f.baseline == "" {
		for _, name := range f.names() {
			if given(name) {
				return usage("leave it out", "--%s is for --baseline", name)
			}
		}
		return nil
	}
	switch {
	case given("guard") && given("gamma"):
		return usage("leave one of them out",
			"--guard says which rates the errors are kept for, and --gamma how they are chosen")
	case given("guard") && f.method.value == limitsMethod:
		return usage("leave it out", "--guard is for --method family")
	case given("baseline-scenario") && isRatio(f.baseline):
		return usage("leave it out", "--baseline-scenario is for files: %s has no scenarios", f.baseline)
	}
	return nil
}

// gammaOf is the gamma that was given, or the default of the method.
func (f *againstFlags) gammaOf() float64 {
	switch {
	case f.given:
		return float64(f.gamma)
	case f.method.value == limitsMethod:
		return sprt.DefaultGamma
	}
	return baseline.DefaultGamma
}

// limits returns the hypotheses between limits of the baseline's rate, with delta, alpha and
// beta of those that are given, and the scenarios of the baseline.
func (f *againstFlags) limits(ctx context.Context, from recordings, h *sprt.Hypotheses) (*sprt.Baseline,
	[]variation.Group, error) {
	if isResult(ctx, f.baseline) {
		return nil, nil, badInput(f.baseline+" is a saved result, and limits of its rate are not those of a fixed number of trials",
			"--method family knows how it was sampled")
	}
	from.scenario = f.scenario
	recorded, err := from.counts(ctx, "baseline", f.baseline)
	if err != nil {
		return nil, nil, err
	}
	b, err := sprt.FromBaseline(recorded.Counts, h.Delta, h.Alpha, h.Beta, f.gammaOf())
	return &b, groups(recorded), err
}

// question is what is asked of a candidate.
func (f *againstFlags) question(delta, alpha, beta float64) baseline.Question {
	q := baseline.Question{Delta: delta, Alpha: alpha, Beta: beta, Guard: float64(f.guard)}
	if q.Guard == 0 {
		q.Gamma = f.gammaOf()
	}
	return q
}

// lowestGuarded is what package baseline calls the lowest rate for which errors are kept.
const lowestGuarded = "the lowest guarded rate"

// againstError says what is wrong with a test against a baseline, by the names of the flags.
// An error that is none of package baseline's is returned as it is.
func againstError(flags *pflag.FlagSet, err error) error {
	if e, ok := errors.AsType[*baseline.HypothesesError](err); ok {
		switch {
		case e.Name != lowestGuarded:
			return usage("such as --delta 0.1 --alpha 0.05 --beta 0.1", "%s %v %s", e.Name, e.Value, e.Problem)
		case flags.Changed("guard"):
			return usage("give a smaller --delta", "--guard %v %s", e.Value, e.Problem)
		}
		return badInput(fmt.Sprintf("the baseline is too small: its rate may be as low as %.4f, and no candidate is worse "+
			"than that by %s", e.Value, flags.Lookup("delta").Value),
			"record more trials of it, or give --guard with the lowest rate that it may have")
	}
	// A baseline with too few trials is the input's fault, not that of the command line.
	if e, ok := errors.AsType[*baseline.TooSmallError](err); ok {
		return badInput(fmt.Sprintf("the baseline is too small: with %s of it, no number of trials of a candidate "+
			"tells a drop of %v", prose.Count(e.Trials, "trial"), e.Delta),
			fmt.Sprintf("about %d trials of the baseline make it possible; or give a larger --delta, or --guard with the "+
				"lowest rate that it may have", e.Needed))
	}
	if e, ok := errors.AsType[*baseline.InfeasibleError](err); ok {
		problem := fmt.Sprintf("no test of at most %s was found that keeps both errors", prose.Count(e.MaxTrials, "trial"))
		if flags.Changed("max-trials") {
			return usage("give more --max-trials, a larger --delta, or more trials of the baseline", "%s", problem)
		}
		return badInput("the baseline is too small: "+problem, "a larger --gamma, such as 0.001, keeps them for fewer rates; "+
			"or give --guard with the lowest rate that it may have, a larger --delta, or more trials of it")
	}
	if e, ok := errors.AsType[*baseline.OutcomeError](err); ok {
		return badInput(e.Error(), "give a lower --guard, or leave it out")
	}
	return err
}
