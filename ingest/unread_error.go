package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// UnreadError says that files hold records that were not understood, where
// [Options].Strict asks for all of them.
type UnreadError struct {
	Files []Notes // those that hold such records
}

// unreadNamed is how many files a message names.
const unreadNamed = 4

// Error is the message: that some records were not read was asked for.
func (e *UnreadError) Error() string { return e.Message() }

// Hint says how to do without them.
func (e *UnreadError) Hint() string { return "omit Strict to read the rest" }

// Option returns the option that the hint names.
func (e *UnreadError) Option() string { return "Strict" }

// ExitCode is that of input that cannot be used.
func (e *UnreadError) ExitCode() int { return exit.Input }

// Message names the files, and what was not read of them.
func (e *UnreadError) Message() string {
	var files []string
	for i, n := range e.Files {
		if i == unreadNamed {
			files = append(files, "and "+prose.Count(len(e.Files)-i, "more file"))
			break
		}
		files = append(files, prose.FileName(n.File)+": not read: "+skipList(n.unread()))
	}
	return strings.Join(files, "; ")
}

// unreadIn returns an [UnreadError] if there is a cause for one.
func unreadIn(notes []Notes) error {
	e := &UnreadError{}
	for _, n := range notes {
		if len(n.unread()) > 0 {
			e.Files = append(e.Files, n)
		}
	}
	if len(e.Files) == 0 {
		return nil
	}
	return e
}
