// Package built has the programs that users get, for tests that run them. They are built once for all test
// processes of a checkout, and again only where something changed:
//
//	program := built.Tribunal(t)
//
// They have no symbols. The race detector watches them where it watches the tests. Their folders belong to all tests:
// nothing else is written there.
package built

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/filelock"
)

const module = "github.com/tribunal-dev/tribunal"

// Tribunal returns the path of tribunal, as [Folder] builds it.
func Tribunal(tb testing.TB) string {
	tb.Helper()
	name := "tribunal"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(Folder(tb), name)
}

// Folder returns the folder of tribunal and of the agent of examples/ticket-routing. Where they cannot be built, the
// test ends.
func Folder(tb testing.TB) string {
	tb.Helper()
	return must(tb, programs)
}

// Fleet returns the folder of tribunal-fleet, which is not beside tribunal.
func Fleet(tb testing.TB) string {
	tb.Helper()
	return must(tb, fleet)
}

func must(tb testing.TB, folder func() (string, error)) string {
	tb.Helper()
	path, err := folder()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

var (
	programs = sync.OnceValues(func() (string, error) {
		return folder("tribunal", "./cmd/tribunal", "./examples/ticket-routing/agent")
	})
	fleet = sync.OnceValues(func() (string, error) { return folder("tribunal-fleet", "./cmd/tribunal-fleet") })
)

// folder returns a folder with the programs of packages, of which the first has a name.
func folder(name string, packages ...string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		caches = os.TempDir()
	}
	caches = filepath.Join(caches, "tribunal-tests")
	folder := filepath.Join(caches, fmt.Sprintf("%.8x", sha256.Sum256([]byte(root+race+name))))
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(filepath.Join(folder, "checkout"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	unlock, err := filelock.Wait(lock)
	if err != nil {
		return "", err
	}
	stamp, err := look(root)
	if err != nil {
		return "", errors.Join(err, unlock())
	}
	from := root + "\n" + stamp
	was, err := os.ReadFile(lock.Name())
	if there, _ := filepath.Glob(filepath.Join(folder, name+"*")); err == nil && string(was) == from && len(there) > 0 {
		return folder, unlock()
	}
	if err := build(root, folder, packages); err != nil {
		return "", errors.Join(err, unlock())
	}
	return folder, errors.Join(os.WriteFile(lock.Name(), []byte(from), 0o666), forget(caches), unlock())
}

// build builds the programs of packages of a checkout into a folder.
func build(root, folder string, packages []string) error {
	// Without symbols, with a version, and silent about how far something is, which is another text on each machine.
	const flags = "-ldflags=-s -w -X " + module + "/cmd/internal/cli.release=v1.2.3-test" +
		" -X " + module + "/cmd/internal/cli/base.patience=1h"
	args := []string{"build", "-buildvcs=false", flags, "-o", folder + string(filepath.Separator)}
	if race != "" {
		args = append(args, race)
	}
	command := exec.Command("go", append(args, packages...)...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// look returns what tells a checkout and its settings from others, without asking the Go tool, which takes seconds for
// it. It opens every folder, so that go test, which remembers results by what a test opens, does not take one of
// other sources for that of these.
func look(root string) (stamp string, err error) {
	all := sha256.New()
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "GO") || strings.HasPrefix(variable, "CGO") {
			fmt.Fprintln(all, variable)
		}
	}
	fmt.Fprintln(all, runtime.Version())
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules"):
			return filepath.SkipDir
		case entry.IsDir(), strings.HasSuffix(name, "_test.go"):
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(all, path, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return fmt.Sprintf("%x", all.Sum(nil)), err
}

// forget removes the programs of checkouts that are gone.
func forget(caches string) error {
	files, err := filepath.Glob(filepath.Join(caches, "*", "checkout"))
	for _, file := range files {
		text, reading := os.ReadFile(file)
		root, _, _ := strings.Cut(string(text), "\n")
		if _, gone := os.Stat(root); reading == nil && root != "" && errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, os.RemoveAll(filepath.Dir(file)))
		}
	}
	return err
}

// Root returns the folder of the checkout that the working directory is in.
func Root() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+module+"\n") {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("the working directory is in no checkout of tribunal")
		}
		folder = parent
	}
}
