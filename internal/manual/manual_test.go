package manual

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/confine"
)

var (
	update = flag.Bool("update", false, "write what the commands print into the pages")
	only   = flag.String("page", "*.md", "pages to run, README.md and those of docs, by a pattern of their names")
)

const root = "../.."

// TestPagesShowWhatCommandsPrint runs every command block of the manual.
func TestPagesShowWhatCommandsPrint(t *testing.T) {
	scratch := t.TempDir()
	run := runner(t, scratch)
	pages, err := filepath.Glob(filepath.Join(root, "docs", *only))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := filepath.Glob(filepath.Join(root, *only))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range readme {
		if filepath.Base(page) == "README.md" {
			pages = append(pages, page)
		}
	}
	all := *only == flag.Lookup("page").DefValue
	blocks := 0
	for _, path := range pages {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if filepath.Base(path) == "confine.md" {
				needsConfinement(t)
			}
			blocks += checkPage(t, path, run)
		})
	}
	if all && blocks < 5 {
		t.Errorf("the manual has only %d command blocks", blocks)
	}
	if all && !testing.Short() {
		checkDrawing(t, scratch)
	}
}

func TestMain(m *testing.M) {
	confine.Main() // to learn what can be confined
	code := m.Run()
	if programs != "" {
		os.RemoveAll(programs)
	}
	os.Exit(code)
}

var (
	programs string // the folder of what [buildOnce] built
	// buildOnce builds the programs that users get, for all tests.
	buildOnce = sync.OnceValue(func() (err error) {
		if programs, err = os.MkdirTemp("", "tribunal-programs"); err != nil {
			return err
		}
		build := exec.Command("go", "build", "-o", programs+string(filepath.Separator), "./cmd/tribunal",
			"./cmd/tribunal-fleet")
		build.Dir = root
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
		return nil
	})
)

// built returns the folder of the programs that users get. It is that of all tests: nothing is written there.
func built(t *testing.T) string {
	t.Helper()
	if err := buildOnce(); err != nil {
		t.Fatal(err)
	}
	return programs
}

// needsConfinement skips a page where this machine cannot do what is on it.
func needsConfinement(t *testing.T) {
	t.Helper()
	if lacks := (confine.Rules{Network: confine.None}).Lacks(); len(lacks) > 0 {
		t.Skip("this machine cannot confine programs: " + confine.Told(lacks))
	}
	if out, err := exec.Command("unshare", "-Ur", "sh", "-c",
		"echo 0 > /proc/sys/user/max_user_namespaces").CombinedOutput(); err != nil {
		t.Skipf("no namespaces can be kept from a program here: %v, %s", err, out)
	}
}

// checkPage compares a page with what its commands print, and returns how many blocks of them it has.
func checkPage(t *testing.T, path string, run func(Command) string) (blocks int) {
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := Rewrite(string(page), func(c Command) string {
		if testing.Short() && strings.HasPrefix(c.Shell, "go run ./bench/cmd/tribunal-calibrate ") {
			return c.Output // it takes long, and has been measured without -short
		}
		began := time.Now()
		got := run(c)
		if took := time.Since(began); took > 3*time.Second {
			t.Logf("%.1f s: %s", took.Seconds(), c.Shell)
		}
		if Timeless(strings.TrimSuffix(got, "\n")) != Timeless(strings.TrimSuffix(c.Output, "\n")) {
			return got
		}
		return c.Output
	})
	if *update {
		write(t, path, want)
		return len(Blocks(string(page)))
	}
	if diff := cmp.Diff(Timeless(string(page)), Timeless(want)); diff != "" {
		t.Errorf("%s is not what the commands print (-page +commands); "+
			"run go test ./internal/manual -update and read the change\n%s", path, diff)
	}
	return len(Blocks(string(page)))
}

// checkDrawing compares the drawing that a command of the manual made in $TMPDIR with the
// one in docs/. Decimals are left out, for the last ones differ between machines.
func checkDrawing(t *testing.T, scratch string) {
	const name = "savings.svg"
	drawn, err := os.ReadFile(filepath.Join(scratch, name))
	if err != nil {
		t.Fatal(err)
	}
	shown := filepath.Join(root, "docs", name)
	if *update {
		write(t, shown, string(drawn))
	}
	have, err := os.ReadFile(shown)
	if err != nil {
		t.Fatal(err)
	}
	decimals := regexp.MustCompile(`\.\d+`)
	if string(decimals.ReplaceAll(have, nil)) != string(decimals.ReplaceAll(drawn, nil)) {
		t.Errorf("docs/%s is not what the manual's command draws; "+
			"run go test ./internal/manual -update and look at it", name)
	}
}

// runner returns a function that runs shell commands with a freshly built binary and
// the scratch folder for $TMPDIR.
func runner(t *testing.T, scratch string) func(Command) string {
	t.Helper()
	clearRuns(t)
	bin := t.TempDir()
	// Where python3 is a script that chooses among several, it takes longer than the agents that it begins.
	if python, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output(); err == nil {
		if err := os.Symlink(strings.TrimSpace(string(python)), filepath.Join(bin, "python3")); err != nil {
			t.Fatal(err)
		}
	}
	state := t.TempDir()
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	return func(c Command) string {
		switch c.Begin {
		case BeginAtRoot:
			write(t, filepath.Join(state, "folder"), here)
		case BeginEmpty:
			write(t, filepath.Join(state, "folder"), t.TempDir())
		}
		// $? and the folder are those of the command before, as in a terminal.
		script := "cd \"$(cat \"$STATE/folder\")\"\n(exit $(cat \"$STATE/status\" 2>/dev/null || echo 0))\n" +
			c.Shell + "\necho $? > \"$STATE/status\"\npwd > \"$STATE/folder\"\n"
		command := exec.Command("sh", "-c", script)
		command.Env = append(goCaches(t),
			"PATH="+strings.Join([]string{bin, built(t), os.Getenv("PATH")}, string(os.PathListSeparator)),
			"HOME="+scratch, "TMPDIR="+scratch, "STATE="+state, "LC_ALL=C.UTF-8", "TZ=UTC", "TRIBUNAL_LEDGER=off",
			"GIT_CEILING_DIRECTORIES="+os.TempDir(),
			"GITHUB_SHA=e83c5163316f89bfbde7d9ab23ca2e25604af290", // a commit that pages can show
		)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", c.Shell, err, out)
		}
		return string(out)
	}
}

// clearRuns removes what runs of the examples left, before and after: a page shows
// the first one.
func clearRuns(t *testing.T) {
	clear := func() {
		left, err := filepath.Glob(filepath.Join(root, "examples", "*", ".tribunal"))
		for _, folder := range left {
			err = errors.Join(err, os.RemoveAll(folder))
		}
		if err != nil {
			t.Error(err)
		}
	}
	clear()
	t.Cleanup(clear)
}

// goCaches are the folders in which an example that is built finds its parts, which
// are those of the home folder otherwise.
func goCaches(t *testing.T) (variables []string) {
	names := []string{"GOCACHE", "GOMODCACHE", "GOFLAGS"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	values := strings.Split(string(out), "\n")
	for i, name := range names {
		variables = append(variables, name+"="+values[i])
	}
	return variables
}

func write(t *testing.T, name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestBlocks(t *testing.T) {
	page := "a\n```console\n$ one\nout\nput\n$ two\n```\nb\n```go\n$ no\n```\n"
	want := []Block{{Line: 2,
		Commands: []Command{{Line: 3, Begin: BeginAtRoot, Shell: "one", Output: "out\nput\n"}, {Line: 6, Shell: "two"}}}}
	if diff := cmp.Diff(want, Blocks(page)); diff != "" {
		t.Error(diff)
	}
}

func TestBlocksOfFiles(t *testing.T) {
	page := "a\n```yaml tribunal.yaml\na: 1\n\n$ b\n```\n```python\nno\n```\n```console\n$ one\n```\n"
	want := []Block{
		{Line: 2, File: "tribunal.yaml", Commands: []Command{{Line: 6, Begin: BeginEmpty,
			Shell: "cat > 'tribunal.yaml' << 'END OF THE FILE'\na: 1\n\n$ b\nEND OF THE FILE"}}},
		{Line: 10, Commands: []Command{{Line: 11, Shell: "one"}}},
	}
	if diff := cmp.Diff(want, Blocks(page)); diff != "" {
		t.Error(diff)
	}
	// A file prints nothing, and stays as it is.
	got := Rewrite(page, func(c Command) string {
		if c.Shell == "one" {
			return "out\n"
		}
		return ""
	})
	if want := strings.Replace(page, "$ one\n", "$ one\nout\n", 1); got != want {
		t.Errorf("the page becomes %q, want %q", got, want)
	}
}

func TestRewrite(t *testing.T) {
	page := "a\n```console\n$ one\nold\n$ two\n```\nb\n```go\n$ no\nstays\n```\n"
	got := Rewrite(page, func(c Command) string { return strings.ToUpper(c.Shell) + "\n" })
	want := "a\n```console\n$ one\nONE\n$ two\nTWO\n```\nb\n```go\n$ no\nstays\n```\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTimeless(t *testing.T) {
	for text, want := range map[string]string{
		"  spent    45 trials, $0.0222, 76,261 tokens, 4.51 s\n": "  spent    45 trials, $0.0222, 76,261 tokens, …\n",
		"  spent    45 trials, 1.5 min\n  seed          1":       "  spent    45 trials, …\n  seed          1",
		"  spent    45 trials, $0.0222, 0.262 s; $0.000400 a success\n": "  spent    45 trials, $0.0222, …; $0.000400 a " +
			"success\n",
		`    "duration_s": 0.0123e-2,`: `    "duration_s": …,`,
		// What a plan costs is no time of a run.
		"  price    $0.120, 40 s a trial, at most $18.24, 1.69 h\n": "  price    $0.120, 40 s a trial, " +
			"at most $18.24, 1.69 h\n",
	} {
		if got := Timeless(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
