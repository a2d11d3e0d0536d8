package world

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Notice tells a person on stderr what does not end the command. The kind is "note", which --quiet leaves out, or
// "warning".
func (a *World) Notice(kind, format string, arguments ...any) {
	if a.Quiet && kind == "note" {
		return
	}
	fmt.Fprintf(a.Stderr, "tribunal: %s: %s\n", kind, prose.Printable(fmt.Sprintf(format, arguments...)))
}

// Warn tells what somebody should know who trusts in it.
func (a *World) Warn(warning string) { a.Notice("warning", "%s", warning) }

// WarnOfKeyAbove warns where a program that is not given the key of a variable can read it all the same, and says what
// would prevent it.
func (a *World) WarnOfKeyAbove(variable, key, unless string) {
	if key == "" {
		return
	}
	if above := process.KeyAbove(key); above != "" {
		a.Warn(fmt.Sprintf("the agent can read the key %s in the environment of %s, as any program of this user can; %s "+
			"prevents it", variable, above, unless))
	}
}
