//go:build unix && !solaris && !aix && !illumos

package runner

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lockFile takes the lock of an open file, which ends with the file or the process.
func lockFile(f *os.File) (io.Closer, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return io.NopCloser(nil), nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, ErrLocked
		case !errors.Is(err, syscall.EINTR):
			return nil, err
		}
	}
}
