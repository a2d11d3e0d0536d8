package input

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/fault"
)

// files are where names lead.
type files struct {
	stat func(string) (fs.FileInfo, error)
	open func(string) (*os.File, error)
	walk func(string, fs.WalkDirFunc) error
}

// whole is the file system as the process sees it.
var whole = files{os.Stat, os.Open, filepath.WalkDir}

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
	walk := func(folder string, visit fs.WalkDirFunc) error {
		return fs.WalkDir(root.FS(), filepath.ToSlash(folder), visit)
	}
	return context.WithValue(ctx, roomKey{}, room{files{root.Stat, root.Open, walk}, find})
}

// HasRoom reports whether files are opened through a root alone.
func HasRoom(ctx context.Context) bool {
	_, is := ctx.Value(roomKey{}).(room)
	return is
}

// filesOf returns where a name leads, and how it is called there. A name that leads out of the root is a
// [fault.FileError].
func filesOf(ctx context.Context, name string) (in files, inside string, err error) {
	r, is := ctx.Value(roomKey{}).(room)
	if !is {
		return whole, name, nil
	}
	if inside, err = r.find(name); err != nil {
		return in, "", &fault.FileError{File: name, Problem: err.Error(), Err: err}
	}
	return r.in, inside, nil
}

// Stat is [os.Stat] of what [Open] would open.
func Stat(ctx context.Context, name string) (fs.FileInfo, error) {
	in, inside, err := filesOf(ctx, name)
	if err != nil {
		return nil, err
	}
	return in.stat(inside)
}

// ReadDir is [os.ReadDir] of what [Open] would open.
func ReadDir(ctx context.Context, name string) ([]fs.DirEntry, error) {
	in, inside, err := filesOf(ctx, name)
	if err != nil {
		return nil, err
	}
	folder, err := in.open(inside)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	entries, err := folder.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// WalkDir is [filepath.WalkDir] of what [Open] would open. The names that are visited begin with the folder's.
func WalkDir(ctx context.Context, folder string, visit fs.WalkDirFunc) error {
	in, inside, err := filesOf(ctx, folder)
	if err != nil {
		return err
	}
	return in.walk(inside, func(name string, entry fs.DirEntry, err error) error {
		from, problem := filepath.Rel(inside, filepath.FromSlash(name))
		if problem != nil {
			return problem
		}
		return visit(filepath.Join(folder, from), entry, err)
	})
}
