package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	verdictrecording "github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// sequentialFlags judge a recording as a sequential test would have.
type sequentialFlags struct {
	// Without it all others must be left alone.
	on      bool
	design  designFlags
	against againstFlags
	order   word[sequential.Order]
	// Of the shuffle alone; it has to be that of the recording.
	seed seed
}

// register has them in the order in which the help says "the flags down to --seed".
func (f *sequentialFlags) register(flags *pflag.FlagSet) {
	f.order = word[sequential.Order]{
		kind: "ORDER", words: []sequential.Order{sequential.FileOrder, sequential.ShuffleOrder},
	}
	flags.BoolVar(&f.on, "sequential", false,
		"judge trial by trial, and say when a test would have ended; the flags down to --seed are for this")
	f.design.register(flags)
	f.against.register(flags, "judge against this baseline, a `FILE` (recording or result of run) or K/N")
	flags.Var(&f.order, "order", f.order.usage("order in which the trials are judged"))
	flags.Var(&f.seed, "seed", "seed of --order shuffle, which the recording fixes: another one is refused")
	flags.Lookup("seed").DefValue = ""
}

// check refuses flags that the other way of judging has no use for. A variable may
// be there for other runs.
func (f *sequentialFlags) check(flags *pflag.FlagSet, files []string) error {
	// What was typed: a variable, or a suite, may be meant for another command.
	given := func(name string) bool { return flags.Changed(name) && origin(flags, name) == "--"+name }
	if !f.on {
		names := append(f.design.names(), "baseline", "order", "seed")
		for _, name := range append(names, f.against.names()...) {
			if given(name) {
				return usage("add --sequential, or leave it out", "--%s is for --sequential", name)
			}
		}
		return nil
	}
	// A sequential test has an interval of its own, and judges one pooled rate.
	for _, name := range []string{"interval", "by", "scenarios"} {
		if given(name) {
			return usage("leave it out",
				"--%s does not go with --sequential, which judges the pooled trials one by one", name)
		}
	}
	switch {
	case len(files) == 0:
		return usage("name a recording", "--sequential needs trials in their order, and counts have none")
	case given("seed") && f.order.value != sequential.ShuffleOrder:
		return usage("add --order shuffle", "--seed is for --order shuffle")
	}
	// The errors that a design promises hold for outcomes that are not known when it is
	// made.
	for _, file := range files {
		if sameFile(file, f.design.prior) {
			return usage("take the prior from earlier trials",
				"--prior %s is what is to be judged: a test that is designed from its own outcomes promises nothing",
				f.design.prior)
		}
	}
	if f.againstBaseline(flags) && sameAsAny(f.against.baseline, files) {
		return usage("name earlier trials, of what it is compared with",
			"--baseline %s is what is to be judged", f.against.baseline)
	}
	if err := f.against.check(flags); err != nil {
		return err
	}
	if f.byFamily(flags) {
		return f.checkFamily(flags)
	}
	return f.design.check(flags)
}

// sameAsAny reports whether a file is one of several.
func sameAsAny(file string, files []string) bool {
	return slices.ContainsFunc(files, func(other string) bool { return sameFile(file, other) })
}

// againstBaseline reports whether a baseline is tested against. A flag wins over a variable
// or a suite.
func (f *sequentialFlags) againstBaseline(flags *pflag.FlagSet) bool {
	return f.on && f.against.baseline != "" &&
		!(flags.Changed("threshold") && origin(flags, "threshold") == "--threshold")
}

// byFamily reports whether its errors are over the sampling of both sides.
func (f *sequentialFlags) byFamily(flags *pflag.FlagSet) bool {
	return f.againstBaseline(flags) && f.against.method.value == familyMethod
}

// checkFamily refuses what such a test has no use for, where it was typed.
func (f *sequentialFlags) checkFamily(flags *pflag.FlagSet) error {
	for _, name := range []string{"design", "prior"} {
		if flags.Changed(name) && origin(flags, name) == "--"+name {
			return usage("leave it out, or add --method limits", "--%s is for tests against a threshold or limits", name)
		}
	}
	return checkLength(f.design.maxTrials.value)
}

// judgeSequentially is the command verdict with --sequential.
func (f *verdictFlags) judgeSequentially(
	ctx context.Context, a *App, flags *pflag.FlagSet, files []string, to *outputFile, into *spool,
) error {
	// The design is fixed before a single outcome is seen; its errors hold for no other.
	var options sequential.Options
	var err error
	if f.sequential.byFamily(flags) {
		options.Against, err = f.sequentialFamily(ctx, a, flags)
		err = againstError(flags, err)
	} else {
		options.Design, err = f.sequentialDesign(ctx, a, flags)
		err = designError(flags, err)
	}
	if err != nil {
		return err
	}
	recording := &verdictrecording.Recording{}
	o := f.evidence.options(flags, f.variant, trial.BasicFields)
	if err := a.readRecording(spooled(ctx, into), files, o, recording); err != nil {
		return naming("variant", err)
	}
	options.Errors, options.Order = f.judging.errors.value, f.sequential.order.value
	// Somebody who may choose among shuffles may choose the verdict.
	if want := sequential.ShuffleSeed(recording); typed(flags, "seed") && uint64(f.sequential.seed) != want {
		return usage("leave it out", "--seed %d: the seed of the shuffle is %d, which the recording fixes",
			f.sequential.seed, want)
	}
	result, err := sequential.Judge(ctx, recording, options)
	// The recording holds its trials scenario by scenario: in that order the first
	// scenarios alone might decide.
	if blocked, ok := errors.AsType[*sequential.BlockedError](err); ok {
		return badInput(blocked.Error(), "--order shuffle judges them in a random order, which the recording fixes")
	}
	if err != nil {
		return againstError(flags, err)
	}
	result.ExitCode = f.result.exit(a, result.Verdict, result.Reasons)
	return f.result.conclude(ctx, a, to, result)
}

// sequentialDesign is designed before the recording is read. It is the design that the
// command plan shows for the same flags.
func (f *verdictFlags) sequentialDesign(ctx context.Context, a *App, flags *pflag.FlagSet) (sprt.Design, error) {
	d := &f.sequential.design
	sources := recordings{app: a, flags: flags, evidence: &f.evidence, variant: f.variant}
	h := sprt.Hypotheses{
		Threshold: float64(f.threshold), Delta: float64(d.delta), Alpha: float64(f.judging.alpha), Beta: float64(d.beta),
	}
	if f.sequential.againstBaseline(flags) {
		b, _, err := f.sequential.against.limits(ctx, sources, &h)
		if err != nil {
			return sprt.Design{}, err
		}
		h = b.Hypotheses
	}
	prior, _, err := d.weighting(ctx, sources)
	if err != nil {
		return sprt.Design{}, err
	}
	// A large design may take seconds.
	progress := a.newDesigning()
	defer progress.end()
	return plan.Design(ctx, plan.Options{
		Hypotheses: h,
		MaxTrials:  d.maxTrials.value,
		Kind:       d.kind.value,
		Weighting:  prior.Weighting,
		Progress:   progress.share,
	})
}

// sequentialFamily is designed before the recording is read. It is the test that the command
// plan shows for the same flags.
func (f *verdictFlags) sequentialFamily(
	ctx context.Context, a *App, flags *pflag.FlagSet,
) (*sequential.AgainstOptions, error) {
	s := &f.sequential
	sources := recordings{app: a, flags: flags, evidence: &f.evidence, variant: f.variant}
	from, err := sources.recorded(ctx, "baseline", s.against.baseline, s.against.scenario)
	if err != nil {
		return nil, err
	}
	// The tier of the worse outcome holds the boundaries of the better one too.
	question := s.against.question(float64(s.design.delta), float64(f.judging.alpha), float64(s.design.beta))
	progress := a.newDesigning()
	defer progress.end()
	found, err := baseline.Against(ctx, question, from.sample, from.recorded.WithErrorsFailed(),
		baseline.Options{MaxTrials: s.design.maxTrials.value, Progress: progress.share})
	if err != nil {
		return nil, err
	}
	name := s.against.baseline
	if !isRatio(name) {
		name = prose.FileName(name)
	}
	return &sequential.AgainstOptions{Family: found.Family, Recorded: from.recorded, Source: name}, nil
}
