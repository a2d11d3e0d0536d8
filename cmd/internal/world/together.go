package world

import (
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// TellOfTogether says with --verbose how the programs of a command were kept together with what they start, and
// why some were not as well as they could be.
func (a *World) TellOfTogether(c process.Containment) {
	if !a.Verbose {
		return
	}
	if c.Inside > 0 {
		a.Notice("note", "%s ran in %s, in %s", prose.Count(c.Inside, "program"),
			prose.Form(c.Inside, "a cgroup of its own", "cgroups of their own"), prose.FileName(c.Folder))
	}
	if c.Outside > 0 {
		a.Notice("note", "%s ran without %s, and what %s left was sought among orphans alone: %s",
			prose.Count(c.Outside, "program"), prose.Form(c.Outside, "a cgroup of its own", "cgroups of their own"),
			prose.Form(c.Outside, "it", "they"), prose.Reason(c.Why.Error()))
	}
}
