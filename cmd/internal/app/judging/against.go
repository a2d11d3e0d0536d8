package judging

import (
	"context"
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/trial"
)

// AgainstOptions are the options that are for a baseline.
var AgainstOptions = []string{"baseline-scenario", "method", "gamma", "guard"}

// Against is a test against a recorded baseline.
type Against struct {
	Baseline string // a file or K/N; "" is none
	Scenario string // of the baseline; "" is all of it
	Method   Method
	// How often the guarded rates, or the limits, may miss the baseline's; see GammaOf.
	Gamma trial.Optional[float64]
	Guard float64 // the lowest guarded rate; 0 leaves it to the baseline
}

// Method is how a test against a baseline allows for the sampling of the baseline.
type Method uint8

const (
	FamilyMethod Method = iota // errors over what the baseline might have come to
	LimitsMethod               // a threshold and a rate that is too low from limits of its rate
)

// String is the word of the flag.
func (m Method) String() string {
	if m == LimitsMethod {
		return "limits"
	}
	return "family"
}

// Check refuses what does not go together. What comes from a variable may be meant for
// other commands.
func (a *Against) Check(given value.GivenOptions) error {
	if a.Baseline == "" {
		for _, name := range AgainstOptions {
			if given.Typed(name) {
				return problem.Usage("omit it", "--%s is for --baseline", name)
			}
		}
		return nil
	}
	switch {
	case given.Typed("guard") && given.Typed("gamma"):
		return problem.Usage("omit one of them",
			"--guard says which rates the errors are kept for, and --gamma how they are chosen")
	case given.Typed("guard") && a.Method == LimitsMethod:
		return problem.Usage("omit it", "--guard is for --method family")
	case given.Typed("baseline-scenario") && evidence.IsRatio(a.Baseline):
		return problem.Usage("omit it", "--baseline-scenario is for files: %s has no scenarios", a.Baseline)
	}
	return nil
}

// GammaOf is the gamma that was given, or the default of the method.
func (a *Against) GammaOf() float64 {
	switch {
	case a.Gamma.Known:
		return a.Gamma.Value
	case a.Method == LimitsMethod:
		return sprt.DefaultGamma
	}
	return baseline.DefaultGamma
}

// Limits returns the hypotheses between limits of the baseline's rate, with delta, alpha and
// beta of those that are given, and the scenarios of the baseline.
func (a *Against) Limits(ctx context.Context, from evidence.Recordings, h *sprt.Hypotheses) (*sprt.Baseline,
	[]intraclass.Group, error) {
	if app.IsResult(ctx, a.Baseline) {
		return nil, nil, problem.BadInput(a.Baseline+" is a saved result, and limits of its rate are not those of a fixed "+
			"number of trials",
			"--method family allows for how it was sampled")
	}
	from.Scenario = a.Scenario
	recorded, err := from.Counts(ctx, "baseline", a.Baseline)
	if err != nil {
		return nil, nil, err
	}
	b, err := sprt.FromBaseline(recorded.Counts, h.Delta, h.Alpha, h.Beta, a.GammaOf())
	return &b, evidence.Groups(recorded), err
}

// Question is what is asked of a candidate.
func (a *Against) Question(delta, alpha, beta float64) baseline.Question {
	q := baseline.Question{Delta: delta, Alpha: alpha, Beta: beta, Guard: a.Guard}
	if q.Guard == 0 {
		q.Gamma = a.GammaOf()
	}
	return q
}

// lowestGuarded is what package baseline calls the lowest rate for which errors are kept.
const lowestGuarded = "the lowest guarded rate"

// AgainstError says what is wrong with a test against a baseline, by the names of the options; delta is that of the
// question.
// An error that is none of package baseline's is returned as it is.
func AgainstError(given value.GivenOptions, delta float64, err error) error {
	if e, ok := errors.AsType[*baseline.HypothesesError](err); ok {
		switch {
		case e.Name != lowestGuarded:
			return problem.Usage("such as --delta 0.1 --alpha 0.05 --beta 0.1", "%s %v %s", e.Name, e.Value, e.Problem)
		case given.Has("guard"):
			return problem.Usage("give a smaller --delta", "--guard %v %s", e.Value, e.Problem)
		}
		return problem.BadInput(
			fmt.Sprintf("the baseline is too small: its rate may be as low as %.4f, and no candidate is worse "+
				"than that by %v", e.Value, delta),
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
		if given.Has("max-trials") {
			return problem.Usage("give more --max-trials, a larger --delta, or more trials of the baseline", "%s", wrong)
		}
		return problem.BadInput("the baseline is too small: "+wrong,
			"a larger --gamma, such as 0.001, keeps them for fewer rates; "+
				"or give --guard with the lowest rate that it may have, a larger --delta, or more trials of it")
	}
	if e, ok := errors.AsType[*baseline.OutcomeError](err); ok {
		return problem.BadInput(e.Error(), "give a lower --guard, or omit it")
	}
	return err
}

// CheckLength refuses a test against a baseline that is longer than any that is planned for.
func CheckLength(trials int) error {
	if trials > baseline.MostTrials {
		return problem.Usage("omit it", "--max-trials %d is more than the %d that are planned for against a baseline",
			trials,
			baseline.MostTrials)
	}
	return nil
}
