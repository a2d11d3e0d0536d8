package behaviour

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	h := verdict.Header{Schema: r.Schema, Judged: true, Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons}
	if r.Behaviour != nil {
		h.Warnings = r.Behaviour.Warnings
	}
	return h
}

// Rejudge compares behaviour again, from what is known of the trials. Standing alone, a
// comparison without that cannot be verified at all, which is an error here.
func (r *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	if r.Behaviour == nil || r.Behaviour.Trials == nil || r.Behaviour.Edition == 0 {
		return nil, fmt.Errorf("%w: the trials were more than a result holds, or it is of an older version",
			verdict.ErrNoOutcomes)
	}
	part, err := r.Behaviour.Rejudge(ctx)
	if err != nil {
		return nil, recheck.Within("behaviour", err)
	}
	found := &rejudged.Result{Again: Judge(r.Baseline, r.Candidate, part.Again.(*Comparison))}
	found.Include("behaviour", r.Behaviour, part)
	return found, nil
}

// Rejudge compares behaviour again, as a part of a result. One that does not hold what is
// known of the trials is taken as it is.
func (b *Comparison) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	switch {
	// Earlier editions compared by tests that this version does not have.
	case b.Trials == nil, b.Edition == 0:
		return rejudged.AsItIs(b), nil
	case b.Edition < excludes || b.Edition > Edition:
		return nil, &verdict.DifferenceError{Path: "edition", Have: fmt.Sprint(b.Edition), Want: fmt.Sprint(Edition)}
	}
	o := Options{
		Alpha: b.Alpha, Explained: b.Explained, Seed: b.Seed, Shift: b.Shift, Beta: b.Beta, saved: b.Edition,
		Drawn: b.Drawn,
	}
	if d := b.Drawn; d != nil && (d.Baseline < b.Baseline || d.Candidate < b.Candidate) {
		return nil, &verdict.DifferenceError{Path: "drawn", Have: fmt.Sprintf("%d and %d trials", d.Baseline, d.Candidate),
			Want: fmt.Sprintf("at least the %d and %d that were compared", b.Baseline, b.Candidate)}
	}
	// The second edition had one test alone.
	err := o.Test.UnmarshalText([]byte(b.Test))
	if err != nil || b.Edition < Edition && o.Test != fingerprint.PermutationT2 {
		return nil, &verdict.DifferenceError{Path: "test", Have: fmt.Sprintf("%q", b.Test), Want: "the name of a test"}
	}
	if o.Explained != 0 && (o.Test != fingerprint.HotellingT2 || !(o.Explained > 0 && o.Explained <= 1)) {
		return nil, &verdict.DifferenceError{Path: "explained_variance", Have: fmt.Sprint(o.Explained),
			Want: "a share that hotelling-t2 was asked for"}
	}
	again, err := b.Trials.compare(ctx, o)
	found := &rejudged.Result{Again: again, Given: []string{"trials"}}
	if b.Drawn != nil {
		found.Given = append(found.Given, "drawn") // the other trials are not in the result
	}
	return found, err
}

// compare makes samples of the saved counts and compares them as the first time; more
// numbers than [Compare] saves are refused, since permutations of them could take for ever.
func (t *Trials) compare(ctx context.Context, o Options) (*Comparison, error) {
	if t.Baseline == nil || t.Candidate == nil {
		return nil, &verdict.DifferenceError{Path: "trials", Have: "of one side", Want: "trials of both"}
	}
	if n := t.Baseline.Numbers() + t.Candidate.Numbers(); n > mostBehaviourNumbers {
		return nil, &verdict.DifferenceError{Path: "trials", Have: fmt.Sprintf("%d numbers", n),
			Want: fmt.Sprintf("at most %d", mostBehaviourNumbers)}
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

// Problem says what of a saved result does not fit together, so that it could not even be shown; "" is nothing.
func (r *Result) Problem() string {
	if r.Behaviour == nil {
		return "behaviour is missing"
	}
	return ""
}
