package store_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/report/store"
)

// database is a PostgreSQL of a test's own, which it may restart.
type database struct {
	programs string // their folder
	data     string
	options  string
	as       *syscall.Credential // it refuses to run as root
	url      string
}

// newDatabase starts one. Where its programs are not installed the test is skipped by name.
func newDatabase(t *testing.T) *database {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		t.Skip("the programs of PostgreSQL are not installed")
	}
	folder, err := os.MkdirTemp("/tmp", "store-test-") // short: a socket's name is bounded
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	d := &database{
		programs: filepath.Dir(found[len(found)-1]),
		data:     filepath.Join(folder, "data"),
		options:  fmt.Sprintf("-p %d -k %s -h 127.0.0.1", port, folder),
		url:      fmt.Sprintf("postgres://tester@127.0.0.1:%d/postgres?sslmode=disable", port),
	}
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			t.Skipf("PostgreSQL does not run as root: %v", err)
		}
		uid, _ := strconv.ParseUint(u.Uid, 10, 32)
		gid, _ := strconv.ParseUint(u.Gid, 10, 32)
		d.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(folder, int(uid), int(gid)); err != nil {
			t.Fatal(err)
		}
	}
	d.run(t, "initdb", "-D", d.data, "-A", "trust", "-U", "tester")
	d.run(t, "pg_ctl", "-D", d.data, "-w", "-o", d.options, "-l", filepath.Join(folder, "log"), "start")
	t.Cleanup(func() { d.run(t, "pg_ctl", "-D", d.data, "-m", "immediate", "stop") })
	return d
}

// run runs a program of it.
func (d *database) run(t *testing.T, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(d.programs, program), args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: d.as}
	// A pipe would be held open by the server that stays.
	out, err := os.CreateTemp(t.TempDir(), program)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		text, readErr := os.ReadFile(out.Name())
		t.Fatalf("%s: %v\n%s%v", program, err, text, errors.Join(readErr))
	}
}

// A server that is restarted under load, and one that crashes, is waited for; nothing is lost or there twice.
func TestARestartedServer(t *testing.T) {
	d := newDatabase(t)
	s, err := store.Open(t.Context(), d.url, store.Options{Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	restarts := thorough.Draws(2, 6)
	done := make(chan struct{})
	var load sync.WaitGroup
	added := make([]int, 3)
	var all atomic.Int64
	for w := range added {
		load.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				r := store.Run{Suite: fmt.Sprint(w), Build: fmt.Sprint(added[w])}
				if a, err := s.Add(t.Context(), r, made(killed, true)); err != nil || a.Known {
					t.Errorf("%+v, %v", a, err)
					return
				}
				added[w]++
				all.Add(1)
			}
		})
	}
	for i := range restarts {
		// In the middle of what comes after some that went well.
		for before := all.Load(); all.Load() < before+2 && !t.Failed(); {
			time.Sleep(10 * time.Millisecond)
		}
		d.run(t, "pg_ctl", "-D", d.data, "-w", "-o", d.options, "-m", []string{"fast", "immediate"}[i%2], "restart")
	}
	close(done)
	load.Wait()
	for w, want := range added {
		runs, err := s.Runs(t.Context(), store.Query{Suite: fmt.Sprint(w)}, 0, 0)
		if err != nil || len(runs) != want || want == 0 {
			t.Errorf("%d runs, %d were added, %v", len(runs), want, err)
		}
		for _, r := range runs {
			n := 0
			for _, err := range s.Trials(t.Context(), store.Query{Run: r.ID}, 0) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != killed || r.Parts[0].Trials != killed {
				t.Errorf("run %s has %d trials", r.ID, n)
			}
		}
	}
	t.Logf("%d restarts, runs added: %v", restarts, added)
}
