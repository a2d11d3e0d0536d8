package cli

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

// The exit codes of the process. From a command that judges, the first three are
// verdicts and nothing else; any other command exits with 0 when it did its work, but
// for coverage, which exits with 1 where a minimum is asked for and not met, and an
// [Experiment], which may do so where a promise is broken.
const (
	ExitPass         = exit.Pass
	ExitFail         = exit.Fail
	ExitInconclusive = exit.Inconclusive
	ExitUsage        = exit.Usage       // the command line or the environment asks for what cannot be done
	ExitInput        = exit.Input       // the input cannot be used
	ExitUnavailable  = exit.Unavailable // a program that is needed could not be run at all
	ExitInternal     = exit.Internal    // a mistake in this program
	ExitOutput       = exit.Output      // a result could not be written
	ExitHungUp       = exit.HungUp      // stopped by SIGHUP: its terminal is closed
	ExitInterrupted  = exit.Interrupted // stopped by SIGINT
	ExitUnread       = exit.Unread      // standard output was closed by who read it
	ExitTerminated   = exit.Terminated  // stopped by SIGTERM
)

// exitCode returns the exit code that says what became of a command: the one that the
// error asks for. What is not known to be the fault of the user or of the input is a
// mistake of ours.
func exitCode(err error) int {
	if err == nil {
		return ExitPass
	}
	// A context that ended for no stated cause: the caller of Run ended it, not a signal.
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return ExitInterrupted
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
			return ExitOutput
		}
	}
	return ExitInternal
}

// decided ends a command that reached a verdict, which its exit code carries. It is an
// error only so that it travels the same way; nothing is printed for it.
type decided int

func (d decided) Error() string { return fmt.Sprintf("decided: exit code %d", int(d)) }
func (d decided) ExitCode() int { return int(d) }

// problem is what keeps a command from doing its work.
type problem struct {
	text string
	hint string // what to do about it; may be ""
	// One of [ExitUsage], [ExitInput] and [ExitUnavailable].
	code int
}

func (p *problem) Error() string   { return p.text }
func (p *problem) Message() string { return p.text }
func (p *problem) Hint() string    { return p.hint }
func (p *problem) ExitCode() int   { return p.code }

// usage says what is wrong with the command line or the environment.
func usage(hint, format string, arguments ...any) error {
	return &problem{fmt.Sprintf(format, arguments...), hint, ExitUsage}
}

// badInput says what is wrong with the input, beyond what its reader can know.
func badInput(text, hint string) error { return &problem{text, hint, ExitInput} }

// unavailable says that a program that is needed cannot be run.
func unavailable(text, hint string) error { return &problem{text, hint, ExitUnavailable} }

// unstartable says which programs of a suite cannot be started, where they were to be.
type unstartable struct{ problems suite.Errors }

func (u *unstartable) Error() string { return u.problems.Error() }
func (u *unstartable) Unwrap() error { return u.problems }
func (u *unstartable) ExitCode() int { return ExitUnavailable }

// writeError says that a result could not be written: a verdict that nobody can read must not exit
// with its own code.
type writeError struct {
	// A path, or "standard output".
	target string
	err    error
}

func (e *writeError) Error() string {
	return fmt.Sprintf("cannot write %s: %v", e.target, withoutPath(e.err))
}

func (e *writeError) Unwrap() error { return e.err }
func (e *writeError) ExitCode() int { return ExitOutput }

// closedPipe says that nobody reads standard output any more. Nothing is printed for it: who closed the pipe
// has what they wanted. The code is that of a program that SIGPIPE ends.
type closedPipe struct{ err error }

func (e *closedPipe) Error() string { return "cannot write standard output: " + e.err.Error() }
func (e *closedPipe) Unwrap() error { return e.err }
func (e *closedPipe) ExitCode() int { return ExitUnread }

// withoutPath strips the operation and the path that package os puts before an
// error, where the message names the file itself.
func withoutPath(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// signalled is the cause of a context that a signal ended.
type signalled struct{ signal syscall.Signal }

func (s *signalled) Error() string {
	switch s.signal {
	case syscall.SIGTERM:
		return "terminated"
	case syscall.SIGHUP:
		return "hung up"
	}
	return "interrupted"
}

func (s *signalled) ExitCode() int {
	switch s.signal {
	case syscall.SIGTERM:
		return ExitTerminated
	case syscall.SIGHUP:
		return ExitHungUp
	}
	return ExitInterrupted
}

// panicked is a mistake in this program. It is printed with its stack, as a person cannot
// do anything about it but report it.
type panicked struct {
	value any
	stack []byte
}

// panickedWith returns the mistake that a recovered value tells of. A value may know
// the stack of the goroutine that panicked, where that is another one.
func panickedWith(value any) *panicked {
	if mistake, ok := value.(*panicked); ok {
		return mistake
	}
	if elsewhere, ok := value.(interface{ Stack() []byte }); ok {
		return &panicked{value, elsewhere.Stack()}
	}
	return &panicked{value, debug.Stack()}
}

func (p *panicked) Error() string   { return fmt.Sprintf("internal error: %v", p.value) }
func (p *panicked) Message() string { return p.Error() }
func (p *panicked) ExitCode() int   { return ExitInternal }

func (p *panicked) Hint() string {
	return "this is a mistake in tribunal itself: please report it with the lines above"
}

// is reports whether an error of that type is in the chain.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
