//go:build !linux

package process

import "os/exec"

// What left the group of a program cannot be found on this system.
var relatives clan

type clan struct{}

// Adopt does nothing: only Linux gives orphans to a process that asks for them.
func Adopt() {}

func (clan) enter(mark string) *member { return &member{tag: tagOf(mark, 0)} }

func (clan) leave(*member) {}

func (clan) start(_ *member, cmd *exec.Cmd) error { return cmd.Start() }

func (clan) reap(_ *member, wait func()) { wait() }

func (clan) end(*member) {}

// controlGroup is of Linux alone.
type controlGroup struct{}

// Release does nothing.
func Release() {}

// KeptTogether returns the zero value: there are no cgroups.
func KeptTogether() Containment { return Containment{} }

// FileMark returns "": the environment of other processes cannot be read.
func FileMark(string) string { return "" }

// EndMarked finds nothing, for the same reason.
func EndMarked(string) int { return 0 }
