package improving

import (
	"context"
	"fmt"
	"io"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/race"
)

// RaceRequest asks which of the variants of an agent is best.
type RaceRequest struct {
	running.Request // of the parts of the race
	Alpha, Beta     float64
	Delta           float64 // the largest difference of pass rates that does not matter; the suite's if it is not given
	Rate            float64 // that the current version passes at least at; 0: nothing is known of it
	MaxRounds       int     // 0 is four times what a drop of Delta takes
	Worth           float64 // of one point of the pass rate, in USD; 0: prices count for nothing
	Plan            bool    // says what the race takes, and runs nothing
	Compare         bool    // sets other ways to choose beside the plan
}

// check refuses what does not go together.
func (r *RaceRequest) check() error {
	if r.Compare && !r.Plan {
		return problem.Usage("add --plan", "--compare is of a plan")
	}
	if !r.Plan {
		return r.CheckParts("race")
	}
	for _, name := range []string{"resume", "fresh", "concurrency", "max-cost"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit one of them", "--plan runs nothing, so it has no --%s", name)
		}
	}
	return nil
}

// racers reads the suite, with the incumbent as the first of its variants.
func (r *RaceRequest) racers(a *world.World) (*suite.Suite, []suite.Variant, error) {
	s, err := suitefile.Named(a, r.Suite)
	if err != nil {
		return nil, nil, err
	}
	if len(s.Variants) == 0 {
		return nil, nil, problem.BadInput(fmt.Sprintf("the suite %s has no variants that could race", prose.FileName(s.File)),
			"such as variants: [{name: brief, env: {PROMPT: brief.md}}]")
	}
	arms := []suite.Variant{{Name: race.Incumbent, Agent: s.Agent}}
	for _, v := range s.Variants {
		if v.Name == race.Incumbent {
			return nil, nil, problem.BadInput(
				fmt.Sprintf("the suite %s has a variant called %s, which is the name of the current version",
					prose.FileName(s.File), race.Incumbent), "give it another name")
		}
		arms = append(arms, v)
	}
	return s, arms, nil
}

// options are what the race is judged by.
func (r *RaceRequest) options(s *suite.Suite, arms int) (race.Options, float64, error) {
	if !r.Given.Has("delta") {
		r.Delta = s.Test.Delta
	}
	if r.Given.Has("rate") && r.Rate <= r.Delta {
		return race.Options{}, 0, problem.Usage("give a smaller --delta", "%s %v must be above the delta %v",
			r.Given.Origin("rate"), r.Rate, r.Delta)
	}
	o, ratio, err := race.Options{
		Alpha: r.Looks.Share(r.Alpha), Beta: r.Looks.Share(r.Beta), Delta: r.Delta,
		Rate:      r.Rate,
		MaxRounds: r.MaxRounds, Worth: r.Worth,
	}.Plan(arms)
	if err != nil {
		return o, ratio, problem.Usage("give a larger --delta, or a larger --max-rounds", "no such race can be run: %v", err)
	}
	return o, ratio, nil
}

// Race finds the best of the variants, or says what that takes, and prints it.
func Race(ctx context.Context, a *world.World, r RaceRequest) error {
	if err := r.check(); err != nil {
		return err
	}
	s, arms, err := r.racers(a)
	if err != nil {
		return err
	}
	o, ratio, err := r.options(s, len(arms))
	if err != nil {
		return err
	}
	r.Override(s)
	if r.Plan {
		return r.planned(ctx, a, s, len(arms), o, ratio)
	}
	if err := r.DrawSeed(ctx, a, s, r.Looks.Ledger); err != nil {
		return err
	}
	run := &raceRun{RaceRequest: r, suite: s, arms: arms, options: o}
	result, to, err := run.try(ctx, a)
	if err != nil {
		return err
	}
	result.ExitCode = r.Result.Exit(a, result.Verdict, result.Reasons)
	if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
		return err
	}
	a.Notice("note", "the result is in %s", to.Path)
	err = r.Result.Conclude(ctx, a, nil, result)
	if problem.Is[problem.VerdictError](err) && run.raced != nil {
		r.Kind = "race"
		r.KeepRun(ctx, a, run.raced, result)
	}
	return err
}
