package stats

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

// ArgumentError says which argument of a function cannot be used, and why.
type ArgumentError struct {
	Argument string // name of the argument, such as "alpha"
	Value    any    // the value that was given
	Problem  string // such as "must lie between 0 and 1"
}

// ExitCode is that of a question that cannot be asked.
func (e *ArgumentError) ExitCode() int { return exit.Usage }

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("%s %v %s", e.Argument, e.Value, e.Problem)
}

// argumentError makes an [ArgumentError].
func argumentError(argument string, value any, problem string) error {
	return &ArgumentError{Argument: argument, Value: value, Problem: problem}
}

// checkOpenUnit returns an error unless 0 < x < 1. NaN is refused.
func checkOpenUnit(argument string, x float64) error {
	if !(x > 0 && x < 1) {
		return argumentError(argument, x, "must lie strictly between 0 and 1")
	}
	return nil
}

// checkProbability returns an error unless 0 <= x <= 1. NaN is refused.
func checkProbability(argument string, x float64) error {
	if !(x >= 0 && x <= 1) {
		return argumentError(argument, x, "must lie between 0 and 1")
	}
	return nil
}

// clamp moves x into low..high.
func clamp(x, low, high float64) float64 { return math.Min(math.Max(x, low), high) }
