package oracle

import (
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// Evidence is what a trial is judged by.
type Evidence struct {
	Trial    *trial.Trial        // nil cannot be judged
	ExitCode trial.Optional[int] // of the process that was the agent; unknown for a recording
	// Truncated says that the end of what the agent printed is missing. What is missing may hold anything:
	// only what the rest shows by itself is judged, such as that a text is there, and never that it is not.
	Truncated bool
	// End is how the agent ended, as whoever ran it saw. Where it is not known, [EndOf] reads it from the record.
	End End
	// Earlier is what attempts at the same trial took before the one that is
	// judged. Limits count it; evaluators do not.
	Earlier []Usage
	// Repeat says which time it is, from 0, that a judge is asked about the same: see [Repeat].
	Repeat int

	// Within a not, what is asked for must not be: it is found then however it is written.
	negated bool
}

// Usage is what an attempt took. An attempt that never started took nothing,
// which is known: Usage{Turns: trial.Some(0), CostUSD: trial.Some(0.0), Tokens: trial.Some(0.0)}.
type Usage struct {
	Turns   trial.Optional[int]     // answers of the model
	CostUSD trial.Optional[float64] // in US dollars
	Tokens  trial.Optional[float64] // in and out
	// Lower bounds, where CostUSD is unknown or an upper bound, and Tokens unknown. Where they are unknown too, they are
	// CostUSD and Tokens, or 0.
	CostAtLeast, TokensAtLeast trial.Optional[float64]
}

// UsageOf reads the usage from a trial. Its cost is the one it states, or else the
// sum over its steps where every step that is not a tool call states one; so are its tokens.
func UsageOf(t *trial.Trial) Usage {
	if t == nil {
		return Usage{}
	}
	u := Usage{Turns: turns(t), CostUSD: cost(t), Tokens: usable(tokens(t))}
	if !u.CostUSD.Known || t.CostBasis == trial.CostAtMost {
		u.CostAtLeast = trial.Some(usable(t.CostAtLeast).Value)
	}
	if !u.Tokens.Known && t.TokensAtLeast.Known {
		u.TokensAtLeast = usable(trial.Some(float64(t.TokensAtLeast.Value)))
	}
	return u
}

// costAtLeast is a lower bound of the cost.
func (u Usage) costAtLeast() float64 { return leastOf(u.CostAtLeast, u.CostUSD) }

// tokensAtLeast is a lower bound of the tokens.
func (u Usage) tokensAtLeast() float64 { return leastOf(u.TokensAtLeast, u.Tokens) }

// leastOf is a lower bound, or what it would be one of; 0 where neither is known.
func leastOf(least, told trial.Optional[float64]) float64 {
	if least.Known {
		return least.Value
	}
	return told.Value
}

// Add returns the sum; what is unknown in one of them is unknown in the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Turns: plus(u.Turns, v.Turns), CostUSD: plus(u.CostUSD, v.CostUSD), Tokens: plus(u.Tokens, v.Tokens),
		CostAtLeast:   trial.Some(u.costAtLeast() + v.costAtLeast()),
		TokensAtLeast: trial.Some(u.tokensAtLeast() + v.tokensAtLeast()),
	}
}

// total is the usage of all attempts.
func (e Evidence) total() Usage {
	sum := UsageOf(e.Trial)
	for _, earlier := range e.Earlier {
		sum = sum.Add(earlier)
	}
	return sum
}

// plus adds numbers of which both must be known.
func plus[T int | int64 | float64](a, b trial.Optional[T]) trial.Optional[T] {
	if !a.Known || !b.Known {
		return trial.Optional[T]{}
	}
	return trial.Some(a.Value + b.Value)
}

// turns counts the answers of the model: steps that reason or respond. It is
// unknown where none was recorded, as no agent comes to anything without one, and the trial does not state it.
func turns(t *trial.Trial) trial.Optional[int] {
	if len(t.Steps) == 0 {
		return stated(t.Turns)
	}
	n := count(t, func(s *trial.Step) bool { return s.Action == trial.Reason || s.Action == trial.Respond })
	if n.Value > 0 {
		return n
	}
	if told := stated(t.Turns); told.Value > 0 {
		return told
	}
	return trial.Optional[int]{}
}

// toolCalls counts steps that call a tool. It is unknown where a step does not say what it was.
// A trial without steps may state it.
func toolCalls(t *trial.Trial) trial.Optional[int] {
	if len(t.Steps) == 0 {
		return stated(t.ToolCalls)
	}
	if slices.ContainsFunc(t.Steps, func(s trial.Step) bool { return blank(&s) }) {
		return trial.Optional[int]{}
	}
	return count(t, callsTool)
}

// stated is a number that a trial states; one that is negative is none.
func stated(n trial.Optional[int]) trial.Optional[int] {
	if n.Value < 0 {
		return trial.Optional[int]{}
	}
	return n
}

// callsTool reports whether a step calls a tool, whatever word it has for it: one that names a tool does.
func callsTool(s *trial.Step) bool { return s.Action == trial.CallTool || s.Tool != "" }

// blank reports whether a step says nothing of what was done.
func blank(s *trial.Step) bool { return strings.TrimSpace(string(s.Action)) == "" && s.Tool == "" }

// failedSteps counts steps with an error.
func failedSteps(t *trial.Trial) trial.Optional[int] {
	return count(t, func(s *trial.Step) bool { return s.Error != "" })
}

// allSteps counts steps of any kind.
func allSteps(t *trial.Trial) trial.Optional[int] {
	return count(t, func(*trial.Step) bool { return true })
}

// count counts steps, which are unknown where none were recorded: an empty list of them shows nothing of
// how the trial came to its end.
func count(t *trial.Trial, counts func(*trial.Step) bool) trial.Optional[int] {
	if len(t.Steps) == 0 {
		return trial.Optional[int]{}
	}
	n := 0
	for i := range t.Steps {
		if counts(&t.Steps[i]) {
			n++
		}
	}
	return trial.Some(n)
}

// tokens is input plus output, of the trial or summed over its steps.
func tokens(t *trial.Trial) trial.Optional[float64] {
	if t.InputTokens.Known && t.OutputTokens.Known {
		return trial.Some(float64(t.InputTokens.Value) + float64(t.OutputTokens.Value))
	}
	return trial.OverSteps(t, func(s *trial.Step) trial.Optional[float64] {
		if !s.InputTokens.Known || !s.OutputTokens.Known {
			return trial.Optional[float64]{}
		}
		return trial.Some(float64(s.InputTokens.Value) + float64(s.OutputTokens.Value))
	})
}

// cost is what the trial states, or the sum over its steps, in US dollars.
func cost(t *trial.Trial) trial.Optional[float64] { return usable(t.TotalCostUSD()) }

// usable makes a number that is no amount unknown.
func usable(x trial.Optional[float64]) trial.Optional[float64] {
	if !x.Known || !(x.Value >= 0) || math.IsInf(x.Value, 0) {
		return trial.Optional[float64]{}
	}
	return x
}

// Measures is what a trial took, as limits and budgets count it; what it does not tell is unknown.
type Measures struct {
	Turns           trial.Optional[float64] // answers of the model
	ToolCalls       trial.Optional[float64] // calls of tools
	Tokens          trial.Optional[float64] // in and out
	CostUSD         trial.Optional[float64] // in US dollars
	DurationSeconds trial.Optional[float64] // in seconds
}

// MeasuresOf reads what a trial took.
func MeasuresOf(t *trial.Trial) Measures {
	count := func(n trial.Optional[int]) trial.Optional[float64] {
		return trial.Optional[float64]{Value: float64(n.Value), Known: n.Known}
	}
	return Measures{count(turns(t)), count(toolCalls(t)), usable(tokens(t)), cost(t), usable(t.DurationSeconds)}
}
