package runner

import (
	"context"

	"github.com/tribunal-dev/tribunal/oracle"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// judges returns a judge that asks the evaluators of the trial's scenario, and holds it to its limits. A program that was cut off or crashed has failed, whatever the
// evaluators make of what it wrote before.
func judges(scenarios []suite.Scenario) Judge {
	byName := map[string]suite.Scenario{}
	for _, s := range scenarios {
		byName[s.Name] = s
	}
	return func(ctx context.Context, r Request, a *Attempt) error {
		s := byName[r.Scenario]
		evidence := oracle.Evidence{Trial: a.Trial}
		if a.Process != nil {
			evidence.ExitCode = trial.Some(a.Process.ExitCode)
			evidence.Truncated = a.Process.Truncated
			endedBadly(a)
		}
		judgement := oracle.Judge(ctx, evidence, s.Evaluators(), s.Limits)
		// The evaluators' reasons stay in the record; the outcome and its text are those of what broke it.
		if a.Broken && a.Trial.Error != nil {
			judgement.Outcome = trial.Fail
			judgement.Text = a.Trial.Error.Message
		}
		return judgement.Record(a.Trial)
	}
}

// endedBadly gives a trial without an outcome of its own the one that the exit code of
// its program shows. Zero leaves the outcome open.
func endedBadly(a *Attempt) {
	if a.Trial.Outcome != trial.Unjudged || a.Process.ExitCode == 0 {
		return
	}
	a.Trial.Outcome = trial.Fail
	if a.Trial.Error == nil {
		a.Trial.Error = &trial.Cause{Type: "exit", Message: "the agent ended with " + endOf(a.Process)}
	}
}
