package verdictcmd

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/fingerprint"
	verdictbehaviour "github.com/tribunal-dev/tribunal/verdict/behaviour"
)

// behaviourFlags say what becomes of a change of behaviour.
type behaviourFlags struct {
	failOn failOn
	// No pass rate is compared at all, and trials need no outcome.
	only bool
	// In standard deviations of a trial.
	shift value.Deviations
	test  value.Word[fingerprint.Test]
	// It counts only where it is given; else 0.95.
	components value.Part
}

func (f *behaviourFlags) register(flags *pflag.FlagSet) {
	flags.Var(&f.failOn, "fail-on",
		"what fails beside a lower rate, a list of: behaviour, if it changed; cost, tokens or "+
			"latency, if it rose, as cost=20% or latency=2s if by more than that")
	flags.BoolVar(&f.only, "behaviour-only", false,
		"compare nothing but the behaviour, also of trials that nobody judged: Fail if it changed, Pass if a "+
			"shift that matters is excluded")
	f.shift = verdictbehaviour.DefaultShift
	flags.Var(&f.shift, "behaviour-shift",
		"the smallest shift of behaviour that matters, in standard deviations of a trial")
	f.test = judging.BehaviourTests()
	flags.Var(&f.test, "behaviour-test", f.test.Usage("the test of behaviour"))
	flags.Var(&f.components, "components",
		"with --behaviour-test hotelling-t2: the share of the variance that the tested components hold (default 0.95)")
	flags.Lookup("components").DefValue = ""
}

// names are the flags that are for files alone, whose trials have their steps.
func (f *behaviourFlags) names() []string {
	return []string{"behaviour-shift", "behaviour-test", "components"}
}

// check refuses to ask for behaviour where counts are given instead of files, and for metrics where none is compared.
func (f *behaviourFlags) check(flags *pflag.FlagSet, files []string) error {
	if base.Typed(flags, "components") && f.test.Value != fingerprint.HotellingT2 {
		return problem.Usage("add --behaviour-test hotelling-t2, or leave it out",
			"%s is for Hotelling's test, and %s looks at every column", base.Origin(flags, "components"), f.test.Value)
	}
	switch {
	case f.only && len(f.failOn.rises) > 0 && base.Typed(flags, "fail-on"):
		return problem.Usage("leave one of them out", "--behaviour-only compares no metric, and --fail-on %s asks for one",
			&f.failOn)
	case len(files) > 0:
		return nil
	case f.only:
		return problem.Usage("compare two files", "%s needs trials with their steps, and counts have none",
			base.Origin(flags, "behaviour-only"))
	case f.counts():
		return problem.Usage("compare two files", "%s behaviour needs trials with their steps, and counts have none",
			base.Origin(flags, "fail-on"))
	case len(f.failOn.rises) > 0:
		return problem.Usage("compare two files", "%s %s needs what each trial took, and counts do not say it",
			base.Origin(flags, "fail-on"), &f.failOn)
	}
	for _, name := range f.names() {
		if flags.Changed(name) {
			return problem.Usage("compare two files", "%s needs trials with their steps, and counts have none",
				base.Origin(flags, name))
		}
	}
	return nil
}

// counts reports whether a change of behaviour fails the comparison.
func (f *behaviourFlags) counts() bool { return f.failOn.behaviour }

// compareBehaviour tests at the same alpha as the pass rates, with the seed of --seed for
// its permutations.
func (f *compareFlags) compareBehaviour(
	ctx context.Context, both [2]*sideEvidence, alpha float64,
) (*verdictbehaviour.Comparison, error) {
	baseline, candidate := &both[0].behaviour, &both[1].behaviour
	drawn := verdictbehaviour.Draw(baseline, candidate)
	return verdictbehaviour.Compare(ctx, &baseline.Sample, &candidate.Sample,
		verdictbehaviour.Options{
			Drawn: drawn,
			Alpha: alpha, Beta: float64(f.beta), Shift: float64(f.behaviour.shift), Seed: uint64(f.seed),
			Test: f.behaviour.test.Value, Explained: float64(f.behaviour.components),
		})
}

// judgeBehaviour is the command compare with --behaviour-only.
func (f *compareFlags) judgeBehaviour(
	ctx context.Context, a *world.World, both [2]*sideEvidence, to *outfile.File,
) error {
	// Behaviour that cannot be compared is an error and no verdict.
	behaviour, err := f.compareBehaviour(ctx, both, float64(f.judging.Alpha))
	if err != nil {
		return err
	}
	result := verdictbehaviour.Judge(both[0].recording.Name, both[1].recording.Name, behaviour)
	result.ExitCode = f.result.Exit(a, result.Verdict, result.Reasons)
	return f.result.Conclude(ctx, a, to, result)
}
