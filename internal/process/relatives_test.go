//go:build unix

package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/leftovers"
)

// escapes are ways out of the group of a program, as scripts. $1 is a file that gets the number of what got
// out.
var escapes = map[string]string{
	"a session of its own":         `setsid sh -c 'echo $$ >> "$1"; exec sleep 60' sh "$1" >/dev/null 2>&1 </dev/null &`,
	"two forks":                    `(setsid sh -c '(echo $$ >> "$1"; exec sleep 60) &' sh "$1" >/dev/null 2>&1 </dev/null &)`,
	"holds the pipes":              `setsid sh -c 'echo $$ >> "$1"; exec sleep 60' sh "$1" &`,
	"no environment":               `env -i PATH="$PATH" setsid sh -c 'echo $$ >> "$1"; exec sleep 60' sh "$1" >/dev/null 2>&1 &`,
	"children of its own":          `setsid sh -c 'echo $$ >> "$1"; setsid sh -c "echo \$\$ >> \"\$1\"; exec sleep 60" sh "$1" & sleep 60' sh "$1" &`,
	"children without environment": `setsid env -i sh -c 'echo $$ >> "$1"; setsid sh -c "echo \$\$ >> \"\$1\"; exec sleep 60" sh "$1" & sleep 60' sh "$1" &`,
}

// adoptive runs the scripts that it is given as programs, without cgroups, and prints how many children it has
// after each.
func adoptive(arguments []string) int {
	Adopt()
	useGroups(false)
	file, mode, concurrency := arguments[0], arguments[1], 1
	if mode == "together" {
		concurrency = 8
	}
	if mode == "marked" {
		c := Command{Argv: []string{"sh", "-c", arguments[2], "sh", file}, Timeout: time.Minute}
		_, err := c.Run(WithMark(context.Background(), FileMark(file)), nil)
		fmt.Println(err)
		return 0
	}
	for round := range 3 {
		var all sync.WaitGroup
		for _, script := range arguments[2:] {
			for range concurrency {
				all.Go(func() {
					c := Command{Argv: []string{"sh", "-c", script, "sh", file}, Timeout: time.Minute, Grace: time.Millisecond}
					if round == 1 { // and in a program that is ended
						c.Argv[2] += "\nsleep 60"
						c.Timeout = time.Second
					}
					if _, err := c.Run(context.Background(), nil); err != nil {
						fmt.Println(err)
					}
					if concurrency == 1 {
						fmt.Println(len(leftovers.Children(os.Getpid())))
					}
				})
			}
		}
		all.Wait()
		fmt.Println(len(leftovers.Children(os.Getpid())))
	}
	return 0
}

// needsOrphans skips a test where no process can take orphans in, or there is no setsid.
func needsOrphans(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux gives orphans to a process that asks for them")
	}
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip(err)
	}
}

// awaited is a script that ends only when another number has come into the file $1.
func awaited(script string) string {
	const lines = `$(cat "$1" 2>/dev/null | wc -l)`
	return "n=" + lines + "\n" + script + "\nuntil [ " + lines + ` -gt "$n" ]; do sleep 0.02; done`
}

// alive are the processes of a file's numbers that still live.
func alive(t *testing.T, file string) (all, left []string) {
	t.Helper()
	text, _ := os.ReadFile(file)
	all = strings.Fields(string(text))
	for _, field := range all {
		if pid, err := strconv.Atoi(field); err != nil || !leftovers.Gone(pid) {
			left = append(left, field)
		}
	}
	return all, left
}

// What leaves the group of its program ends with it, however it does that, and is reaped.
func TestDaemonsEndWithTheirProgram(t *testing.T) {
	needsOrphans(t)
	for name, script := range escapes {
		for _, mode := range []string{"alone", "together"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "pids")
				c := program(t, "adoptive", file, mode, awaited(script))
				c.Timeout = 2 * time.Minute
				p := execute(t, c, "")
				if fields := strings.Fields(string(p.Stdout)); p.ExitCode != 0 ||
					strings.Trim(strings.Join(fields, ""), "0") != "" || len(fields) < 3 {
					t.Errorf("children are left: %q, %+v", fields, p)
				}
				all, left := alive(t, file)
				if len(all) < 3 || len(left) > 0 {
					t.Errorf("of the processes %q, %q are left", all, left)
				}
			})
		}
	}
}

// What an attempt leaves running while another one ends, and belongs to neither by its environment, lives
// for as long as it may be the other's.
func TestDaemonsOfOthersStay(t *testing.T) {
	needsOrphans(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "pids")
	// The first program waits until its daemon, which has no environment, was seen by the ends of others.
	long := `mine="$1.$$"
env -i PATH="$PATH" setsid sh -c 'echo $$ | tee "$2" >> "$1"; exec sleep 60' sh "$1" "$mine" >/dev/null 2>&1 &
sleep 2; read pid < "$mine"; kill -0 $pid && echo lives >> "$1.alive"`
	short := `case $1 in *pids) sleep 1;; esac`
	c := program(t, "adoptive", file, "together", long, short)
	c.Timeout = 2 * time.Minute
	execute(t, c, "")
	text, _ := os.ReadFile(file + ".alive")
	if strings.Count(string(text), "lives") < 16 { // 8 at once, in two rounds that are not ended
		t.Errorf("daemons were killed before their programs ended: %q", text)
	}
	if all, left := alive(t, file); len(all) < 16 || len(left) > 0 {
		t.Errorf("of %q, %q are left", all, left)
	}
}

// After this process was killed, what its programs left is found by the mark of a file, and nothing else is.
func TestMarkedProcessesEnd(t *testing.T) {
	needsOrphans(t)
	folder := t.TempDir()
	file, other := filepath.Join(folder, "pids"), filepath.Join(folder, "other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	script := `setsid sh -c 'echo $$ >> "$1"; exec sleep 60' sh "$1" & sh -c 'echo $$ >> "$1"; exec sleep 60' sh "$1" & sleep 60`
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := program(t, "adoptive", file, "marked", script)
	runner := exec.Command(c.Argv[0], c.Argv[1:]...)
	runner.Env = append(os.Environ(), roleVariable+"=adoptive")
	if err := runner.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the daemon runs", func() bool { all, _ := alive(t, file); return len(all) == 2 })
	_ = runner.Process.Kill()
	_ = runner.Wait()
	if _, left := alive(t, file); len(left) != 2 {
		t.Fatalf("they did not outlive their runner: %q", left)
	}
	innocent := exec.Command("sleep", "60")
	if err := innocent.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = innocent.Process.Kill()
		_ = innocent.Wait()
	}()
	if n := EndMarked(FileMark(other)); n != 0 || EndMarked("") != 0 {
		t.Errorf("%d processes of another file", n)
	}
	moved := filepath.Join(folder, "moved")
	if err := os.Rename(file, moved); err != nil {
		t.Fatal(err)
	}
	if n := EndMarked(FileMark(moved)); n < 2 {
		t.Errorf("%d processes, want 2 or more", n)
	}
	if _, left := alive(t, moved); len(left) > 0 || innocent.Process.Signal(syscall.Signal(0)) != nil {
		t.Errorf("%q are left", left)
	}
}
