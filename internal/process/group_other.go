//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// Without process groups the program alone is ended, its children are not.

// group does nothing. The functions here are those of group_linux.go and group_posix.go, as
// far as they can be had.
func group(*exec.Cmd) {}

// terminateGroup asks the program to end. On Windows os.Interrupt cannot be sent, and the
// error is ignored: the program then runs until the grace is over and is killed.
func terminateGroup(cmd *exec.Cmd) { _ = cmd.Process.Signal(os.Interrupt) }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// status returns the exit code; there are no signals to tell of.
func status(s *os.ProcessState) (code int, signal string, crashed bool) {
	if s == nil {
		return -1, "", false
	}
	return s.ExitCode(), "", false
}
