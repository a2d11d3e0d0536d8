package design

import "github.com/tribunal-dev/tribunal/sprt/baseline"

// RecordedBaseline is what a baseline that was recorded before came to. How it was sampled, the
// family of the test against it says.
type RecordedBaseline struct {
	Passes int `json:"passes"`           // among Trials, with those that have no outcome
	Trials int `json:"trials"`           // judged
	Errors int `json:"errors,omitempty"` // without an outcome
	// What it came to with these as failures; nil without errors. A sequential run may have
	// ended elsewhere then.
	Worst *BaselineCount `json:"errors_failed,omitempty"`
}

// BaselineCount is another way to count a baseline.
type BaselineCount struct {
	Passes int `json:"passes"` // among Trials
	Trials int `json:"trials"` // judged
}

// RecordedOf is the form of what a baseline came to, with trials that have no outcome as
// passes, and as failures.
func RecordedOf(outcome, worst baseline.Outcome, errors int) RecordedBaseline {
	r := RecordedBaseline{Passes: outcome.Passes(), Trials: outcome.Trials, Errors: errors}
	if worst != outcome {
		r.Worst = &BaselineCount{worst.Passes(), worst.Trials}
	}
	return r
}

// Rate is the share of passes.
func (r RecordedBaseline) Rate() float64 { return float64(r.Passes) / float64(r.Trials) }

// Outcome is what it came to with trials that have no outcome as passes.
func (r RecordedBaseline) Outcome() baseline.Outcome {
	return baseline.Outcome{Trials: r.Trials, Failures: r.Trials - r.Passes}
}

// WithErrorsFailed is what it came to with trials that have no outcome as failures.
func (r RecordedBaseline) WithErrorsFailed() baseline.Outcome {
	if r.Worst == nil {
		return r.Outcome()
	}
	return baseline.Outcome{Trials: r.Worst.Trials, Failures: r.Worst.Trials - r.Worst.Passes}
}

// Problem says what is wrong with the counts; "" if nothing is.
func (r RecordedBaseline) Problem() string {
	for _, o := range []baseline.Outcome{r.Outcome(), r.WithErrorsFailed()} {
		if o.Trials < 1 || o.Failures < 0 || o.Failures > o.Trials {
			return "counts that no trials have"
		}
	}
	// A fixed number of trials is the same either way.
	same := r.Worst != nil && r.Worst.Trials == r.Trials
	if r.Errors < 0 || (r.Errors > 0) != (r.Worst != nil) || same && r.Passes-r.Worst.Passes != r.Errors {
		return "errors that do not fit the counts"
	}
	return ""
}
