package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/tribunal-dev/tribunal/wire"
)

// Bridge runs a server of tools that is a program, and passes what it and its agent say. The name is the server's.
type Bridge struct {
	Name   string
	Teller Teller
	In     io.Reader // what the agent says
	Out    io.Writer // what it hears
	Err    io.Writer // what the server writes for people
	Env    []string  // of the server; nil is that of this process
}

// errUnread ends a server to which a message was not let through.
var errUnread = errors.New("a message is too long to be read, and a guard lets nothing through unread")

// Run runs a server until it ends, and returns its exit code. It is asked to end, by the end of its input, when the
// agent's ends.
func (b *Bridge) Run(ctx context.Context, argv []string) (code int, err error) {
	bounded, end := context.WithCancelCause(ctx)
	defer end(nil)
	command := exec.CommandContext(bounded, argv[0], argv[1:]...)
	command.Env, command.Stderr = b.Env, b.Err
	command.Cancel = func() error {
		if err := command.Process.Signal(syscall.SIGTERM); err != nil { // which not every system knows
			return command.Process.Kill()
		}
		return nil
	}
	command.WaitDelay = 2 * time.Second
	in, err := command.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := command.Start(); err != nil {
		return 0, fmt.Errorf("the server of tools cannot be started: %w", err)
	}
	p := &linePasser{session: newSession(b.Name, b.Teller), out: b.Out}
	go func() { // it may wait for an agent that says nothing more when the server has ended
		defer in.Close()
		if err := p.toServer(b.In, in); err != nil {
			end(err)
		}
	}()
	if err := p.toAgent(out); err != nil {
		end(nil) // nobody hears the server any more
	}
	err = command.Wait()
	if cause := context.Cause(bounded); errors.Is(cause, errUnread) {
		return 0, cause
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return 0, err
	}
	return command.ProcessState.ExitCode(), nil
}

// linePasser passes the lines of a session.
type linePasser struct {
	session *session

	mu  sync.Mutex // held while a line is written
	out io.Writer
}

// toServer passes what the agent says, line by line.
func (p *linePasser) toServer(from io.Reader, to io.Writer) error {
	lines := bufio.NewReaderSize(from, 64<<10)
	for {
		line, whole, err := readLine(lines)
		if len(line) > 0 && whole {
			pass, answers := p.session.fromAgent(line)
			for _, answer := range answers {
				p.answer(answer)
			}
			if _, err := to.Write(pass); err != nil {
				return nil // the server ended
			}
		}
		if !whole {
			if pass, answers := p.session.unread(line, "a message is too long to be read"); pass == nil {
				p.answer(answers[0])
				return errUnread
			}
			if err := passLine(line, lines, to); err != nil {
				return nil
			}
			continue
		}
		if err != nil {
			return nil
		}
	}
}

// readLine reads a line with its end, or as much of it as is read of a message.
func readLine(from *bufio.Reader) (line []byte, whole bool, err error) {
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, true, err
		}
		if len(line) > maxMessageBytes {
			return line, false, nil
		}
	}
}

// passLine passes a line of which a part was read already.
func passLine(begun []byte, from *bufio.Reader, to io.Writer) error {
	if _, err := to.Write(begun); err != nil {
		return err
	}
	for {
		part, err := from.ReadSlice('\n')
		if _, err := to.Write(part); err != nil {
			return err
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// answer says a line to the agent.
func (p *linePasser) answer(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.out.Write(append(line, '\n')) // to one who may have gone
}

// toAgent passes what the server says, line by line: what an agent knows of, the wire knows too, and may have changed.
// A line that is too long to be read passes as it comes.
//
// An error is that the agent has gone.
func (p *linePasser) toAgent(from io.Reader) error {
	parts := bufio.NewReaderSize(from, 64<<10)
	for {
		line, whole, err := readLine(parts)
		if whole {
			line = p.session.fromServer(line)
		}
		p.mu.Lock()
		_, gone := p.out.Write(line)
		for part := []byte(nil); !whole && gone == nil; { // the rest of it
			part, err = parts.ReadSlice('\n')
			_, gone = p.out.Write(part)
			whole = !errors.Is(err, bufio.ErrBufferFull)
		}
		p.mu.Unlock()
		switch {
		case gone != nil:
			return gone
		case err != nil:
			return nil
		}
	}
}

var _ Teller = (*wire.Route)(nil)
