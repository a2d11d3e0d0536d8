package verdict

import (
	"github.com/tribunal-dev/tribunal/stats"
)

// verifyComparison compares again from the trials. A comparison that does not hold
// them is verified from the counts of its scenarios.
func verifyComparison(r *Comparison) (*Verification, error) {
	if err := checkExit(r.Verdict, r.ExitCode); err != nil {
		return nil, err
	}
	o, err := r.options()
	if err != nil {
		return nil, err
	}
	if r.Trials == nil {
		return r.verifyCounts(o)
	}
	baseline, err := r.Trials.Baseline.recording(r.Baseline.Name, r.Trials.Scenarios)
	if err != nil {
		return nil, within("trials.baseline", err)
	}
	candidate, err := r.Trials.Candidate.recording(r.Candidate.Name, r.Trials.Scenarios)
	if err != nil {
		return nil, within("trials.candidate", err)
	}
	if n := baseline.Len() + candidate.Len(); n > mostComparedTrials || n > mostComparedValues && !r.Trials.NoMetrics {
		return nil, &DifferenceError{"trials", plural(n, "trial"), "as many as a result holds"}
	}
	again, err := Compare(baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	v := &Verification{Skipped: []string{}}
	w := &comparisonWalk{given: []string{"exit_code", "behaviour", "behaviour_counts", "trials", "pairs.flips.baseline_output", "pairs.flips.candidate_output"}}
	if r.Trials.NoMetrics {
		w.skip = partsOfMetrics
	}
	if r.Behaviour != nil {
		b, err := verifyBehaviour(r.Behaviour, v)
		if err != nil {
			return nil, within("behaviour", err)
		}
		again.AddBehaviour(b, r.BehaviourCounts)
	}
	if err := w.compare(r, again); err != nil {
		return nil, err
	}
	v.Verdict, v.Compared = again.Verdict, v.Compared+w.compared
	v.Skipped = append(w.skipped, v.Skipped...)
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
func (r *Comparison) options() (CompareOptions, error) {
	o := CompareOptions{Delta: r.Delta, Alpha: r.Alpha, Beta: r.Beta, Rule: r.Rule, Correction: r.Correction, Errors: r.Errors, By: r.By, Test: &r.DecidedBy}
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
func (r *Comparison) verifyCounts(o CompareOptions) (*Verification, error) {
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
	again, err := Compare(baseline, candidate, o)
	if err != nil {
		return nil, err
	}
	w := &comparisonWalk{given: []string{"exit_code", "trials"}, skip: append([]string{"pairs", "tests.mcnemar", "behaviour", "behaviour_counts"}, partsOfMetrics...)}
	if paired {
		w.skip = append(w.skip, "verdict", "reasons", "decided_by", "difference", "tests.noninferiority", "power", "more_trials")
		if err := r.verifyPairs(); err != nil {
			return nil, err
		}
	}
	if r.Behaviour != nil {
		w.skip = append(w.skip, "verdict", "reasons") // it may count
	}
	if err := w.compare(r, again); err != nil {
		return nil, err
	}
	v := r.Verdict
	if !paired && r.Behaviour == nil {
		v = again.Verdict
	}
	return &Verification{v, w.compared, append([]string{}, w.skipped...)}, nil
}
