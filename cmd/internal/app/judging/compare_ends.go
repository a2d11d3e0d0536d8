package judging

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
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
func (r *CompareRequest) compareEnds(ctx context.Context, a *world.World, to *outfile.File) error {
	if err := cmp.Or(r.refuseFixed("results of run"), r.checkSides()); err != nil {
		return err
	}
	var sides [2]compare.EndsSide
	for i := range r.Sides {
		var err error
		if sides[i], err = r.endsSide(ctx, a, i); err != nil {
			return err
		}
	}
	if sides[0].Name == sides[1].Name {
		sides[0].Name, sides[1].Name = prose.FileName(r.Files[0]), prose.FileName(r.Files[1])
	}
	var names [2][]string
	for i, side := range sides {
		for _, e := range side.Ends {
			names[i] = append(names[i], e.Scenario)
		}
	}
	if err := checkCommon([2]string{sides[0].Name, sides[1].Name}, names); err != nil {
		return err
	}
	look := world.GuestLook{Evidence: keeping.ProgramDigest(r.Files[0]) + " " + keeping.ProgramDigest(r.Files[1])}
	for _, side := range sides {
		for _, e := range side.Ends {
			look.Scenarios = append(look.Scenarios, e.Scenario)
		}
	}
	if err := r.Looks.Reserve(a, look); err != nil {
		return err
	}
	return r.judgeEnds(ctx, a, to, sides)
}

// refuseFixed refuses what was typed that chooses among ways that take the number of trials for
// fixed, or looks at what results do not hold.
func (r *CompareRequest) refuseFixed(what string) error {
	for _, name := range []string{
		"test", "rule", "by", "interval", "seed", "errors", "fail-on", "behaviour-only", "behaviour-shift",
		"behaviour-test", "components", "prior", "looks",
	} {
		if r.Given.Typed(name) {
			return problem.Usage("omit it: what it chooses takes the number of trials for fixed, as run --record does",
				"--%s is not for %s, which are compared by where their tests ended", name, what)
		}
	}
	return nil
}

// judgeStopped compares recordings of which tests stopped at least one by its outcomes.
func (r *CompareRequest) judgeStopped(
	ctx context.Context, a *world.World, to *outfile.File, both [2]*sideEvidence,
) (err error) {
	if err := r.refuseFixed("journals of runs whose tests stopped by their outcomes"); err != nil {
		return err
	}
	var sides [2]compare.EndsSide
	for i, e := range both {
		if sides[i], err = endsOf(ctx, e.recording, &e.answers); err != nil {
			return err
		}
	}
	return r.judgeEnds(ctx, a, to, sides)
}

// endsOf are the ends of the tests that gathered a recording. It refuses one of which no test has ended, or none where
// it is known where it could.
func endsOf(
	ctx context.Context, recorded *recording.Recording, answers *verdict.RecordedAnswers,
) (compare.EndsSide, error) {
	side := compare.EndsOfTrials(recorded)
	side.Answers = answers.Notable()
	s := recorded.Stopped()
	if err := refuseUnrun(recorded, verdict.RobustErrors, "compare it with another recording"); err != nil {
		return side, err
	}
	none := !slices.ContainsFunc(side.Ends, func(e compare.NamedEnd) bool { return e.End != nil })
	switch {
	case s.IsCut(), none && !s.Ended():
		return side, refuseStopped(ctx, s)
	case none && len(side.Ends) > 0:
		first := side.Ends[0]
		return side, problem.BadInput(side.Name+": no test of it has an end that can be compared",
			fmt.Sprintf("%q: %s", first.Scenario, first.Problem))
	}
	return side, nil
}

// judgeEnds compares two sides by where their tests ended.
func (r *CompareRequest) judgeEnds(
	ctx context.Context, a *world.World, to *outfile.File, sides [2]compare.EndsSide,
) error {
	result, err := compare.JudgeEnds(ctx, sides[0], sides[1], compare.EndsOptions{
		Delta: r.Delta, Correction: r.Correction, Missing: r.Missing,
		Alpha: r.Looks.Share(r.Alpha), Beta: r.Looks.Share(r.Beta),
	})
	if err != nil {
		return err
	}
	result.ExitCode = r.Result.Exit(a, result.Verdict, result.Reasons)
	return r.Result.Conclude(ctx, a, to, result)
}

// endsSide reads one side, a result of run or a recording.
func (r *CompareRequest) endsSide(ctx context.Context, a *world.World, side int) (compare.EndsSide, error) {
	file := r.Files[side]
	if app.IsResult(ctx, file) {
		saved, err := app.ReadResult(ctx, file, a.Stdin)
		if err != nil {
			return compare.EndsSide{}, err
		}
		run := app.RunOf(saved)
		if run == nil {
			return compare.EndsSide{}, problem.BadInput(prose.FileName(file)+" is not the result of a run",
				r.otherResult(ctx, a, saved))
		}
		return compare.EndsOfRun(prose.FileName(file), run), nil
	}
	recorded := &recording.Recording{Name: prose.FileName(file)}
	o := r.Reading.Options(r.Sides[side].Variant,
		trial.BasicFields|trial.StepFields|trial.UnknownFields|trial.ContentFields)
	var answers verdict.RecordedAnswers
	err := evidence.ReadBoth(ctx, a, []string{file}, o, recorded, evidence.Kept, func(t *trial.Trial) {
		answers.Add(t)
		recorded.Add(t)
	})
	if err != nil {
		return compare.EndsSide{}, evidence.Naming(variantOption(side), err)
	}
	return endsOf(ctx, recorded, &answers)
}

// otherResult says what to compare in place of a result that is none of run.
func (r *CompareRequest) otherResult(ctx context.Context, a *world.World, saved verdict.Result) string {
	switch saved.(type) {
	case *verdict.ThresholdResult:
		var counts []string
		for i, file := range r.Files {
			side, err := app.ReadResult(ctx, file, a.Stdin)
			rates, counted := side.(*verdict.ThresholdResult)
			if err != nil || !counted {
				return "it is one of verdict: compare the recordings that were judged"
			}
			passes, trials := 0, 0
			for _, s := range rates.Scenarios {
				passes, trials = passes+s.Passes, trials+s.Trials
			}
			counts = append(counts, fmt.Sprintf("--%s %d/%d", []string{"baseline", "candidate"}[i], passes, trials))
		}
		return "it is one of verdict: tribunal compare " + strings.Join(counts, " ") +
			", or the recordings that were judged"
	case *compare.Result, *compare.Ends, *compare.Anytime, *proxy.Comparison:
		return "it is a comparison already: tribunal report shows it; compare takes the two recordings"
	}
	return fmt.Sprintf("it is a %s; tribunal run saves results in .tribunal; a recording does as well",
		saved.Header().Schema)
}
