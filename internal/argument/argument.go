// Package argument says what is wrong with an argument of a function of numbers.
package argument

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

// Error says which argument of a function cannot be used, and why.
type Error struct {
	Argument string // its name, such as "alpha"
	Value    any    // the value that was given
	Problem  string // such as "must lie between 0 and 1"
}

// ExitCode is that of a question that cannot be asked.
func (e *Error) ExitCode() int { return exit.Usage }

func (e *Error) Error() string { return fmt.Sprintf("%s %v %s", e.Argument, e.Value, e.Problem) }

// Wrong returns an [Error].
func Wrong(name string, value any, problem string) error { return &Error{name, value, problem} }

// OpenUnit returns an error unless 0 < x < 1. NaN is refused.
func OpenUnit(name string, x float64) error {
	if !(x > 0 && x < 1) {
		return Wrong(name, x, "must lie strictly between 0 and 1")
	}
	return nil
}

// Probability returns an error unless 0 <= x <= 1. NaN is refused.
func Probability(name string, x float64) error {
	if !(x >= 0 && x <= 1) {
		return Wrong(name, x, "must lie between 0 and 1")
	}
	return nil
}

// Positive returns an error unless 0 < x < ∞. NaN is refused.
func Positive(name string, x float64) error {
	if !(x > 0) || math.IsInf(x, 1) {
		return Wrong(name, x, "must be a positive number")
	}
	return nil
}
