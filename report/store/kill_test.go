package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/report/store"
)

// writerVariable makes a program of the tests a writer: of runs to the store that it names, until it is killed.
const writerVariable = "TEST_STORE_WRITER"

// killed is how many trials the runs of a writer have: more than a batch.
const killed = 2500

func TestMain(m *testing.M) {
	if name := os.Getenv(writerVariable); name != "" {
		if err := write(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// write adds runs for ever, and says of each that it was added once it was.
func write(name string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, name, store.Options{Patience: time.Minute})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		added, err := s.Add(ctx, store.Run{Suite: "killed", Build: fmt.Sprint(os.Getpid(), " ", i)}, made(killed, i%2 == 0))
		if err != nil {
			return err
		}
		fmt.Println(added.ID)
	}
}

// Two writers are killed again and again while readers look: no run is there by half, and none that was
// acknowledged is lost.
func TestKilledWriters(t *testing.T) {
	kills := thorough.Draws(12, 100)
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var looks atomic.Int64
		var readers sync.WaitGroup
		for range thorough.Draws(3, 10) {
			readers.Go(func() {
				for ctx.Err() == nil {
					if err := look(ctx, s); err != nil && ctx.Err() == nil {
						t.Error(err)
						return
					}
					looks.Add(1)
					time.Sleep(5 * time.Millisecond) // those that never rest leave the writers little of a processor
				}
			})
		}
		var acknowledged sync.Map
		var left atomic.Int64
		left.Store(int64(kills))
		var writers sync.WaitGroup
		for w := range 2 {
			writers.Go(func() {
				random := rand.New(rand.NewPCG(1, uint64(w)))
				for left.Add(-1) >= 0 && !t.Failed() {
					if err := killWriter(name, time.Duration(random.IntN(120))*time.Millisecond, &acknowledged); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writers.Wait()
		cancel()
		readers.Wait()
		if err := look(t.Context(), s); err != nil {
			t.Error(err)
		}
		lost, kept := 0, 0
		acknowledged.Range(func(id, _ any) bool {
			kept++
			if _, err := s.Run(t.Context(), id.(string)); err != nil {
				lost++
				t.Errorf("acknowledged: %v", err)
			}
			return true
		})
		t.Logf("%d kills, %d runs acknowledged, %d lost, %d looks", kills, kept, lost, looks.Load())
		if kept == 0 || looks.Load() == 0 {
			t.Error("nothing was written or read")
		}
		whatIsAbandonedIsCleared(t, name, s)
	})
}

// killWriter starts a writer and kills it so long after it has acknowledged its first run.
func killWriter(name string, after time.Duration, acknowledged *sync.Map) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), writerVariable+"="+name)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	began := false
	for lines.Scan() {
		acknowledged.Store(lines.Text(), true)
		if !began {
			began = true
			time.AfterFunc(after, func() { cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait() // it was killed
	if !began || problems.Len() > 0 {
		return fmt.Errorf("writer: %s", problems.String())
	}
	return nil
}

// look reads the latest runs, which must be whole.
func look(ctx context.Context, s *store.Store) error {
	runs, err := s.Runs(ctx, store.Query{}, 0, 3)
	if err != nil {
		return err
	}
	for _, r := range runs {
		n := 0
		for _, err := range s.Trials(ctx, store.Query{Run: r.ID}, 0) {
			if err != nil {
				return err
			}
			n++
		}
		if n != killed || len(r.Parts) != 1 || r.Parts[0].Trials != killed {
			return fmt.Errorf("run %s has %d trials and the parts %+v", r.ID, n, r.Parts)
		}
	}
	return nil
}

// raw opens the database of a store.
func raw(t *testing.T, name string) *sql.DB {
	t.Helper()
	driver := "sqlite"
	if store.IsURL(name) {
		driver = "pgx"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// What killed writers left is deleted by the next one, once it is old.
func whatIsAbandonedIsCleared(t *testing.T, name string, s *store.Store) {
	t.Helper()
	db := raw(t, name)
	unfinished := func() (runs, trials int) {
		if err := db.QueryRow("SELECT count(*) FROM run WHERE whole = 0").Scan(&runs); err != nil {
			t.Fatal(err)
		}
		if err := db.QueryRow("SELECT count(*) FROM trial WHERE run NOT IN (SELECT number FROM run WHERE whole = 1)").Scan(&trials); err != nil {
			t.Fatal(err)
		}
		return runs, trials
	}
	if runs, trials := unfinished(); runs == 0 || trials == 0 {
		t.Logf("the kills left %d unfinished runs with %d trials", runs, trials)
	}
	if _, err := db.Exec("UPDATE run SET touched = 0 WHERE whole = 0"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(t.Context(), store.Run{Suite: "after"}, made(killed, false)); err != nil {
		t.Fatal(err)
	}
	if runs, trials := unfinished(); runs != 0 || trials != 0 {
		t.Errorf("%d unfinished runs with %d trials are left", runs, trials)
	}
}
