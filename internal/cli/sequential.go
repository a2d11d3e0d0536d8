package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	verdictrecording "github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// sequentialFlags judge a recording as a sequential test would have.
type sequentialFlags struct {
	// Without it all others must be left alone.
	on     bool
	design designFlags
	order  word[sequential.Order]
	// Of the shuffle alone.
	seed seed
}

// register has them in the order in which the help says "the flags down to --seed".
func (f *sequentialFlags) register(flags *pflag.FlagSet) {
	f.order = word[sequential.Order]{
		kind: "ORDER", words: []sequential.Order{sequential.FileOrder, sequential.ShuffleOrder},
	}
	f.seed = 1
	flags.BoolVar(&f.on, "sequential", false,
		"judge trial by trial, and say when a test would have ended; the flags down to --seed are for this")
	f.design.register(flags)
	flags.Var(&f.order, "order", f.order.usage("order in which the trials are judged"))
	flags.Var(&f.seed, "seed", "seed of --order shuffle")
}

// check refuses flags that the other way of judging has no use for. A variable may
// be there for other runs.
func (f *sequentialFlags) check(flags *pflag.FlagSet, files []string) error {
	// What was typed: a variable, or a suite, may be meant for another command.
	given := func(name string) bool { return flags.Changed(name) && origin(flags, name) == "--"+name }
	if !f.on {
		for _, name := range append(f.design.names(), "order", "seed") {
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
	return f.design.check(flags)
}

// judgeSequentially is the command verdict with --sequential.
func (f *verdictFlags) judgeSequentially(
	ctx context.Context, a *App, flags *pflag.FlagSet, files []string, to *outputFile,
) error {
	// The design is fixed before a single outcome is seen; its errors hold for no other.
	design, err := f.sequentialDesign(ctx, a, flags)
	if err != nil {
		return designError(flags, err)
	}
	recording := &verdictrecording.Recording{}
	if err := a.read(ctx, files, f.evidence.options(flags, f.variant, trial.BasicFields), recording.Add); err != nil {
		return naming("variant", err)
	}
	result, err := sequential.Judge(ctx, recording, sequential.Options{
		Design: design,
		Errors: f.judging.errors.value,
		Order:  f.sequential.order.value,
		Seed:   uint64(f.sequential.seed),
	})
	// The recording holds its trials scenario by scenario: in that order the first
	// scenarios alone might decide.
	if blocked, ok := errors.AsType[*sequential.BlockedError](err); ok {
		return badInput(blocked.Error(),
			fmt.Sprintf("--order shuffle --seed %d judges them in a random order", f.sequential.seed))
	}
	if err != nil {
		return err
	}
	result.ExitCode = f.result.exit(a, result.Verdict, result.Reasons)
	return f.result.conclude(ctx, a, to, result)
}

// sequentialDesign is designed before the recording is read. It is the design that the
// command plan shows for the same flags.
func (f *verdictFlags) sequentialDesign(ctx context.Context, a *App, flags *pflag.FlagSet) (sprt.Design, error) {
	d := &f.sequential.design
	prior, err := d.weighting(ctx, recordings{app: a, flags: flags, evidence: &f.evidence, variant: f.variant})
	if err != nil {
		return sprt.Design{}, err
	}
	// A large design may take seconds.
	progress := a.newDesigning()
	defer progress.end()
	return plan.Design(ctx, plan.Options{
		Hypotheses: sprt.Hypotheses{
			Threshold: float64(f.threshold), Delta: float64(d.delta),
			Alpha: float64(f.judging.alpha), Beta: float64(d.beta),
		},
		MaxTrials: d.maxTrials.value,
		Kind:      d.kind.value,
		Weighting: prior.Weighting,
		Progress:  progress.share,
	})
}
