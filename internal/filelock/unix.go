//go:build unix && !solaris && !aix && !illumos

package filelock

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// OfName says that the lock is that of a name, and not of the file that has it.
const OfName = false

// lingering is how long the lock of a process that was killed may outlive it: a program that it was about to start has
// a copy of the file until it begins.
const lingering = time.Second

// Wait takes the lock of an open file for itself alone, as soon as nobody else has it.
func Wait(f *os.File) (unlock func() error, err error) {
	for {
		// A signal that interrupts the call is no answer: it is tried again.
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return unlocking(f), err
		}
	}
}

// Exclusive takes the lock of an open file for itself alone, or returns [ErrLocked]. A file that has the lock shared
// gives it up for that, and may have none after an error.
func Exclusive(f *os.File) (unlock func() error, err error) { return try(f, syscall.LOCK_EX) }

// Shared takes the lock of an open file together with others that share it, or returns [ErrLocked].
func Shared(f *os.File) (unlock func() error, err error) { return try(f, syscall.LOCK_SH) }

// try takes a lock of a kind.
//
// flock locks the open file, not its name, and the system lets go of it with the last descriptor.
func try(f *os.File, kind int) (unlock func() error, err error) {
	const wait = 5 * time.Millisecond
	for tries := 0; ; tries++ {
		err := syscall.Flock(int(f.Fd()), kind|syscall.LOCK_NB)
		switch {
		case err == nil:
			return unlocking(f), nil
		case errors.Is(err, syscall.EWOULDBLOCK) && tries < int(lingering/wait):
			time.Sleep(wait)
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, ErrLocked
		case !errors.Is(err, syscall.EINTR):
			return nil, err
		}
	}
}

// unlocking lets go of the lock of a file.
func unlocking(f *os.File) func() error {
	return func() error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
}
