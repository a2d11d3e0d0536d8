package planning

import (
	"context"
	"errors"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/verdict"
	verdictplan "github.com/tribunal-dev/tribunal/verdict/plan"
)

// Sizes ask how many trials to run or record, for a rate of the baseline that is supposed; a rate of 0 does not ask.
type Sizes struct {
	Sides, Recorded float64 // rates
	Candidates      int     // that are tested against what is recorded
}

// asked reports whether a number of trials is asked for, and no design.
func (s *Sizes) asked() bool { return s.Sides > 0 || s.Recorded > 0 }

// checkSizes refuses what has no meaning for the question.
func (r *PlanRequest) checkSizes() error {
	if len(r.Args) > 0 {
		return problem.Usage("leave it out", "plan takes no argument, but there is %q", r.Args[0])
	}
	question, other := "sides", "baseline-trials"
	refused := []string{"gamma", "candidates"}
	if r.Sizes.Recorded > 0 {
		question, other, refused = other, question, nil
	}
	if r.Sizes.Sides > 0 && r.Sizes.Recorded > 0 {
		return problem.Usage("ask one after the other", "--%s and --%s are two questions", question, other)
	}
	refused = append(refused, "threshold", "side-by-side", "baseline", "baseline-scenario", "method", "guard",
		"max-trials", "design", "prior", "prior-mode", "group", "looks", "price", "seconds", "chart", "compare", "variant")
	for _, name := range refused {
		if r.Given.Typed(name) {
			return problem.Usage("leave it out", "--%s does not go with --%s", name, question)
		}
	}
	return nil
}

// planSizes says how many trials to run or record.
func (r *PlanRequest) planSizes(ctx context.Context, a *world.World) error {
	if err := r.checkSizes(); err != nil {
		return err
	}
	to, err := r.Result.File(ctx, a, nil)
	if err != nil {
		return err
	}
	var sizes *verdictplan.Sizes
	delta, alpha, beta := r.Design.Delta, r.Alpha, r.Design.Beta
	if r.Sizes.Sides > 0 {
		sizes, err = verdictplan.SidesFor(ctx, r.Sizes.Sides, delta, alpha, beta)
	} else {
		sizes, err = verdictplan.RecordedFor(ctx, r.Against.Question(delta, alpha, beta), r.Sizes.Recorded,
			r.Sizes.Candidates)
	}
	if e, ok := errors.AsType[*verdict.OptionError](err); ok {
		return problem.Usage("the rate must leave room for a drop of --delta, which must not be too small", "%s %v %s",
			e.Option,
			e.Value, e.Problem)
	}
	if err != nil {
		return judging.AgainstError(r.Given, r.Design.Delta, err)
	}
	return r.Result.DeliverWith(ctx, a, to, sizes, r.Result.TextOptions(a, to))
}
