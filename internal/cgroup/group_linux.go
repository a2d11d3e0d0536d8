package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"strings"
	"time"
)

// Group is a cgroup for one program and all that it starts.
type Group struct {
	root   *os.Root // of the parent
	name   string   // in it
	folder *os.File // nil once the program was started
}

// New makes a group. Each name is given once.
func (p *Parent) New(name string) (*Group, error) {
	if err := p.root.Mkdir(name, 0o755); err != nil {
		return nil, err
	}
	folder, err := p.root.Open(name)
	if err != nil {
		_ = p.root.Remove(name)
		return nil, err
	}
	return &Group{root: p.root, name: name, folder: folder}, nil
}

// Descriptor is what a program is started in it by: the CgroupFD of a syscall.SysProcAttr. It is there until
// [Group.Started]. A kernel before 5.7 cannot start a program so, nor can a sandbox that forbids clone3(2).
func (g *Group) Descriptor() int { return int(g.folder.Fd()) }

// Started says that the descriptor is not needed any more.
func (g *Group) Started() { g.folder.Close() }

// End kills all processes of the group and those of the cgroups in it, waits until they are dead, and removes it.
// It fails where that takes longer than the patience. The processes may be zombies that are to be reaped.
func (g *Group) End(patience time.Duration) error {
	killed := map[int]bool{}
	deadline := time.Now().Add(patience)
	// A cgroup without living processes can be removed, so that most take a single call.
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 20*time.Millisecond) {
		err := removeTree(g.root, g.name, 0)
		if err == nil {
			break
		}
		if time.Now().After(deadline) || errors.Is(err, os.ErrClosed) {
			return fmt.Errorf("the cgroup %s cannot be removed: %w", path.Join(g.root.Name(), g.name), err)
		}
		maps.Copy(killed, g.members())
		g.kill()
		time.Sleep(pause)
	}
	// The kernel takes a process out of its cgroup a moment before it is dead.
	for pid := range killed {
		for !isDead(pid) && time.Now().Before(deadline) {
			time.Sleep(50 * time.Microsecond)
		}
	}
	return nil
}

// kill kills what is in the group, and what that starts meanwhile.
func (g *Group) kill() {
	if write(g.root, path.Join(g.name, "cgroup.kill"), "1") != nil { // a kernel before 5.14
		g.killEach()
	}
}

// killEach kills the processes of a group one by one. They are frozen before, so that they start no others; one
// that is frozen can be killed. A number that is given to another process between two looks is not taken for the
// old one: os.FindProcess holds on to what it has found (pidfd_open(2)), and is asked for between them.
func (g *Group) killEach() {
	_ = write(g.root, path.Join(g.name, "cgroup.freeze"), "1") // of Linux 5.2; without it the next look finds more
	found := map[int]*os.Process{}
	for pid := range g.members() {
		if process, err := os.FindProcess(pid); err == nil {
			found[pid] = process
		}
	}
	still := g.members()
	for pid, process := range found {
		if still[pid] {
			_ = process.Kill()
		}
		_ = process.Release()
	}
}

// members are the processes of the group and of the cgroups in it.
func (g *Group) members() map[int]bool {
	pids := map[int]bool{}
	var look func(name string, depth int)
	look = func(name string, depth int) {
		own, _ := members(g.root, name) // it may be gone
		maps.Copy(pids, own)
		if depth == deepest {
			return
		}
		for _, child := range children(g.root, name) {
			look(child, depth+1)
		}
	}
	look(g.name, 0)
	return pids
}

// deepest is how far down a program's own cgroups are looked for. It is chosen: containers in containers
// take a few.
const deepest = 32

// children are the cgroups in one.
func children(root *os.Root, name string) (names []string) {
	folder, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer folder.Close()
	entries, _ := folder.ReadDir(-1)
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, path.Join(name, entry.Name()))
		}
	}
	return names
}

// removeTree removes a cgroup and those in it. One that is gone is removed.
func removeTree(root *os.Root, name string, depth int) error {
	err := root.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if depth == deepest {
		return err
	}
	for _, child := range children(root, name) {
		if err := removeTree(root, child, depth+1); err != nil {
			return err
		}
	}
	if err = root.Remove(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// write writes to a file of a cgroup that is there.
func write(root *os.Root, name, text string) error {
	f, err := root.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// isDead reports whether no process has the number, or a zombie.
func isDead(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	// The name of the program before may hold anything.
	state := strings.TrimSpace(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
}
