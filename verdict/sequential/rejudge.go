package sequential

import (
	"context"
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	return verdict.Header{
		Schema: r.Schema, Judged: true, Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Warnings: r.Warnings,
	}
}

// Rejudge judges the recording again. A result that does not hold it is followed along
// its path through the boundaries: where errors lay is not known then, so with errors the
// verdict may also be Inconclusive.
func (r *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	found, err := r.rejudge(ctx)
	if err != nil {
		return nil, err
	}
	if err := verdict.CheckAnswersAmong("identical_answers", r.Answers, r.Recorded); err != nil {
		return nil, err
	}
	found.Again.(*Result).Repeat(r.Answers)
	found.Given = append(found.Given, "identical_answers")
	return found, nil
}

func (r *Result) rejudge(ctx context.Context) (*rejudged.Result, error) {
	o, err := r.options()
	if err != nil {
		return nil, err
	}
	if r.Recording != nil {
		return r.rejudgeRecording(ctx, o)
	}
	// The path says after each judged trial how many failed; its steps are the outcomes.
	followed := &recording.Recording{}
	before := 0
	for i, failures := range r.Path {
		step := failures - before
		if step != 0 && step != 1 {
			return nil, &verdict.DifferenceError{Path: fmt.Sprintf("path[%d]", i), Have: fmt.Sprint(failures),
				Want: fmt.Sprintf("%d or %d", before, before+1)}
		}
		before = failures
		followed.Add(&trial.Trial{Outcome: map[int]trial.Outcome{0: trial.Pass, 1: trial.Fail}[step]})
	}
	// The path has no errors, and it is in the order of the judgement already.
	o.Errors, o.Order = verdict.ExcludeErrors, FileOrder
	again, err := judge(ctx, followed, o, min(r.Edition, thirdEdition), 0)
	if err != nil {
		return nil, r.impossible(err)
	}
	// What it was asked for is taken over. What the path does not tell is skipped below.
	again.Errors, again.Order, again.Seed = r.Errors, r.Order, r.Seed
	skip := []string{"recorded", "saved", "warnings"}
	// Scenarios are not to be seen from the path: it may have been opened for those without a turn.
	if r.Edition > FirstEdition && r.Order == FileOrder && r.Verdict == verdict.Inconclusive && r.Estimate == nil {
		again.Verdict = verdict.Inconclusive
		skip = append(skip, "reasons", "estimate", "against.p_unchanged", "against.p_dropped", "against.difference")
	}
	// Nor are those that have collapsed.
	if again.Verdict == verdict.Pass && r.Edition >= thirdEdition && r.Verdict == verdict.Inconclusive {
		again.Verdict = verdict.Inconclusive
		skip = append(skip, "reasons")
	}
	if r.Errors == verdict.FailErrors {
		skip = append(skip, "errors_in") // failures of the path
	} else if r.ErrorsIn > 0 {
		skip = append(skip, "errors_in", "reasons", "against.p_unchanged", "against.p_dropped", "against.difference")
		// With errors it may have been opened: that is not to be seen from the path.
		if r.Verdict == verdict.Inconclusive {
			again.Verdict = verdict.Inconclusive
		}
	}
	return &rejudged.Result{Again: again, Skip: skip}, nil
}

// rejudgeRecording has all that the first judgement had, and skips nothing.
func (r *Result) rejudgeRecording(ctx context.Context, o Options) (*rejudged.Result, error) {
	followed, err := r.Recording.Recording("", r.Recording.Scenarios)
	if err != nil {
		return nil, recheck.Within("recording", err)
	}
	o.Errors, o.Order = r.Errors, r.Order
	seed := r.Seed
	if r.Edition > FirstEdition {
		if seed = 0; o.Order == ShuffleOrder {
			seed = ShuffleSeed(followed)
		}
	}
	again, err := judge(ctx, followed, o, min(r.Edition, thirdEdition), seed)
	return &rejudged.Result{Again: again}, r.impossible(err)
}

// options rebuilds the design, or reads the family again.
func (r *Result) options() (o Options, err error) {
	if r.Against == nil {
		o.Design, err = r.Design.Rebuild("", sprt.Hypotheses{Threshold: r.Threshold, Delta: r.Delta, Alpha: r.Alpha,
			Beta: r.Beta})
		return o, err
	}
	family, err := r.Against.Family.Family()
	if err != nil {
		return o, &verdict.DifferenceError{Path: "against.family", Have: err.Error(), Want: "a test against a baseline"}
	}
	o.Against = &AgainstOptions{Family: family, Recorded: r.Against.Baseline, Source: r.Against.Source}
	return o, nil
}

// impossible is the difference where the family has no test for what the baseline is said to
// have come to; other errors are returned as they are.
func (r *Result) impossible(err error) error {
	if e, ok := errors.AsType[*baseline.OutcomeError](err); ok {
		return &verdict.DifferenceError{Path: "against.baseline",
			Have: fmt.Sprintf("%d of %d", r.Against.Baseline.Passes, r.Against.Baseline.Trials), Want: e.Error()}
	}
	return err
}

// Problem says what of a saved result does not fit together, so that it could not even be shown; "" is nothing.
// The path is read beside the boundaries.
func (r *Result) Problem() string {
	if len(r.Path) > r.Design.MaxTrials {
		return fmt.Sprintf("path has %d trials, and the design %d", len(r.Path), r.Design.MaxTrials)
	}
	if problem := r.Design.Problem(); problem != "" {
		return "design: " + problem
	}
	if r.Against == nil {
		return ""
	}
	if problem := r.Against.Baseline.Problem(); problem != "" {
		return "against.baseline: " + problem
	}
	return ""
}
