//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// terminateGroup asks every process of the group to end.
func terminateGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// killGroup ends every process of the group.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func status(s *os.ProcessState) (code int, signal string) {
	if s == nil {
		return -1, ""
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return -1, w.Signal().String()
	}
	return s.ExitCode(), ""
}
