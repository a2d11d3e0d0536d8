package input

import (
	"context"
	"io/fs"
	"os"
)

// files are where names lead.
type files struct {
	stat func(string) (fs.FileInfo, error)
	open func(string) (*os.File, error)
}

// whole is the file system as the process sees it.
var whole = files{os.Stat, os.Open}

// room is a folder that a request is kept in.
type room struct {
	in   files
	find func(name string) (inside string, err error)
}

// roomKey is that of the room in a context.
type roomKey struct{}

// Within returns a context in which [Open] opens files through a root alone: whatever becomes of the name between a
// look at it and the opening, no symbolic link leads out. The function says how a name is called in the root, and
// refuses what it returns an error for.
func Within(ctx context.Context, root *os.Root, find func(name string) (inside string, err error)) context.Context {
	return context.WithValue(ctx, roomKey{}, room{files{root.Stat, root.Open}, find})
}
