//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

// group gives the program a session of its own, which has no terminal, and so a process group. If this
// process is killed, the program stays: it is not asked for more than all of these systems have.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// awaitExit waits for the program and reaps it. Between that and killGroup the number of an
// empty group may, in theory, be given away; a group that still has members keeps it.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }
