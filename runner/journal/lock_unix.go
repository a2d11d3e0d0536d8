//go:build unix && !solaris && !aix && !illumos

package journal

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// lingering is how long the lock of a runner that was killed may outlive it: a program
// that it was about to start has a copy of the file until it begins.
const lingering = time.Second

// lockFile takes the lock of an open file, which ends with the file or the process.
func lockFile(f *os.File) (io.Closer, error) {
	const wait = 5 * time.Millisecond
	for tries := 0; ; tries++ {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return io.NopCloser(nil), nil
		case errors.Is(err, syscall.EWOULDBLOCK) && tries < int(lingering/wait):
			time.Sleep(wait)
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, ErrLocked
		case !errors.Is(err, syscall.EINTR):
			return nil, err
		}
	}
}
