package base

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/session"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/process"
)

// App is the command line with what it needs of the world. A nil field stands for
// nothing: no input, output that is thrown away, an empty environment; a nil Now
// is time.Now.
type App struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Env    LookupEnv
	// Environ lists the variables as NAME=VALUE, as os.Environ does, for those that are misspelt.
	Environ func() []string
	Now     func() time.Time
	Version string // what the command version prints

	// TerminalWidth returns the columns of the terminal that a stream is, 0 if it
	// does not say, and false for a stream that is no terminal. Nil asks the
	// operating system.
	TerminalWidth func(io.Writer) (width int, terminal bool)

	// Fleet runs trials on other machines; nil is none.
	Fleet Fleet

	// OwnProcess says that the process does nothing else: its memory is watched, and what goes beyond
	// --max-memory ends the command.
	OwnProcess bool

	// All commands write to this one, which keeps the first error.
	Out *ResultWriter // Stdout, within Run

	Guest *Guest // who asks, if it is not a person; such as a client of the command mcp

	// Suites are opened with it: those of a guest must be in its folder.
	Opening context.Context

	Args []string // of the command, within Run

	// The commands whose flags variables may set; nil stands for those that are run.
	Known func(*App) *cobra.Command

	quiet   bool // no notes
	Verbose bool // more of them
}

// Run runs one command of a tree with its arguments, the name of the program left out, and
// returns the exit code of the process. It prints what went wrong on Stderr. A panic becomes
// [exit.Internal]. When the context ends, it returns [exit.Interrupted] or the code of the signal
// that ended it. The function builds the tree with the App, whose nil fields are filled in by then.
func (a App) Run(ctx context.Context, args []string, tree func(*App) *cobra.Command) (code int) {
	a.Complete()
	a.Opening, a.Args = ctx, args
	if a.Known == nil {
		a.Known = tree
	}
	// Without this the runtime would exit with 2, which a pipeline reads as Inconclusive.
	defer func() {
		if value := recover(); value != nil {
			problem.Complain(a.Stderr, problem.PanickedWith(value))
			code = exit.Internal
		}
	}()
	err := a.execute(ctx, args, tree)
	a.tellOfTogether(process.KeptTogether())
	// A verdict is no complaint: it was printed as the result. To who has read enough there is nothing to say.
	if err != nil && !problem.Is[problem.Decided](err) && !problem.Is[*problem.ClosedPipe](err) {
		problem.Complain(a.Stderr, err)
	}
	return problem.ExitCode(err)
}

// Complete puts something in the place of what is nil, and returns the App. That is a value and Run
// has a copy of it, so the caller's is left as it is.
func (a *App) Complete() *App {
	if a.Stdin == nil {
		a.Stdin = strings.NewReader("")
	}
	if a.Stdout == nil {
		a.Stdout = io.Discard
	}
	if a.Stderr == nil {
		a.Stderr = io.Discard
	}
	if a.Now == nil {
		a.Now = time.Now
	}
	if a.TerminalWidth == nil {
		a.TerminalWidth = terminalWidth
	}
	a.Out = &ResultWriter{Stream: a.Stdout}
	return a
}

// execute finds the command and runs it. An error of writing the result outranks
// the verdict: nobody has seen that.
func (a *App) execute(ctx context.Context, args []string, tree func(*App) *cobra.Command) error {
	root := tree(a)
	if completes(args) {
		if err := completeFlags(root); err != nil {
			return err
		}
	}
	root.SetArgs(append([]string{}, args...)) // not nil, which would stand for os.Args
	root.SetIn(a.Stdin)
	// Also what cobra itself prints, such as the completions of a shell, counts as the
	// result.
	root.SetOut(a.Out)
	root.SetErr(a.Stderr)
	ctx, s := session.New(ctx, a.OwnProcess)
	defer s.End(nil)
	err := s.UntilLeft(ctx, root.ExecuteContext)
	switch {
	case problem.Is[*problem.Panicked](err):
		return err
	// Whatever an interrupted command complains of, the interrupt is why.
	case err != nil && !problem.Is[problem.Decided](err) && ctx.Err() != nil:
		return context.Cause(ctx)
	case a.Out.err != nil:
		return a.Out.err
	}
	return err
}
