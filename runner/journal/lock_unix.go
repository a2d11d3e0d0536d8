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

// lockIsOfName says that the lock is that of a name, and not of the file that has it.
const lockIsOfName = false

// lockFile takes the lock of an open file, which ends with the file or the process.
//
// flock locks the open file, not its name, and the system lets go of it with the last descriptor: a runner
// that is killed leaves no lock behind. Other systems have lock_other.go.
func lockFile(f *os.File) (io.Closer, error) {
	const wait = 5 * time.Millisecond
	for tries := 0; ; tries++ {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			// Closing the file is what lets go.
			return io.NopCloser(nil), nil
		case errors.Is(err, syscall.EWOULDBLOCK) && tries < int(lingering/wait):
			time.Sleep(wait)
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, ErrLocked
		// A signal that interrupts the call is no answer: it is tried again.
		case !errors.Is(err, syscall.EINTR):
			return nil, err
		}
	}
}
