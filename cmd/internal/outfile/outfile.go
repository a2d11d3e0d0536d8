package outfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/internal/signature"
)

// PrivateMode is that of new files: reports and results hold what agents said, which is the user's own. A file
// that is there keeps its mode.
const PrivateMode fs.FileMode = 0o600

// File is where --output FILE sends a result. The file appears whole or not
// at all.
type File struct {
	Path string // with symbolic links followed, so that a link stays one
	// That of the file which is replaced; without one it is PrivateMode.
	Mode   fs.FileMode
	Exists bool
	direct bool // a device or a pipe: there is nothing to replace
	// Signs the file, beside which the signature stands; nil does not.
	Key *signature.Key
}

// New looks at the path that a flag gives before the work begins, so that a
// mistake in it costs no time.
func New(flag, path string) (*File, error) {
	// A link to a file that is not there yet cannot be followed, and is replaced.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	o := &File{Path: path}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil, problem.Usage("name a file in it", "%s %q is a directory", flag, path)
	case err == nil:
		o.Mode, o.Exists, o.direct = info.Mode().Perm(), true, !info.Mode().IsRegular()
		return o, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, problem.Usage("", "%s %q cannot be used: %v", flag, path, problem.WithoutPath(err))
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, problem.Usage("make the folder first", "%s %q: there is no folder %q", flag, path, folder)
	}
	return o, nil
}

// Write replaces the file with the text.
func (o *File) Write(ctx context.Context, text []byte) error {
	return o.Fill(ctx, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Fill replaces the file with what a function writes, bit by bit. An error of the
// function leaves the file as it was, and is returned. The function must have written
// its last when it returns.
func (o *File) Fill(ctx context.Context, write func(io.Writer) error) error {
	put := o.replace
	if o.direct {
		put = o.writeThrough
	}
	var failure error // of the function, which is none of the file
	// Whose error it is decides the message and the exit code: that of the file is "cannot
	// write", that of the function has its own words.
	err := put(ctx, func(w io.Writer) error {
		target := &targetWriter{w: w}
		if err := write(target); target.err == nil {
			failure = err
			return err
		}
		return target.err
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failure != nil:
		return failure
	}
	return &problem.WriteError{Target: o.Path, Err: err}
}

// targetWriter keeps the first error of writing.
type targetWriter struct {
	w   io.Writer
	err error
}

// Write writes to the file, unless an earlier write failed.
func (t *targetWriter) Write(b []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	n, err := t.w.Write(b)
	t.err = err
	return n, err
}

// writeThrough writes to a device or a pipe as it stands, such as /dev/stderr: whatever
// reads it sees a part if something fails on the way.
func (o *File) writeThrough(_ context.Context, write func(io.Writer) error) error {
	file, err := os.OpenFile(o.Path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// replace writes a temporary file beside the target, makes sure that it is on the
// disk, and gives it the target's name.
func (o *File) replace(ctx context.Context, write func(io.Writer) error) (err error) {
	s := session.Of(ctx)
	file, err := s.Create(ctx, o.temporary)
	if err != nil {
		return err
	}
	// The error is looked at when replace returns, so that no way out leaves the temporary
	// file.
	defer func() {
		if err != nil {
			file.Close()
			_ = s.Settle(ctx, file.Name(), func() error { return os.Remove(file.Name()) })
		}
	}()
	mode, asked := ModeAsked(ctx)
	if o.Exists && !asked {
		mode = o.Mode
	}
	if o.Exists || asked {
		if err := file.Chmod(mode); err != nil {
			return err
		}
	}
	if err := write(file); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	// The last moment at which an interrupt can leave the old file in place.
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.Settle(ctx, file.Name(), func() error { return os.Rename(file.Name(), o.Path) }); err != nil {
		return err
	}
	syncFolder(filepath.Dir(o.Path))
	return nil
}

// temporary creates a file beside the target.
func (o *File) temporary() (*os.File, error) {
	folder, name := filepath.Split(o.Path)
	// A name that is taken is rare, one in 2³² for each leftover: a hundred in a row mean
	// that something else is wrong.
	for range 100 {
		path := filepath.Join(folder, fmt.Sprintf(".%s.%08x.tmp", name, rand.Uint32()))
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, PrivateMode)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
	return nil, errors.New("no name for a temporary file is free")
}

// syncFolder makes the new name lasting. Not every system can, and the file is
// whole in any case, so an error does not matter.
func syncFolder(folder string) {
	if f, err := os.Open(folder); err == nil {
		f.Sync()
		f.Close()
	}
}
