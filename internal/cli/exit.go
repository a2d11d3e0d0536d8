package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// The exit codes of the process. From a command that judges, the first three are
// verdicts and nothing else; any other command exits with 0 when it did its work, but
// for coverage, which exits with 1 where a minimum is asked for and not met, and an
// [Experiment], which may do so where a promise is broken.
const (
	ExitPass         = 0
	ExitFail         = 1
	ExitInconclusive = 2
	ExitUsage        = 64  // the command line or the environment asks for what cannot be done
	ExitInput        = 65  // the input cannot be used
	ExitUnavailable  = 69  // a program that is needed could not be run at all
	ExitInternal     = 70  // a mistake in this program, or a result that could not be written
	ExitInterrupted  = 130 // stopped by SIGINT
	ExitTerminated   = 143 // stopped by SIGTERM
)

// decided ends a command that reached a verdict, which its exit code carries.
type decided int

func (d decided) Error() string { return fmt.Sprintf("decided: exit code %d", int(d)) }

// usageError says what is wrong with the command line or the environment.
type usageError struct {
	problem string
	hint    string // what to do about it; may be ""
}

func (e *usageError) Error() string { return e.problem }

func usage(hint, format string, arguments ...any) error {
	return &usageError{fmt.Sprintf(format, arguments...), hint}
}

// inputError says what is wrong with the input, beyond what its reader can know.
type inputError struct {
	problem string
	hint    string
}

func (e *inputError) Error() string { return e.problem }

// unavailableError says that a program that is needed cannot be run.
type unavailableError struct {
	problem string
	hint    string
}

func (e *unavailableError) Error() string { return e.problem }

// writeError says that a result could not be written.
type writeError struct {
	target string
	err    error
}

func (e *writeError) Error() string {
	return fmt.Sprintf("cannot write %s: %v", e.target, withoutPath(e.err))
}

func (e *writeError) Unwrap() error { return e.err }

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
	if s.signal == syscall.SIGTERM {
		return "terminated"
	}
	return "interrupted"
}

func (s *signalled) exitCode() int {
	if s.signal == syscall.SIGTERM {
		return ExitTerminated
	}
	return ExitInterrupted
}

// panicked is a mistake in this program.
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

func (p *panicked) Error() string { return fmt.Sprintf("internal error: %v", p.value) }

// exitCode returns the exit code that says what became of a command. What is not
// known to be the fault of the user or of the input is a mistake of ours.
func exitCode(err error) int {
	if err == nil {
		return ExitPass
	}
	if verdict, ok := errors.AsType[decided](err); ok {
		return int(verdict)
	}
	if stopped, ok := errors.AsType[*signalled](err); ok {
		return stopped.exitCode()
	}
	switch {
	case is[*panicked](err), is[*writeError](err):
		return ExitInternal
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ExitInterrupted
	case is[*usageError](err), is[*verdict.OptionError](err), is[*stats.ArgumentError](err), is[*trial.OptionError](err):
		return ExitUsage
	case is[*unavailableError](err):
		return ExitUnavailable
	case is[suite.Errors](err), is[*inputError](err), is[*trial.FileError](err), is[*trial.SyntaxError](err), is[*trial.FieldError](err), is[*trial.DuplicateError](err), is[*ingest.VariantError](err), is[*ingest.UnreadError](err):
		return ExitInput
	}
	return ExitInternal
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
