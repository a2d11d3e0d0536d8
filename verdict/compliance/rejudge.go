package compliance

import (
	"context"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// mostListed is how many violations of a clause a summary keeps (maxFound of package
// trial/oracle/contract): a clause with more places lists exactly so many.
const mostListed = 100

// mostPromised is the most trials in a row that a promise is verified for, so that a forged
// document cannot take for ever; the number is chosen.
const mostPromised = 1_000_000

// Rejudge judges again from the counts of trials. Which trials in a row satisfy the
// promise depends on their order, which a result does not hold.
func (r *Result) Rejudge(context.Context) (*rejudged.Result, error) {
	again := &Result{
		Schema: Schema, Contract: r.Contract, Digest: r.Digest, Alpha: r.Alpha, Clauses: []Clause{},
		Warnings: []verdict.Warning{},
	}
	var err error
	if again.Trials, err = r.Trials.again(r.Trials.Trials, r.Alpha); err != nil {
		return nil, recheck.Within("trials", err)
	}
	// What the contract says of a clause is taken as it is; its counts are measured again.
	for i, c := range r.Clauses {
		if err = c.check(); err == nil {
			c.Counts, err = c.again(r.Trials.Trials, r.Alpha)
		}
		if err != nil {
			return nil, recheck.Within(fmt.Sprintf("clauses[%d]", i), err)
		}
		again.Clauses = append(again.Clauses, c)
	}
	if s := r.Satisfaction; s != nil {
		// A promise follows from the counts, but for the windows: they need the order.
		if s.K < 1 || s.K > mostPromised {
			return nil, &verdict.DifferenceError{
				Path: "satisfaction.k", Have: fmt.Sprint(s.K), Want: fmt.Sprintf("from 1 to %d", mostPromised),
			}
		}
		judged := stats.Counts{Passes: r.Trials.Kept, Trials: r.Trials.Kept + r.Trials.Violated}
		found, err := contract.SatisfyCounts(s.Promise, judged, r.Trials.Unjudged, r.Alpha)
		if err != nil {
			return nil, &verdict.DifferenceError{Path: "satisfaction", Have: "one", Want: err.Error()}
		}
		again.Satisfaction = satisfaction(found)
		again.Satisfaction.Windows.Count = max(judged.Trials-s.K+1, 0)
	}
	again.judge(r.firstProblem())
	return &rejudged.Result{
		Again: again, Skip: []string{"satisfaction.windows.satisfied", "satisfaction.windows.worst"},
		Skipped: []string{"clauses.violations"},
	}, nil
}

// check refuses a clause of no known kind, or that lists other violations than it counts.
// It does not look at the contract, which a result names only by its digest.
func (c *Clause) check() error {
	switch c.Kind {
	case contract.Precondition, contract.Postcondition, contract.Invariant, contract.Guardrail:
	default:
		return &verdict.DifferenceError{
			Path: "kind",
			Have: fmt.Sprintf("%q", c.Kind),
			Want: "a kind of clause that is known",
		}
	}
	if c.Severity != contract.Hard && c.Severity != contract.Soft {
		return &verdict.DifferenceError{Path: "severity", Have: fmt.Sprintf("%q", c.Severity), Want: "hard or soft"}
	}
	if c.Places < c.Violated || len(c.Violations) != min(c.Places, mostListed) {
		return &verdict.DifferenceError{
			Path: "places", Have: fmt.Sprintf("%d, of which %d are listed", c.Places, len(c.Violations)),
			Want: fmt.Sprintf("at least %d, and the first %d of them listed", c.Violated, mostListed),
		}
	}
	return nil
}

// again measures counts of so many trials again.
func (c Counts) again(trials int, alpha float64) (Counts, error) {
	for _, n := range []int{c.Kept, c.Violated, c.Unjudged, c.Inapplicable} {
		if n < 0 || n > stats.MaxTrials/4 {
			return c, &verdict.DifferenceError{
				Path: "trials",
				Have: fmt.Sprintf("%d of some kind", n),
				Want: "counts",
			}
		}
	}
	// Every trial is exactly one of the four, of each clause.
	if sum := c.Kept + c.Violated + c.Unjudged + c.Inapplicable; c.Trials != sum || c.Trials != trials {
		return c, &verdict.DifferenceError{
			Path: "trials", Have: fmt.Sprint(c.Trials), Want: fmt.Sprintf("%d, of %d trials", sum, trials),
		}
	}
	return c, c.measure(alpha)
}

// firstProblem is why the first trial that was not judged was not. The result has no field
// for it: the warning alone says, after the words that judge writes before it.
func (r *Result) firstProblem() string {
	for _, w := range r.Warnings {
		if w.Code == warnUnjudged {
			_, problem, _ := strings.Cut(w.Text, "; the first: ")
			return problem
		}
	}
	return ""
}

// Problem says what of a saved result does not fit together, so that it could not even be shown; "" is nothing.
func (r *Result) Problem() string { return rejudged.CountsProblem(r) }
