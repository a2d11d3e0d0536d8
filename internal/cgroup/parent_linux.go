package cgroup

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// Parent is a cgroup in that of this process, in which groups are made. While it is there this process has a lock
// on its folder, which the kernel releases when the process ends, however it does.
type Parent struct {
	own  *os.Root // the cgroup of this process
	root *os.Root // its own
	name string   // in own
	lock *os.File
}

// prefix is how the names of parents begin; 16 hexadecimal digits follow.
const prefix = "tribunal-"

var parentName = lazy.Regexp("^" + prefix + "[0-9a-f]{16}$")

// Make makes a parent in the cgroup of this process. Before, what is left of parents there is ended whose process
// is gone. The error says why no parent can be had: most often that there are no cgroups of version 2, or that
// theirs may not be written to.
func Make() (*Parent, error) {
	own, err := ownCgroup()
	if err != nil {
		return nil, err
	}
	p, err := makeIn(own)
	if err != nil {
		own.Close()
		return nil, err
	}
	return p, nil
}

// makeIn makes a parent in a cgroup.
func makeIn(own *os.Root) (*Parent, error) {
	// Who starts a process in a cgroup below must be allowed to move it there from this one.
	f, err := own.OpenFile("cgroup.procs", os.O_WRONLY, 0)
	if err != nil {
		return nil, unwritable(own, err)
	}
	f.Close()
	if file, text := limit(own); file != "" {
		return nil, fmt.Errorf("%s has a limit of its own, %s = %s, which programs in a cgroup below would not find",
			own.Name(), file, text)
	}
	endAbandoned(own)
	// Another process may take what has no lock yet for abandoned, and remove it.
	for range 5 {
		p := &Parent{own: own, name: newName()}
		if err = own.Mkdir(p.name, 0o755); err != nil {
			return nil, unwritable(own, err)
		}
		if p.lock, err = locked(own, p.name); err == nil {
			if p.root, err = own.OpenRoot(p.name); err == nil {
				return p, nil
			}
			p.lock.Close()
		}
		_ = own.Remove(p.name)
	}
	return nil, unwritable(own, err)
}

// limit returns a file of a cgroup by which programs tell how many threads and how much memory to use, and what it
// says, where that is a limit. Many look in their own cgroup alone, the runtimes of Go and of older Java among them:
// one below has no such file, so that they would take the whole machine for theirs, and behave otherwise.
func limit(own *os.Root) (file, text string) {
	for _, file := range []string{"cpu.max", "memory.max", "memory.high"} {
		text, err := own.ReadFile(file)
		if err != nil {
			continue // the controller is not enabled
		}
		if fields := strings.Fields(string(text)); len(fields) > 0 && fields[0] != "max" {
			return file, strings.Join(fields, " ")
		}
	}
	return "", ""
}

// unwritable says what cannot be done in which cgroup.
func unwritable(own *os.Root, err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		err = errno // the path below says nothing more
	}
	return fmt.Errorf("no cgroup can be made in %s: %w", own.Name(), err)
}

// newName returns the name of a parent that nobody else has.
func newName() string {
	var word [8]byte
	_, _ = rand.Read(word[:]) // never fails
	return prefix + hex.EncodeToString(word[:])
}

// Folder is where the parent is.
func (p *Parent) Folder() string { return path.Join(p.own.Name(), p.name) }

// Remove ends what is left in the parent, removes it, and forgets it.
func (p *Parent) Remove() error {
	err := (&Group{root: p.own, name: p.name}).End(patience)
	p.root.Close()
	p.lock.Close()
	p.own.Close()
	return err
}

// patience is how long what was killed may take to be gone: one that waits for a device cannot be killed.
const patience = 2 * time.Second

// ownCgroup opens the cgroup of this process.
func ownCgroup() (*os.Root, error) {
	membership, err := readUpTo("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	mounts, err := readUpTo("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	folders, err := places(membership, mounts)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		var own *os.Root
		if own, err = os.OpenRoot(folder); err != nil {
			continue
		}
		if err = isOwn(own); err == nil {
			return own, nil
		}
		own.Close()
	}
	return nil, err
}

// isOwn reports whether a folder is the cgroup of this process, as an error where it is not.
func isOwn(own *os.Root) error {
	const cgroup2 = 0x63677270 // CGROUP2_SUPER_MAGIC
	var system syscall.Statfs_t
	if err := syscall.Statfs(own.Name(), &system); err != nil {
		return fmt.Errorf("%s: %w", own.Name(), err)
	}
	if uint32(system.Type) != cgroup2 {
		return fmt.Errorf("%s is no cgroup of version 2", own.Name())
	}
	pids, err := members(own, ".")
	if err != nil {
		return err
	}
	if !pids[os.Getpid()] {
		return fmt.Errorf("%s is not the cgroup of this process", own.Name())
	}
	return nil
}

// mostRead is how much is read of a file of the kernel, in bytes: chosen, 100,000 mounts or a million processes.
const mostRead = 16 << 20

// readUpTo reads the beginning of a file.
func readUpTo(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostRead))
	return string(text), err
}

// members are the processes of a cgroup, without those of cgroups in it, by their numbers in the namespace of
// this process. The kernel writes 0 for one that has none there.
func members(root *os.Root, name string) (map[int]bool, error) {
	f, err := root.Open(path.Join(name, "cgroup.procs"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostRead))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", root.Name(), err)
	}
	pids := map[int]bool{}
	for _, field := range strings.Fields(string(text)) {
		if pid, err := strconv.Atoi(field); err == nil && pid > 0 {
			pids[pid] = true
		}
	}
	return pids, nil
}

// locked takes the lock of a cgroup that is there. It fails where somebody has it, and where the cgroup was
// removed meanwhile.
func locked(own *os.Root, name string) (*os.File, error) {
	f, err := own.Open(name)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	mine, err := f.Stat()
	if err == nil {
		var there fs.FileInfo
		if there, err = own.Lstat(name); err == nil && !os.SameFile(mine, there) {
			err = fs.ErrNotExist
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// endAbandoned ends the parents in a cgroup whose process is gone: those of this user that nobody has locked.
// Nothing else may have such a name, and what cannot be ended stays.
func endAbandoned(own *os.Root) {
	entries, err := fs.ReadDir(own.FS(), ".")
	if err != nil {
		return
	}
	deadline := time.Now().Add(patience)
	for _, entry := range entries {
		if !entry.IsDir() || !parentName().MatchString(entry.Name()) || !isMine(entry) {
			continue
		}
		if lock, err := locked(own, entry.Name()); err == nil {
			_ = (&Group{root: own, name: entry.Name()}).End(time.Until(deadline))
			lock.Close()
		}
	}
}

// isMine reports whether a folder is this user's.
func isMine(entry fs.DirEntry) bool {
	info, err := entry.Info()
	if err != nil {
		return false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
