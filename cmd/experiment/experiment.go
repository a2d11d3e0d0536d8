// Package experiment is the command line of programs that measure tribunal, in place of judging trials: the help, the
// flags, the forms of output and the exit codes are those of tribunal.
package experiment

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
)

type (
	// Experiment is a command that measures something, such as error rates on simulated agents.
	Experiment = cli.Experiment
	// Options say how much is measured.
	Options = cli.ExperimentOptions
	// Agents are agents that are run for an experiment, and what that may take.
	Agents = cli.ExperimentAgents
	// Finding is what an experiment found, in every form.
	Finding = cli.Finding
)

// Exit codes of findings.
const (
	Pass = cli.ExitPass
	Fail = cli.ExitFail // a promise is broken
)

// Main runs a program of this name whose commands are these experiments, at least one, in the order of its help. The
// text says in the help what they have in common. It reads the arguments of the process, uses its streams, ends with
// the signals that tribunal ends with, and returns the exit code.
func Main(program, text string, experiments ...Experiment) int {
	// A panic of a goroutine must not exit with 2, the code of a verdict.
	debug.SetTraceback("crash")
	ctx, stop := session.WithSignals(context.Background())
	defer stop()
	app := cli.App{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.LookupEnv, Version: cli.BuildVersion(),
	}
	code := app.RunExperiments(ctx, program, text, experiments, os.Args[1:])
	// Some file systems report a full disk only now.
	if err := os.Stdout.Close(); err != nil && code < cli.ExitUsage {
		fmt.Fprintf(os.Stderr, "tribunal: cannot write standard output: %v\n", err)
		return cli.ExitInternal
	}
	return code
}

// Command runs a command line of tribunal in this process, without an environment, and throws away what it prints.
// Verdicts are no errors. The error of a context that ended is its cause.
func Command(ctx context.Context, stdin io.Reader, args ...string) error {
	var stderr bytes.Buffer
	app := cli.App{
		Stdin: stdin, Stdout: io.Discard, Stderr: &stderr, Env: func(string) (string, bool) { return "", false },
		TerminalWidth: func(io.Writer) (int, bool) { return 0, false },
	}
	if code := app.Run(ctx, args); code >= cli.ExitUsage {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("tribunal %s: exit code %d: %s", args[0], code, stderr.Bytes())
	}
	return nil
}
