package verdictcmd

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// compareEnds compares two results of run, or one with a recording, by where their tests
// ended.
func (f *compareFlags) compareEnds(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, files []string, to *outfile.File,
) error {
	if err := refuseFixed(flags, "results of run"); err != nil {
		return err
	}
	var sides [2]compare.EndsSide
	for i, s := range f.sides {
		var err error
		if sides[i], err = f.endsSide(ctx, a, flags, s, files[i]); err != nil {
			return err
		}
	}
	if sides[0].Name == sides[1].Name {
		sides[0].Name, sides[1].Name = prose.FileName(files[0]), prose.FileName(files[1])
	}
	look := world.GuestLook{Evidence: keeping.ProgramDigest(files[0]) + " " + keeping.ProgramDigest(files[1])}
	for _, side := range sides {
		for _, e := range side.Ends {
			look.Scenarios = append(look.Scenarios, e.Scenario)
		}
	}
	if err := f.looks.Reserve(a, look); err != nil {
		return err
	}
	return f.judgeEnds(ctx, a, to, sides)
}

// refuseFixed refuses what was typed that chooses among ways that take the number of trials for
// fixed, or looks at what results do not hold.
func refuseFixed(flags *pflag.FlagSet, what string) error {
	for _, name := range []string{
		"test", "rule", "by", "interval", "seed", "errors", "fail-on", "behaviour-only", "behaviour-shift",
		"behaviour-test", "components", "prior", "looks",
	} {
		if base.Typed(flags, name) {
			return problem.Usage("leave it out: what it chooses takes the number of trials for fixed, as run --record does",
				"--%s is not for %s, which are compared by where their tests ended", name, what)
		}
	}
	return nil
}

// ended refuses a side of which no test has ended, or none where it is known where it could.
func ended(side compare.EndsSide) error {
	for _, e := range side.Ends {
		if e.End != nil {
			return nil
		}
	}
	if len(side.Ends) == 0 {
		return nil
	}
	first := side.Ends[0]
	return problem.BadInput(side.Name+": no test of it has an end that can be compared",
		fmt.Sprintf("%q: %s", first.Scenario, first.Problem))
}

// judgeEnds compares two sides by where their tests ended.
func (f *compareFlags) judgeEnds(
	ctx context.Context, a *world.World, to *outfile.File, sides [2]compare.EndsSide,
) error {
	result, err := compare.JudgeEnds(ctx, sides[0], sides[1], compare.EndsOptions{
		Delta: float64(f.delta), Correction: f.correction.Value, Missing: f.missing.Value,
		Alpha: f.looks.Share(float64(f.judging.Alpha)), Beta: f.looks.Share(float64(f.beta)),
	})
	if err != nil {
		return err
	}
	result.ExitCode = f.result.Exit(a, result.Verdict, result.Reasons)
	return f.result.Conclude(ctx, a, to, result)
}

// endsSide reads one side, a result of run or a recording.
func (f *compareFlags) endsSide(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, s side, file string,
) (compare.EndsSide, error) {
	if evidence.IsResult(ctx, file) {
		saved, err := app.ReadResult(ctx, file, a.Stdin)
		if err != nil {
			return compare.EndsSide{}, err
		}
		run := app.RunOf(saved)
		if run == nil {
			return compare.EndsSide{}, problem.BadInput(prose.FileName(file)+" is not the result of a run",
				otherResult(saved))
		}
		return compare.EndsOfRun(prose.FileName(file), run), nil
	}
	r := &recording.Recording{Name: prose.FileName(file)}
	o := f.evidence.Options(s.variant, trial.BasicFields|trial.StepFields|trial.UnknownFields|trial.ContentFields)
	var answers verdict.RecordedAnswers
	err := evidence.ReadBoth(ctx, a, []string{file}, o, r, evidence.Kept, func(t *trial.Trial) {
		answers.Add(t)
		r.Add(t)
	})
	if err != nil {
		return compare.EndsSide{}, evidence.Naming(s.variantFlag(), err)
	}
	side := compare.EndsOfTrials(r)
	side.Answers = answers.Notable()
	return side, nil
}

// otherResult says what to compare in place of a result that is none of run.
func otherResult(saved verdict.Result) string {
	switch r := saved.(type) {
	case *verdict.ThresholdResult:
		passes, trials := 0, 0
		for _, s := range r.Scenarios {
			passes, trials = passes+s.Passes, trials+s.Trials
		}
		return fmt.Sprintf("it is one of verdict: compare the recordings that were judged, or counts, as --candidate %d/%d",
			passes, trials)
	case *compare.Result, *compare.Ends, *compare.Anytime, *proxy.Comparison:
		return "it is a comparison already: tribunal report shows it; compare takes the two recordings"
	}
	return fmt.Sprintf("it is a %s; tribunal run saves results in .tribunal; a recording does as well",
		saved.Header().Schema)
}
