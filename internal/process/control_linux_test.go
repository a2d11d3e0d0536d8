package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/cgroup"
)

// useGroups gives the programs of this process cgroups, or none.
func useGroups(use bool) {
	relatives.groups = nil
	if use {
		relatives.groups = &controlGroups{}
	}
}

// elder is the mode of a runner that has a child from before, so that orphans without a tag may be somebody else's:
// those that are no longer known by their environment are not found among its children.
const elder = "elder"

// confined runs scripts as programs, one after the other or each eight times at once, and prints what became of them:
// how many were inside of a cgroup, how many outside, and why. Each program has a file of its own as $1.
func confined(arguments []string) int {
	file, mode, scripts := arguments[0], arguments[1], arguments[2:]
	Adopt()
	defer Release()
	if strings.Contains(mode, "orphans") {
		useGroups(false)
	}
	concurrency := 1
	if strings.Contains(mode, "together") {
		concurrency = 8
	}
	for i, script := range scripts {
		var all sync.WaitGroup
		for j := range concurrency {
			all.Go(func() {
				confinedOne(script, fmt.Sprintf("%s.%d.%d", file, i, j), strings.Contains(mode, "interrupted"))
			})
		}
		all.Wait()
	}
	known := KeptTogether()
	fmt.Println("inside", known.Inside)
	fmt.Println("outside", known.Outside, known.Why)
	return 0
}

// confinedOne runs a script, which is interrupted once its file has something, or ends by itself then, and prints how
// much is in the file.
func confinedOne(script, file string, interrupted bool) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := Command{Argv: []string{"sh", "-c", script, "sh", file}, Grace: time.Millisecond}
	if interrupted {
		c.Argv[2] += "\nsleep 60"
		go func() {
			for ctx.Err() == nil {
				if text, err := os.ReadFile(file); err == nil && len(text) > 0 {
					cancel()
				}
				time.Sleep(5 * time.Millisecond)
			}
		}()
	} else {
		c.Argv[2] += "\nuntil [ -s \"$1\" ]; do sleep 0.02; done"
	}
	if _, err := c.Run(ctx, nil); err != nil {
		fmt.Println(err)
	}
	text, err := os.ReadFile(file)
	fmt.Println("size", len(text), err)
}

// confinedAlive are the processes that the programs of a runner wrote down, and those that live.
func confinedAlive(t *testing.T, file string) (all, left []string) {
	t.Helper()
	files, _ := filepath.Glob(file + ".*")
	for _, file := range files {
		some, living := alive(t, file)
		all, left = append(all, some...), append(left, living...)
	}
	endAll(left) // it does not outlive the test
	return all, left
}

// endAll ends what a test has found alive.
func endAll(left []string) {
	for _, field := range left {
		if pid, err := strconv.Atoi(field); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// needsGroups skips a test where this process can have no cgroups.
func needsGroups(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
	parent, err := cgroup.Make()
	if err != nil {
		t.Skip(err)
	}
	if err := parent.Remove(); err != nil {
		t.Fatal(err)
	}
}

// runner returns a command that plays a runner, and the file that its scripts get.
func runner(t *testing.T, mode string, scripts ...string) (c Command, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "pids")
	c = program(t, "confined", append([]string{file, mode}, scripts...)...)
	if strings.Contains(mode, elder) {
		c.Argv = append([]string{"sh", "-c", `sleep 60 >/dev/null 2>&1 & exec "$@"`, "sh"}, c.Argv...)
	}
	c.Timeout = 2 * time.Minute
	return c, file
}

// says demands that a runner says so.
func says(t *testing.T, p *Result, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+string(p.Stdout), "\n"+line) {
			t.Errorf("it does not say %q: %s%s", line, p.Stdout, p.Stderr)
		}
	}
}

// What is told from somebody else's orphans by its cgroup alone ends with its program too, however that ends.
func TestInControlGroupsDaemonsEnd(t *testing.T) {
	needsGroups(t)
	for _, mode := range []string{"one by one", "together", "interrupted together"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c, file := runner(t, mode+" "+elder, slices.Collect(maps.Values(escapes))...)
			p := execute(t, c, "")
			count := len(escapes)
			if strings.Contains(mode, "together") {
				count *= 8
			}
			says(t, p, fmt.Sprint("inside ", count), "outside 0 <nil>")
			if all, left := confinedAlive(t, file); len(all) < count || len(left) > 0 {
				t.Errorf("of %d processes, %q are left", len(all), left)
			}
		})
	}
	// Otherwise the above would show nothing.
	c, file := runner(t, "orphans "+elder, escapes["no environment"])
	says(t, execute(t, c, ""), "inside 0")
	if _, left := confinedAlive(t, file); len(left) != 1 {
		t.Errorf("%q are left without cgroups, want one", left)
	}
}

// A storm is processes of which each starts the next and ends, so that whoever looks for one may find it dead. It
// abates where its file is gone.
const storm = `setsid sh -c 'f() { echo >> "$1"; [ -s "$1" ] && (f "$1" &); }; f "$1"' sh "$1" >/dev/null 2>&1 &
until [ "$(wc -c < "$1")" -ge 20 ] 2>/dev/null; do sleep 0.02; done`

func TestInControlGroupsStormsEnd(t *testing.T) {
	needsGroups(t)
	c, file := runner(t, "one by one "+elder, storm)
	p := execute(t, c, "")
	says(t, p, "inside 1", "outside 0 <nil>")
	var then int
	if _, err := fmt.Sscanf(string(p.Stdout), "size %d", &then); err != nil || then < 20 {
		t.Errorf("no storm: %v, %s", err, p.Stdout)
	}
	time.Sleep(100 * time.Millisecond)
	if text, err := os.ReadFile(file + ".0.0"); err != nil || len(text) != then {
		t.Errorf("%d generations when the program had ended, and %d later; %v", then, len(text), err)
	}
}

// What a runner leaves in its cgroups when it is killed ends when another one starts; what belongs to one that
// lives does not.
func TestInControlGroupsOfAKilledRunner(t *testing.T) {
	needsGroups(t)
	const daemon = `env -i PATH="$PATH" setsid sh -c 'echo $$ >> "$1"; exec sleep 60' sh "$1" >/dev/null 2>&1 &
sleep 60`
	// Runners of other tests, which go on beside, are not in the cgroup of these.
	folder, err := os.Open(cgroupAt(t, "killed"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	within := func(c Command) *exec.Cmd {
		cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
		cmd.Env = append(os.Environ(), roleVariable+"=confined")
		cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(folder.Fd())}
		return cmd
	}
	start := func() (*exec.Cmd, string) {
		c, file := runner(t, "one by one", daemon)
		cmd := within(c)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		file += ".0.0"
		eventually(t, "the daemon runs", func() bool { all, _ := alive(t, file); return len(all) == 1 })
		return cmd, file
	}
	gone := func(file string) {
		t.Helper()
		if _, left := alive(t, file); len(left) > 0 {
			t.Errorf("%q are left", left)
			endAll(left)
		}
	}
	killed, file := start()
	_ = killed.Process.Kill()
	_ = killed.Wait()
	if _, left := alive(t, file); len(left) != 1 {
		t.Fatal("the daemon did not outlive its runner")
	}
	living, other := start()
	gone(file)
	c, _ := runner(t, "one by one", `echo > "$1"`)
	if output, err := within(c).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
	if _, left := alive(t, other); len(left) != 1 {
		t.Error("the daemon of a runner that lives was killed")
	}
	_ = living.Process.Kill()
	_ = living.Wait()
	if output, err := within(c).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, output)
	}
	gone(other)
}

// cgroupAt makes a cgroup below that of this process, and returns its folder.
func cgroupAt(t *testing.T, name string) string {
	t.Helper()
	parent, err := cgroup.Make()
	if err != nil {
		t.Skip(err)
	}
	folder := filepath.Join(filepath.Dir(parent.Folder()), fmt.Sprintf("process-test-%d-%s", os.Getpid(), name))
	if err := errors.Join(parent.Remove(), os.Mkdir(folder, 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		eventually(t, "the cgroup is removed", func() bool { return os.Remove(folder) == nil })
	})
	return folder
}

// Where no cgroup can be had, programs run without one, orphans are found as ever, and the reason is known; and
// a user to whom a cgroup was given has them in it.
func TestInControlGroupsOfMachines(t *testing.T) {
	needsGroups(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can make other machines of this one")
	}
	for _, tool := range []string{"unshare", "mount", "umount"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	if output, err := exec.Command("unshare", "-m", "true").CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, output)
	}
	const nobody = 65534
	// Who has the cgroup's folder as $1 runs the rest of the arguments.
	every := `grep ' - cgroup2 ' /proc/self/mountinfo | cut -d ' ' -f 5`
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, folder string)
		script  string
		user    int
		want    []string
	}{
		{"read-only", nil, `for m in $(` + every + `); do mount -o remount,bind,ro "$m"; done`, 0,
			[]string{"inside 0", "outside 1 no cgroup can be made in ", "outside 1"}},
		{"not mounted", nil, `for m in $(` + every + `); do umount -l "$m"; done`, 0,
			[]string{"inside 0", "outside 1 no file system of cgroups of version 2 is mounted"}},
		{"another namespace", nil, `exec unshare -C "$@"`, 0,
			[]string{"inside 0", "outside 1 the cgroup of this process, \"/\", is in no file system that is mounted"}},
		{"another user's", nil, ``, nobody,
			[]string{"inside 0", "outside 1 no cgroup can be made in "}},
		{"delegated", func(t *testing.T, folder string) {
			for _, name := range []string{"", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"} {
				if err := os.Chown(filepath.Join(folder, name), nobody, nobody); err != nil {
					t.Fatal(err)
				}
			}
		}, ``, nobody, []string{"inside 1", "outside 0 <nil>"}},
		{"no children with processes", func(t *testing.T, folder string) {
			// One that has threaded children has no others (cgroup-v2.rst, Threads).
			child := filepath.Join(folder, "threaded")
			if err := os.Mkdir(child, 0o755); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Remove(child) })
			if err := os.WriteFile(filepath.Join(child, "cgroup.type"), []byte("threaded"), 0); err != nil {
				t.Fatal(err)
			}
		}, ``, 0, []string{"inside 0", "outside 1 fork/exec "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := cgroupAt(t, strings.ReplaceAll(c.name, " ", "-"))
			if c.prepare != nil {
				c.prepare(t, folder)
			}
			work, err := os.MkdirTemp("", "tribunal-process")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(work)
			if err := os.Chmod(work, 0o777); err != nil {
				t.Fatal(err)
			}
			self := copied(t, work)
			file := filepath.Join(work, "pids")
			cmd := exec.Command("unshare", "-m", "sh", "-c", "set -e\n"+c.script+"\nexec \"$@\"", "sh",
				self, file, "one by one", escapes["two forks"])
			cmd.Env = append(os.Environ(), roleVariable+"=confined")
			into, err := os.Open(folder)
			if err != nil {
				t.Fatal(err)
			}
			defer into.Close()
			cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(into.Fd())}
			if c.user != 0 {
				cmd.Path, cmd.Args = self, append([]string{self}, cmd.Args[len(cmd.Args)-3:]...)
				cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(c.user), Gid: uint32(c.user)}
			}
			output, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, output)
			}
			says(t, &Result{Stdout: output}, c.want...)
			if all, left := confinedAlive(t, file); len(all) != 1 || len(left) > 0 {
				t.Errorf("of %q, %q are left", all, left)
			}
		})
	}
}

// copied is the test binary in a folder where every user may execute it.
func copied(t *testing.T, folder string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	name := filepath.Join(folder, "runner")
	to, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(to.Close(), os.Chmod(name, 0o755)); err != nil {
		t.Fatal(err)
	}
	return name
}

// A program that cannot be started is not taken for one that could not be started in its cgroup.
func TestInControlGroupsNoProgram(t *testing.T) {
	needsGroups(t)
	useGroups(true)
	defer func() {
		Release()
		useGroups(false)
	}()
	_, err := Command{Argv: []string{"no-such-program-anywhere"}}.Run(context.Background(), nil)
	var start *StartError
	if !errors.As(err, &start) || !errors.Is(err, exec.ErrNotFound) {
		t.Error(err)
	}
	if known := KeptTogether(); known.Inside != 0 || known.Outside != 0 || known.Why != nil || known.Folder == "" {
		t.Errorf("%+v", known)
	}
	if p := execute(t, program(t, "exit", "3"), ""); p.ExitCode != 3 {
		t.Errorf("%+v", p)
	}
	known := KeptTogether()
	if known.Inside != 1 || known.Outside != 0 {
		t.Errorf("%+v", known)
	}
	if entries, err := os.ReadDir(known.Folder); err != nil || slices.ContainsFunc(entries, os.DirEntry.IsDir) {
		t.Errorf("a cgroup is left: %v", err)
	}
	Release()
	if _, err := os.Stat(known.Folder); err == nil {
		t.Errorf("%s is left", known.Folder)
	}
	useGroups(true)
}

// BenchmarkControlGroup runs a program that does nothing, as it is and in a cgroup of its own. They take turns, so
// that both see the same machine; the overhead is the median of the differences.
func BenchmarkControlGroup(b *testing.B) {
	needsGroups(b)
	with := &controlGroups{}
	defer func() {
		relatives.groups = with
		Release()
		useGroups(false)
	}()
	var bare, more []float64 // microseconds
	for b.Loop() {
		var took [2]time.Duration
		for i, groups := range []*controlGroups{nil, with} {
			relatives.groups = groups
			begin := time.Now()
			if _, err := (Command{Argv: []string{"/bin/true"}}).Run(context.Background(), nil); err != nil {
				b.Fatal(err)
			}
			took[i] = time.Since(begin)
		}
		bare = append(bare, took[0].Seconds()*1e6)
		more = append(more, (took[1]-took[0]).Seconds()*1e6)
	}
	if with.known.Outside > 0 || with.known.Inside != len(more) {
		b.Fatalf("%+v", with.known)
	}
	median := func(values []float64) float64 {
		slices.Sort(values)
		return values[len(values)/2]
	}
	b.ReportMetric(median(bare), "us/without")
	b.ReportMetric(median(more), "us-overhead")
}
