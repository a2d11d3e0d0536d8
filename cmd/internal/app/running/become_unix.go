//go:build unix

package running

import (
	"os"
	"syscall"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// become replaces this process by a program.
func become(program string, args []string) error {
	err := syscall.Exec(program, append([]string{program}, args...), os.Environ())
	return problem.Unavailable(program+" cannot be run: "+err.Error(), "is it for this machine?")
}
