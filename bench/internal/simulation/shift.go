package simulation

import (
	"fmt"
	"math"
)

// Shift changes the behaviour of an agent and leaves its pass rate as it is.
type Shift struct {
	Text   string // what changes, such as "answers +36%"
	Change func(Agent) Agent
}

// longer makes the answers longer, by so many standard deviations of their logarithm;
// they cost in proportion.
//
// The standard deviation of the logarithm does not change, as mean and spread grow alike.
func longer(a Agent, deviations float64) Shift {
	variance := math.Log1p(a.Tokens.SD * a.Tokens.SD / (a.Tokens.Mean * a.Tokens.Mean))
	by := math.Exp(deviations * math.Sqrt(variance))
	return Shift{fmt.Sprintf("answers %+.0f%%", 100*(by-1)), func(a Agent) Agent {
		a.Tokens.Mean *= by
		a.Tokens.SD *= by
		a.CostUSD *= by
		return a
	}}
}

// busier calls a tool more often, by so many standard deviations of the calls.
//
// Calls are Poisson, with a variance that is their mean.
func busier(a Agent, tool int, deviations float64) Shift {
	use := a.Tools[tool]
	more := use.Calls + deviations*math.Sqrt(use.Calls)
	return Shift{fmt.Sprintf("%s %.1f -> %.1f", use.Name, use.Calls, more),
		func(a Agent) Agent {
			// A copy: the agent that was given keeps its own tools.
			a.Tools = append([]ToolUse{}, a.Tools...)
			a.Tools[tool].Calls = more
			return a
		}}
}

// both changes two things.
// The texts of both stand in the note below the tables.
func both(first, second Shift) Shift {
	return Shift{first.Text + ", " + second.Text, func(a Agent) Agent {
		return second.Change(first.Change(a))
	}}
}

// ShiftOf is what changes of an agent that has the tools of one of the [Domains], all by the same distance of the
// causes that the agent draws from.
func ShiftOf(domain int, a Agent, distance float64) Shift {
	switch domain {
	case 0:
		return longer(a, distance)
	case 1:
		return busier(a, 0, distance)
	}
	// Two independent causes, each shifted by 1/√2 of the distance: together they are that far.
	return both(longer(a, distance/math.Sqrt2), busier(a, 2, distance/math.Sqrt2))
}
