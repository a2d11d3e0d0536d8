//go:build !unix || solaris || aix || illumos

package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// lockIsOfName says that the lock is that of a name, and not of the file that has it.
const lockIsOfName = true

// lockFile takes the lock of an open file by a file beside it. One that was left by
// a process that was killed must be removed by hand. O_EXCL makes the file or fails in one step, so two
// runners cannot both have it.
func lockFile(f *os.File) (io.Closer, error) {
	name := f.Name() + ".lock"
	beside, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; if none runs, remove %s", ErrLocked, name)
	}
	if err != nil {
		return nil, err
	}
	return removal{beside}, nil
}

// removal is a lock file, which is removed when it is closed.
type removal struct{ *os.File }

// Close lets go of the lock.
func (r removal) Close() error { return errors.Join(r.File.Close(), os.Remove(r.Name())) }
