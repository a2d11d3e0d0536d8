//go:build !unix || solaris || aix || illumos

package filelock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// OfName says that the lock is that of a name, and not of the file that has it.
const OfName = true

// Wait does nothing where files have no locks of their own.
func Wait(*os.File) (unlock func() error, err error) { return free, nil }

// Exclusive takes the lock of an open file by a file beside it, or returns an error that wraps [ErrLocked]. One that
// was left by a process that was killed must be removed by hand. Who shares is not seen.
func Exclusive(f *os.File) (unlock func() error, err error) {
	// O_EXCL makes the file or fails in one step, so two cannot both have it.
	beside, err := os.OpenFile(nameOf(f), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, locked(f)
	}
	if err != nil {
		return nil, err
	}
	return func() error { return errors.Join(beside.Close(), os.Remove(beside.Name())) }, nil
}

// Shared returns an error that wraps [ErrLocked] where somebody has the lock for itself alone.
func Shared(f *os.File) (unlock func() error, err error) {
	if _, err := os.Stat(nameOf(f)); err == nil {
		return nil, locked(f)
	}
	return free, nil
}

// nameOf is that of the file beside.
func nameOf(f *os.File) string { return f.Name() + ".lock" }

// locked says what may be left.
func locked(f *os.File) error { return fmt.Errorf("%w; if none does, remove %s", ErrLocked, nameOf(f)) }

// free lets go of nothing.
func free() error { return nil }
