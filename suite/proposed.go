package suite

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// The limits of a trial where a suite declares none. They are chosen: far above what a task takes that goes well, and
// low enough to end the bill of one that does not.
const (
	proposedTurns   = 50
	proposedCostUSD = 1.00
)

// propose gives a scenario limits in place of those that nobody declared. They hold as far as a trial tells what
// they bound: who has not heard of limits yet has no agent that records turns and cost.
func propose(l *oracle.Limits, turns, cost bool) {
	if turns {
		l.MaxTurns, l.TurnsProposed = trial.Some(proposedTurns), true
	}
	if cost {
		l.MaxCostUSD, l.CostProposed = trial.Some(proposedCostUSD), true
	}
}

// Proposed are the limits, by their names in a suite, that some of the scenarios have although nobody declared them;
// nil where all are declared.
func Proposed(scenarios []Scenario) map[string]float64 {
	var limits map[string]float64
	note := func(name string, limit float64) {
		if limits == nil {
			limits = map[string]float64{}
		}
		limits[name] = limit
	}
	for _, c := range scenarios {
		if c.Limits.TurnsProposed {
			note(oracle.TurnLimit, proposedTurns)
		}
		if c.Limits.CostProposed {
			note(oracle.CostLimit, proposedCostUSD)
		}
	}
	return limits
}

// LimitsDeclared returns [Errors] where limits of scenarios are proposed and not declared: nobody has said what a trial
// may take, and a deployment needs that.
func LimitsDeclared(scenarios []Scenario) error {
	var problems Errors
	for _, limit := range []struct {
		name     string
		proposed func(oracle.Limits) bool
	}{
		{oracle.TurnLimit, func(l oracle.Limits) bool { return l.TurnsProposed }},
		{oracle.CostLimit, func(l oracle.Limits) bool { return l.CostProposed }},
	} {
		without := slices.Collect(func(yield func(Scenario) bool) {
			for _, c := range scenarios {
				if limit.proposed(c.Limits) && !yield(c) {
					return
				}
			}
		})
		if len(without) == 0 {
			continue
		}
		problem := fmt.Sprintf("are needed for a deployment, and %s is not declared for %s", limit.name,
			prose.Quote(without[0].Name))
		if n := len(without) - 1; n > 0 {
			problem += " and " + prose.Count(n, "more scenario")
		}
		problems = append(problems, &Error{
			Place: without[0].Place, Field: "limits", Problem: problem,
			Advice: "declare them for the suite, such as limits: {max_turns: 50, max_cost_usd: 1.00}; " +
				"limits: none says on purpose that there are none",
		})
	}
	if len(problems) == 0 {
		return nil
	}
	return problems
}
