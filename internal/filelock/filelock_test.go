package filelock

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMain is a process that takes a lock of a file, says what came of it, and holds it until its input ends.
func TestMain(m *testing.M) {
	how, name := os.Getenv("FILELOCK_HOW"), os.Getenv("FILELOCK_NAME")
	if how == "" {
		os.Exit(m.Run())
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err == nil {
		_, err = map[string]func(*os.File) (func() error, error){"exclusive": Exclusive, "shared": Shared}[how](f)
	}
	fmt.Println(err == nil, errors.Is(err, ErrLocked))
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

// other starts a process with a lock. It is killed at the end.
func other(t *testing.T, how, name string) (took bool, kill func()) {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "FILELOCK_HOW="+how, "FILELOCK_NAME="+name)
	_, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var locked bool
	if _, err := fmt.Sscan(line, &took, &locked); err != nil || took == locked {
		t.Fatalf("%s says %q: %v", how, line, err)
	}
	return took, kill
}

// TestLocks checks who may have a lock beside whom, and that it ends with the process that is killed.
func TestLocks(t *testing.T) {
	if OfName {
		t.Skip("a lock is a file, which outlives who is killed")
	}
	for _, c := range []struct {
		first, second string
		both          bool
	}{
		{"exclusive", "exclusive", false}, {"exclusive", "shared", false}, {"shared", "exclusive", false},
		{"shared", "shared", true},
	} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		took, kill := other(t, c.first, name)
		if !took {
			t.Fatalf("nobody has the lock, and %s does not get it", c.first)
		}
		if took, _ := other(t, c.second, name); took != c.both {
			t.Errorf("%s beside %s: %t", c.second, c.first, took)
		}
		kill()
		if took, _ := other(t, "shared", name); !took && !c.both {
			t.Errorf("the lock of %s outlives it", c.first)
		}
	}
}

// TestLetGo checks that a lock that is let go of is free, within one process too, and that one may be waited for.
func TestLetGo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	var files [2]*os.File
	for i := range files {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	unlock, err := Exclusive(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Exclusive(files[1]); !errors.Is(err, ErrLocked) {
		t.Errorf("two have the lock: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if unlock, err = Wait(files[1]); err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
}
