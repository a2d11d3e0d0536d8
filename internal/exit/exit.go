// Package exit has the exit codes of the program, so that an error of any package can
// say by a method ExitCode with which of them it wants to end a command.
//
// The codes from 64 on are those of sysexits.h of BSD; from 128 on they are those that a
// shell gives to a program that a signal ended.
package exit

// The codes. Those of a verdict are never those of an error.
const (
	Pass         = 0   // the verdict Pass; a command that judges nothing did its work
	Fail         = 1   // the verdict Fail
	Inconclusive = 2   // the verdict Inconclusive
	Usage        = 64  // what is asked for cannot be done
	Input        = 65  // the input cannot be used
	Unavailable  = 69  // a program that is needed could not be run at all
	Internal     = 70  // a mistake in this program
	Output       = 74  // a result could not be written
	HungUp       = 129 // stopped by SIGHUP
	Interrupted  = 130 // stopped by SIGINT
	Unread       = 141 // standard output was closed by who read it
	Terminated   = 143 // stopped by SIGTERM
)

// New returns an error with the text and the code. Like those of errors.New, every one is
// another error, also with the same text.
func New(code int, text string) error { return &codeText{code, text} }

type codeText struct {
	code int
	text string
}

func (e *codeText) Error() string { return e.text }

// ExitCode returns the code.
func (e *codeText) ExitCode() int { return e.code }
