//go:build unix

package runner

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// beginner is a runner that puts aside what it finds, begins a journal under its number and ends. It tries again as
// long as another runner has it open. The name that a journal is given says whose it was when it was read.
func beginner(arguments []string) int {
	file := arguments[0]
	number, err := strconv.ParseUint(arguments[1], 10, 64)
	if err != nil {
		return complain(err)
	}
	for try := 0; ; try++ {
		w, err := journal.Begin(file, journal.Header{Suite: "s", Seed: number},
			func(h *journal.History, unread error) (string, error) {
				if unread != nil {
					return "", unread
				}
				return fmt.Sprintf("%s.%d.%d.%d", file, number, try, h.Header.Seed), nil
			})
		if errors.Is(err, journal.ErrLocked) || errors.Is(err, journal.ErrExists) {
			continue
		}
		if err != nil {
			return complain(err)
		}
		w.Decide(journal.Decision{Test: "t", Trials: int(number)})
		if err := w.Close(); err != nil {
			return complain(err)
		}
		return 0
	}
}

// Of many runners that begin at once each puts aside the journal that it has read, and no other; none is lost.
func TestRunnersThatBeginAtOnce(t *testing.T) {
	rounds, runners := thorough.Draws(2, 6), 12
	for range rounds {
		file := filepath.Join(t.TempDir(), "journal")
		var started []*exec.Cmd
		for number := 1; number <= runners; number++ {
			c := program(t, "beginner", file, strconv.Itoa(number))
			cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
			cmd.Env = os.Environ()
			for name, value := range c.Environment.Set {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			started = append(started, cmd)
		}
		for _, cmd := range started {
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
		}
		names, err := filepath.Glob(file + "*")
		if err != nil {
			t.Fatal(err)
		}
		kept := map[uint64]bool{}
		for _, name := range names {
			h, err := journal.Read(name)
			if err != nil || len(h.Decisions) != 1 || h.Decisions[0].Trials != int(h.Header.Seed) || kept[h.Header.Seed] {
				t.Fatalf("%s: %+v, %v", name, h, err)
			}
			kept[h.Header.Seed] = true
			if read := strings.TrimPrefix(filepath.Ext(name), "."); name != file && read != fmt.Sprint(h.Header.Seed) {
				t.Errorf("%s was put aside by a runner that had read another one", name)
			}
		}
		if len(kept) != runners {
			t.Errorf("%d of %d journals are there", len(kept), runners)
		}
	}
}
