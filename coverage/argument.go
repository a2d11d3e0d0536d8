package coverage

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

// DeclarationError says what of a declaration cannot be used, and why.
type DeclarationError struct {
	Field   string // such as "lambda" or "boundaries.refund.amount.minimum"
	Value   any    // that was declared
	Problem string // such as "must be a positive number"
}

// ExitCode is that of input that cannot be used.
func (e *DeclarationError) ExitCode() int { return exit.Input }

// Error returns such as "coverage: lambda -1 must be a positive number".
func (e *DeclarationError) Error() string {
	return fmt.Sprintf("coverage: %s %v %s", e.Field, e.Value, e.Problem)
}

// Warning says what a reader of a result should know before relying on it.
type Warning struct {
	Code Code   `json:"code"` // which kind it is
	Text string `json:"text"` // for a person
}

// Code names a kind of warning; codes are stable, texts are not.
type Code string

// The warnings of this package. Those without an exported name are for people: no
// caller does anything else because of them.
const (
	NotMeasured      Code = "not-measured"      // a dimension is left out of the mean
	noTrials         Code = "no-trials"         // there is nothing to measure
	errorTrials      Code = "error-trials"      // trials without a verdict were left out
	noSteps          Code = "no-steps"          // trials that do not record their steps
	noArguments      Code = "no-arguments"      // calls that do not record their arguments
	fittedLambda     Code = "fitted-lambda"     // λ is estimated from the trials that it measures
	noModels         Code = "no-models"         // trials that do not name their model
	outsideGraph     Code = "outside-graph"     // trials took paths that the graph does not have
	undeclaredTools  Code = "undeclared-tools"  // called, and in no list
	undeclaredModels Code = "undeclared-models" // run on, and in no list
	fewTrials        Code = "few-trials"        // too few for an estimate of what is unseen
	unjudgedTrials   Code = "unjudged-trials"   // which cover no capability
	notAsked         Code = "not-asked"         // nothing is declared to be covered as a whole
)

// warn adds a warning to the result.
func (r *Result) warn(code Code, format string, arguments ...any) {
	r.Warnings = append(r.Warnings, Warning{code, fmt.Sprintf(format, arguments...)})
}
