package contract

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// EvaluatorName is the word by which a suite asks for a contract.
const EvaluatorName = "contract"

// Evaluator judges trials by a contract: a violation of a hard clause fails, a hard
// clause that cannot be judged is an error, and soft clauses are reported in the
// text and among the parts without a say. Every clause is a part of the result.
func Evaluator(c *Contract) oracle.Evaluator { return evaluator{c} }

// Of is the contract of an evaluator; nil is that it has none.
func Of(e oracle.Evaluator) *Contract {
	if v, ok := e.(evaluator); ok {
		return v.contract
	}
	return nil
}

type evaluator struct{ contract *Contract }

// Name is the word by which a suite asks for a contract.
func (evaluator) Name() string { return EvaluatorName }

// Evaluate checks every clause, and lets the hard ones decide.
func (v evaluator) Evaluate(ctx context.Context, e oracle.Evidence) oracle.Result {
	r := oracle.Result{Evaluator: EvaluatorName, Outcome: trial.Pass, Score: trial.Some(1.0)}
	first := [2]string{} // of violations, by severity: hard, soft
	counts := [2]int{}
	problem := ""
	for _, f := range v.contract.Check(ctx, e.Trial) {
		r.Parts = append(r.Parts, f.result())
		severity := 0
		if f.Clause.Severity == Soft {
			severity = 1
		}
		switch {
		case f.State == Violated:
			if counts[severity]++; counts[severity] == 1 {
				first[severity] = fmt.Sprintf("%s: %s", prose.Excerpt(f.Clause.Name), f.Violations[0])
			}
		case f.State == unjudged && severity == 0 && problem == "":
			problem = fmt.Sprintf("%s cannot be judged: %s", prose.Excerpt(f.Clause.Name), f.Problem)
		}
	}
	name := prose.Excerpt(v.contract.Name)
	switch {
	// A violation is known whatever else cannot be judged, so it comes first.
	case counts[0] > 0:
		r.Outcome, r.Score = trial.Fail, trial.Some(0.0)
		r.Text = fmt.Sprintf("%s: %d hard of %s violated; %s", name, counts[0], prose.Count(len(r.Parts), "clause"), first[0])
	case problem != "":
		r.Outcome, r.Score = trial.Error, trial.Optional[float64]{}
		r.Text = name + ": " + problem
	case counts[1] > 0:
		broken := fmt.Sprintf("%d soft of %s violated; %s", counts[1], prose.Count(len(r.Parts), "clause"), first[1])
		r.Text = name + ": kept, with " + broken
	default:
		r.Text = fmt.Sprintf("%s: kept", name)
	}
	if e.Truncated && r.Outcome == trial.Pass {
		r.Outcome, r.Score = trial.Error, trial.Optional[float64]{}
		r.Text = name + ": what is missing at the end of the output may violate it; as far as it goes: kept"
	}
	return r
}

// result is a clause as a part of the result.
//
// A clause that does not apply passes: it has nothing to hold.
func (f Finding) result() oracle.Result {
	r := oracle.Result{Evaluator: f.Clause.Name, Outcome: trial.Pass, Score: trial.Some(1.0)}
	prefix := string(f.Clause.Severity) + " " + string(f.Clause.Kind)
	switch f.State {
	case Kept:
		r.Text = prefix + " kept"
	case inapplicable:
		r.Text = prefix + " does not apply"
	case Violated:
		r.Outcome, r.Score = trial.Fail, trial.Some(0.0)
		r.Text = fmt.Sprintf("%s violated at %s", prefix, f.Violations[0])
		if n := len(f.Violations); n > 1 {
			r.Text += fmt.Sprintf(", and %d more", n-1)
		}
	default:
		r.Outcome, r.Score = trial.Error, trial.Optional[float64]{}
		r.Text = prefix + " cannot be judged: " + f.Problem
	}
	return r
}
