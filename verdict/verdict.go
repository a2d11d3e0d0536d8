package verdict

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/internal/exit"
)

// Verdict is the outcome of a judgement. The zero value is Inconclusive: a
// verdict that nobody set never reads as Pass.
type Verdict uint8

const (
	Inconclusive Verdict = iota // the evidence allows neither of the others
	Pass
	Fail
)

var verdictNames = enum.Of[Verdict]("verdict", "inconclusive", "pass", "fail")

// String returns "pass", "fail" or "inconclusive".
func (v Verdict) String() string { return verdictNames.String(v) }

// ExitCode returns the process exit code that carries the verdict: 0 for Pass, 1
// for Fail and 2 for Inconclusive, or anything that is no verdict.
func (v Verdict) ExitCode() int {
	switch v {
	case Pass:
		return 0
	case Fail:
		return 1
	}
	return 2
}

// MarshalText writes the verdict's name.
func (v Verdict) MarshalText() ([]byte, error) { return verdictNames.MarshalText(v) }

// UnmarshalText reads a verdict's name.
func (v *Verdict) UnmarshalText(text []byte) error {
	return verdictNames.UnmarshalText(text, v)
}

// Combine is the verdict of several: Fail if any fails, else Inconclusive if any
// is, or if there is none, else Pass.
func Combine(verdicts []Verdict) Verdict {
	if len(verdicts) == 0 {
		return Inconclusive
	}
	result := Pass
	for _, v := range verdicts {
		switch {
		case v == Fail:
			return Fail
		case v != Pass:
			result = Inconclusive
		}
	}
	return result
}

// OptionError says which option of a judgement cannot be used, and why.
type OptionError struct {
	Option  string // such as "alpha"
	Value   any    // that was given
	Problem string // such as "must lie strictly between 0 and 1"
}

// ExitCode is that of a question that cannot be asked.
func (e *OptionError) ExitCode() int { return exit.Usage }

func (e *OptionError) Error() string { return fmt.Sprintf("%s %v %s", e.Option, e.Value, e.Problem) }

// CheckLevel returns an [OptionError] unless 0 < x < 1. NaN is refused.
func CheckLevel(option string, x float64) error {
	if x > 0 && x < 1 {
		return nil
	}
	return &OptionError{Option: option, Value: x, Problem: "must lie strictly between 0 and 1"}
}
