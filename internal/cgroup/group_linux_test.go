package cgroup

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/leftovers"
)

func TestMain(m *testing.M) { os.Exit(leftovers.After(m.Run)) }

// made makes a parent, or skips the test where there can be none.
func made(t testing.TB) *Parent {
	t.Helper()
	p, err := Make()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = p.Remove() })
	return p
}

// started starts a script of the shell in a group, which prints a line once all that it starts runs.
func started(t *testing.T, p *Parent, name, script string) (*Group, *exec.Cmd) {
	t.Helper()
	g, err := p.New(name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: g.Descriptor()}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = cmd.Start()
	g.Started()
	if err != nil {
		_ = g.End(0)
		t.Skip(err) // a sandbox
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return g, cmd
}

// dead demands that all of these processes are.
func dead(t *testing.T, pids map[int]bool, least int) {
	t.Helper()
	if len(pids) < least {
		t.Errorf("%d processes, want %d or more", len(pids), least)
	}
	for pid := range pids {
		if !leftovers.Gone(pid) {
			t.Errorf("process %d is left", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// family is four processes that heed no signal, in two sessions.
const family = `trap '' TERM HUP INT
sleep 60 & setsid sleep 60 & setsid env -i sleep 60 &
echo ready; wait`

func TestInControlGroupsAllAreKilled(t *testing.T) {
	p := made(t)
	t.Run("at once", func(t *testing.T) {
		g, cmd := started(t, p, "1", family)
		pids := g.members()
		if err := g.End(10 * time.Second); err != nil {
			t.Error(err)
		}
		dead(t, pids, 4)
		_ = cmd.Wait()
	})
	t.Run("one by one", func(t *testing.T) { // as before Linux 5.14
		g, cmd := started(t, p, "2", family)
		pids := g.members()
		for deadline := time.Now().Add(10 * time.Second); len(g.members()) > 0 && time.Now().Before(deadline); {
			g.killEach()
			time.Sleep(time.Millisecond)
		}
		dead(t, pids, 4)
		_ = cmd.Wait()
		if err := g.End(10 * time.Second); err != nil {
			t.Error(err)
		}
	})
	t.Run("in cgroups of their own", func(t *testing.T) {
		g, cmd := started(t, p, "3", fmt.Sprintf(`cd '%s/3'; mkdir -p a/b/c d
sh -c 'echo $$ > a/b/c/cgroup.procs; echo 1 > a/cgroup.freeze; exec sleep 60' &
sh -c 'echo $$ > d/cgroup.procs; exec sleep 60' &
until grep -q . d/cgroup.procs && grep -q . a/b/c/cgroup.procs; do sleep 0.01; done; echo ready; wait`, p.Folder()))
		pids := g.members()
		if err := g.End(10 * time.Second); err != nil {
			t.Error(err)
		}
		dead(t, pids, 3)
		_ = cmd.Wait()
	})
	t.Run("who has ended", func(t *testing.T) {
		g, cmd := started(t, p, "4", "echo ready")
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		if err := g.End(10 * time.Second); err != nil {
			t.Error(err)
		}
		if err := g.End(0); err != nil {
			t.Errorf("one that is gone: %v", err)
		}
	})
	if entries, err := os.ReadDir(p.Folder()); err != nil || len(children(p.root, ".")) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// mkdir makes a cgroup that is removed after the test.
func mkdir(t *testing.T, folder string) {
	t.Helper()
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(folder) })
}

// A parent that nobody holds any more ends with all that is in it; all else stays, whatever it is called.
func TestInControlGroupsAbandonedOnesEnd(t *testing.T) {
	p := made(t)
	_, cmd := started(t, p, "1", "echo ready; exec sleep 60")
	own := filepath.Dir(p.Folder())
	others := []string{prefix + "0123456789abcde", prefix + "0123456789abcdeg", "x" + p.name, prefix}
	for _, name := range others {
		mkdir(t, filepath.Join(own, name))
	}
	if os.Geteuid() == 0 {
		const nobody = 65534
		name := prefix + fmt.Sprintf("%016x", os.Getpid())
		others = append(others, name)
		// Until it is another user's, a tribunal that starts just now may take it for abandoned.
		for name, err := filepath.Join(own, name), fs.ErrNotExist; errors.Is(err, fs.ErrNotExist); {
			mkdir(t, name)
			err = os.Chown(name, nobody, nobody)
		}
	}
	next := made(t)
	if isDead(cmd.Process.Pid) {
		t.Error("a process of a parent that is held was killed")
	}
	p.lock.Close()
	if err := next.Remove(); err != nil {
		t.Error(err)
	}
	next = made(t)
	if !isDead(cmd.Process.Pid) {
		t.Error("a process of a parent that nobody holds lives")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if _, err := os.Stat(p.Folder()); err == nil {
		t.Errorf("%s is left", p.Folder())
	}
	for _, name := range others {
		if _, err := os.Stat(filepath.Join(own, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := locked(next.own, next.name); err == nil {
		t.Error("a lock can be had twice")
	}
	if _, err := locked(next.own, p.name); err == nil {
		t.Error("there is a lock on nothing")
	}
}

// A folder that is no cgroup is never taken for one.
func TestFolderThatIsNoCgroup(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "cgroup.procs"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := isOwn(root); err == nil || !strings.Contains(err.Error(), "no cgroup of version 2") {
		t.Error(err)
	}
	pids, err := members(root, ".")
	if err != nil || len(pids) != 1 || !pids[os.Getpid()] {
		t.Errorf("%v, %v", pids, err)
	}
	// 0 is a process of another namespace; killing it would kill the own process group.
	text := bytes.Repeat([]byte("0\n-1\n\n"), 10)
	if err := os.WriteFile(filepath.Join(folder, "cgroup.procs"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if pids, err := members(root, "."); err != nil || len(pids) != 0 {
		t.Errorf("%v, %v", pids, err)
	}
}

// The forms are those of cgroup-v2.rst, Controllers: "$MAX $PERIOD" of cpu.max, a number or "max" of the others.
func TestLimitsThatProgramsLookFor(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"cpu.max", "max 100000\n", ""}, {"cpu.max", "150000 100000\n", "150000 100000"},
		{"memory.max", "max\n", ""}, {"memory.max", "2147483648\n", "2147483648"},
		{"memory.high", "max\n", ""}, {"memory.high", "0\n", "0"},
		{"memory.max", "", ""}, {"pids.max", "100\n", ""},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(folder)
		if err != nil {
			t.Fatal(err)
		}
		file, text := limit(root)
		root.Close()
		if text != c.want || (file == c.file) != (c.want != "") {
			t.Errorf("%s %q: %q, %q", c.file, c.text, file, text)
		}
	}
}

// BenchmarkGroup makes a group and removes it, without a program.
func BenchmarkGroup(b *testing.B) {
	p := made(b)
	for i := 0; b.Loop(); i++ {
		g, err := p.New(strconv.Itoa(i))
		if err != nil {
			b.Fatal(err)
		}
		g.Started()
		if err := g.End(time.Second); err != nil {
			b.Fatal(err)
		}
	}
}
