package confine

import (
	"encoding/json"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Main is called first of all by a program that starts confined ones: started again in place of such a one, it
// becomes that and does not return. See the package comment.
func Main() {
	if len(os.Args) < 2 || os.Args[0] != name {
		able.Store(true)
		return
	}
	os.Exit(become(os.Args[1], os.Args[2:]))
}

// become does what the order says, and returns an exit code where that cannot be done. What is set is set for this
// thread, from which the program is executed: the others end then.
func become(text string, args []string) int {
	runtime.LockOSThread()
	const misused = 64
	var o order
	if json.Unmarshal([]byte(text), &o) != nil {
		os.Stderr.WriteString("tribunal: this is how it starts confined programs, and nothing for people\n")
		return misused
	}
	unix.CloseOnExec(descriptor)
	for _, step := range steps(o) {
		if err := step.do(); err != nil {
			return tell(wordOf(failed, step.name, err))
		}
	}
	if tell(message{Word: confined}) != 0 || o.Path == "" {
		return 0
	}
	err := syscall.Exec(o.Path, args, os.Environ())
	return tell(wordOf(unstarted, "the program", err))
}

// stepOfWrites is the one that Landlock does.
const stepOfWrites = "what it writes"

// step is a part of being confined.
type step struct {
	name string
	do   func() error
}

// steps are what an order asks for, in the order in which each can still be done: who writes no more elsewhere cannot
// write down its own user.
func steps(o order) (list []step) {
	add := func(name string, do func() error) { list = append(list, step{name, do}) }
	if o.Network != Host {
		add("its user", func() error { return mapUser(o.UID, o.GID) })
		add("the loopback", loopback)
	}
	if o.Network == Wire {
		add("the wire", func() error { return handListener(o.Port) })
	}
	if o.Network != Host && !o.WritesAnywhere {
		add("files elsewhere", func() error { return readOnly(o.Write) })
	}
	add("no new privileges", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })
	if !o.WritesAnywhere {
		add(stepOfWrites, func() error { return writeOnly(o.Write) })
	}
	add("capabilities", dropCapabilities)
	if o.Network != Host {
		add("sockets", func() error { return filterCalls(true) })
	} else {
		// A program has no terminal, being in a session of its own: this is for those that are given one open, and
		// nothing that a machine must have.
		add("terminals", func() error { _ = filterCalls(false); return nil })
	}
	return list
}

// tell says something to who started this program; 0 is that it was said.
func tell(s message) int {
	if err := unix.Sendmsg(descriptor, text(s), nil, nil, unix.MSG_NOSIGNAL); err != nil {
		return 1
	}
	if s.Word == confined {
		return 0
	}
	return 1
}
