//go:build unix

package cli

import (
	"os"
	"syscall"
)

// become replaces this process by a program.
func become(program string, args []string) error {
	err := syscall.Exec(program, append([]string{program}, args...), os.Environ())
	return unavailable(program+" cannot be run: "+err.Error(), "is it for this machine?")
}
