package process

import (
	"os/exec"
	"strconv"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/cgroup"
)

// controlGroups are the cgroups of the programs of this process. A nil one has none, and counts nothing.
type controlGroups struct {
	make   sync.Once // when they are needed: most commands start no program
	parent *cgroup.Parent
	cause  error // that there is no parent

	mutex sync.Mutex
	known Containment
}

// controlGroup is the cgroup of one program.
type controlGroup struct{ *cgroup.Group } // nil: it runs without one

// open makes the parent of the cgroups, once. What others left in theirs is ended before.
func (g *controlGroups) open() {
	if g == nil {
		return
	}
	g.make.Do(func() {
		g.parent, g.cause = cgroup.Make()
		g.mutex.Lock()
		defer g.mutex.Unlock()
		if g.parent != nil {
			g.known.Folder = g.parent.Folder()
		}
	})
}

// enter has a program start in a cgroup of its own. Where that cannot be had the program starts without one, and
// the error says why.
func (g *controlGroups) enter(m *member, cmd *exec.Cmd) (*cgroup.Group, error) {
	if g == nil {
		return nil, nil
	}
	g.open()
	if g.parent == nil {
		return nil, g.cause
	}
	group, err := g.parent.New(strconv.FormatUint(m.number, 10))
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, group.Descriptor()
	return group, nil
}

// count counts a program that has started, outside where there is a cause for that.
func (g *controlGroups) count(cause error) {
	if g == nil {
		return
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if cause == nil {
		g.known.Inside++
		return
	}
	g.known.Outside++
	g.known.Why = cause
}

// end kills what the program has left in its cgroup. What cannot be killed in time stays until [Release] tries again.
func (g *controlGroup) end() {
	if g != nil && g.Group != nil {
		_ = g.End(patience)
	}
}

// Release removes the cgroups of this process. It is called at its end, when no [Command] runs.
func Release() {
	g := relatives.groups
	if g == nil {
		return
	}
	// What was never made is not made now.
	g.make.Do(func() {})
	if g.parent != nil {
		_ = g.parent.Remove()
	}
}

// KeptTogether returns how the programs that have started so far were kept together.
func KeptTogether() Containment {
	g := relatives.groups
	if g == nil {
		return Containment{}
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.known
}
