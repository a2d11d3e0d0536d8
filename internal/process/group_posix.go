//go:build unix && !linux

package process

import (
	"os/exec"
	"syscall"
)

func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// awaitExit waits for the program and reaps it.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }
