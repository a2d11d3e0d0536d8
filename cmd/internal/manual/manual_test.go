package manual

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/beside"
	"github.com/tribunal-dev/tribunal/internal/built"
	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

var (
	update = flag.Bool("update", false, "write what the commands print into the pages")
	only   = flag.String("page", "*.md", "pages to run, README.md and those of docs, by a pattern of their names")
)

const root = "../../.."

// TestPagesShowWhatCommandsPrint runs every command block of the manual. Every page has folders of its own, and
// examples of its own: pages run beside each other, and leave nothing behind.
func TestPagesShowWhatCommandsPrint(t *testing.T) {
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
	blocks := 0
	for _, path := range pages {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page := string(text)
		if blocks += len(Blocks(page)); len(Blocks(page)) == 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			if filepath.Base(path) == "confine.md" {
				needsConfinement(t)
			}
			checkPage(t, path, page)
		})
	}
	if *only == flag.Lookup("page").DefValue && blocks < 5 {
		t.Errorf("the manual has only %d command blocks", blocks)
	}
}

func TestMain(m *testing.M) {
	confine.Main() // to learn what can be confined
	beside.Tests(4)
	os.Exit(m.Run())
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

// measuring begins a command that takes minutes.
const measuring = "go run "

// slow begins commands that take more than some five seconds of a processor.
var slow = []string{
	measuring,
	"tribunal plan --behaviour examples/",
	"tribunal plan --baseline 285/300",
	"tribunal improve race examples/race --fresh",
	"tribunal run relations 2>/dev/null",
	"tribunal run mutants examples/mutation --fresh",
	"python3 model.py tribunal run conformance corpus --attack-success 0.2 2>/dev/null",
	"tribunal judge check sheet.csv",
	"tribunal gate --baseline main.result.json ",
}

// left says whether a command is left out, as all pages are run for a change; .ci/nightly runs it.
func left(shell string) bool {
	isSlow := slices.ContainsFunc(slow, func(begin string) bool { return strings.HasPrefix(shell, begin) })
	named := *only != flag.Lookup("page").DefValue
	return isSlow && !thorough.Asked() && !*update && (!named || strings.HasPrefix(shell, measuring))
}

// checkPage compares a page with what its commands print.
func checkPage(t *testing.T, path, page string) {
	scratch := t.TempDir()
	ledger := "TRIBUNAL_LEDGER=off" // examples of the repository are run again and again
	if slices.Contains([]string{"tutorial.md", "for-ci-owners.md", "report.md"}, filepath.Base(path)) {
		ledger = "TRIBUNAL_LEDGER=" // as readers have it
	}
	run := runner(t, scratch, ledger)
	want := Rewrite(page, func(c Command) string {
		if left(c.Shell) {
			return c.Output
		}
		got := run(c)
		if Timeless(strings.TrimSuffix(got, "\n")) != Timeless(strings.TrimSuffix(c.Output, "\n")) {
			return got
		}
		return c.Output
	})
	if filepath.Base(path) == "bench.md" && !left(measuring) {
		checkDrawing(t, scratch)
	}
	if *update {
		write(t, path, want)
		return
	}
	if diff := cmp.Diff(Timeless(page), Timeless(want)); diff != "" {
		t.Errorf("%s is not what the commands print (-page +commands); "+
			"run go test ./cmd/internal/manual -update and read the change\n%s", path, diff)
	}
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
			"run go test ./cmd/internal/manual -update and look at it", name)
	}
}

// runner returns a function that runs shell commands with the programs that users get and
// the scratch folder for $TMPDIR.
func runner(t *testing.T, scratch, ledger string) func(Command) string {
	t.Helper()
	path := strings.Join([]string{shortcuts(t), built.Folder(t), built.Fleet(t), os.Getenv("PATH")},
		string(os.PathListSeparator))
	state, tree := t.TempDir(), checkout(t)
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	return func(c Command) string {
		switch {
		case strings.HasPrefix(c.Shell, measuring):
			write(t, filepath.Join(state, "folder"), here)
		case c.Begin == BeginAtRoot:
			write(t, filepath.Join(state, "folder"), tree)
		case c.Begin == BeginEmpty:
			write(t, filepath.Join(state, "folder"), t.TempDir())
		}
		// $? and the folder are those of the command before, as in a terminal.
		script := "cd \"$(cat \"$STATE/folder\")\"\n(exit $(cat \"$STATE/status\" 2>/dev/null || echo 0))\n" +
			c.Shell + "\necho $? > \"$STATE/status\"\npwd > \"$STATE/folder\"\n"
		command := exec.Command("sh", "-c", script)
		command.Env = append(slices.Clone(goCaches()),
			"PATH="+path, "HOME="+scratch, "TMPDIR="+scratch, "STATE="+state, "LC_ALL=C.UTF-8", "TZ=UTC",
			ledger, "GIT_CEILING_DIRECTORIES="+os.TempDir(),
			"GITHUB_SHA=e83c5163316f89bfbde7d9ab23ca2e25604af290", // a commit that pages can show
		)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", c.Shell, err, out)
		}
		if took := command.ProcessState.UserTime() + command.ProcessState.SystemTime(); took > time.Second {
			t.Logf("line %d took %.1f s of a processor: %s", c.Line, took.Seconds(), c.Shell)
		}
		return string(out)
	}
}

// checkout returns a folder that shows what the checkout does, with examples that may be changed.
func checkout(t *testing.T) string {
	t.Helper()
	tree := t.TempDir()
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(here)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case name == "examples":
			err = copyExamples(filepath.Join(tree, name))
		case strings.HasPrefix(name, "."), name == "go.work":
		default:
			err = os.Symlink(filepath.Join(here, name), filepath.Join(tree, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

// copyExamples copies the examples, but for what runs of them left.
func copyExamples(to string) error {
	from := filepath.Join(root, "examples")
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		name, outside := filepath.Rel(from, path)
		if err := errors.Join(err, outside); err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == ".tribunal" || entry.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if entry.IsDir() {
			return os.Mkdir(filepath.Join(to, name), 0o777)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, info.Mode().Perm())
	})
}

// shortcuts returns a folder of programs that take the place of others which take longer than the agents that they
// begin: a python3 that is a script and chooses among several, and a go that builds the agent of an example for every
// trial. Where everything is asked for, go does.
func shortcuts(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if python, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output(); err == nil {
		if err := os.Symlink(strings.TrimSpace(string(python)), filepath.Join(folder, "python3")); err != nil {
			t.Fatal(err)
		}
	}
	if thorough.Asked() {
		return folder
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	agent := filepath.Join(built.Folder(t), "agent")
	script := fmt.Sprintf("#!/bin/sh\n[ \"$*\" = 'run ./agent' ] && exec '%s'\nexec '%s' \"$@\"\n", agent, tool)
	if err := os.WriteFile(filepath.Join(folder, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return folder
}

// goCaches are the folders in which an example that is built finds its parts, which
// are those of the home folder otherwise.
var goCaches = sync.OnceValue(func() (variables []string) {
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			panic(fmt.Sprintf("go env: %v", err)) // the tests were begun by it
		}
		variables = append(variables, name+"="+strings.TrimSuffix(string(out), "\n"))
	}
	return variables
})

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
