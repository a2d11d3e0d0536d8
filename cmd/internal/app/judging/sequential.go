package judging

import (
	"context"
	"errors"
	"slices"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
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

// Sequential judges a recording as a sequential test would have.
type Sequential struct {
	On      bool // without it all others must be left alone
	Design  Design
	Against Against
	Order   sequential.Order
	Seed    uint64 // of the shuffle alone; it has to be that of the recording
}

// checkSequential refuses options that the other way of judging has no use for. A variable may
// be there for other runs.
func (r *VerdictRequest) checkSequential() error {
	// What was typed: a variable, or a suite, may be meant for another command.
	if !r.Sequential.On {
		names := append(slices.Clone(DesignOptions), "order", "seed")
		for _, name := range append(names, AgainstOptions...) {
			if r.Given.Typed(name) {
				return problem.Usage("add --sequential, or omit it", "--%s is for --sequential", name)
			}
		}
		return nil
	}
	// A sequential test has an interval of its own, and judges one pooled rate.
	for _, name := range []string{"interval", "by", "scenarios"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit it",
				"--%s does not go with --sequential, which judges the pooled trials one by one", name)
		}
	}
	switch {
	case len(r.Files) == 0:
		return problem.Usage("name a recording", "--sequential needs trials in their order, and counts have none")
	case r.Given.Typed("seed") && r.Sequential.Order != sequential.ShuffleOrder:
		return problem.Usage("add --order shuffle", "--seed is for --order shuffle")
	}
	// The errors that a design promises hold for outcomes that are not known when it is
	// made.
	for _, file := range r.Files {
		if evidence.SameFile(file, r.Sequential.Design.Prior) {
			return problem.Usage("take the prior from earlier trials",
				"--prior %s is what is to be judged: a test that is designed from its own outcomes promises nothing",
				r.Sequential.Design.Prior)
		}
	}
	if r.againstBaseline() && slices.ContainsFunc(r.Files, func(file string) bool {
		return evidence.SameFile(r.Sequential.Against.Baseline, file)
	}) {
		return problem.Usage("name earlier trials, of what it is compared with",
			"--baseline %s is what is to be judged", r.Sequential.Against.Baseline)
	}
	if err := r.Sequential.Against.Check(r.Given); err != nil {
		return err
	}
	if r.byFamily() {
		return r.checkFamily()
	}
	return r.Sequential.Design.Check(r.Given)
}

// againstBaseline reports whether a baseline is tested against. A flag wins over a variable
// or a suite.
func (r *VerdictRequest) againstBaseline() bool {
	return r.Sequential.On && r.Sequential.Against.Baseline != "" &&
		!r.Given.Typed("threshold")
}

// byFamily reports whether its errors are over the sampling of both sides.
func (r *VerdictRequest) byFamily() bool {
	return r.againstBaseline() && r.Sequential.Against.Method == FamilyMethod
}

// checkFamily refuses what such a test has no use for, where it was typed.
func (r *VerdictRequest) checkFamily() error {
	for _, name := range []string{"design", "prior"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit it, or add --method limits", "--%s is for tests against a threshold or limits", name)
		}
	}
	return CheckLength(r.Sequential.Design.MaxTrials)
}

// judgeSequentially is the command verdict with --sequential.
func (r *VerdictRequest) judgeSequentially(
	ctx context.Context, a *world.World, to *outfile.File, into *keeping.Spool,
) error {
	// The design is fixed before a single outcome is seen; its errors hold for no other.
	var options sequential.Options
	var err error
	if r.byFamily() {
		options.Against, err = r.sequentialFamily(ctx, a)
		err = AgainstError(r.Given, r.Sequential.Design.Delta, err)
	} else {
		options.Design, err = r.sequentialDesign(ctx, a)
		err = DesignError(r.Given, r.Threshold, err)
	}
	if err != nil {
		return err
	}
	recording := &verdictrecording.Recording{Name: prose.FileName(r.Files[0])}
	o := r.Reading.Options(r.Variant, trial.BasicFields|trial.StepFields|trial.ContentFields)
	var answers verdict.RecordedAnswers
	err = evidence.ReadBoth(keeping.Spooled(ctx, into), a, r.Files, o, recording, evidence.Kept, func(t *trial.Trial) {
		answers.Add(t)
		t.Steps, t.Output = nil, nil // nothing else looks at them
		recording.Add(t)
	})
	if err != nil {
		return evidence.Naming("variant", err)
	}
	if err := refuseUnrun(recording, r.Errors, "omit --sequential"); err != nil {
		return err
	}
	options.Errors, options.Order = r.Errors, r.Sequential.Order
	// Somebody who may choose among shuffles may choose the verdict.
	if want := sequential.ShuffleSeed(recording); r.Given.Typed("seed") && uint64(r.Sequential.Seed) != want {
		return problem.Usage("omit it", "--seed %d: the seed of the shuffle is %d, which the recording fixes",
			r.Sequential.Seed, want)
	}
	result, err := sequential.Judge(ctx, recording, options)
	// The recording holds its trials scenario by scenario: in that order the first
	// scenarios alone might decide.
	if blocked, ok := errors.AsType[*sequential.BlockedError](err); ok {
		return problem.BadInput(blocked.Error(), "--order shuffle judges them in a random order, which the recording fixes")
	}
	if stopped, ok := errors.AsType[*verdictrecording.StoppedError](err); ok && stopped.Advice == "" {
		return refuseStopped(ctx, stopped.Stopped)
	}
	if err != nil {
		return AgainstError(r.Given, r.Sequential.Design.Delta, err)
	}
	result.Repeat(answers.Notable())
	result.ExitCode = r.Result.Exit(a, result.Verdict, result.Reasons)
	return r.Result.Conclude(ctx, a, to, result)
}

// sequentialDesign is designed before the recording is read. It is the design that the
// command plan shows for the same options.
func (r *VerdictRequest) sequentialDesign(
	ctx context.Context, a *world.World,
) (sprt.Design, error) {
	d := &r.Sequential.Design
	sources := evidence.Recordings{App: a, Named: r.Given.Origin, Reading: &r.Reading, Variant: r.Variant}
	h := sprt.Hypotheses{
		Threshold: r.Threshold, Delta: float64(d.Delta), Alpha: r.Alpha, Beta: float64(d.Beta),
	}
	if r.againstBaseline() {
		b, _, err := r.Sequential.Against.Limits(ctx, sources, &h)
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
		MaxTrials:  d.MaxTrials,
		Kind:       d.Kind,
		Weighting:  prior.Weighting,
		Progress:   progress.Share,
	})
}

// sequentialFamily is designed before the recording is read. It is the test that the command
// plan shows for the same options.
func (r *VerdictRequest) sequentialFamily(
	ctx context.Context, a *world.World,
) (*sequential.AgainstOptions, error) {
	s := &r.Sequential
	sources := evidence.Recordings{App: a, Named: r.Given.Origin, Reading: &r.Reading, Variant: r.Variant}
	from, err := sources.Recorded(ctx, "baseline", s.Against.Baseline, s.Against.Scenario)
	if err != nil {
		return nil, err
	}
	// The tier of the worse outcome holds the boundaries of the better one too.
	question := s.Against.Question(float64(s.Design.Delta), r.Alpha, float64(s.Design.Beta))
	progress := a.NewDesigning()
	defer progress.End()
	found, err := baseline.Against(ctx, question, from.Sample, from.Recorded.WithErrorsFailed(),
		baseline.Options{MaxTrials: s.Design.MaxTrials, Progress: progress.Share})
	if err != nil {
		return nil, err
	}
	name := s.Against.Baseline
	if !evidence.IsRatio(name) {
		name = prose.FileName(name)
	}
	return &sequential.AgainstOptions{Family: found.Family, Recorded: from.Recorded, Source: name}, nil
}
