//go:build !unix

package running

import (
	"errors"
	"os"
	"os/exec"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// become runs a program in the place of this one, and ends with its exit code. Both hear of an interrupt at the
// console; this one waits for the other.
func become(program string, args []string) error {
	command := exec.Command(program, args...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := command.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok && ended.ExitCode() >= 0 {
		return problem.VerdictError(ended.ExitCode())
	}
	if err != nil {
		return problem.Unavailable(program+" cannot be run: "+err.Error(), "is it for this machine?")
	}
	return problem.VerdictError(0)
}
