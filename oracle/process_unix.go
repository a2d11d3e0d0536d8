//go:build unix

package oracle

import (
	"os/exec"
	"syscall"
)

// ownGroup starts the command in a process group of its own, which is killed as a
// whole where its context ends.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error {
		killGroup(c)
		return nil
	}
}

// killGroup kills what is left of the command and its children.
func killGroup(c *exec.Cmd) {
	if c.Process != nil && c.Process.Pid > 0 {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // an error says that nothing is left
	}
}
