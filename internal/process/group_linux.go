package process

import (
	"os/exec"
	"syscall"
	"unsafe"
)

// group gives the program a session of its own, and has the kernel end it where this process is
// killed and cannot do so itself. Setsid makes the program the leader of a new group,
// whose number is its own: that is what terminateGroup and killGroup rely on. A new session has
// no terminal, so that the program cannot type into the one of whoever runs it. Pdeathsig
// (see prctl(2)) reaches the program alone; its children notice at most by their closed
// pipes.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit waits until the program has ended and does not reap it, as waitid(2) does with
// WNOWAIT. The package syscall has no waitid; os.Process.Wait reaps. An error other than
// EINTR means that there is no such child any more, which is an end as well.
func awaitExit(cmd *exec.Cmd) {
	const byPID = 1 // P_PID
	// The kernel fills it in, and nobody reads it.
	var information [16]int64 // siginfo_t: 128 bytes
	for {
		_, _, err := syscall.Syscall6(syscall.SYS_WAITID, byPID, uintptr(cmd.Process.Pid),
			uintptr(unsafe.Pointer(&information)), syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if err != syscall.EINTR {
			return
		}
	}
}
