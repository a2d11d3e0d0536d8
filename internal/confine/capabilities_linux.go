package confine

import (
	"slices"

	"golang.org/x/sys/unix"
)

// kept are the capabilities of root that concern its files and its programs. All others would let it around what it is
// held to where it is root of the machine: by a device, a module of the kernel, another's memory, or a file's handle.
var kept = []uintptr{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL, unix.CAP_SETGID,
	unix.CAP_SETUID, unix.CAP_NET_BIND_SERVICE,
}

// dropCapabilities has no program have others than these, from the next one that this process executes. Who is not
// root has none then.
func dropCapabilities() error {
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // which kernels before 4.3 have not
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return err
	}
	if sets[0].Effective&(1<<unix.CAP_SETPCAP) == 0 {
		// Without it none can be dropped, and who is not root gains none without new privileges. Root that has not got
		// this one has what it was left with.
		return nil
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if slices.Contains(kept, c) {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && err != unix.EINVAL { // a later kernel's
			return err
		}
	}
	for i := range sets {
		sets[i].Inheritable = 0
	}
	return unix.Capset(&header, &sets[0])
}
