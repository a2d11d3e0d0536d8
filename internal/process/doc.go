// Package process runs other people's programs: each in a session of its own, without a terminal,
// killed with all that it started at timeout and cancellation, with a limit on what it
// may print, the variables of the environment that it is to see, and secrets removed
// from what it complains of.
//
// The main type is [Command]:
//
//	result, err := process.Command{Argv: []string{"./agent"}, Timeout: time.Minute}.Run(ctx, input)
//
// Where to look:
//
//   - command.go: [Command], its life from start to [Result], and how a group is ended
//   - session.go: [Session], a program that stays up and answers line by line; complaints_*.go tell which of its
//     complaints are of which answer
//   - output.go: what is kept of the standard output (the beginning) and error (the end)
//   - environment.go: which variables the program sees
//   - redact.go: whose values are secrets; package redact finds them
//   - group_*.go: process groups, by system. Linux alone can wait for a program without
//     giving up its number, and kills it when this process dies; other Unix systems have
//     groups; elsewhere the program alone is ended, not its children.
//   - relatives_*.go, marker.go: what left the group, such as daemons, and what a process that was killed left
//     behind; on Linux alone
//   - control_linux.go, together.go: a cgroup for each program, by package cgroup, where that can be had
//   - confined.go: programs that package confine holds to a part of the file system and the network
//   - seal_*.go: how the environment of this process is kept from the programs; on Linux alone
//
// A process that starts nothing but commands calls [Adopt] and [Seal] first and [Release] last, as cmd/tribunal
// does. In another one, which uses package runner as a library, daemons are not found: its orphans may be somebody
// else's, and its cgroups are its own affair.
//
// The text passes through in this order: the program writes to a pipe of ours, head or tail
// keep what may be kept and a little more, and that is cut to its limit, where no secret is cut
// in two. The "little more" is the length of the longest secret, so that one is recognised. The
// secrets are removed from the standard error before.
//
// It is used by package runner for the agent under test, and by package oracle for commands
// that judge an output.
package process
