package cassette_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/filelock"
	"github.com/tribunal-dev/tribunal/wire/cassette"
)

// TestMain is a process that opens a cassette, says what came of it, and keeps it open until it is killed.
func TestMain(m *testing.M) {
	name := os.Getenv("CASSETTE_NAME")
	if name == "" {
		os.Exit(m.Run())
	}
	_, err := cassette.Open(name, cassette.Options{Replay: cassette.Replay(os.Getenv("CASSETTE_REPLAY"))})
	fmt.Println(err == nil, errors.Is(err, cassette.ErrInUse))
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

// elsewhere opens a cassette in another process, which is killed by end or with the test.
func elsewhere(t *testing.T, name string, how cassette.Replay) (opened bool, end func()) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "CASSETTE_NAME="+name, "CASSETTE_REPLAY="+string(how))
	_, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	end = func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}
	t.Cleanup(end)
	inUse := false
	if _, err := fmt.Fscan(out, &opened, &inUse); err != nil || opened == inUse {
		t.Fatalf("opened: %t, in use: %t, %v", opened, inUse, err)
	}
	return opened, end
}

// TestProcessesDoNotRecordOneFile checks that a file that is recorded is nobody else's, and that those that replay it
// share it.
func TestProcessesDoNotRecordOneFile(t *testing.T) {
	if filelock.OfName {
		t.Skip("a lock is a file, which outlives who is killed")
	}
	name := filepath.Join(t.TempDir(), "c")
	record(t, name, 1)
	for _, c := range []struct {
		first, second cassette.Replay
		both          bool
	}{
		{cassette.Record, cassette.Record, false}, {cassette.Record, cassette.Strict, false},
		{cassette.OrRecord, cassette.Record, false}, {cassette.Strict, cassette.OrRecord, false},
		{cassette.Strict, cassette.Strict, true},
	} {
		opened, end := elsewhere(t, name, c.first)
		if !opened {
			t.Fatalf("nobody has it open, and %q cannot open it", c.first)
		}
		here, err := cassette.Open(name, cassette.Options{Replay: c.second})
		if (err == nil) != c.both || err != nil && !errors.Is(err, cassette.ErrInUse) {
			t.Errorf("%q beside %q: %v", c.second, c.first, err)
		}
		end()
		if err == nil {
			if err := here.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestProcessSharesWithItself checks that several openings within one process have the file, and that it is free with
// the last of them.
func TestProcessSharesWithItself(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c")
	record(t, name, 1)
	var all []*cassette.Cassette
	for _, how := range []cassette.Replay{cassette.Strict, cassette.Record, cassette.OrRecord, cassette.Strict} {
		all = append(all, open(t, name, cassette.Options{Replay: how}))
	}
	for i, c := range all {
		if !filelock.OfName {
			if opened, _ := elsewhere(t, name, cassette.Strict); opened {
				t.Errorf("another process opens what is recorded here, with %d of %d closed", i, len(all))
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if opened, _ := elsewhere(t, name, cassette.Record); !opened {
		t.Error("nobody has it open, and it cannot be opened")
	}
}
