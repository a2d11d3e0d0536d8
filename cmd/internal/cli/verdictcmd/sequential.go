package verdictcmd

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	verdictrecording "github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// sequentialFlags judge a recording as a sequential test would have.
type sequentialFlags struct {
	// Without it all others must be left alone.
	on      bool
	design  judging.DesignFlags
	against judging.AgainstFlags
	order   value.Word[sequential.Order]
	// Of the shuffle alone; it has to be that of the recording.
	seed value.Seed
}

// register has them in the order in which the help says "the flags down to --seed".
func (f *sequentialFlags) register(flags *pflag.FlagSet) {
	f.order = value.Word[sequential.Order]{
		Kind: "ORDER", Words: []sequential.Order{sequential.FileOrder, sequential.ShuffleOrder},
	}
	flags.BoolVar(&f.on, "sequential", false,
		"judge trial by trial, and say when a test would have ended; the flags down to --seed are for this")
	f.design.Register(flags)
	f.against.Register(flags, "judge against this baseline, a `FILE` (recording or result of run) or K/N")
	flags.Var(&f.order, "order", f.order.Usage("order in which the trials are judged"))
	flags.Var(&f.seed, "seed", "seed of --order shuffle, which the recording fixes: another one is refused")
	flags.Lookup("seed").DefValue = ""
}

// check refuses flags that the other way of judging has no use for. A variable may
// be there for other runs.
func (f *sequentialFlags) check(flags *pflag.FlagSet, files []string) error {
	// What was typed: a variable, or a suite, may be meant for another command.
	given := func(name string) bool { return flags.Changed(name) && base.Origin(flags, name) == "--"+name }
	if !f.on {
		names := append(f.design.Names(), "baseline", "order", "seed")
		for _, name := range append(names, f.against.Names()...) {
			if given(name) {
				return problem.Usage("add --sequential, or leave it out", "--%s is for --sequential", name)
			}
		}
		return nil
	}
	// A sequential test has an interval of its own, and judges one pooled rate.
	for _, name := range []string{"interval", "by", "scenarios"} {
		if given(name) {
			return problem.Usage("leave it out",
				"--%s does not go with --sequential, which judges the pooled trials one by one", name)
		}
	}
	switch {
	case len(files) == 0:
		return problem.Usage("name a recording", "--sequential needs trials in their order, and counts have none")
	case given("seed") && f.order.Value != sequential.ShuffleOrder:
		return problem.Usage("add --order shuffle", "--seed is for --order shuffle")
	}
	// The errors that a design promises hold for outcomes that are not known when it is
	// made.
	for _, file := range files {
		if evidence.SameFile(file, f.design.Prior) {
			return problem.Usage("take the prior from earlier trials",
				"--prior %s is what is to be judged: a test that is designed from its own outcomes promises nothing",
				f.design.Prior)
		}
	}
	if f.againstBaseline(flags) && sameAsAny(f.against.Baseline, files) {
		return problem.Usage("name earlier trials, of what it is compared with",
			"--baseline %s is what is to be judged", f.against.Baseline)
	}
	if err := f.against.Check(flags); err != nil {
		return err
	}
	if f.byFamily(flags) {
		return f.checkFamily(flags)
	}
	return f.design.Check(flags)
}

// sameAsAny reports whether a file is one of several.
func sameAsAny(file string, files []string) bool {
	return slices.ContainsFunc(files, func(other string) bool { return evidence.SameFile(file, other) })
}

// againstBaseline reports whether a baseline is tested against. A flag wins over a variable
// or a suite.
func (f *sequentialFlags) againstBaseline(flags *pflag.FlagSet) bool {
	return f.on && f.against.Baseline != "" &&
		!(flags.Changed("threshold") && base.Origin(flags, "threshold") == "--threshold")
}

// byFamily reports whether its errors are over the sampling of both sides.
func (f *sequentialFlags) byFamily(flags *pflag.FlagSet) bool {
	return f.againstBaseline(flags) && f.against.Method.Value == judging.FamilyMethod
}

// checkFamily refuses what such a test has no use for, where it was typed.
func (f *sequentialFlags) checkFamily(flags *pflag.FlagSet) error {
	for _, name := range []string{"design", "prior"} {
		if flags.Changed(name) && base.Origin(flags, name) == "--"+name {
			return problem.Usage("leave it out, or add --method limits", "--%s is for tests against a threshold or limits", name)
		}
	}
	return judging.CheckLength(f.design.MaxTrials.Value)
}

// judgeSequentially is the command verdict with --sequential.
func (f *verdictFlags) judgeSequentially(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, files []string, to *outfile.File, into *keeping.Spool,
) error {
	// The design is fixed before a single outcome is seen; its errors hold for no other.
	var options sequential.Options
	var err error
	if f.sequential.byFamily(flags) {
		options.Against, err = f.sequentialFamily(ctx, a, flags)
		err = judging.AgainstError(flags, err)
	} else {
		options.Design, err = f.sequentialDesign(ctx, a, flags)
		err = judging.DesignError(flags, err)
	}
	if err != nil {
		return err
	}
	recording := &verdictrecording.Recording{}
	o := f.evidence.Options(f.variant, trial.BasicFields|trial.StepFields|trial.ContentFields)
	var answers verdict.RecordedAnswers
	err = evidence.ReadBoth(keeping.Spooled(ctx, into), a, files, o, recording, evidence.Kept, func(t *trial.Trial) {
		answers.Add(t)
		t.Steps, t.Output = nil, nil // nothing else looks at them
		recording.Add(t)
	})
	if err != nil {
		return evidence.Naming("variant", err)
	}
	options.Errors, options.Order = f.judging.Errors.Value, f.sequential.order.Value
	// Somebody who may choose among shuffles may choose the verdict.
	if want := sequential.ShuffleSeed(recording); base.Typed(flags, "seed") && uint64(f.sequential.seed) != want {
		return problem.Usage("leave it out", "--seed %d: the seed of the shuffle is %d, which the recording fixes",
			f.sequential.seed, want)
	}
	result, err := sequential.Judge(ctx, recording, options)
	// The recording holds its trials scenario by scenario: in that order the first
	// scenarios alone might decide.
	if blocked, ok := errors.AsType[*sequential.BlockedError](err); ok {
		return problem.BadInput(blocked.Error(), "--order shuffle judges them in a random order, which the recording fixes")
	}
	if err != nil {
		return judging.AgainstError(flags, err)
	}
	result.Repeat(answers.Notable())
	result.ExitCode = f.result.Exit(a, result.Verdict, result.Reasons)
	return f.result.Conclude(ctx, a, to, result)
}

// sequentialDesign is designed before the recording is read. It is the design that the
// command plan shows for the same flags.
func (f *verdictFlags) sequentialDesign(
	ctx context.Context, a *world.World, flags *pflag.FlagSet,
) (sprt.Design, error) {
	d := &f.sequential.design
	sources := evidence.Recordings{App: a, Named: base.Origins(flags), Reading: &f.evidence, Variant: f.variant}
	h := sprt.Hypotheses{
		Threshold: float64(f.threshold), Delta: float64(d.Delta), Alpha: float64(f.judging.Alpha), Beta: float64(d.Beta),
	}
	if f.sequential.againstBaseline(flags) {
		b, _, err := f.sequential.against.Limits(ctx, sources, &h)
		if err != nil {
			return sprt.Design{}, err
		}
		h = b.Hypotheses
	}
	prior, _, err := d.Weighting(ctx, sources)
	if err != nil {
		return sprt.Design{}, err
	}
	// A large design may take seconds.
	progress := a.NewDesigning()
	defer progress.End()
	return plan.Design(ctx, plan.Options{
		Hypotheses: h,
		MaxTrials:  d.MaxTrials.Value,
		Kind:       d.Kind.Value,
		Weighting:  prior.Weighting,
		Progress:   progress.Share,
	})
}

// sequentialFamily is designed before the recording is read. It is the test that the command
// plan shows for the same flags.
func (f *verdictFlags) sequentialFamily(
	ctx context.Context, a *world.World, flags *pflag.FlagSet,
) (*sequential.AgainstOptions, error) {
	s := &f.sequential
	sources := evidence.Recordings{App: a, Named: base.Origins(flags), Reading: &f.evidence, Variant: f.variant}
	from, err := sources.Recorded(ctx, "baseline", s.against.Baseline, s.against.Scenario)
	if err != nil {
		return nil, err
	}
	// The tier of the worse outcome holds the boundaries of the better one too.
	question := s.against.Question(float64(s.design.Delta), float64(f.judging.Alpha), float64(s.design.Beta))
	progress := a.NewDesigning()
	defer progress.End()
	found, err := baseline.Against(ctx, question, from.Sample, from.Recorded.WithErrorsFailed(),
		baseline.Options{MaxTrials: s.design.MaxTrials.Value, Progress: progress.Share})
	if err != nil {
		return nil, err
	}
	name := s.against.Baseline
	if !evidence.IsRatio(name) {
		name = prose.FileName(name)
	}
	return &sequential.AgainstOptions{Family: found.Family, Recorded: from.Recorded, Source: name}, nil
}
