package design

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Problem says what keeps a design from being shown, such as boundaries of another number
// than its trials; "" if nothing does. It is cheap: neither digest nor errors are computed.
func (s Design) Problem() string {
	pass, fail := len(s.Boundaries.PassAtOrBelow), len(s.Boundaries.FailAtOrAbove)
	if pass != s.MaxTrials || fail != s.MaxTrials {
		return fmt.Sprintf("max_trials is %d, and there are %d and %d boundaries", s.MaxTrials, pass, fail)
	}
	if err := s.Boundaries.Test().Validate(); err != nil {
		return err.Error()
	}
	return ""
}

// Design identifies the design of a sequential verdict.
type Design struct {
	Kind       string     `json:"kind"`       // such as "optimal" or "wald"
	MaxTrials  int        `json:"max_trials"` // at which it ends at the latest
	Alpha      float64    `json:"alpha"`      // exact
	Beta       float64    `json:"beta"`       // exact probability of a false Pass at the lower rate
	Digest     string     `json:"digest"`     // identifies hypotheses and boundaries
	Boundaries Boundaries `json:"boundaries"` // when it stops
}

// Estimate is what the end of the test says of the pass rate.
type Estimate struct {
	// Of the pass rate, with all errors as failures where there are any: as often too high as too low,
	// but where the rate is so near to 1 that most runs end with the first possible Pass.
	MedianUnbiased float64 `json:"median_unbiased"`
	// Of the pass rate, with all errors as failures: right on average over all ends of the test.
	Unbiased float64 `json:"unbiased"`
	Naive    float64 `json:"naive"` // passes over trials, which stopping biases
	// The same with all errors as passes; nil where there are none. Of a test with errors neither is
	// unbiased: the rate is estimated to lie between the two.
	ErrorsPassed *PointEstimates `json:"errors_passed,omitempty"`
	Level        float64         `json:"level"` // confidence of the interval, from 0 to 1
	// Lower limit of the pass rate; with errors that of all of them as failures.
	Low float64 `json:"low"`
	// Upper limit of the pass rate; with errors that of all of them as passes. So the interval covers
	// whatever the errors would have been, and whatever they depend on.
	High float64 `json:"high"`
	// Of the ends of the test, by which p-values are taken: "stage-wise".
	Ordering string `json:"ordering"`
}

// PointEstimates are estimates of the pass rate for one way of counting errors.
type PointEstimates struct {
	MedianUnbiased float64 `json:"median_unbiased"` // as in [Estimate]
	Unbiased       float64 `json:"unbiased"`        // as in [Estimate]
	Naive          float64 `json:"naive"`           // passes over trials
}

// EstimateOf is what a test says of the pass rate that ended in one place with all errors as failures and
// in another with all as passes; without errors the two are one. Alpha is the error of the interval.
//
// Trial for trial the first is at most, the second at least what would have come of trials without errors.
// The limits rise with the end in the stage-wise ordering, and so the lower one of the first and the upper
// one of the second are not inside the interval that those trials would have given.
func EstimateOf(b sprt.Boundaries, failed, passed sprt.End, alpha float64) (*Estimate, error) {
	low, err := b.Estimate(failed.Trials, failed.Failures, alpha)
	if err != nil {
		return nil, err
	}
	e := &Estimate{
		MedianUnbiased: low.MedianUnbiased, Unbiased: low.Unbiased, Naive: low.Naive, Level: low.Level,
		Low: low.Interval.Low, High: low.Interval.High, Ordering: "stage-wise",
	}
	if failed == passed {
		return e, nil
	}
	high, err := b.Estimate(passed.Trials, passed.Failures, alpha)
	if err != nil {
		return nil, err
	}
	e.ErrorsPassed = &PointEstimates{high.MedianUnbiased, high.Unbiased, high.Naive}
	e.High = high.Interval.High
	return e, nil
}

// Savings sets the trials against the fixed sample size.
type Savings struct {
	FixedTrials int `json:"fixed_trials"` // that the classical test of the same errors takes
	Trials      int `json:"trials"`       // that were judged
}

// Rebuild rebuilds a design that tells apart the hypotheses h; it must be the one that the
// digest names, so that neither they nor the boundaries can have been changed alone. The
// path is where the design stands in the document, for the [verdict.DifferenceError].
func (s Design) Rebuild(path string, h sprt.Hypotheses) (sprt.Design, error) {
	path = rejudged.Join(path, "design")
	d := sprt.Design{Hypotheses: h, Boundaries: s.Boundaries.Test()}
	var err error
	if d.Kind, err = sprt.ParseKind(s.Kind); err != nil {
		return d, &verdict.DifferenceError{Path: path + ".kind", Have: fmt.Sprintf("%q", s.Kind),
			Want: "a kind of design that is known"}
	}
	if err := d.Boundaries.Validate(); err != nil {
		return d, &verdict.DifferenceError{Path: path + ".boundaries", Have: err.Error(), Want: "boundaries of a test"}
	}
	// A recording tells nothing apart.
	if err := h.Validate(); err != nil && !(d.Kind == sprt.RecordingKind && h == sprt.Hypotheses{}) {
		return d, &verdict.DifferenceError{Path: path, Have: err.Error(), Want: "hypotheses of a test"}
	}
	if digest := d.Digest(); digest != s.Digest {
		return d, &verdict.DifferenceError{Path: path + ".digest", Have: s.Digest, Want: digest}
	}
	return d, nil
}
