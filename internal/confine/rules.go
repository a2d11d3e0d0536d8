package confine

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Network says which network a program reaches.
type Network string

// The networks.
const (
	Wire Network = "wire" // a port of a loopback of its own, which [Rules].Serve answers
	None Network = "none" // a loopback of its own
	Host Network = "host" // that of this machine
)

// Rules say what a program may do. Whatever it starts is held to them too.
type Rules struct {
	// Write are the folders below which it may write, and files that it may. None has a symbolic link in it: see
	// [Resolved]. Devices such as /dev/null are written to in any case. Everything may be read that its user may read.
	Write   []string
	Network Network // "" is [None]
	Port    int     // of Wire: on 127.0.0.1
	// Serve answers who connects to the port, until the listener is closed. It returns at once.
	Serve func(net.Listener)

	// WritesAnywhere leaves it to write what it likes: Write is not looked at.
	WritesAnywhere bool
}

// Part is what rules are about.
type Part string

// The parts.
const (
	Writes  Part = "writes"
	Sockets Part = "network"
)

// Lack is a part of rules that a machine cannot hold.
type Lack struct {
	Part Part
	Why  string // such as "the kernel has no Landlock, which Linux 6.2 has"
}

// String says both.
func (l Lack) String() string { return string(l.Part) + ": " + l.Why }

// Without are the rules without what cannot be held.
func (r Rules) Without(lacks []Lack) Rules {
	for _, l := range lacks {
		switch l.Part {
		case Writes:
			r.WritesAnywhere = true
		case Sockets:
			r.Network = Host
		}
	}
	return r
}

// String says what the rules hold: "" is nothing.
func (r Rules) String() string {
	var parts []string
	if !r.WritesAnywhere {
		parts = append(parts, fmt.Sprintf("it writes nothing but below %s, and to temporary files of its own",
			prose.Some(quoted(r.Write), mostShown)))
		if len(r.Write) == 0 {
			parts[0] = "it writes nothing but temporary files of its own"
		}
	}
	switch r.Network {
	case Wire:
		parts = append(parts, "it reaches the wire alone")
	case None, "":
		parts = append(parts, "it reaches no network")
	}
	return strings.Join(parts, "; ")
}

// mostShown bounds the paths in a sentence.
const mostShown = 4

func quoted(paths []string) (all []string) {
	for _, path := range paths {
		all = append(all, prose.FileName(path))
	}
	return all
}

// Resolved is an absolute path without symbolic links, for [Rules].Write; what is not there stays as it is. It is
// called before the first program that could put a link there.
func Resolved(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

// empty says that nothing is held: no part of the rules could be.
func (r Rules) empty() bool { return r.WritesAnywhere && r.Network == Host }

// Error says that a program was not confined, and so did not begin.
type Error struct {
	Step string // such as "what it writes"
	Err  error
}

// Error names the step.
func (e *Error) Error() string { return fmt.Sprintf("it cannot be confined: %s: %v", e.Step, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Told are lacks in one sentence.
func Told(lacks []Lack) string {
	var parts []string
	for _, l := range lacks {
		parts = append(parts, l.String())
	}
	return strings.Join(parts, "; ")
}
