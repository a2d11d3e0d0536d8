package runs

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// Problem says what of a saved run does not fit together, so that it could not even be shown; "" if nothing does not.
// Judged trials are a prefix of the outcomes, and a design has a boundary for each trial.
func (r *Result) Problem() string {
	for i := range r.Tests {
		if t := &r.Tests[i]; t.Trials < 0 || t.Trials > len(t.Outcomes) {
			return fmt.Sprintf("scenarios[%d].trials is %d, and there are %d outcomes", i, t.Trials, len(t.Outcomes))
		}
		if problem := r.Tests[i].problem(); problem != "" {
			return fmt.Sprintf("scenarios[%d].%s", i, problem)
		}
	}
	return r.amountsProblem()
}

// problem is that of the design of a test and of what it has of a baseline.
func (t *Test) problem() string {
	x := t.Regression
	if t.Standing != "" {
		return "" // it has no design of its own
	}
	// A baseline alone may decide.
	if x == nil || t.Design.MaxTrials != 0 {
		if problem := t.Design.Problem(); problem != "" {
			return "design: " + problem
		}
	}
	if x == nil {
		return ""
	}
	if b := x.Boundaries; b != nil {
		saved := design.Design{MaxTrials: len(b.PassAtOrBelow), Boundaries: *b}
		if problem := saved.Problem(); problem != "" {
			return "regression.boundaries: " + problem
		}
	}
	if x.Outcomes != "" && len(x.Outcomes) != len(t.Outcomes) {
		return fmt.Sprintf("regression.baseline_outcomes has %d trials, and outcomes %d", len(x.Outcomes), len(t.Outcomes))
	}
	return ""
}

// mostAttempts is how many attempts a trial may have whose amounts are added up. It is far more than a suite can ask
// for, and sums over all trials of a result stay finite.
const mostAttempts = 1000

// amountsProblem says which trial of a run took what no trial can; "" if none did. Everything that is summed up,
// projected or drawn of a result goes back to these.
func (r *Result) amountsProblem() string {
	for i := range r.Trials {
		t := &r.Trials[i]
		for _, a := range []struct {
			name  string
			value *float64
		}{{"cost_usd", t.CostUSD}, {"duration_s", t.Duration}} {
			if problem := amountProblem(a.value, mostAttempts*trial.MaxAmount); problem != "" {
				return fmt.Sprintf("trials[%d].%s %s", i, a.name, problem)
			}
		}
		for _, n := range []struct {
			name  string
			value *int64
		}{{"input_tokens", t.InputTokens}, {"output_tokens", t.OutputTokens}} {
			if n.value != nil && (*n.value < 0 || *n.value > mostAttempts*trial.MaxTokens) {
				return fmt.Sprintf("trials[%d].%s is %d, which no trial takes", i, n.name, *n.value)
			}
		}
	}
	return ""
}

// amountProblem says what is wrong with an amount; "" if nothing is.
func amountProblem(x *float64, most float64) string {
	if x == nil || *x >= 0 && *x <= most {
		return ""
	}
	return fmt.Sprintf("is %v, which no trial takes", *x)
}
