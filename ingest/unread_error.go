package ingest

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// UnreadError says that files hold records that were not understood, where
// [Options].Strict asks for all of them.
type UnreadError struct{ Files []Notes } // those that hold such records

// unreadNamed is how many files a message names.
const unreadNamed = 4

func (e *UnreadError) Error() string {
	var files []string
	for i, n := range e.Files {
		if i == unreadNamed {
			files = append(files, fmt.Sprintf("and %d more files", len(e.Files)-i))
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
