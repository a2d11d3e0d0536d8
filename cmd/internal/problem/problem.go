package problem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/suite"
)

// ExitCode returns the exit code that says what became of a command: the one that the
// error asks for. What is not known to be the fault of the user or of the input is a
// mistake of ours.
func ExitCode(err error) int {
	if err == nil {
		return exit.Pass
	}
	// A context that ended for no stated cause: the caller of Run ended it, not a signal.
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return exit.Interrupted
	}
	// Errors of the packages below say their own code, so there is no list of them here.
	if e, ok := errors.AsType[interface {
		error
		ExitCode() int
	}](err); ok {
		return e.ExitCode()
	}
	// Nothing but writing ends in these, whichever package wrote.
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS} {
		if errors.Is(err, full) {
			return exit.Output
		}
	}
	return exit.Internal
}

// VerdictError ends a command that reached a verdict, which its exit code carries. It is an
// error only so that it travels the same way; nothing is printed for it.
type VerdictError int

func (d VerdictError) Error() string { return fmt.Sprintf("decided: exit code %d", int(d)) }
func (d VerdictError) ExitCode() int { return int(d) }

// problem is what keeps a command from doing its work.
type problem struct {
	text string
	hint string // what to do about it; may be ""
	// One of [exit.Usage], [exit.Input] and [exit.Unavailable].
	code int
}

func (p *problem) Error() string   { return p.text }
func (p *problem) Message() string { return p.text }
func (p *problem) Hint() string    { return p.hint }
func (p *problem) ExitCode() int   { return p.code }

// Usage says what is wrong with the command line or the environment.
func Usage(hint, format string, arguments ...any) error {
	return &problem{fmt.Sprintf(format, arguments...), hint, exit.Usage}
}

// BadInput says what is wrong with the input, beyond what its reader can know.
func BadInput(text, hint string) error { return &problem{text, hint, exit.Input} }

// Unavailable says that a program that is needed cannot be run.
func Unavailable(text, hint string) error { return &problem{text, hint, exit.Unavailable} }

// StartErrors says which programs of a suite cannot be started, where they were to be.
type StartErrors struct{ Problems suite.Errors }

func (u *StartErrors) Error() string { return u.Problems.Error() }
func (u *StartErrors) Unwrap() error { return u.Problems }
func (u *StartErrors) ExitCode() int { return exit.Unavailable }

// WriteError says that a result could not be written: a verdict that nobody can read must not exit
// with its own code.
type WriteError struct {
	// A path, or "standard output".
	Target string
	Err    error
}

func (e *WriteError) Error() string {
	return fmt.Sprintf("cannot write %s: %v", e.Target, WithoutPath(e.Err))
}

func (e *WriteError) Unwrap() error { return e.Err }
func (e *WriteError) ExitCode() int { return exit.Output }

// ClosedPipe says that nobody reads standard output any more. Nothing is printed for it: who closed the pipe
// has what they wanted. The code is that of a program that SIGPIPE ends.
type ClosedPipe struct{ Err error }

func (e *ClosedPipe) Error() string { return "cannot write standard output: " + e.Err.Error() }
func (e *ClosedPipe) Unwrap() error { return e.Err }
func (e *ClosedPipe) ExitCode() int { return exit.Unread }

// WithoutPath strips the operation and the path that package os puts before an
// error, where the message names the file itself.
func WithoutPath(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// SignalError is the cause of a context that a signal ended.
type SignalError struct{ Signal syscall.Signal }

func (s *SignalError) Error() string {
	switch s.Signal {
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "hung up"
	}
	return "interrupted"
}

func (s *SignalError) ExitCode() int {
	switch s.Signal {
	case syscall.SIGTERM:
		return exit.Terminated
	case syscall.SIGHUP:
		return exit.HungUp
	}
	return exit.Interrupted
}

// PanicError is a mistake in this program. It is printed with its stack, as a person cannot
// do anything about it but report it.
type PanicError struct {
	value any
	stack []byte
}

// PanickedWith returns the mistake that a recovered value tells of. A value may know
// the stack of the goroutine that panicked, where that is another one.
func PanickedWith(value any) *PanicError {
	if mistake, ok := value.(*PanicError); ok {
		return mistake
	}
	if elsewhere, ok := value.(interface{ Stack() []byte }); ok {
		return &PanicError{value, elsewhere.Stack()}
	}
	return &PanicError{value, debug.Stack()}
}

func (p *PanicError) Error() string   { return fmt.Sprintf("internal error: %v", p.value) }
func (p *PanicError) Message() string { return p.Error() }
func (p *PanicError) ExitCode() int   { return exit.Internal }

func (p *PanicError) Hint() string {
	return "this is a mistake in tribunal itself: please report it with the lines above"
}

// Is reports whether an error of that type is in the chain.
func Is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
