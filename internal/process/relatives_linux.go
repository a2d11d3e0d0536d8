package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// relatives are the programs of this process, and what they leave behind.
var relatives = &clan{members: map[uint64]*member{}, byPID: map[int]*member{}, strangers: map[stranger]uint64{}}

// clan finds the processes that left the group of a program, such as daemons. The kernel gives them to
// this process when their own parent is gone (PR_SET_CHILD_SUBREAPER in prctl(2)); they are then among the
// children of its first thread. Which program they belong to says a variable in their environment. One that
// has it no more belongs to a program that was running when it was first seen: it may stay for as long as
// any of those runs.
type clan struct {
	// Held for reading where a program is started or reaped, so that no look takes it for a stranger.
	starting sync.RWMutex

	mutex   sync.Mutex
	adopts  bool               // orphans come to this process
	alone   bool               // and each of them is of one of our programs
	number  uint64             // of the last member
	members map[uint64]*member // that run, by their numbers
	byPID   map[int]*member    // started, and not reaped

	groups *controlGroups // nil: this process has asked for none

	// What follows is of the looks, one of which goes on at a time.
	looking   sync.Mutex
	looks     atomic.Uint64       // that have begun
	clean     bool                // the last one found nothing to end
	strangers map[stranger]uint64 // without a tag; the last member when it was first seen
}

// stranger is a process, told from a later one of the same number by its start.
type stranger struct {
	pid   int
	start string // as /proc has it
}

// Adopt makes this process the one to which orphans of its programs go, so that daemons end with the program
// that started them, and gives each program a cgroup of its own where that can be had. It is called once, at the
// start, by a process that starts no other programs than [Command]s, and that calls [Release] at its end. What are
// its children already stay as they are.
func Adopt() {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
	r := relatives
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.adopts = errno == 0
	// To the first process of a container come all its orphans, and children from before this program was
	// executed have orphans of their own: without a tag they are somebody else's.
	r.alone = os.Getpid() != 1 && len(children()) == 0
	r.groups = &controlGroups{}
}

// enter takes in a program that is about to start.
func (c *clan) enter(mark string) *member {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.number++
	m := &member{number: c.number, tag: tagOf(mark, c.number)}
	c.members[m.number] = m
	return m
}

// leave forgets a program that could not be started.
func (c *clan) leave(m *member) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	delete(c.members, m.number)
}

// start starts the program of a member, in a cgroup of its own where that can be had.
func (c *clan) start(m *member, cmd *exec.Cmd) error {
	group, outside := c.groups.enter(m, cmd)
	again := *cmd // a command is started once
	err := c.fork(m, cmd)
	if group != nil {
		group.Started()
	}
	if err != nil && group != nil {
		// The cgroup may be the cause, or the program: who starts without one learns that.
		_ = group.End(0) // it is empty
		outside, group = err, nil
		*cmd = again
		cmd.SysProcAttr.UseCgroupFD = false
		err = c.fork(m, cmd)
	}
	if err == nil {
		m.group = &controlGroup{group}
		c.groups.count(outside)
	}
	return err
}

// fork is start with what is in the command.
func (c *clan) fork(m *member, cmd *exec.Cmd) error {
	c.starting.RLock()
	defer c.starting.RUnlock()
	err := cmd.Start()
	if err == nil {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		m.pid = cmd.Process.Pid
		c.byPID[m.pid] = m
	}
	return err
}

// reap has the program of a member reaped. Its number may be another's at once.
func (c *clan) reap(m *member, wait func()) {
	c.starting.RLock()
	defer c.starting.RUnlock()
	wait()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.byPID[m.pid] == m {
		delete(c.byPID, m.pid)
	}
}

// patience is how long what was killed may take to be gone: one that waits for a device cannot be killed.
const patience = 2 * time.Second

// end kills what a program that has ended itself left behind, and waits until it is gone. Members that end
// at the same time share the looks, so that many of them do not look at each other's children.
func (c *clan) end(m *member) {
	c.mutex.Lock()
	m.ended = true
	delete(c.members, m.number)
	adopts := c.adopts
	c.mutex.Unlock()
	m.group.end()
	if !adopts {
		return
	}
	pause := time.Millisecond
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); pause = min(2*pause, 50*time.Millisecond) {
		begun := c.looks.Load()
		c.looking.Lock()
		// Another member's look may have begun since this one ended, and have seen the same.
		if c.looks.Load() == begun {
			c.looks.Add(1)
			c.clean = c.look() == 0
		}
		clean := c.clean
		c.looking.Unlock()
		if clean {
			return
		}
		time.Sleep(pause)
	}
}

// look kills the orphans whose program has ended, reaps those that are dead, and returns how many these are
// together. What was started by one of them is an orphan at the next look.
func (c *clan) look() (ended int) {
	c.starting.Lock()
	defer c.starting.Unlock()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	seen := map[stranger]uint64{}
	for _, pid := range children() {
		if c.byPID[pid] != nil {
			continue
		}
		state, start := stateOf(pid)
		if state == "Z" || state == "X" {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // nobody else does
			// It may have died, and left its children to this process, since these were listed.
			ended++
			continue
		}
		if c.stays(stranger{pid, start}, seen) {
			continue
		}
		// A child of ours keeps its number until it is reaped, which happens here alone.
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			ended++
		}
	}
	c.strangers = seen
	return ended
}

// stays reports whether an orphan may live on: its program still runs, or it is none of ours. It is noted
// among those that were seen.
func (c *clan) stays(s stranger, seen map[stranger]uint64) bool {
	environment, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.pid))
	for _, tag := range tagsOf(environment) {
		_, rest, _ := strings.Cut(tag, ".")
		word, number, _ := strings.Cut(rest, ".")
		if n, err := strconv.ParseUint(number, 10, 64); err == nil && word == processWord() {
			seen[s] = n
			return c.members[n] != nil
		}
	}
	if !c.alone {
		return true
	}
	last, known := c.strangers[s]
	if !known {
		last = c.number
	}
	seen[s] = last
	for n := range c.members {
		if n <= last {
			return true
		}
	}
	return false
}

// children returns the children of this process that were given to it, and some of its own: those of its
// first thread.
func children() (pids []int) {
	self := os.Getpid()
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", self))
	if errors.Is(err, os.ErrNotExist) { // a kernel without CONFIG_PROC_CHILDREN
		for _, pid := range processes() {
			if parentOf(pid) == self {
				pids = append(pids, pid)
			}
		}
		return pids
	}
	for _, field := range strings.Fields(string(text)) {
		if pid, err := strconv.Atoi(field); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// processes returns the numbers of all processes.
func processes() (pids []int) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// stateOf returns the letter of a process's state, such as "Z", and when it was started; "" where it is gone.
func stateOf(pid int) (state, start string) {
	fields := statOf(pid)
	if len(fields) < 20 {
		return "", ""
	}
	return fields[0], fields[19]
}

// parentOf returns the parent of a process, 0 where it is gone.
func parentOf(pid int) int {
	fields := statOf(pid)
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// statOf returns the fields of /proc/PID/stat (see proc(5)) from the third on: the second, the name of the
// program, may hold anything.
func statOf(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// FileMark returns a mark that a file gives to the programs of those who have it open: no other file of
// this system has the same one, whatever its name. It is "" where that cannot be known.
func FileMark(name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%x-%x", uint64(s.Dev), s.Ino)
}

// EndMarked kills the processes that carry the mark, and returns how many there were: what is left of the
// programs of a process that was killed itself. Nobody who may still have it may run. A process is known by
// its environment alone, never by its number. What is left in cgroups is ended too, and not counted.
func EndMarked(mark string) (killed int) {
	relatives.groups.open() // which ends what it finds of others
	if mark == "" {
		return 0
	}
	gone := map[int]bool{}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		left := endMarked(mark, gone)
		if left == 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return len(gone)
}

// endMarked kills once, and returns how many processes are left; a killed one may have had children that
// came up meanwhile.
func endMarked(mark string, killed map[int]bool) (left int) {
	for _, pid := range processes() {
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || pid == os.Getpid() {
			continue
		}
		ours := func(tag string) bool { return strings.HasPrefix(tag, mark+".") }
		if !slices.ContainsFunc(tagsOf(environment), ours) {
			continue
		}
		left++
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed[pid] = true
		}
	}
	return left
}
