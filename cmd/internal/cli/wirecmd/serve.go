package wirecmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/listen"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/wire"
)

// wireServeFlags are those of the command wire serve.
type wireServeFlags struct {
	wire        wireFlags
	listen      string
	allowRemote bool
	length      time.Duration
	trials      string
	json        bool
}

// wireServeCommand is the wire for programs that are started by somebody else.
func wireServeCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "serve",
		Short: "stay up for programs that others start, until it is interrupted",
		Long: `Let requests to models go over a wire that stays up: as tribunal wire, for programs that
are started elsewhere, such as a server, a notebook or an editor. What such a program needs
is printed, as lines of a shell or with --json; then requests are passed on until SIGINT or
SIGTERM, or for as long as --for says.

All that is asked is one trial, until a POST to the address that standard error names ends
it and begins the next, with the same limits, faults and script. A trial has no outcome,
unless a limit or a fault gives it one or the address is asked with ?outcome=pass or fail.
Each is told on standard error when it ends, and appended to --trials.

At a limit what is asked is turned away until the next trial. The exit code is 0, and 1 if
a trial reached a limit, is not known to have kept it, or showed nothing.`,
		Example: `  tribunal wire serve > wire.env
  tribunal wire serve --listen 127.0.0.1:7070 --trials trials.jsonl --max-cost 2
  tribunal wire serve --script model.yaml --for 10m --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := wireServeFlags{wire: newWireFlags()}
	flags := command.Flags()
	f.wire.register(flags, "what is asked is turned away until the next trial")
	flags.StringVar(&f.wire.scenario, "scenario", "wire", "`NAME` of the scenario in the records")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "`HOST:PORT` of this machine; port 0 is a free one")
	flags.BoolVar(&f.allowRemote, "allow-remote", false,
		"let --listen be an address that other machines reach: who knows the printed address asks with your keys")
	flags.DurationVar(&f.length, "for", 0, "end after this `DURATION`, such as 10m (default when it is interrupted)")
	flags.StringVar(&f.trials, "trials", "", "append each trial record to `FILE`, a line of JSON")
	flags.BoolVar(&f.json, "json", false, "print what programs need as JSON")
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// check refuses what cannot be served.
func (f *wireServeFlags) check(flags *pflag.FlagSet, args []string) error {
	switch {
	case len(args) > 0:
		return problem.Usage("tribunal wire -- COMMAND runs one", "wire serve starts no program, but there is %q", args[0])
	case flags.Changed("for") && f.length <= 0:
		return problem.Usage("such as --for 10m", "--for must be above 0")
	}
	for _, input := range []string{f.wire.pricing.File, f.wire.script.file, f.wire.tape.file} {
		if f.trials != "" && evidence.SameFile(f.trials, input) {
			return problem.Usage("choose another name", "--trials %s is the file of another flag", f.trials)
		}
	}
	return f.checkListen()
}

// checkListen refuses an address that others reach, unless that is asked for.
func (f *wireServeFlags) checkListen() error {
	remote, err := listen.Address("--listen", f.listen)
	if err == nil && remote && !f.allowRemote {
		return problem.Usage("listen on 127.0.0.1, or add --allow-remote to let other machines ask",
			"--listen %q is reached by other machines: what passes is not encrypted, and who reads an address asks with "+
				"your keys", f.listen)
	}
	return err
}

func (f *wireServeFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.check(flags, args); err != nil {
		return err
	}
	file, err := openTrials(ctx, f.trials)
	if err != nil {
		return err
	}
	defer file.Close() // each line has told already what could not be written
	passage, err := f.wire.passage(a, flags)
	if err != nil {
		return err
	}
	defer passage.close()
	passage.options.Listen = f.listen
	opened, err := wire.Open(passage.options)
	if err != nil {
		return problem.Unavailable(err.Error(), "leave --listen out, and a free port is taken")
	}
	defer opened.Close()
	defer session.Of(ctx).Tend()() // the last trial is written after a signal
	served := &servedTrials{
		app: a, scenario: f.wire.scenario, passage: passage, file: file, broken: make(chan struct{}),
	}
	served.open(opened)
	_, remove, err := f.wire.tools.install(served.route, nil)
	if err != nil {
		return err
	}
	defer remove()
	if err := f.tell(a, served.route.Environment(), opened.Mount(served)); err != nil {
		return err
	}
	ended := f.wait(ctx, served.broken)
	select {
	case <-served.broken:
		// Whoever asked for the trial that could not be written is told so.
		answered, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		opened.Drain(answered)
		cancel()
	default:
	}
	_ = opened.Close() // what is under way has come to its end
	err = served.close()
	if closed := passage.close(); err == nil && closed != nil {
		err = problem.Unavailable(closed.Error(), "")
	}
	switch {
	case err != nil && ended == nil:
		// To be interrupted is no reason for it, and would be given as one.
		problem.Complain(a.Stderr, err)
		return problem.Decided(problem.ExitCode(err))
	case ended != nil:
		return ended
	case served.stopped:
		return problem.Decided(exit.Fail)
	}
	return nil
}

// wait returns when it is time to end; an error is what is wrong with that. To be interrupted is how it ends.
func (f *wireServeFlags) wait(ctx context.Context, broken <-chan struct{}) error {
	var over <-chan time.Time
	if f.length > 0 {
		timer := time.NewTimer(f.length)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
	case <-broken: // whose error is that of the trials
	case <-ctx.Done():
		cause, signal := errors.AsType[*problem.Signalled](context.Cause(ctx))
		if !signal || cause.Signal == syscall.SIGHUP {
			return context.Cause(ctx)
		}
	}
	return nil
}

// servedFor is what programs need, as JSON.
type servedFor struct {
	Environment map[string]string `json:"environment"`
	Next        string            `json:"next"` // POST here ends a trial
}

// tell prints what programs need. Who ends trials is told apart from it: the environment is that of agents.
func (f *wireServeFlags) tell(a *world.World, environment map[string]string, next string) error {
	if f.json {
		text, err := json.MarshalIndent(servedFor{environment, next}, "", "  ")
		if err != nil {
			return err
		}
		_, err = a.Out.Write(append(text, '\n'))
		return err
	}
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		fmt.Fprintf(&lines, "export %s=%s\n", name, problem.ShellWord(environment[name]))
	}
	if _, err := io.WriteString(a.Out, lines.String()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.Stderr, "wire: the next trial begins with: curl -X POST %s\n", next)
	return err
}
