package compare

import (
	"context"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/internal/phrase"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Verify compares again from the trials. A comparison that does not hold
// them is verified from the counts of its scenarios.
func Verify(ctx context.Context, r *Result) (*recheck.Verification, error) {
	if err := recheck.CheckExit(r.Verdict, r.ExitCode); err != nil {
		return nil, err
	}
	o, err := r.options()
	if err != nil {
		return nil, err
	}
	if r.Trials == nil {
		return r.verifyCounts(ctx, o)
	}
	baseline, err := r.Trials.Baseline.Recording(r.Baseline.Name, r.Trials.Scenarios)
	if err != nil {
		return nil, recheck.Within("trials.baseline", err)
	}
	candidate, err := r.Trials.Candidate.Recording(r.Candidate.Name, r.Trials.Scenarios)
	if err != nil {
		return nil, recheck.Within("trials.candidate", err)
	}
	if n := baseline.Len() + candidate.Len(); n > recording.MostTrials || n > recording.MostValues && !r.Trials.NoMetrics {
		return nil, &verdict.DifferenceError{Path: "trials", Have: phrase.Plural(n, "trial"), Want: "as many as a result holds"}
	}
	again, err := Judge(ctx, baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	v := &recheck.Verification{Skipped: []string{}}
	w := &recheck.Walk{Given: []string{"exit_code", "behaviour", "behaviour_counts", "trials", "pairs.flips.baseline_output", "pairs.flips.candidate_output"}}
	if r.Trials.NoMetrics {
		w.Skip = partsOfMetrics
	}
	if r.Behaviour != nil {
		b, err := behaviour.VerifyPart(ctx, r.Behaviour, v)
		if err != nil {
			return nil, recheck.Within("behaviour", err)
		}
		again.AddBehaviour(b, r.BehaviourCounts)
	}
	if err := w.Compare(r, again); err != nil {
		return nil, err
	}
	v.Verdict, v.Compared = again.Verdict, v.Compared+w.Compared
	v.Skipped = append(w.Skipped, v.Skipped...)
	return v, nil
}

// partsOfMetrics are the parts of a comparison that follow from the metrics of its
// trials.
var partsOfMetrics = []string{
	"metrics", "warnings", "baseline.reliability.cost_per_success", "baseline.reliability.cost",
	"candidate.reliability.cost_per_success", "candidate.reliability.cost",
}

// options are those that the comparison was made with. Where no test was named, that
// which decided decides again.
func (r *Result) options() (Options, error) {
	o := Options{Delta: r.Delta, Alpha: r.Alpha, Beta: r.Beta, Rule: r.Rule, Correction: r.Correction, Errors: r.Errors, By: r.By, Test: &r.DecidedBy}
	for _, side := range []*Side{&r.Baseline, &r.Candidate} {
		if side.Interval != nil {
			if err := o.Interval.UnmarshalText([]byte(side.Interval.Method)); err != nil {
				return o, err
			}
			break
		}
	}
	if len(r.Metrics) > 0 {
		o.Seed = r.Metrics[0].Difference.Seed
	}
	return o, nil
}

// verifyCounts recomputes a comparison from the counts of its scenarios. What depends
// on single trials (pairs, metrics, behaviour) is not in it: where it decided, the
// tests of independent sides are recomputed and the verdict is not.
func (r *Result) verifyCounts(ctx context.Context, o Options) (*recheck.Verification, error) {
	baseline, candidate, err := r.recordings()
	if err != nil {
		return nil, err
	}
	test := r.DecidedBy
	paired := test == stats.McNemarTest
	if paired {
		test = stats.BoschlooTest
	}
	o.Test = &test
	again, err := Judge(ctx, baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	w := &recheck.Walk{Given: []string{"exit_code", "trials"}, Skip: append([]string{"pairs", "tests.mcnemar", "behaviour", "behaviour_counts"}, partsOfMetrics...)}
	if paired {
		w.Skip = append(w.Skip, "verdict", "reasons", "decided_by", "difference", "tests.noninferiority", "power", "more_trials")
		if err := r.verifyPairs(); err != nil {
			return nil, err
		}
	}
	if r.Behaviour != nil {
		w.Skip = append(w.Skip, "verdict", "reasons") // it may count
	}
	if err := w.Compare(r, again); err != nil {
		return nil, err
	}
	v := r.Verdict
	if !paired && r.Behaviour == nil {
		v = again.Verdict
	}
	return &recheck.Verification{Verdict: v, Compared: w.Compared, Skipped: append([]string{}, w.Skipped...)}, nil
}
