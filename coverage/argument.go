package coverage

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

// DeclarationError says what of a declaration cannot be used, and why.
type DeclarationError struct {
	Field   string // such as "lambda" or "boundaries.refund.amount.minimum"
	Value   any
	Problem string // such as "must be a positive number"
}

// ExitCode is that of input that cannot be used.
func (e *DeclarationError) ExitCode() int { return exit.Input }

func (e *DeclarationError) Error() string {
	return fmt.Sprintf("coverage: %s %v %s", e.Field, e.Value, e.Problem)
}

// Warning says what a reader of a result should know before relying on it.
type Warning struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

// Code names a kind of warning; codes are stable, texts are not.
type Code string

// The warnings of this package.
const (
	NotMeasured      Code = "not-measured"      // a dimension is left out of the mean
	NoTrials         Code = "no-trials"         // there is nothing to measure
	ErrorTrials      Code = "error-trials"      // trials without a verdict were left out
	NoSteps          Code = "no-steps"          // trials that do not record their steps
	NoArguments      Code = "no-arguments"      // calls that do not record their arguments
	NoModels         Code = "no-models"         // trials that do not name their model
	UndeclaredTools  Code = "undeclared-tools"  // called, and in no list
	UndeclaredModels Code = "undeclared-models" // run on, and in no list
	FewTrials        Code = "few-trials"        // too few for an estimate of what is unseen
	UnjudgedTrials   Code = "unjudged-trials"   // which cover no capability
)

func (r *Result) warn(code Code, format string, arguments ...any) {
	r.Warnings = append(r.Warnings, Warning{code, fmt.Sprintf(format, arguments...)})
}
