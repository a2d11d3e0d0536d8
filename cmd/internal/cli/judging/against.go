package judging

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
)

// AgainstFlags are those of a test against a recorded baseline.
type AgainstFlags struct {
	// A file or K/N; "" is none.
	Baseline string
	Scenario string
	Method   value.Word[Method]
	// How often the guarded rates, or the limits, may miss the baseline's; it counts only
	// where it is given, see GammaOf.
	gamma value.Level
	Given bool
	// The lowest guarded rate; 0 leaves it to the baseline.
	Guard value.Level
}

// Method is how a test against a baseline allows for the sampling of the baseline.
type Method uint8

const (
	FamilyMethod Method = iota // errors over what the baseline might have come to
	limitsMethod               // a threshold and a rate that is too low from limits of its rate
)

// String is the word of the flag.
func (m Method) String() string {
	if m == limitsMethod {
		return "limits"
	}
	return "family"
}

// Register leaves delta, alpha, beta and the length of the test to the command.
func (f *AgainstFlags) Register(flags *pflag.FlagSet, use string) {
	f.Method = value.Word[Method]{Kind: "METHOD", Words: []Method{FamilyMethod, limitsMethod}}
	flags.StringVar(&f.Baseline, "baseline", "", use)
	flags.StringVar(&f.Scenario, "baseline-scenario", "", "take the trials of the scenario `NAME` from the baseline")
	flags.Var(&f.Method, "method", f.Method.Usage(
		"how the test allows for the sampling of the baseline (limits: it asks between limits of its rate)"))
	flags.Var(&f.gamma, "gamma", "chance that the baseline's rate is none of those that the errors are kept for "+
		"(default 0.000001; with --method limits 0.05)")
	flags.Var(&f.Guard, "guard", "keep the errors for rates of the baseline from this one on, in place of --gamma")
	for _, name := range []string{"gamma", "guard"} {
		flags.Lookup(name).DefValue = ""
	}
}

// Names are the flags that are for a baseline.
func (f *AgainstFlags) Names() []string {
	return []string{"baseline-scenario", "method", "gamma", "guard"}
}

// Check refuses what does not go together. What comes from a variable may be meant for
// other commands.
func (f *AgainstFlags) Check(flags *pflag.FlagSet) error {
	given := func(name string) bool { return flags.Changed(name) && base.Origin(flags, name) == "--"+name }
	f.Given = flags.Changed("gamma")
	if f.Baseline == "" {
		for _, name := range f.Names() {
			if given(name) {
				return problem.Usage("leave it out", "--%s is for --baseline", name)
			}
		}
		return nil
	}
	switch {
	case given("guard") && given("gamma"):
		return problem.Usage("leave one of them out",
			"--guard says which rates the errors are kept for, and --gamma how they are chosen")
	case given("guard") && f.Method.Value == limitsMethod:
		return problem.Usage("leave it out", "--guard is for --method family")
	case given("baseline-scenario") && evidence.IsRatio(f.Baseline):
		return problem.Usage("leave it out", "--baseline-scenario is for files: %s has no scenarios", f.Baseline)
	}
	return nil
}

// GammaOf is the gamma that was given, or the default of the method.
func (f *AgainstFlags) GammaOf() float64 {
	switch {
	case f.Given:
		return float64(f.gamma)
	case f.Method.Value == limitsMethod:
		return sprt.DefaultGamma
	}
	return baseline.DefaultGamma
}

// Limits returns the hypotheses between limits of the baseline's rate, with delta, alpha and
// beta of those that are given, and the scenarios of the baseline.
func (f *AgainstFlags) Limits(ctx context.Context, from evidence.Recordings, h *sprt.Hypotheses) (*sprt.Baseline,
	[]intraclass.Group, error) {
	if evidence.IsResult(ctx, f.Baseline) {
		return nil, nil, problem.BadInput(f.Baseline+" is a saved result, and limits of its rate are not those of a fixed "+
			"number of trials",
			"--method family knows how it was sampled")
	}
	from.Scenario = f.Scenario
	recorded, err := from.Counts(ctx, "baseline", f.Baseline)
	if err != nil {
		return nil, nil, err
	}
	b, err := sprt.FromBaseline(recorded.Counts, h.Delta, h.Alpha, h.Beta, f.GammaOf())
	return &b, evidence.Groups(recorded), err
}

// Question is what is asked of a candidate.
func (f *AgainstFlags) Question(delta, alpha, beta float64) baseline.Question {
	q := baseline.Question{Delta: delta, Alpha: alpha, Beta: beta, Guard: float64(f.Guard)}
	if q.Guard == 0 {
		q.Gamma = f.GammaOf()
	}
	return q
}

// lowestGuarded is what package baseline calls the lowest rate for which errors are kept.
const lowestGuarded = "the lowest guarded rate"

// AgainstError says what is wrong with a test against a baseline, by the names of the flags.
// An error that is none of package baseline's is returned as it is.
func AgainstError(flags *pflag.FlagSet, err error) error {
	if e, ok := errors.AsType[*baseline.HypothesesError](err); ok {
		switch {
		case e.Name != lowestGuarded:
			return problem.Usage("such as --delta 0.1 --alpha 0.05 --beta 0.1", "%s %v %s", e.Name, e.Value, e.Problem)
		case flags.Changed("guard"):
			return problem.Usage("give a smaller --delta", "--guard %v %s", e.Value, e.Problem)
		}
		return problem.BadInput(
			fmt.Sprintf("the baseline is too small: its rate may be as low as %.4f, and no candidate is worse "+
				"than that by %s", e.Value, flags.Lookup("delta").Value),
			"record more trials of it, or give --guard with the lowest rate that it may have")
	}
	// A baseline with too few trials is the input's fault, not that of the command line.
	if e, ok := errors.AsType[*baseline.TooSmallError](err); ok {
		return problem.BadInput(fmt.Sprintf("the baseline is too small: with %s of it, no number of trials of a candidate "+
			"tells a drop of %v", prose.Count(e.Trials, "trial"), e.Delta),
			fmt.Sprintf("about %d trials of the baseline make it possible; or give a larger --delta, or --guard with the "+
				"lowest rate that it may have", e.Needed))
	}
	if e, ok := errors.AsType[*baseline.InfeasibleError](err); ok {
		wrong := fmt.Sprintf("no test of at most %s was found that keeps both errors", prose.Count(e.MaxTrials, "trial"))
		if flags.Changed("max-trials") {
			return problem.Usage("give more --max-trials, a larger --delta, or more trials of the baseline", "%s", wrong)
		}
		return problem.BadInput("the baseline is too small: "+wrong,
			"a larger --gamma, such as 0.001, keeps them for fewer rates; "+
				"or give --guard with the lowest rate that it may have, a larger --delta, or more trials of it")
	}
	if e, ok := errors.AsType[*baseline.OutcomeError](err); ok {
		return problem.BadInput(e.Error(), "give a lower --guard, or leave it out")
	}
	return err
}

// CheckLength refuses a test against a baseline that is longer than any that is planned for.
func CheckLength(trials int) error {
	if trials > baseline.MostTrials {
		return problem.Usage("leave it out", "--max-trials %d is more than the %d that are planned for against a baseline",
			trials,
			baseline.MostTrials)
	}
	return nil
}
