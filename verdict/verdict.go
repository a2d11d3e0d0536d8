package verdict

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/verdict/internal/enum"
)

// Verdict is the outcome of a judgement. The zero value is Inconclusive: a
// verdict that nobody set never reads as Pass.
type Verdict uint8

const (
	Inconclusive Verdict = iota // the evidence allows neither of the others
	Pass
	Fail
)

var verdictNames = enum.Names{"inconclusive", "pass", "fail"}

// String returns "pass", "fail" or "inconclusive".
func (v Verdict) String() string { return verdictNames.Of(uint8(v)) }

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
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a verdict's name.
func (v *Verdict) UnmarshalText(text []byte) error {
	return UnmarshalName(verdictNames, "verdict", text, v)
}

// ParseVerdict is the inverse of String.
func ParseVerdict(name string) (Verdict, error) {
	var v Verdict
	return v, v.UnmarshalText([]byte(name))
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

// UnmarshalName sets an enumeration from its word.
func UnmarshalName[T ~uint8](n enum.Names, what string, text []byte, into *T) error {
	for i, name := range n {
		if name == string(text) {
			*into = T(i)
			return nil
		}
	}
	return &OptionError{Option: what, Value: string(text), Problem: "must be one of " + n.List()}
}

// OptionError says which option of a judgement cannot be used, and why.
type OptionError struct {
	Option  string // such as "alpha"
	Value   any
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
