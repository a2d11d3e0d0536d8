//go:build unix

package ratchet

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// Loops are killed at random instants, each until it comes to its end. After every kill the champion's file is on disk,
// as the journal has it, and the end is that of a loop that nobody killed.
func TestKills(t *testing.T) {
	if testing.Short() {
		t.Skip("a program that is slow to start, as with the race detector, is killed before it comes to anything")
	}
	kills := thorough.Draws(20, 100)
	want := run(t, project(t, "attempts: 8\n", fenced(walk[1:])...), Options{})
	random := rand.New(rand.NewPCG(1, 2))
	killed, loops, champions := 0, 0, map[string]bool{}
	for killed < kills {
		loops++
		folder := project(t, "attempts: 8\n", fenced(walk[1:])...)
		for patience := 250; !killedOnce(t, folder, random, patience); patience += 50 {
			killed++
			found := onDisk(t, folder)
			champions[found] = true
			if may := mayLie(t, folder); !slices.Contains(may, found) {
				t.Fatalf("after kill %d %q is on disk, and not one of %q", killed, found, may)
			}
		}
		got := run(t, folder, Options{Resume: true})
		if diff := cmp.Diff(want.Attempts, got.Attempts); diff != "" || onDisk(t, folder) != walk[4] ||
			got.Stop != want.Stop {
			t.Fatalf("loop %d ended elsewhere: on disk %q, %s", loops, onDisk(t, folder), diff)
		}
	}
	t.Logf("%d kills of %d loops, with %d champions on disk", killed, loops, len(champions))
	if len(champions) < thorough.Draws(2, 3) {
		t.Errorf("kills met %d champions alone", len(champions))
	}
}

// killedOnce starts the loop of a folder and kills it within so many milliseconds, which grow until it comes to
// something on any machine; it returns true where the loop had ended before.
func killedOnce(t *testing.T, folder string, random *rand.Rand, patience int) (ended bool) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), loopVariable+"="+folder)
	var stderr strings.Builder
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- command.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("%v: %s", err, stderr.String())
		}
		return true
	case <-time.After(time.Duration(20+random.IntN(patience-20)) * time.Millisecond):
	}
	if err := command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	return <-done == nil
}

// mayLie are the values that may lie on disk: that of the champion by the last decision of the journal, and that of the
// one before it where nothing follows the decision, so that its file may not be in place yet.
func mayLie(t *testing.T, folder string) (values []string) {
	t.Helper()
	c, err := Load(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	j, err := readJournal(c.journalFile())
	if os.IsNotExist(err) {
		return []string{walk[0]}
	}
	if err != nil {
		t.Fatal(err)
	}
	champions := []string{walk[0]}
	for i, key := range j.keys {
		if !strings.HasSuffix(key, "/decided") {
			continue
		}
		var d decisionRecord
		if _, err := j.get(key, &d); err != nil {
			t.Fatal(err)
		}
		champions = append(champions, walk[d.Judged.Champion])
		if i == len(j.keys)-1 {
			values = append(values, champions[len(champions)-2])
		}
	}
	return append(values, champions[len(champions)-1])
}
