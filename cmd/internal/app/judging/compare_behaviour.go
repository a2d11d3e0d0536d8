package judging

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
	verdictbehaviour "github.com/tribunal-dev/tribunal/verdict/behaviour"
)

// Behaviour says how the behaviour of both sides is compared.
type Behaviour struct {
	Only       bool    // no pass rate is compared at all, and trials need no outcome
	Shift      float64 // in standard deviations of a trial
	Test       fingerprint.Test
	Components trial.Optional[float64] // the share of the variance that is tested; 0.95 where it is not known
}

// behaviourOptions are those that are for files alone, whose trials have their steps.
var behaviourOptions = []string{"behaviour-shift", "behaviour-test", "components"}

// checkBehaviour refuses to ask for behaviour where counts are given instead of files, and for metrics where none is
// compared.
func (r *CompareRequest) checkBehaviour() error {
	if r.Given.Typed("components") && r.Behaviour.Test != fingerprint.HotellingT2 {
		return problem.Usage("add --behaviour-test hotelling-t2, or omit it",
			"%s is for Hotelling's test, and %s tests every column", r.Given.Origin("components"), r.Behaviour.Test)
	}
	switch {
	case r.Behaviour.Only && len(r.FailOn.Rises) > 0 && r.Given.Typed("fail-on"):
		return problem.Usage("omit one of them", "--behaviour-only compares no metric, and --fail-on %s needs one",
			&r.FailOn)
	case len(r.Files) > 0 || r.Rows.Given():
		return nil
	case r.Behaviour.Only:
		return problem.Usage("compare two files", "%s needs trials with their steps, and counts have none",
			r.Given.Origin("behaviour-only"))
	case r.FailOn.Behaviour:
		return problem.Usage("compare two files", "%s behaviour needs trials with their steps, and counts have none",
			r.Given.Origin("fail-on"))
	case len(r.FailOn.Rises) > 0:
		return problem.Usage("compare two files", "%s %s needs what each trial took, and counts do not say it",
			r.Given.Origin("fail-on"), &r.FailOn)
	}
	for _, name := range behaviourOptions {
		if r.Given.Has(name) {
			return problem.Usage("compare two files", "%s needs trials with their steps, and counts have none",
				r.Given.Origin(name))
		}
	}
	return nil
}

// compareBehaviour tests at the same alpha as the pass rates, with the seed of --seed for
// its permutations.
func (r *CompareRequest) compareBehaviour(
	ctx context.Context, both [2]*sideEvidence, alpha float64,
) (*verdictbehaviour.Comparison, error) {
	baseline, candidate := &both[0].behaviour, &both[1].behaviour
	drawn := verdictbehaviour.Draw(baseline, candidate)
	return verdictbehaviour.Compare(ctx, &baseline.Sample, &candidate.Sample,
		verdictbehaviour.Options{
			Drawn: drawn,
			Alpha: alpha, Beta: r.Beta, Shift: r.Behaviour.Shift, Seed: r.Seed,
			Test: r.Behaviour.Test, Explained: r.Behaviour.Components.Value,
		})
}

// judgeBehaviour is the command compare with --behaviour-only.
func (r *CompareRequest) judgeBehaviour(
	ctx context.Context, a *world.World, both [2]*sideEvidence, to *outfile.File,
) error {
	// Behaviour that cannot be compared is an error and no verdict.
	behaviour, err := r.compareBehaviour(ctx, both, r.Alpha)
	if err != nil {
		return err
	}
	result := verdictbehaviour.Judge(both[0].recording.Name, both[1].recording.Name, behaviour)
	result.ExitCode = r.Result.Exit(a, result.Verdict, result.Reasons)
	return r.Result.Conclude(ctx, a, to, result)
}
