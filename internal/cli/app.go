package cli

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// App is the command line with what it needs of the world. A nil field stands for
// nothing: no input, output that is thrown away, an empty environment; a nil Now
// is time.Now.
type App struct {
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Env     LookupEnv
	Now     func() time.Time
	Version string // what the command version prints

	// TerminalWidth returns the columns of the terminal that a stream is, 0 if it
	// does not say, and false for a stream that is no terminal. Nil asks the
	// operating system.
	TerminalWidth func(io.Writer) (width int, terminal bool)
}

// Run runs one command with its arguments, the name of the program left out, and
// returns the exit code of the process; see [ExitPass]. It prints what went wrong
// on Stderr. A panic becomes [ExitInternal]. When the context ends, Run returns
// [ExitInterrupted] or the code of the signal that ended it, see [WithSignals].
func (a App) Run(ctx context.Context, args []string) int {
	return a.runTree(ctx, args, (*run).root)
}

// runTree runs one command of a tree.
func (a App) runTree(ctx context.Context, args []string, tree func(*run) (*cobra.Command, error)) (code int) {
	r := newRun(a)
	defer func() {
		if value := recover(); value != nil {
			complain(r.stderr, panickedWith(value))
			code = ExitInternal
		}
	}()
	err := r.execute(ctx, args, tree)
	if err != nil && !is[decided](err) {
		complain(r.stderr, err)
	}
	return exitCode(err)
}

// run is one run of the program.
type run struct {
	stdin         io.Reader
	stdout        *resultWriter
	stderr        io.Writer
	env           LookupEnv
	now           func() time.Time
	version       string
	terminalWidth func(io.Writer) (int, bool)
}

func newRun(a App) *run {
	r := &run{
		stdin: a.Stdin, stdout: &resultWriter{w: a.Stdout}, stderr: a.Stderr,
		env: a.Env, now: a.Now, version: a.Version, terminalWidth: a.TerminalWidth,
	}
	if r.stdin == nil {
		r.stdin = strings.NewReader("")
	}
	if r.stdout.w == nil {
		r.stdout.w = io.Discard
	}
	if r.stderr == nil {
		r.stderr = io.Discard
	}
	if r.now == nil {
		r.now = time.Now
	}
	if r.terminalWidth == nil {
		r.terminalWidth = terminalWidth
	}
	return r
}

// execute finds the command and runs it. An error of writing the result outranks
// the verdict: nobody has seen that.
func (r *run) execute(ctx context.Context, args []string, tree func(*run) (*cobra.Command, error)) error {
	root, err := tree(r)
	if err != nil {
		return err
	}
	root.SetArgs(append([]string{}, args...)) // not nil, which would stand for os.Args
	root.SetIn(r.stdin)
	root.SetOut(r.stdout)
	root.SetErr(r.stderr)
	err = root.ExecuteContext(ctx)
	switch {
	case err != nil && !is[decided](err) && ctx.Err() != nil:
		return context.Cause(ctx)
	case r.stdout.err != nil:
		return r.stdout.err
	}
	return err
}
