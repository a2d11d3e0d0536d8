package wiring

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
	"github.com/tribunal-dev/tribunal/wire/guard"
)

// Run runs a program as a suite runs its agent on a wire. It ends with the exit code of the program.
func Run(ctx context.Context, a *world.World, r Request) error {
	if len(r.Command) == 0 {
		return problem.Usage("such as tribunal wire -- python3 agent.py", "no program is named")
	}
	var to *outfile.File
	var err error
	if r.Output != "" {
		if to, err = deliver.NewFileBeside("--output", r.Output, []string{r.Pricing.File, r.Script}); err != nil {
			return err
		}
	}
	passage, err := r.passage(a)
	if err != nil {
		return err
	}
	defer passage.close()
	opened, err := wire.Open(passage.options)
	if err != nil {
		return problem.Unavailable(err.Error(), "")
	}
	defer opened.Close()
	rules, err := r.confinement(opened)
	if err != nil {
		return err
	}
	if rules == nil {
		r.warnOfKeys(a, passage.options)
	}
	began := a.Now()
	route := opened.Route(passage.limits, passage.acts(r.named(), 0)...)
	args, remove, err := r.install(route, r.Command)
	if err != nil {
		return err
	}
	defer remove()
	ended, err := runOn(ctx, a, route, args, rules)
	if err != nil {
		return err
	}
	seen := route.Close()
	if err := passage.close(); err != nil {
		return problem.Unavailable(err.Error(), "")
	}
	record := recordOf(r.named(), ended, seen)
	record.Index = trial.Some(0)
	record.StartedAt = trial.Timestamp(began.UTC().Format(time.RFC3339Nano))
	record.DurationSeconds = trial.Some(a.Now().Sub(began).Seconds())
	if _, err := io.WriteString(a.Stderr, summaryOf(record, seen).text()); err != nil {
		return err
	}
	if to != nil {
		if err := save(ctx, a, to, record); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case beyond(seen):
		return problem.VerdictError(exit.Fail)
	}
	return problem.VerdictError(ended.code)
}

// save writes the record.
func save(ctx context.Context, a *world.World, to *outfile.File, record *trial.Trial) error {
	text, err := trial.Append(nil, record)
	if err != nil {
		return err
	}
	return a.Deliver(ctx, to, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// beyond reports whether an attempt was ended, shows nothing, or is not known to have kept its limits.
func beyond(seen *wire.Traffic) bool {
	return seen.Stopped != "" || seen.Void != "" || seen.Broken != "" || seen.Unsure != ""
}

// options are those of the wire.
func (r *Setup) options(a *world.World) (o wire.Options, err error) {
	named, err := byProvider("--upstream", r.Upstreams, "openai=http://localhost:11434/v1")
	if err != nil {
		return o, err
	}
	keys, err := byProvider("--key-env", r.Keys, "openai=OPENAI_API_KEY")
	if err != nil {
		return o, err
	}
	for p, name := range keys {
		if keys[p] = strings.TrimSpace(a.Env.Get(name)); keys[p] == "" {
			return o, problem.Usage("", "--key-env %s: the variable %s is not set", p, name)
		}
	}
	if o.Upstreams, err = wire.UpstreamsOf(named, a.Env); err != nil {
		return o, problem.Usage("", "%v", err)
	}
	o.Key = func(p wire.Provider) string { return keys[p] }
	o.Prices = r.Pricing.Table
	return o, nil
}

// parseFaults are those that were given.
func (r *Setup) parseFaults() (faults []fault.Fault, err error) {
	for _, text := range r.Faults {
		one, err := fault.Parse(text)
		if err != nil {
			return nil, problem.Usage("such as --fault rate-limit:times=1", "--fault: %v", err)
		}
		faults = append(faults, one)
	}
	return faults, nil
}

// limits are those that were given.
func (r *Setup) limits() wire.Limits {
	l := wire.Limits{MaxTurns: r.MaxTurns, MaxCostUSD: r.MaxCost}
	if r.MaxTokens.Known {
		l.MaxTokens = trial.Some(int64(r.MaxTokens.Value))
	}
	return l
}

// byProvider reads texts such as openai=TEXT.
func byProvider(flag string, texts []string, example string) (map[wire.Provider]string, error) {
	all := map[wire.Provider]string{}
	var names []string
	for _, p := range wire.Providers() {
		names = append(names, string(p))
	}
	for _, text := range texts {
		name, value, ok := strings.Cut(text, "=")
		if !ok || value == "" {
			return nil, problem.Usage("such as "+flag+" "+example, "%s %q is not PROVIDER=VALUE", flag, text)
		}
		if !slices.Contains(names, name) {
			return nil, problem.Usage("one of "+strings.Join(names, ", "), "%s: %s is no provider", flag, prose.Quote(name))
		}
		all[wire.Provider(name)] = value
	}
	return all, nil
}

// ending is how a program ended.
type ending struct {
	code   int
	output string // what it printed, where that was no terminal
}

// runOn runs a program with the addresses of a route, and with our own streams.
func runOn(
	ctx context.Context, a *world.World, route *wire.Route, args []string, rules *confine.Rules,
) (ended ending, err error) {
	bounded, end := context.WithCancel(ctx)
	defer end()
	go func() {
		select {
		case <-route.Stopped():
			end()
		case <-bounded.Done():
		}
	}()
	command := exec.CommandContext(bounded, args[0], args[1:]...)
	if a.Environ != nil { // else there is none
		command.Env = a.Environ()
	}
	for name, value := range route.Environment() {
		command.Env = append(command.Env, name+"="+value)
	}
	var printed bytes.Buffer
	_, interactive := a.TerminalWidth(a.Out.Stream)
	command.Stdin, command.Stdout, command.Stderr = a.Stdin, a.Stdout, a.Stderr
	if !interactive {
		command.Stdout = io.MultiWriter(a.Stdout, &cappedWriter{into: &printed})
	}
	command.Cancel = func() error {
		if route.Reason() == wire.Guardrail { // which waits for nothing
			return command.Process.Kill()
		}
		if err := command.Process.Signal(syscall.SIGTERM); err != nil { // which not every system knows
			return command.Process.Kill()
		}
		return nil
	}
	command.WaitDelay = 5 * time.Second
	remove, err := temporary(rules, command)
	if err != nil {
		return ended, problem.Unavailable(err.Error(), "")
	}
	defer remove()
	err = runHeld(bounded, command, rules)
	var exited *exec.ExitError
	switch {
	case errors.As(err, &exited), bounded.Err() != nil:
	case err != nil:
		return ended, problem.Unavailable(fmt.Sprintf("%s cannot be run: %v", prose.Quote(args[0]), err),
			"check the name, the working directory and PATH")
	}
	ended.output = printed.String()
	if ended.code = command.ProcessState.ExitCode(); ended.code < 0 {
		ended.code = exit.Unavailable
		if state, ok := command.ProcessState.Sys().(interface{ Signal() syscall.Signal }); ok {
			ended.code = 128 + int(state.Signal()) // as a shell has it
		}
	}
	return ended, nil
}

// runHeld runs a program, held to rules where there are any. One that could not be confined has not begun.
func runHeld(ctx context.Context, command *exec.Cmd, rules *confine.Rules) error {
	if rules == nil {
		return command.Run()
	}
	held, err := rules.Hold(command)
	if err != nil {
		return err
	}
	defer held.Close()
	if err := command.Start(); err != nil {
		return err
	}
	if err := held.Begun(ctx); err != nil {
		_ = command.Process.Kill()
		_ = command.Wait()
		return err
	}
	return command.Wait()
}

// cappedWriter keeps so much of a text as a trial may have, and drops the rest.
type cappedWriter struct{ into *bytes.Buffer }

// Write never fails.
func (c *cappedWriter) Write(text []byte) (int, error) {
	const most = 16 << 20
	if room := most - c.into.Len(); room > 0 {
		c.into.Write(text[:min(room, len(text))])
	}
	return len(text), nil
}

// named is the scenario in the record.
func (r *Request) named() string { return cmp.Or(r.Scenario, filepath.Base(r.Command[0])) }

// warnOfKeys warns of keys that the program is not given and can read all the same.
func (r *Setup) warnOfKeys(a *world.World, o wire.Options) {
	names, _ := byProvider("--key-env", r.Keys, "") // which was read before
	for p, name := range names {
		a.WarnOfKeyAbove(name, o.Key(p), "--confine")
	}
}

// keySecrets are the keys that the program does not get.
func keySecrets(o wire.Options) (keys []string) {
	for _, p := range wire.Providers() {
		keys = append(keys, o.Key(p))
	}
	return keys
}

// recordOf is the trial.
func recordOf(scenario string, ran ending, seen *wire.Traffic) *trial.Trial {
	t := &trial.Trial{Scenario: scenario}
	if ran.output != "" {
		t.Output = trial.RawString(strings.ToValidUTF8(ran.output, "\uFFFD"))
	}
	switch ended := guard.Ended(seen); {
	case seen.Void != "":
		t.Outcome = trial.Error
		t.Error = &trial.Cause{Origin: trial.InfrastructureOrigin, Type: "void", Message: seen.Void}
	case ended != nil:
		t.Outcome = trial.Fail
		t.Error = &trial.Cause{Type: wire.Guardrail, Message: ended.Error()}
	case seen.Stopped != "" && !wire.IsLimit(seen.Stopped):
		t.Outcome = trial.Error
		t.Error = &trial.Cause{Type: seen.Stopped, Message: seen.Why()}
	case seen.Stopped != "":
		t.Outcome = trial.Fail
		t.Error = &trial.Cause{Type: seen.Stopped, Message: "stopped by " + seen.Stopped}
		if seen.Stopped == seen.Unsure { // by an upper bound
			t.Outcome = trial.Error
			t.Error.Message += ", which it may not have reached"
		}
	case seen.Broken != "":
		t.Outcome = trial.Fail
		t.Error = &trial.Cause{Type: seen.Broken, Message: "it ended above " + seen.Broken}
	case seen.Unsure != "":
		t.Outcome = trial.Error
		t.Error = &trial.Cause{Type: seen.Unsure, Message: "it is not known whether it kept " + seen.Unsure}
	case ran.code != 0:
		t.Outcome = trial.Fail
		t.Error = &trial.Cause{Type: "exit", Message: fmt.Sprintf("the program ended with exit code %d", ran.code)}
	}
	seen.Fill(t)
	return t
}
