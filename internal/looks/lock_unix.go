//go:build unix && !solaris && !aix && !illumos

package looks

import (
	"os"
	"syscall"
)

// lock waits for the ledger: whoever has it writes a line and lets go. The system lets go
// of it for a process that is killed.
func lock(f *os.File) (unlock func(), err error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			return func() { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }, err
		}
	}
}
