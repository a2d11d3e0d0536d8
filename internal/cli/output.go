package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tribunal-dev/tribunal/internal/signature"
)

// privateMode is that of new files: reports and results hold what agents said, which is the user's own. A file
// that is there keeps its mode.
const privateMode fs.FileMode = 0o600

// outputFile is where --output FILE sends a result. The file appears whole or not
// at all.
type outputFile struct {
	path string // with symbolic links followed, so that a link stays one
	// That of the file which is replaced; without one it is privateMode.
	mode   fs.FileMode
	exists bool
	direct bool // a device or a pipe: there is nothing to replace
	// Signs the file, beside which the signature stands; nil does not.
	key *signature.Key
}

// newOutputFile looks at the path that a flag gives before the work begins, so that a
// mistake in it costs no time.
func newOutputFile(flag, path string) (*outputFile, error) {
	// A link to a file that is not there yet cannot be followed, and is replaced.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	o := &outputFile{path: path}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil, usage("name a file in it", "%s %q is a directory", flag, path)
	case err == nil:
		o.mode, o.exists, o.direct = info.Mode().Perm(), true, !info.Mode().IsRegular()
		return o, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, usage("", "%s %q cannot be used: %v", flag, path, withoutPath(err))
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, usage("make the folder first", "%s %q: there is no folder %q", flag, path, folder)
	}
	return o, nil
}

// write replaces the file with the text.
func (o *outputFile) write(ctx context.Context, text []byte) error {
	return o.fill(ctx, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// fill replaces the file with what a function writes, bit by bit. An error of the
// function leaves the file as it was, and is returned. The function must have written
// its last when it returns.
func (o *outputFile) fill(ctx context.Context, write func(io.Writer) error) error {
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
	return &writeError{o.path, err}
}

// targetWriter keeps the first error of writing.
type targetWriter struct {
	w   io.Writer
	err error
}

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
func (o *outputFile) writeThrough(_ context.Context, write func(io.Writer) error) error {
	file, err := os.OpenFile(o.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}

// replace writes a temporary file beside the target, makes sure that it is on the
// disk, and gives it the target's name.
func (o *outputFile) replace(ctx context.Context, write func(io.Writer) error) (err error) {
	s := sessionOf(ctx)
	file, err := s.create(ctx, o.temporary)
	if err != nil {
		return err
	}
	// The error is looked at when replace returns, so that no way out leaves the temporary
	// file.
	defer func() {
		if err != nil {
			file.Close()
			_ = s.settle(ctx, file.Name(), func() error { return os.Remove(file.Name()) })
		}
	}()
	mode, asked := modeAsked(ctx)
	if o.exists && !asked {
		mode = o.mode
	}
	if o.exists || asked {
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
	if err := s.settle(ctx, file.Name(), func() error { return os.Rename(file.Name(), o.path) }); err != nil {
		return err
	}
	syncFolder(filepath.Dir(o.path))
	return nil
}

// temporary creates a file beside the target.
func (o *outputFile) temporary() (*os.File, error) {
	folder, name := filepath.Split(o.path)
	// A name that is taken is rare, one in 2³² for each leftover: a hundred in a row mean
	// that something else is wrong.
	for range 100 {
		path := filepath.Join(folder, fmt.Sprintf(".%s.%08x.tmp", name, rand.Uint32()))
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, privateMode)
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

// deliver renders a result and writes it, to the file if there is one and to standard
// output if not. Nothing is written if rendering fails. Results are small beside the trials
// that they come from, so all of it is held in memory.
func (a *App) deliver(ctx context.Context, to *outputFile, render func(io.Writer) error) error {
	var text bytes.Buffer
	if err := render(&text); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if to != nil {
		if err := to.write(ctx, text.Bytes()); err != nil || to.key == nil {
			return err
		}
		return sign(ctx, to.key, to.path, text.Bytes())
	}
	_, err := a.stdout.Write(text.Bytes())
	return err
}

// resultWriter keeps the first error of writing to standard output, also where
// the caller, such as the printer of a help text, does not look at it.
type resultWriter struct {
	w   io.Writer
	err error
}

func (w *resultWriter) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(b)
	switch {
	// Who read it has seen enough, such as head; see [WithSignals].
	case errors.Is(err, syscall.EPIPE):
		w.err = &closedPipe{err}
	case err != nil:
		w.err = &writeError{"standard output", err}
	}
	return n, w.err
}
