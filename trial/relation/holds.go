package relation

import (
	"context"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// check is a function as [Criterion].
type check func(ctx context.Context, source, followUp Execution) (Finding, error)

func (c check) Check(ctx context.Context, source, followUp Execution) (Finding, error) {
	return c(ctx, source, followUp)
}

// SameOutcome holds where both executions pass, or both fail: V(A, x') = V(A, x).
func SameOutcome() Criterion {
	return check(func(_ context.Context, source, followUp Execution) (Finding, error) {
		a, b := source.Trial.Outcome, followUp.Trial.Outcome
		if a == b {
			return held("both %s", ended(a)), nil
		}
		return violated("the source %s, and the follow-up %s", ended(a), ended(b)), nil
	})
}

// ended says how a trial ended.
func ended(x trial.Outcome) string {
	switch x {
	case trial.Pass:
		return "passed"
	case trial.Fail:
		return "failed"
	}
	return "ended in an error"
}

// RightAfterRight holds where the follow-up passes, or the source does not: then nothing is claimed, and the finding is
// vacuous. It is what a pipeline promises.
func RightAfterRight() Criterion {
	return check(func(_ context.Context, source, followUp Execution) (Finding, error) {
		switch {
		case source.Trial.Outcome != trial.Pass:
			return Finding{Held: true, Vacuous: true, Why: "the first agent was wrong, so nothing is claimed of the second"}, nil
		case followUp.Trial.Outcome == trial.Pass:
			return held("both agents are right"), nil
		}
		return violated("the first agent is right, and the second is not"), nil
	})
}

// Equal holds where both outputs are the same text, but for white space around them.
func Equal() Criterion {
	return check(func(_ context.Context, source, followUp Execution) (Finding, error) {
		a, b := strings.TrimSpace(source.text()), strings.TrimSpace(followUp.text())
		if a == b {
			return held("both answered %s", shown(a)), nil
		}
		return violated("the source answered %s, and the follow-up %s", shown(a), shown(b)), nil
	})
}

// EqualJSON holds where both outputs, or what stands at a path in each, are the same JSON value: 1, 1.0 and 1e0 are
// one, and objects have no order. An output that is no JSON violates it.
func EqualJSON(at oracle.Path) Criterion {
	return check(func(_ context.Context, source, followUp Execution) (Finding, error) {
		a, problem := valueAt(source, at)
		if problem != "" {
			return violated("the output of the source %s", problem), nil
		}
		b, problem := valueAt(followUp, at)
		if problem != "" {
			return violated("the output of the follow-up %s", problem), nil
		}
		if oracle.Equal(a, b) {
			return held("both answered %s", shown(textOf(a))), nil
		}
		return violated("the source answered %s, and the follow-up %s", shown(textOf(a)), shown(textOf(b))), nil
	})
}
