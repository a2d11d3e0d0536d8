package trial

import "math"

// TotalCostUSD returns what the trial cost: the cost that it states, or else the sum
// over its steps where every step that is not a tool call states one. A tool call may
// omit it: the model is what is paid for.
func (t *Trial) TotalCostUSD() Optional[float64] {
	if t.CostUSD.Known {
		return t.CostUSD
	}
	return OverSteps(t, func(s *Step) Optional[float64] { return s.CostUSD })
}

// TotalInputTokens returns the input tokens of the trial, by the same rule.
func (t *Trial) TotalInputTokens() Optional[int64] {
	if t.InputTokens.Known {
		return t.InputTokens
	}
	return OverSteps(t, func(s *Step) Optional[int64] { return s.InputTokens })
}

// TotalOutputTokens returns the output tokens of the trial, by the same rule.
func (t *Trial) TotalOutputTokens() Optional[int64] {
	if t.OutputTokens.Known {
		return t.OutputTokens
	}
	return OverSteps(t, func(s *Step) Optional[int64] { return s.OutputTokens })
}

// OverSteps returns the sum of what steps state: unknown where one that is not a tool
// call does not state it, and where none does.
func OverSteps[T int64 | float64](t *Trial, amount func(*Step) Optional[T]) (sum Optional[T]) {
	for i := range t.Steps {
		value := amount(&t.Steps[i])
		// A sum without one of its parts would be too small, and look like a total.
		if !value.Known && t.Steps[i].Action != CallTool {
			return Optional[T]{}
		}
		sum = Optional[T]{Plus(sum.Value, value.Value), sum.Known || value.Known}
	}
	return sum
}

// Plus adds two numbers that are not negative. A sum of tokens that is larger than an int64 is the largest one:
// who spends more than that is over any budget, and not below all of them.
func Plus[T int64 | float64](a, b T) T {
	sum := a + b
	if sum < a {
		most := int64(math.MaxInt64)
		return T(most)
	}
	return sum
}

// StandsForTests reports whether it is an error of a test report that stands for tests of an unknown number, as of a
// package that was not built.
func (t *Trial) StandsForTests() bool {
	if e := t.Error; e != nil && e.Origin == InfrastructureOrigin && len(t.Steps) == 0 {
		switch e.Type {
		case "bail out", "build", "file", "package":
			return true
		}
	}
	return false
}
