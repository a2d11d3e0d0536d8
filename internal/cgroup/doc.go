// Package cgroup starts programs in control groups of their own (version 2, on Linux alone), so that whatever
// they start can be killed at once: a process leaves its process group, its session and its parent as it likes,
// but starts others in its own cgroup alone.
//
//	parent, err := cgroup.Make() // why it cannot be had, where it cannot
//	group, err := parent.New("1")
//	command.SysProcAttr.UseCgroupFD, command.SysProcAttr.CgroupFD = true, group.Descriptor()
//	err = command.Start()
//	group.Started()
//	...
//	err = group.End(time.Second) // kills what is left of it, and removes it
//	err = parent.Remove()
//
// Where to look:
//
//   - place.go: where the cgroup of this process is, from /proc/self/cgroup and /proc/self/mountinfo
//   - parent_linux.go: [Parent], a cgroup in that of this process, and what is left of others that were killed
//   - group_linux.go: [Group], one in a parent, and how it is ended
//
// No controller is enabled, so that the rule that only leaves have processes does not matter: the cgroup of this
// process may have both it and children. A cgroup is touched only if its name is one of a [Parent], it is this
// user's, and nobody holds the lock on it that its maker has until it ends.
//
// Where the cgroup of this process has limits no parent is made: programs would not find them in their own, and
// behave otherwise than without tribunal.
//
// It is no sandbox. A program that may write to the files of cgroups, as this user may, can move elsewhere.
//
// It is used by package process. Source: Documentation/admin-guide/cgroup-v2.rst of Linux, cgroups(7).
package cgroup
