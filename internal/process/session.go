package process

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/internal/confine"
)

// Session is a program that stays up: [Session.Ask] gives it a line, and has the line that it answers with. It is
// for one goroutine at a time. Whoever opened one closes it.
type Session struct {
	command Command
	cmd     *exec.Cmd
	member  *member
	secrets secrets
	opened  time.Time
	held    *confine.HeldProgram // what confines it; nil is nothing
	tidy    func()               // removes its folder for temporary files

	stdin *os.File // is written to
	// The program's own end of its standard input, open here as well: what it has not read when it ends is in it.
	unread *os.File
	stdout *os.File
	chunks chan []byte   // of its standard output, closed at the end of that
	gone   chan struct{} // closed when nobody takes chunks any more
	stderr *complaints

	atOnce  <-chan struct{} // closed when it is to be killed at once
	exited  chan struct{}
	written chan struct{} // the last line was written; nil before the first
	stray   bool          // it printed more than its answer
	ended   bool
}

// Answer is what came of a line. Its Result is that of a [Command] where the program ended, and else has exit code 0,
// the line that it answered with and what it complained of meanwhile. What it printed before it ended is its answer,
// be it no line.
type Answer struct {
	Result
	// Unread says that the program ended, and had read nothing of the line: it had ended before it was asked.
	Unread bool
	// More says that it printed more than a line.
	More bool
}

// Open starts the program, to be asked. Timeout holds for each line, and limits of output for each answer. The error
// is a [StartError].
func (c Command) Open(ctx context.Context) (*Session, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, &StartError{"", errors.New("no program is named")}
	}
	c, tidy, err := c.private()
	if err != nil {
		return nil, &StartError{c.Argv[0], err}
	}
	environment := c.Environment.list()
	s := &Session{
		command: c, tidy: tidy, secrets: newSecrets(environment, c.Redact), opened: time.Now(),
		cmd: exec.Command(c.Argv[0], c.Argv[1:]...), member: relatives.enter(markOf(ctx)),
		atOnce: killOf(ctx),
		chunks: make(chan []byte), gone: make(chan struct{}), exited: make(chan struct{}),
	}
	s.cmd.Dir, s.cmd.Env = c.Dir, s.member.marked(environment)
	group(s.cmd)
	if err := s.start(ctx); err != nil {
		relatives.leave(s.member)
		tidy()
		return nil, &StartError{c.Argv[0], err}
	}
	return s, nil
}

// start starts the program between pipes, and those who read them.
func (s *Session) start(ctx context.Context) error {
	var open []*os.File
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			open = append(open, r, w)
		}
		return r, w, err
	}
	stdin, stdinEnd, err := pipe()
	if err != nil {
		return err
	}
	stdout, theirOut, err1 := pipe()
	stderr, theirErr, err2 := pipe()
	if err = errors.Join(err1, err2); err == nil {
		s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = stdin, theirOut, theirErr
		s.held, err = s.command.start(ctx, s.member, s.cmd)
	}
	if err != nil {
		for _, f := range open {
			f.Close()
		}
		return err
	}
	// Held open here, they would never come to an end.
	theirOut.Close()
	theirErr.Close()
	s.stdin, s.unread, s.stdout = stdinEnd, stdin, stdout
	s.stderr = newComplaints(stderr, s.newTail)
	go func() {
		awaitExit(s.cmd)
		close(s.exited)
	}()
	go s.listen()
	return nil
}

// newTail keeps what the program complains of during one answer.
func (s *Session) newTail(overflow func()) *tail {
	return &tail{
		limit: positive(s.command.MaxStderrBytes, DefaultMaxStderrBytes), slack: s.secrets.longest,
		most: MaxStderr, overflow: overflow,
	}
}

// listen hands on what the program prints.
func (s *Session) listen() {
	defer s.stdout.Close()
	defer close(s.chunks)
	buffer := make([]byte, 64<<10)
	for {
		n, err := s.stdout.Read(buffer)
		if n > 0 {
			select {
			case s.chunks <- bytes.Clone(buffer[:n]):
			case <-s.gone:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Usable reports whether the program can be asked: it runs, has read the line before, and has printed nothing but its
// answer to that. A program that is not usable is closed.
func (s *Session) Usable() bool {
	if s.ended || s.stray {
		return false
	}
	select {
	case <-s.exited:
		return false
	case <-s.chunks: // or the end of them
		s.stray = true
		return false
	default:
	}
	return s.written == nil || within(s.written, drain)
}

// Ask gives the program a line, which ends with a newline, and waits for the one that it answers with, until the time
// is over, the context ends, or the program. It is ended with all that it started unless it answered in time.
func (s *Session) Ask(ctx context.Context, line []byte) *Answer {
	start := time.Now()
	if s.written == nil {
		start = s.opened // that it has to start is a part of the first answer
	} else {
		s.stderr.clear() // what came since the last answer is of none
	}
	a := &Answer{}
	limit := positive(s.command.MaxOutputBytes, DefaultMaxOutputBytes)
	over := false
	out := &head{limit: limit, slack: s.secrets.longest, most: int64(limit), overflow: func() { over = true }}
	if !s.command.EndOnOverflow {
		out.most += Excess
	}
	wrote := 0
	s.written = make(chan struct{})
	go func(done chan struct{}) {
		wrote, _ = s.stdin.Write(line) // a program need not read it
		close(done)
	}(s.written)

	var timeout <-chan time.Time
	if s.command.Timeout > 0 {
		timer := time.NewTimer(s.command.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	answer := &answerLine{out: out}
	for waiting := true; waiting && !answer.answered && !over; {
		select {
		case chunk, more := <-s.chunks:
			_, _ = answer.Write(chunk)
			waiting = more
		case <-s.exited:
			waiting = false
		case <-s.stderr.overflowed:
			over = true
		case <-timeout:
			a.TimedOut, waiting = true, false
		case <-ctx.Done():
			a.Cancelled, waiting = true, false
		}
	}
	if !answer.answered || over {
		s.command.Grace = s.command.graceAt(ctx)
		s.end(a.TimedOut || a.Cancelled || over, answer)
		unread := s.leftOver()
		a.Unread = out.total == 0 && unread >= wrote
		a.ExitCode, a.Signal, a.Crashed = status(s.cmd.ProcessState)
	}
	complained := s.stderr.take()
	a.Overflowed = out.total > out.most || complained.total > complained.most
	// A line is an answer, however the program ended behind it.
	if answer.answered && !a.TimedOut && !a.Cancelled && !a.Overflowed {
		a.ExitCode, a.Signal, a.Crashed = 0, "", false
	}
	s.stray, a.More = answer.more, answer.more
	a.Duration = time.Since(start)
	a.Stdout, a.Truncated = out.text(s.secrets)
	a.Stderr = string(complained.text(s.secrets))
	return a
}

// answerLine keeps a line, and sees whether more follows.
type answerLine struct {
	out            *head
	answered, more bool
}

// Write keeps what belongs to the line.
func (l *answerLine) Write(text []byte) (int, error) {
	if l.answered {
		l.more = l.more || len(text) > 0
		return len(text), nil
	}
	end := bytes.IndexByte(text, '\n') + 1
	if end == 0 {
		return l.out.Write(text)
	}
	l.answered, l.more = true, end < len(text)
	return l.out.Write(text[:end])
}

// end ends the program with all that it started, at once where it has ended by itself and else after its grace, and
// keeps what it still prints.
func (s *Session) end(ask bool, out io.Writer) {
	s.ended = true
	read := make(chan struct{})
	go func() {
		for chunk := range s.chunks {
			_, _ = out.Write(chunk)
		}
		close(read)
	}()
	if ask {
		patient(s.command.Grace, s.atOnce, s.exited, func() { terminateGroup(s.cmd) })
	} else {
		within(read, drain)
	}
	s.kill()
	if !within(read, drain) { // a daemon that could not be found holds them open
		cut(s.stdout)
	}
	<-read
	close(s.gone)
	if !within(s.stderr.done, drain) {
		cut(s.stderr.file)
	}
	<-s.stderr.done
}

// kill ends the group of the program, and reaps the program.
func (s *Session) kill() {
	killGroup(s.cmd)
	<-s.exited
	relatives.end(s.member)
	relatives.reap(s.member, func() { _ = s.cmd.Wait() })
	s.held.Close()
	s.tidy()
}

// leftOver closes the standard input of a program that has ended, and returns how much of it was not read.
func (s *Session) leftOver() int {
	if s.written != nil {
		_ = s.stdin.SetWriteDeadline(time.Now())
		<-s.written
	}
	s.stdin.Close()
	left, _ := io.Copy(io.Discard, s.unread) // up to its end, as nobody writes any more
	s.unread.Close()
	return int(left)
}

// Close ends the program: its standard input ends, and what has not ended within its grace is killed. It does nothing
// where the program has ended already.
func (s *Session) Close() {
	if s.ended {
		return
	}
	if s.written != nil {
		_ = s.stdin.SetWriteDeadline(time.Now())
		<-s.written
	}
	s.stdin.Close()
	// It may still print, and would wait for somebody to read it.
	go func() {
		for {
			select {
			case _, more := <-s.chunks:
				if !more {
					return
				}
			case <-s.exited:
				return
			}
		}
	}()
	patient(s.command.Grace, s.atOnce, s.exited, func() {}) // the end of its input asks it
	s.end(false, io.Discard)
	s.unread.Close()
}

// cut ends the reading of a pipe.
func cut(f *os.File) {
	if f.SetDeadline(time.Now()) != nil {
		f.Close()
	}
}

// complaints are what a program writes to its standard error, answer by answer.
type complaints struct {
	file       *os.File
	done       chan struct{} // closed when it is read
	overflowed chan struct{} // closed when it is more than is read

	mutex   sync.Mutex
	buffer  []byte // for reading
	newTail func(overflow func()) *tail
	signal  func()
	tail    *tail
}

// newComplaints reads a standard error.
func newComplaints(file *os.File, newTail func(overflow func()) *tail) *complaints {
	c := &complaints{
		file: file, done: make(chan struct{}), overflowed: make(chan struct{}), newTail: newTail,
		buffer: make([]byte, 32<<10),
	}
	c.signal = sync.OnceFunc(func() { close(c.overflowed) })
	c.tail = newTail(c.signal)
	go func() {
		defer close(c.done)
		defer file.Close()
		c.follow()
	}()
	return c
}

// Write keeps the end of what the program writes. It is called with the lock held.
func (c *complaints) Write(text []byte) (int, error) { return c.tail.Write(text) }

// take returns what was written since the last answer.
func (c *complaints) take() *tail {
	c.catchUp()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	taken := c.tail
	c.tail = c.newTail(c.signal)
	return taken
}

// clear forgets what was written.
func (c *complaints) clear() { c.take() }
