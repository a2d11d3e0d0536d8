package confine

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapUser has this process be who it was, in its namespace of users, unless that is written down already. Groups
// cannot be changed then: a group may be what somebody is kept out by. See user_namespaces(7).
func mapUser(uid, gid int) error {
	written, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return err
	}
	if len(written) > 0 {
		return nil
	}
	for _, line := range []struct{ file, text string }{
		{"/proc/self/setgroups", "deny"},
		{"/proc/self/uid_map", fmt.Sprintf("%d %[1]d 1", uid)},
		{"/proc/self/gid_map", fmt.Sprintf("%d %[1]d 1", gid)},
	} {
		if err := os.WriteFile(line.file, []byte(line.text), 0); err != nil {
			return err
		}
	}
	return nil
}

// loopback brings up the loopback, which is down in a new namespace.
func loopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(s, unix.SIOCGIFFLAGS, request); err != nil {
		return err
	}
	request.SetUint16(request.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, request)
}

// handListener listens on a port of the loopback, and hands that to who started this program.
func handListener(port int) error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	if err := unix.Bind(s, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	if err := unix.Listen(s, unix.SOMAXCONN); err != nil {
		return err
	}
	return unix.Sendmsg(descriptor, text(message{Word: listening}), unix.UnixRights(s), nil, unix.MSG_NOSIGNAL)
}
