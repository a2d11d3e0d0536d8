package wiring

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/listen"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/wire"
)

// check refuses what cannot be served.
func (r *ServeRequest) check() error {
	if r.Given.Has("for") && r.For <= 0 {
		return problem.Usage("such as --for 10m", "--for must be above 0")
	}
	for _, input := range []string{r.Pricing.File, r.Script, r.Cassette} {
		if r.Trials != "" && evidence.SameFile(r.Trials, input) {
			return problem.Usage("choose another name", "--trials %s is the file of another flag", r.Trials)
		}
	}
	return r.checkListen()
}

// checkListen refuses an address that others reach, unless that is asked for.
func (r *ServeRequest) checkListen() error {
	remote, err := listen.Address("--listen", r.Listen)
	if err == nil && remote && !r.AllowRemote {
		return problem.Usage("listen on 127.0.0.1, or add --allow-remote to let other machines use it",
			"--listen %q is reached by other machines: what passes is not encrypted, and whoever has the address uses "+
				"your keys", r.Listen)
	}
	return err
}

// Serve stays up for programs that others start.
func Serve(ctx context.Context, a *world.World, r ServeRequest) error {
	if err := r.check(); err != nil {
		return err
	}
	file, err := openTrials(ctx, r.Trials)
	if err != nil {
		return err
	}
	defer file.Close() // each line has told already what could not be written
	passage, err := r.passage(a)
	if err != nil {
		return err
	}
	defer passage.close()
	passage.options.Listen = r.Listen
	opened, err := wire.Open(passage.options)
	if err != nil {
		return problem.Unavailable(err.Error(), "omit --listen, and a free port is taken")
	}
	defer opened.Close()
	defer session.Of(ctx).Tend()() // the last trial is written after a signal
	served := &servedTrials{
		app: a, scenario: r.Scenario, passage: passage, file: file, broken: make(chan struct{}),
	}
	served.open(opened)
	_, remove, err := r.install(served.route, nil)
	if err != nil {
		return err
	}
	defer remove()
	if err := r.tell(a, served.route.Environment(), opened.Mount(served)); err != nil {
		return err
	}
	ended := listen.Wait(ctx, r.For, served.broken)
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
		return problem.VerdictError(problem.ExitCode(err))
	case ended != nil:
		return ended
	case served.stopped:
		return problem.VerdictError(exit.Fail)
	}
	return nil
}

// needs are what programs need, as JSON.
type needs struct {
	Environment map[string]string `json:"environment"`
	Next        string            `json:"next"` // POST here ends a trial
}

// tell prints what programs need. Who ends trials is told apart from it: the environment is that of agents.
func (r *ServeRequest) tell(a *world.World, environment map[string]string, next string) error {
	if r.JSON {
		text, err := json.MarshalIndent(needs{environment, next}, "", "  ")
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
