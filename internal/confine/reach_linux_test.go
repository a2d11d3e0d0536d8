package confine

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal, and returns the end that a program is given.
func terminal(t *testing.T) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return slave
}

// atTerminal has the test binary do deeds at a terminal that is its own, and returns which could be done.
func (r Rules) atTerminal(t *testing.T, folder string, deeds ...string) (done []string, all string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, deeds...)
	cmd.Dir, cmd.Stdin = folder, terminal(t)
	cmd.Env = append(os.Environ(), roleVariable+"=misbehave", "GORACE=atexit_sleep_ms=0", "GOCOVERDIR="+folder)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	var printed strings.Builder
	cmd.Stdout, cmd.Stderr = &printed, &printed
	held, err := r.Hold(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := held.Begun(t.Context()); err != nil {
		_ = cmd.Process.Kill()
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(printed.String()) {
		if kind, ok := strings.CutSuffix(line, " done\n"); ok {
			done = append(done, kind)
		}
	}
	return done, printed.String()
}

// A terminal that a program is given is read and written, and never typed into.
func TestConfinedTerminal(t *testing.T) {
	for _, network := range []Network{Host, None} {
		t.Run(string(network), func(t *testing.T) {
			folder := t.TempDir()
			rules := Rules{Write: []string{folder}, Network: network}
			rules.needs(t)
			done, all := rules.atTerminal(t, folder, "type:", "paste:", "terminal:", "size:")
			if !slices.Equal(done, []string{"size"}) {
				t.Errorf("it could %q\n%s", done, all)
			}
			const refused = "type: operation not permitted\npaste: operation not permitted\n"
			if !strings.HasPrefix(all, refused) { // by the filter: kernels refuse otherwise
				t.Error(all)
			}
		})
	}
}

// Memory and queues that other programs of the machine share are not found.
func TestConfinedSystemV(t *testing.T) {
	key := 1 + rand.IntN(1<<30)
	id, err := unix.SysvShmGet(key, 1<<12, unix.IPC_CREAT|unix.IPC_EXCL|0o600)
	if err != nil {
		t.Skip("there is no memory of System V: ", err)
	}
	defer func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) }()
	queue, _, errno := unix.Syscall(unix.SYS_MSGGET, uintptr(key), unix.IPC_CREAT|unix.IPC_EXCL|0o600, 0)
	if errno != 0 {
		t.Skip("there are no queues of System V: ", errno)
	}
	defer func() { _, _, _ = unix.Syscall(unix.SYS_MSGCTL, queue, unix.IPC_RMID, 0) }()
	folder := t.TempDir()
	deeds := []string{fmt.Sprint("memory:", key), fmt.Sprint("queue:", key)}
	rules := Rules{Write: []string{folder}, Network: None}
	rules.needs(t)
	if done, all := rules.deeds(t, folder, deeds...); len(done) > 0 {
		t.Errorf("it could %q\n%s", done, all)
	}
	rules.Network = Host
	if done, all := rules.deeds(t, folder, deeds...); len(done) != len(deeds) {
		t.Errorf("with the network of the machine it could %q\n%s", done, all)
	}
}

// A folder in whose place a link was put, or in whose path there is one, is not written through.
func TestConfinedNeverThroughLinks(t *testing.T) {
	for _, network := range []Network{Host, None} {
		t.Run(string(network), func(t *testing.T) {
			w := newWorld(t)
			sub := filepath.Join(w.tree, "sub")
			rules := Rules{Write: []string{w.tree, sub}, Network: network}
			rules.needs(t)
			if done, all := rules.deeds(t, w.tree, "write:sub/first"); len(done) != 1 {
				t.Fatal(all)
			}
			if err := os.Rename(sub, filepath.Join(w.tree, "moved")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(w.folder, sub); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{sub, filepath.Join(w.tree, "above", "folder")} {
				rules.Write = []string{w.tree, path}
				_, err := rules.run(t, w.tree, "true")
				if err == nil || !strings.Contains(err.Error(), "behind a symbolic link") {
					t.Errorf("%s: %v", path, err)
				}
			}
			w.unchanged(t)
			real, err := filepath.EvalSymlinks(w.folder)
			if got := Resolved(sub); err != nil || got != real {
				t.Errorf("%s is %s: %v", sub, got, err)
			}
			if got := Resolved("absent"); filepath.Base(got) != "absent" || !filepath.IsAbs(got) {
				t.Error(got)
			}
		})
	}
}
