package mean

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Rejudge judges again from the scores, all of which a result holds.
func (r *Result) Rejudge(context.Context) (*rejudged.Result, error) {
	total := 0
	for i, s := range r.Scenarios {
		path := fmt.Sprintf("scenarios[%d]", i)
		if s.Unscored < 0 || s.Unscored > stats.MaxTrials-total {
			return nil, &verdict.DifferenceError{Path: path + ".unscored", Have: fmt.Sprint(s.Unscored), Want: "trials"}
		}
		total += s.Unscored
		for k, v := range s.Values {
			if v.Times < 1 || v.Times > stats.MaxTrials-total || !(v.Value >= 0 && v.Value <= 1) ||
				k > 0 && !(v.Value > s.Values[k-1].Value) {
				return nil, &verdict.DifferenceError{Path: fmt.Sprintf("%s.values[%d]", path, k),
					Have: fmt.Sprintf("%d of %v", v.Times, v.Value), Want: "scores from 0 to 1, by rising value"}
			}
			total += v.Times
		}
	}
	again, err := Judge(r.Scenarios, Options{Threshold: r.Threshold, Alpha: r.Alpha, Errors: r.Errors})
	if err != nil {
		return nil, &verdict.DifferenceError{Path: "threshold", Have: fmt.Sprint(r.Threshold), Want: err.Error()}
	}
	return &rejudged.Result{Again: again}, nil
}

// Claims are the verdict with the interval of the mean.
func (r *Result) Claims() []verdict.Claim {
	if r.Interval == nil {
		return nil
	}
	return []verdict.Claim{{Path: "interval", Verdict: r.Verdict, Low: r.Interval.Low, High: r.Interval.High,
		Bad: r.Threshold, Good: r.Threshold}}
}
