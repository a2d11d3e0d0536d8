package fingerprint

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

// ErrTooFewTrials says that a test or an estimate needs more trials than there
// are. The error that wraps it says how many.
var ErrTooFewTrials = errors.New("too few trials")

// ErrSingular says that the trials of neither side vary in some direction, so that
// there is nothing to measure a difference by.
var ErrSingular = errors.New("the covariance within the sides is singular")

// ErrNoSharedScenario says that no scenario was tried on both sides.
var ErrNoSharedScenario = errors.New("no scenario was tried on both sides")

// ArgumentError says which argument cannot be used, and why.
type ArgumentError struct {
	Argument string // name of the argument, such as "alpha"
	Value    any
	Problem  string // such as "must lie between 0 and 1"
}

// ExitCode is that of a question that cannot be asked.
func (e *ArgumentError) ExitCode() int { return exit.Usage }

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("%s %v %s", e.Argument, e.Value, e.Problem)
}

func argumentError(argument string, value any, problem string) error {
	return &ArgumentError{argument, value, problem}
}

func checkOpenUnit(argument string, x float64) error {
	if !(x > 0 && x < 1) {
		return argumentError(argument, x, "must lie strictly between 0 and 1")
	}
	return nil
}

func checkPositive(argument string, x float64) error {
	if !(x > 0) || math.IsInf(x, 1) {
		return argumentError(argument, x, "must be a positive number")
	}
	return nil
}

// Warning says what weakens a result without making it unusable.
type Warning struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

// Code names a kind of warning.
type Code string

// The warnings of this package.
const (
	ErrorTrials      Code = "error-trials"      // trials without a verdict were left out
	UnsharedScenario Code = "unshared-scenario" // scenarios that one side alone tried were left out
	UnknownColumn    Code = "unknown-column"    // a column is unknown in too many trials and was left out
	ImputedColumn    Code = "imputed-column"    // a median stands for the unknown values of a column
	NothingVaries    Code = "nothing-varies"    // no column varies, and there is nothing to test
	CannotReject     Code = "cannot-reject"     // not even the clearest difference would be significant
	FewCalibration   Code = "few-calibration"   // the covariance is estimated from few trials
)

func warning(code Code, format string, arguments ...any) Warning {
	return Warning{code, fmt.Sprintf(format, arguments...)}
}

// indexOf returns the place of a name, and an error for one that is not there.
func indexOf(names []string, text []byte, what string) (int, error) {
	if i := slices.Index(names, string(text)); i >= 0 {
		return i, nil
	}
	return 0, &ArgumentError{what, string(text), "is not known"}
}
