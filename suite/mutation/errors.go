package mutation

import "github.com/tribunal-dev/tribunal/internal/exit"

// Message is the error, which has no hint.
func (e *BoundError) Message() string { return e.Error() }

// ExitCode is that of a program that cannot use its input.
func (e *BoundError) ExitCode() int { return exit.Input }

// Message is the error without the hint.
func (e *MarkerError) Message() string { return e.Error() }

// ExitCode is that of a program that cannot use its input.
func (e *MarkerError) ExitCode() int { return exit.Input }

// Message is the error without the hint.
func (e *UnknownOperatorError) Message() string { return e.Error() }

// ExitCode is that of a program that is asked for what cannot be done.
func (e *UnknownOperatorError) ExitCode() int { return exit.Usage }

// Message is the error without the hint.
func (e *CommandError) Message() string { return e.Error() }

// ExitCode is that of a program that cannot run another one.
func (e *CommandError) ExitCode() int { return exit.Unavailable }

// Hint is empty: nothing but a smaller one helps.
func (e *BoundError) Hint() string { return "" }
