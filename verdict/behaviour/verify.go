package behaviour

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
)

// VerifyPart compares behaviour again, from what is known of the trials. One that
// does not hold it is taken as it is.
func VerifyPart(ctx context.Context, b *Comparison, v *recheck.Verification) (*Comparison, error) {
	if b == nil {
		return nil, nil
	}
	if b.Trials == nil {
		v.Skipped = append(v.Skipped, "behaviour")
		return b, nil
	}
	again, err := b.Trials.compare(ctx, Options{Alpha: b.Alpha, Seed: b.Seed})
	if err != nil {
		return nil, err
	}
	w := &recheck.Walk{Given: []string{"trials"}}
	if err := w.Compare(b, again); err != nil {
		return nil, err
	}
	v.Compared += w.Compared
	return again, nil
}

func (t *Trials) compare(ctx context.Context, o Options) (*Comparison, error) {
	if t.Baseline == nil || t.Candidate == nil {
		return nil, &verdict.DifferenceError{Path: "trials", Have: "of one side", Want: "trials of both"}
	}
	if n := t.Baseline.Numbers() + t.Candidate.Numbers(); n > mostBehaviourNumbers {
		return nil, &verdict.DifferenceError{Path: "trials", Have: fmt.Sprintf("%d numbers", n), Want: fmt.Sprintf("at most %d", mostBehaviourNumbers)}
	}
	baseline, err := t.Baseline.Sample()
	if err != nil {
		return nil, &verdict.DifferenceError{Path: "trials.baseline", Have: err.Error(), Want: "counts of trials"}
	}
	candidate, err := t.Candidate.Sample()
	if err != nil {
		return nil, &verdict.DifferenceError{Path: "trials.candidate", Have: err.Error(), Want: "counts of trials"}
	}
	return Compare(ctx, baseline, candidate, o)
}

// Verify verifies a verdict on behaviour alone.
func Verify(ctx context.Context, r *Result) (*recheck.Verification, error) {
	if r.Behaviour == nil || r.Behaviour.Trials == nil {
		return nil, fmt.Errorf("%w: the trials were more than a result holds, or it is of an older version", verdict.ErrNoOutcomes)
	}
	if err := recheck.CheckExit(r.Verdict, r.ExitCode); err != nil {
		return nil, err
	}
	v := &recheck.Verification{Skipped: []string{}}
	b, err := VerifyPart(ctx, r.Behaviour, v)
	if err != nil {
		return nil, recheck.Within("behaviour", err)
	}
	again := Judge(r.Baseline, r.Candidate, b)
	w := &recheck.Walk{Given: []string{"exit_code", "behaviour"}}
	if err := w.Compare(r, again); err != nil {
		return nil, err
	}
	v.Verdict, v.Compared = again.Verdict, v.Compared+w.Compared
	return v, nil
}
