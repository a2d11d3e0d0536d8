package session

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// Patience is how long a command may take to end by itself after a signal: what it does between two looks
// at its context. It is chosen: long beside that, and short for a person who waits.
const Patience = 300 * time.Millisecond

// Session is what a signal has to tidy up where a command does not end by itself: one that waits for
// a file system or a pipe cannot, and one that computes may look at its context too rarely.
type Session struct {
	mutex     sync.Mutex
	temporary map[string]bool // files that are not to stay
	tending   int             // programs run that the command has to end itself
	left      bool            // nobody waits for the command any more

	End context.CancelCauseFunc // ends the context of the command
}

// sessionKey is that of the session in the context of a command.
type sessionKey struct{}

// Of returns the session of a command; nil, whose methods do nothing, where there is none.
func Of(ctx context.Context) *Session {
	s, _ := ctx.Value(sessionKey{}).(*Session)
	return s
}

// New returns a session, and the context for its command, which carries it. One that is watched may
// end the command.
func New(parent context.Context, watched bool) (context.Context, *Session) {
	s := &Session{temporary: map[string]bool{}, End: func(error) {}}
	ctx := context.WithValue(parent, sessionKey{}, s)
	if watched {
		ctx, s.End = context.WithCancelCause(ctx)
	}
	return ctx, s
}

// UntilLeft runs a command until it ends, or until it is left because its context ended and it did not.
func (s *Session) UntilLeft(ctx context.Context, command func(context.Context) error) error {
	// The channel has room: a command that is left can still end.
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if value := recover(); value != nil {
				ended <- problem.PanickedWith(value)
			}
		}()
		ended <- command(ctx)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	for {
		select {
		case err := <-ended:
			return err
		case <-time.After(Patience):
			if s.leave() {
				return context.Cause(ctx)
			}
		}
	}
}

// leave removes what the command would have removed, unless it tends programs: it ends with them.
func (s *Session) leave() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.tending > 0 {
		return false
	}
	s.left = true
	for name := range s.temporary {
		os.Remove(name)
	}
	return true
}

// Tend says that the command has programs running, which end with it, until done is called.
func (s *Session) Tend() (done func()) {
	if s == nil {
		return func() {}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.tending++
	return func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.tending--
	}
}

// Create calls a function that creates a temporary file, which does not outlive the session. Once
// the command is left the function is not called.
func (s *Session) Create(ctx context.Context, open func() (*os.File, error)) (*os.File, error) {
	if s == nil {
		return open()
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.left {
		return nil, context.Cause(ctx)
	}
	file, err := open()
	if err == nil {
		s.temporary[file.Name()] = true
	}
	return file, err
}

// Settle calls a function that gives a temporary file its name or removes it, unless the command is left.
func (s *Session) Settle(ctx context.Context, file string, act func() error) error {
	if s == nil {
		return act()
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.left {
		return context.Cause(ctx)
	}
	err := act()
	if err == nil {
		delete(s.temporary, file)
	}
	return err
}
