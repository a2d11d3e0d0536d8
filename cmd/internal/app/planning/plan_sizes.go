package planning

import (
	"context"
	"errors"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	verdictplan "github.com/tribunal-dev/tribunal/verdict/plan"
)

// Sizes ask how many trials to run or record, for a rate of the baseline that is supposed; a rate of 0 does not ask.
type Sizes struct {
	Sides, Recorded float64 // rates
	Candidates      int     // that are tested against what is recorded
	Scenarios       int     // of a suite that is asked one question; 0 does not ask
}

// suiteThreshold is that of a suite to start from.
const suiteThreshold = 0.9

// asked reports whether a number of trials is asked for, and no design.
func (s *Sizes) asked() bool { return s.Sides > 0 || s.Recorded > 0 || s.Scenarios > 0 }

// checkSizes refuses what has no meaning for the question.
func (r *PlanRequest) checkSizes() error {
	if len(r.Args) > 0 {
		return problem.Usage("omit it", "plan takes no argument, but there is %q", r.Args[0])
	}
	question, other := "sides", "baseline-trials"
	refused := []string{"gamma", "candidates"}
	if r.Sizes.Recorded > 0 {
		question, other, refused = other, question, nil
	}
	if r.Sizes.Scenarios > 0 {
		question, refused = "scenarios", []string{"sides", "gamma", "candidates"}
	}
	if r.Sizes.Sides > 0 && r.Sizes.Recorded > 0 {
		return problem.Usage("ask one after the other", "--%s and --%s are two questions", question, other)
	}
	// One question about scenarios is asked against a threshold, side by side, or against what is recorded.
	against := []string{"threshold", "side-by-side"}
	if r.Sizes.Scenarios > 0 {
		given := 0
		for _, name := range append(against, "baseline-trials") {
			if r.Given.Typed(name) {
				given++
			}
		}
		if given > 1 {
			return problem.Usage("leave the others out",
				"--threshold, --side-by-side and --baseline-trials say what is tested against, each another")
		}
		against = nil
	}
	refused = append(append(refused, against...), "baseline", "baseline-scenario", "method", "guard",
		"max-trials", "design", "prior", "prior-mode", "group", "looks", "price", "seconds", "chart", "compare", "variant")
	for _, name := range refused {
		if r.Given.Typed(name) {
			return problem.Usage("omit it", "--%s does not go with --%s", name, question)
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
	if r.Sizes.Scenarios > 0 {
		sizes = &verdictplan.Sizes{}
		if err := sizes.AskScenarios(ctx, r.suiteQuestion(), r.Sizes.Recorded); err != nil {
			return judging.DesignError(r.Given, r.Threshold, err)
		}
	} else if r.Sizes.Sides > 0 {
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

// suiteQuestion is what is asked of scenarios together; the defaults are those of a suite.
func (r *PlanRequest) suiteQuestion() stratified.Question {
	q := stratified.Question{
		Scenarios: r.Sizes.Scenarios, Threshold: r.Threshold, Delta: r.Design.Delta, Alpha: r.Alpha, Beta: r.Design.Beta,
	}
	switch {
	case r.SideBySide:
		q.Sides = stratified.SideBySide
	case r.Sizes.Recorded > 0:
		q.Sides = stratified.Stored
	case q.Threshold == 0:
		q.Threshold = suiteThreshold
	}
	t := suite.Test{By: suite.BySuite}
	t.Threshold = q.Threshold
	q.Floor.From, q.Floor.To = t.Floor()
	return q
}
