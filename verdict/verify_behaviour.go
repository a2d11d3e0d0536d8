package verdict

import (
	"context"
	"fmt"
)

// verifyBehaviour compares behaviour again, from what is known of the trials. One that
// does not hold it is taken as it is.
func verifyBehaviour(b *Behaviour, v *Verification) (*Behaviour, error) {
	if b == nil {
		return nil, nil
	}
	if b.Trials == nil {
		v.Skipped = append(v.Skipped, "behaviour")
		return b, nil
	}
	again, err := b.Trials.compare(BehaviourOptions{Alpha: b.Alpha, Seed: b.Seed})
	if err != nil {
		return nil, err
	}
	w := &comparisonWalk{given: []string{"trials"}}
	if err := w.compare(b, again); err != nil {
		return nil, err
	}
	v.Compared += w.compared
	return again, nil
}

func (t *BehaviourTrials) compare(o BehaviourOptions) (*Behaviour, error) {
	if t.Baseline == nil || t.Candidate == nil {
		return nil, &DifferenceError{"trials", "of one side", "trials of both"}
	}
	if n := t.Baseline.Numbers() + t.Candidate.Numbers(); n > mostBehaviourNumbers {
		return nil, &DifferenceError{"trials", fmt.Sprintf("%d numbers", n), fmt.Sprintf("at most %d", mostBehaviourNumbers)}
	}
	baseline, err := t.Baseline.Sample()
	if err != nil {
		return nil, &DifferenceError{"trials.baseline", err.Error(), "counts of trials"}
	}
	candidate, err := t.Candidate.Sample()
	if err != nil {
		return nil, &DifferenceError{"trials.candidate", err.Error(), "counts of trials"}
	}
	return CompareBehaviour(context.Background(), baseline, candidate, o)
}

// verifyBehaviourResult verifies a verdict on behaviour alone.
func verifyBehaviourResult(r *BehaviourResult) (*Verification, error) {
	if r.Behaviour == nil || r.Behaviour.Trials == nil {
		return nil, fmt.Errorf("%w: the trials were more than a result holds, or it is of an older version", ErrNoOutcomes)
	}
	if err := checkExit(r.Verdict, r.ExitCode); err != nil {
		return nil, err
	}
	v := &Verification{Skipped: []string{}}
	b, err := verifyBehaviour(r.Behaviour, v)
	if err != nil {
		return nil, within("behaviour", err)
	}
	again := JudgeBehaviour(r.Baseline, r.Candidate, b)
	w := &comparisonWalk{given: []string{"exit_code", "behaviour"}}
	if err := w.compare(r, again); err != nil {
		return nil, err
	}
	v.Verdict, v.Compared = again.Verdict, v.Compared+w.compared
	return v, nil
}
