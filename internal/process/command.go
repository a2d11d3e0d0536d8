package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Command is a program that is run without a shell, in a process group of its own.
// Everything in the group is gone when [Command.Run] returns. A process that left
// the group, as a daemon does, is not found.
type Command struct {
	Argv           []string    // program and arguments; a bare name is looked up in PATH
	Dir            string      // working directory; "" is that of this process
	Environment    Environment // what it sees of this process's variables, and more
	Timeout        time.Duration
	Grace          time.Duration // from SIGTERM to SIGKILL; 0 is [DefaultGrace]
	MaxOutputBytes int           // of the standard output, the rest is dropped; 0 is [DefaultMaxOutputBytes]
	EndOnOverflow  bool          // a program that prints more is ended, in place of reading on
	MaxStderrBytes int           // the last of the standard error; 0 is [DefaultMaxStderrBytes]
	Redact         []string      // names of variables whose values are removed from all output
}

// What holds where a [Command] says 0. A Timeout of 0 is none.
const (
	DefaultGrace          = 2 * time.Second
	DefaultMaxOutputBytes = 16 << 20
	DefaultMaxStderrBytes = 16 << 10
)

// drain is how long output may come from children that outlive the program.
const drain = 200 * time.Millisecond

// Result is what came of a program that was started.
type Result struct {
	ExitCode  int    // -1 where a signal ended it
	Signal    string // such as "killed"; "" where it exited
	TimedOut  bool
	Cancelled bool // the context ended first
	Truncated bool // the standard output was longer than it may be
	Duration  time.Duration
	Stdout    []byte // redacted
	Stderr    string // the end of it, redacted
}

// StartError says that a program could not be started at all.
type StartError struct {
	Program string
	Err     error
}

func (e *StartError) Error() string {
	hint := ""
	switch {
	case errors.Is(e.Err, exec.ErrNotFound), errors.Is(e.Err, os.ErrNotExist):
		hint = " (check the name, the working directory and PATH)"
	case errors.Is(e.Err, os.ErrPermission):
		hint = " (is it executable?)"
	}
	return fmt.Sprintf("cannot start %q: %v%s", e.Program, e.Err, hint)
}

// Unwrap returns the cause, such as [exec.ErrNotFound].
func (e *StartError) Unwrap() error { return e.Err }

// Run runs the program with the text as its standard input. A program that ends
// badly, also by timeout or because the context ended, is no error; one that cannot
// be started is a [StartError].
func (c Command) Run(ctx context.Context, stdin []byte) (*Result, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, &StartError{"", errors.New("no program is named")}
	}
	if err := ctx.Err(); err != nil {
		return &Result{ExitCode: -1, Cancelled: true}, nil
	}
	environment := c.Environment.list()
	secrets := newSecrets(environment, c.Redact)
	var overflowed chan struct{}
	if c.EndOnOverflow {
		overflowed = make(chan struct{})
	}
	out := &head{overflowed: overflowed, limit: positive(c.MaxOutputBytes, DefaultMaxOutputBytes), slack: secrets.longest}
	tail := &tail{limit: positive(c.MaxStderrBytes, DefaultMaxStderrBytes), slack: secrets.longest}

	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, environment
	group(cmd)
	start := time.Now()
	pipes, err := connect(cmd, stdin, out, tail)
	if err != nil {
		return nil, &StartError{c.Argv[0], err}
	}
	p := &Result{}
	c.await(ctx, cmd, pipes, overflowed, p)
	p.Duration = time.Since(start)
	p.ExitCode, p.Signal = status(cmd.ProcessState)
	p.Stdout, p.Truncated = out.text(secrets)
	p.Stderr = string(tail.text(secrets))
	return p, nil
}

// ReadOutput reads a file that the program wrote as its output: capped, and without the
// secrets, as standard output is.
func (c Command) ReadOutput(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() // opened for reading: nothing to lose
	secrets := newSecrets(c.Environment.list(), c.Redact)
	h := &head{limit: positive(c.MaxOutputBytes, DefaultMaxOutputBytes), slack: secrets.longest}
	if _, err := io.Copy(h, io.LimitReader(file, int64(h.limit+h.slack)+1)); err != nil {
		return nil, err
	}
	text, _ := h.text(secrets)
	return text, nil
}

func positive[T int | time.Duration](x, fallback T) T {
	if x > 0 {
		return x
	}
	return fallback
}

// await waits for the end of the program, or brings it about, and leaves nothing of
// its group. The group is killed before the program is reaped: until then nobody
// else can have its number.
func (c Command) await(ctx context.Context, cmd *exec.Cmd, pipes *pipes, overflowed <-chan struct{}, p *Result) {
	exited := make(chan struct{})
	go func() {
		awaitExit(cmd)
		close(exited)
	}()
	var timeout <-chan time.Time
	if c.Timeout > 0 {
		timer := time.NewTimer(c.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	over := false
	select {
	case <-exited:
	case <-overflowed:
		over = true
	case <-timeout:
		p.TimedOut = true
	case <-ctx.Done():
		p.Cancelled = true
	}
	if p.TimedOut || p.Cancelled || over {
		terminateGroup(cmd)
		within(exited, positive(c.Grace, DefaultGrace))
	} else {
		within(pipes.done, drain)
	}
	killGroup(cmd)
	<-exited
	if !within(pipes.done, drain) {
		pipes.cut() // held by a process that left the group
	}
	<-pipes.done
	_ = cmd.Wait() // its state says more than its error
}

// within reports whether the channel is closed before the time is over.
func within(done <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// pipes are this process's ends of the program's standard streams.
type pipes struct {
	ends [3]*os.File
	done chan struct{} // closed when all of them are
}

// connect starts the program with pipes of our own: those of exec.Cmd are waited for
// together with the program, which would reap it too early.
func connect(cmd *exec.Cmd, stdin []byte, out, tail io.Writer) (*pipes, error) {
	p := &pipes{done: make(chan struct{})}
	var theirs [3]*os.File
	shut := func(files []*os.File) {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}
	defer func() { shut(theirs[:]) }()
	for i := range p.ends {
		r, w, err := os.Pipe()
		if err != nil {
			shut(p.ends[:])
			return nil, err
		}
		if i == 0 {
			theirs[i], p.ends[i] = r, w
		} else {
			theirs[i], p.ends[i] = w, r
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if err := cmd.Start(); err != nil {
		shut(p.ends[:])
		return nil, err
	}
	go p.copy(stdin, out, tail)
	return p, nil
}

func (p *pipes) copy(stdin []byte, out, tail io.Writer) {
	finished := make(chan struct{}, 2)
	go func() {
		_, _ = p.ends[0].Write(stdin) // a program need not read its input
		p.ends[0].Close()
		finished <- struct{}{}
	}()
	go func() {
		_, _ = io.Copy(tail, p.ends[2])
		p.ends[2].Close()
		finished <- struct{}{}
	}()
	_, _ = io.Copy(out, p.ends[1]) // what was read counts, however it ended
	p.ends[1].Close()
	// Who does not read its input any more will not: the write must not wait for it.
	<-finished
	<-finished
	close(p.done)
}

// cut ends all copying at once.
func (p *pipes) cut() {
	for _, f := range p.ends {
		if f.SetDeadline(time.Now()) != nil {
			f.Close()
		}
	}
}
