// Package confine starts programs that can write only below some folders, and that reach no network but the wire.
// What holds it is the kernel of Linux, and not the program's good will:
//
//   - Landlock (https://docs.kernel.org/userspace-api/landlock.html) refuses every write elsewhere, by whatever
//     name: absolute, with .., by a symbolic or a hard link, by renaming;
//   - a namespace of mounts, where it has one of networks, has all else read only: rights, owners and times of files,
//     which Landlock does not know, cannot be changed either;
//   - a network namespace of its own (see network_namespaces(7)) has a loopback and nothing else. What it listens on
//     there for the wire is handed to this process, which answers: so the one port leads out, and to one place;
//   - a seccomp filter (see seccomp(2)) refuses sockets that no such namespace holds: those in the file system, by
//     which the daemons of a machine do for others what these cannot, and those of virtual machines.
//
// Nobody can do that to a program that runs already, so this one is started again in its place: it confines itself,
// says so, and becomes the program. Who starts programs so calls [Main] first of all.
//
//	rules := confine.Rules{Write: []string{"/work"}, Network: confine.None}
//	lacks := rules.Lacks() // what of it this machine cannot hold
//	command := exec.Command("./agent")
//	held, err := rules.Hold(command)
//	err = command.Start()
//	err = held.Begun(ctx) // whether it is confined: else it never began
//	defer held.Close()
//
// It has nothing to do with package cgroup, which finds what a program leaves behind, and keeps it from nothing.
//
// Where to look:
//
//   - rules.go: [Rules], [Lack], on every system
//   - hold_linux.go: this process's side of a start; talk_linux.go what both sides say
//   - main_linux.go: the other side, step by step; each step in a file of its own
//   - lacks_linux.go: what this machine can hold, by trying it
package confine
