package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"syscall"
)

// name is what this program is called by who starts it again, in place of its own name.
const name = "tribunal-confine"

// descriptor is that of the connection on which it says how it fares: the first behind the standard streams.
const descriptor = 3

// order is what it is told to do, as JSON in its first argument. Its further arguments are those of the program.
type order struct {
	Write          []string `json:"write,omitempty"`
	WritesAnywhere bool     `json:"writes_anywhere,omitempty"`
	Network        Network  `json:"network"`
	Port           int      `json:"port,omitempty"`
	UID            int      `json:"uid"` // of the user, as who starts it sees it
	GID            int      `json:"gid"`
	Path           string   `json:"path"` // of the program; "" begins nothing
}

// message is what it says: that it listens, with the listener, and that it is confined; or else what went wrong. After
// that the connection ends where it has become the program, and is told why where it could not.
type message struct {
	Word  word          `json:"word"`
	Step  string        `json:"step,omitempty"`
	Why   string        `json:"why,omitempty"`
	Errno syscall.Errno `json:"errno,omitempty"` // 0 is none
}

type word string

const (
	listening word = "listening"
	confined  word = "confined"
	failed    word = "failed"  // to be confined
	unstarted word = "refused" // it is confined, and the program could not be executed
)

// wordOf is what is said of an error.
func wordOf(w word, step string, err error) message {
	s := message{Word: w, Step: step, Why: err.Error()}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		s.Errno = errno
	}
	return s
}

// error is the error again.
func (s message) error() error {
	if s.Errno == 0 {
		return errors.New(s.Why)
	}
	if s.Why == s.Errno.Error() {
		return s.Errno
	}
	return fmt.Errorf("%s%w", s.before(), s.Errno)
}

// before is the text without that of the error number at its end.
func (s message) before() string {
	end := s.Errno.Error()
	if n := len(s.Why) - len(end); n >= 0 && s.Why[n:] == end {
		return s.Why[:n]
	}
	return s.Why + ": "
}

// text writes it.
func text(value any) []byte {
	b, _ := json.Marshal(value) // which has nothing that cannot be written
	return b
}
