package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/internal/confine"
)

// ErrAtOnce is the cause of a context whose end gives a program no [Command].Grace.
var ErrAtOnce = errors.New("the program is to end at once")

// Command is a program that is run without a shell, in a session of its own, which has no terminal.
// Everything in its process group is gone when [Command.Run] returns. What left the group, as a
// daemon does, is gone as well on Linux, where this process has called [Adopt]; [KeptTogether] says how well that
// holds.
type Command struct {
	Argv        []string    // program and arguments; a bare name is looked up in PATH
	Dir         string      // working directory; "" is that of this process
	Environment Environment // what it sees of this process's variables, and more
	// The program is ended when it has run for so long; 0 is for ever.
	Timeout        time.Duration
	Grace          time.Duration // from SIGTERM to SIGKILL; 0 kills at once
	MaxOutputBytes int           // of the standard output that are kept; 0 is [DefaultMaxOutputBytes]
	EndOnOverflow  bool          // a program that prints more is ended at once, not [Excess] bytes later
	MaxStderrBytes int           // the last of the standard error; 0 is [DefaultMaxStderrBytes]
	Redact         []string      // names of variables whose values are removed from the standard error
	// What it may write and reach; nil: what its user may. It has a folder for temporary files of its own then, unless
	// the environment sets one.
	Confine *confine.Rules
}

// What holds where a [Command] says 0. A Timeout of 0 is none.
const (
	DefaultMaxOutputBytes = 16 << 20
	DefaultMaxStderrBytes = 16 << 10
)

// How much is read of what is not kept, in bytes: a program that prints more is ended, for it may never
// stop. Both are chosen: far more than a program prints by mistake, and read within a second.
const (
	Excess    = 16 << 20 // of the standard output, beyond what is kept
	MaxStderr = 1 << 30  // of the standard error, all of it
)

// drain is how long output may come from children that outlive the program. It is counted
// twice at most: once for a child that is still printing when the program has exited, and
// once more after the group was killed, for what is already in the pipes. The value is
// chosen: long enough for a flush, too short to be felt in a run of many trials.
const drain = 200 * time.Millisecond

// Result is what came of a program that was started.
type Result struct {
	ExitCode int    // -1 where a signal ended it
	Signal   string // such as "killed"; "" where it exited
	// The signal is one that a program brings about itself, such as SIGSEGV or SIGABRT.
	Crashed bool
	// The program was still running at its Timeout and was ended. TimedOut and Cancelled
	// are never both true: the first to happen counts. Both are false where an overflow
	// ended it, which Truncated tells.
	TimedOut  bool
	Cancelled bool // the context ended first
	Truncated bool // the output was longer than it may be, and its beginning alone is kept
	// It printed more than is read: it was ended for that, if it had not ended by then. Whether this is
	// true depends on what it printed alone, and on no time.
	Overflowed bool
	// From the start until nothing of the group was left, the grace included.
	Duration time.Duration
	Stdout   []byte // as it is: what is kept of it has to be redacted
	Stderr   string // the end of it, redacted
}

// StartError says that a program could not be started at all.
type StartError struct {
	Program string
	Err     error
}

// Error names the program, the cause, and what most often is behind such a cause.
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
	c, tidy, err := c.private()
	if err != nil {
		return nil, &StartError{c.Argv[0], err}
	}
	defer tidy()
	// The secrets are sought in what the program will see, so both have to be made first.
	environment := c.Environment.list()
	secrets := newSecrets(environment, c.Redact)
	overflowed := make(chan struct{})
	overflow := sync.OnceFunc(func() { close(overflowed) })
	out := &head{limit: positive(c.MaxOutputBytes, DefaultMaxOutputBytes), slack: secrets.longest, overflow: overflow}
	out.most = int64(out.limit)
	if !c.EndOnOverflow {
		out.most += Excess
	}
	tail := &tail{
		limit: positive(c.MaxStderrBytes, DefaultMaxStderrBytes), slack: secrets.longest,
		most: MaxStderr, overflow: overflow,
	}
	// Not CommandContext, which would kill the program alone and leave its children.
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	member := relatives.enter(markOf(ctx))
	cmd.Dir, cmd.Env = c.Dir, member.marked(environment)
	group(cmd)
	start := time.Now()
	pipes, held, err := c.connect(ctx, cmd, member, stdin, out, tail)
	if err != nil {
		relatives.leave(member)
		if ctx.Err() != nil {
			return &Result{ExitCode: -1, Cancelled: true}, nil
		}
		return nil, &StartError{c.Argv[0], err}
	}
	defer held.Close()
	p := &Result{}
	// Whether a secret is in the text is looked for only now, when all of it is there:
	// secrets that are written in two pieces would slip through a filter of single writes.
	c.await(ctx, cmd, member, pipes, overflowed, p)
	p.Duration = time.Since(start)
	p.ExitCode, p.Signal, p.Crashed = status(cmd.ProcessState)
	p.Stdout, p.Truncated = out.text(secrets)
	p.Overflowed = out.total > out.most || tail.total > tail.most
	p.Stderr = string(tail.text(secrets))
	return p, nil
}

// positive returns x, or the fallback where x is 0 or less: a limit that nobody gave.
func positive(x, fallback int) int {
	if x > 0 {
		return x
	}
	return fallback
}

// await waits for the end of the program, or brings it about, and leaves nothing of its
// group. The group is killed before the program is reaped: until then nobody else can have
// its number. The result gets what ended the program; its exit code is in cmd afterwards.
// Three waits follow one another: until the program ends or has to, until its group is
// gone, and until the pipes are empty.
func (c Command) await(
	ctx context.Context, cmd *exec.Cmd, member *member, pipes *pipes, overflowed <-chan struct{}, p *Result,
) {
	// This only watches for the end: where the system can, the program stays unreaped, so
	// that its number, which is also that of the group, is not given to anybody else before
	// the kill below.
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
	// With a Timeout of 0 the channel is nil, and this case never happens.
	select {
	case <-exited:
	case <-overflowed:
		over = true
	case <-timeout:
		p.TimedOut = true
	case <-ctx.Done():
		p.Cancelled = true
	}
	// A program that is told to end gets time to save its work. One that ended by itself
	// has none to save, but children of it may still hold the pipes and be about to finish
	// a line.
	if !p.TimedOut && !p.Cancelled && !over {
		within(pipes.done, drain)
	} else {
		patient(c.graceAt(ctx), killOf(ctx), exited, func() { terminateGroup(cmd) })
	}
	killGroup(cmd)
	<-exited
	relatives.end(member)
	// Everything in the group is dead now. A pipe that is still open is held by a daemon that could not be
	// found; without this a trial would wait for as long as that lives.
	if !within(pipes.done, drain) {
		pipes.cut()
	}
	<-pipes.done
	relatives.reap(member, func() { _ = cmd.Wait() }) // its state says more than its error
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

// pipes are this process's ends of the program's standard streams. Each has a goroutine
// that copies; done says that all three have returned.
type pipes struct {
	// By the number of the stream: 0 is written to, 1 and 2 are read.
	ends [3]*os.File
	done chan struct{} // closed when all of them are
}

// connect starts the program with pipes of our own: those of exec.Cmd are waited for
// together with the program, which would reap it too early. On success the copying has
// begun, and the program's own ends are closed in this process: otherwise the reads would
// never see the end of the streams.
func (c Command) connect(
	ctx context.Context, cmd *exec.Cmd, member *member, stdin []byte, out, tail io.Writer,
) (*pipes, *confine.HeldProgram, error) {
	p := &pipes{done: make(chan struct{})}
	var theirs [3]*os.File
	// Closing what the program holds now is the job of the program alone.
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
			return nil, nil, err
		}
		if i == 0 {
			theirs[i], p.ends[i] = r, w
		} else {
			theirs[i], p.ends[i] = w, r
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	held, err := c.start(ctx, member, cmd)
	if err != nil {
		shut(p.ends[:])
		return nil, nil, err
	}
	go p.copy(stdin, out, tail)
	return p, held, nil
}

// copy feeds the program and collects what it says, and returns when all three streams are
// closed. The streams are served at the same time: a program that fills its stderr before
// it reads its input would otherwise block for ever.
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
	// What was read counts, however it ended. A program that prints too much finds the pipe closed.
	_, _ = io.Copy(out, p.ends[1])
	p.ends[1].Close()
	// Who does not read its input any more will not: the write must not wait for it.
	<-finished
	<-finished
	close(p.done)
}

// cut ends all copying at once. A pipe that takes no deadline is closed instead, which ends
// its copying as well.
func (p *pipes) cut() {
	for _, f := range p.ends {
		if f.SetDeadline(time.Now()) != nil {
			f.Close()
		}
	}
}
