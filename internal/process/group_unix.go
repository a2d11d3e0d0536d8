//go:build unix

package process

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// terminateGroup asks every process of the group to end. A negative number stands for a
// whole group (kill(2)). The error, which says that none is left, is of no interest.
func terminateGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// killGroup ends every process of the group.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// status returns how the program ended: its exit code, or -1 and the name of the signal, and whether
// the signal is one of a crash. A nil state is that of a program whose end could not be learned.
func status(s *os.ProcessState) (code int, signal string, crashed bool) {
	if s == nil {
		return -1, "", false
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return -1, w.Signal().String(), slices.Contains(crashes, w.Signal())
	}
	return s.ExitCode(), "", false
}

// crashes are the signals that the system sends a program for what it did itself.
var crashes = []syscall.Signal{
	syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGSYS, syscall.SIGTRAP,
}
