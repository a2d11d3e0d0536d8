package cli

import "github.com/tribunal-dev/tribunal/internal/exit"

// The exit codes of the process. From a command that judges, the first three are
// verdicts and nothing else; any other command exits with 0 when it did its work, but
// with 1 where what it checks does not hold: the minimum of coverage, the table of prices check, what wire
// is to forbid, and the promise of an [Experiment].
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
