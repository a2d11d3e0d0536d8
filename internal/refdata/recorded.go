package refdata

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

// required is the environment variable that lets tests fail where recordings are not
// there, if it is "required". .ci/run sets it.
const required = "TEST_RECORDINGS"

// skipped is how many tests were not run for want of recordings.
var skipped atomic.Int64

// T is a test, of package testing or another.
type T interface {
	Helper()
	Fatal(...any)
	Skipf(format string, arguments ...any)
}

// Recorded returns the path of what was recorded elsewhere, in the folder shared/data
// beside the repository: files of other tools and runs of real agents, which are not
// part of it. Where it is not there, the test is skipped, and [Main] says so; it fails
// where the environment says that recordings are required.
func Recorded(t T, parts ...string) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(folder) != folder; folder = filepath.Dir(folder) {
		data := filepath.Join(folder, "..", "shared", "data")
		if _, err := os.Stat(data); err != nil {
			continue
		}
		path := filepath.Join(append([]string{data}, parts...)...)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	if os.Getenv(required) == "required" {
		t.Fatal("the recording " + filepath.Join(parts...) + " is not in ../shared/data, and " + required +
			" says that it must be")
	}
	skipped.Add(1)
	t.Skipf("the recording %s is not in ../shared/data", filepath.Join(parts...))
	return ""
}

// Runner runs tests, as *testing.M does.
type Runner interface{ Run() int }

// Main runs the tests of a package that uses [Recorded], as [Counted] does, and ends
// the program.
func Main(m Runner) { os.Exit(Counted(m).Run()) }

// Counted returns a runner that ends with a line that says how many tests were not run
// for want of recordings, if any.
func Counted(m Runner) Runner { return countingRunner{m} }

type countingRunner struct{ tests Runner }

func (c countingRunner) Run() int {
	code := c.tests.Run()
	if n := skipped.Load(); n > 0 {
		fmt.Printf("not run: %d tests that need recordings, for there is no ../shared/data beside the repository\n", n)
	}
	return code
}
