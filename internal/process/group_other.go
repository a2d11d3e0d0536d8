//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// Without process groups the program alone is ended, its children are not.

func group(*exec.Cmd) {}

func terminateGroup(cmd *exec.Cmd) { _ = cmd.Process.Signal(os.Interrupt) }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

func status(s *os.ProcessState) (code int, signal string) {
	if s == nil {
		return -1, ""
	}
	return s.ExitCode(), ""
}
