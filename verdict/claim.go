package verdict

import (
	"fmt"
)

// Claim is a verdict with the interval that is printed beside it. The larger the value that both are about, the better.
//
// The level of an interval is its own: one of 95 % may hold what a Pass rules out at a false Pass of 10 %. But a
// verdict never contradicts it: see [Claim.Contradicts].
type Claim struct {
	Path      string // of the interval in the result
	Verdict   Verdict
	Low, High float64 // the interval
	Bad, Good float64 // a Pass says that the value is above Bad, and a Fail that it is below Good
}

// Contradicts reports whether the interval rules out what the verdict says: that of a Pass lies wholly below Bad, or
// that of a Fail wholly above Good. Inconclusive says nothing.
func (c Claim) Contradicts() bool {
	return c.Verdict == Pass && c.High < c.Bad || c.Verdict == Fail && c.Low > c.Good
}

// CheckClaims returns a [DifferenceError] for the first claim whose interval contradicts its verdict.
func CheckClaims(claims []Claim) error {
	for _, c := range claims {
		if c.Contradicts() {
			return &DifferenceError{c.Path, fmt.Sprintf("%v to %v", c.Low, c.High),
				fmt.Sprintf("%s, which that rules out", c.Verdict)}
		}
	}
	return nil
}

// Claims are the verdicts on rates with their intervals. Where every scenario must hold, the verdict on the suite is
// not one on its rate.
func (r *ThresholdResult) Claims() (list []Claim) {
	add := func(path string, v Verdict, i *Interval) {
		if i != nil {
			list = append(list, Claim{path, v, i.Low, i.High, r.Threshold, r.Threshold})
		}
	}
	if r.Suite != nil && r.By == BySuite {
		add("suite.interval", r.Suite.Verdict, r.Suite.Interval)
	}
	for i, s := range r.Scenarios {
		add(fmt.Sprintf("scenarios[%d].interval", i), s.Verdict, s.Interval)
	}
	if l := r.Labels; l != nil {
		add("labels.certified.interval", l.Certified.Verdict, &l.Certified.Interval)
		add("labels.calibrated.interval", l.Calibrated.Verdict, &l.Calibrated.Interval)
	}
	return list
}
