package manual

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the commands print into the pages")

const root = "../.."

// TestPagesShowWhatCommandsPrint runs every command block of the manual.
func TestPagesShowWhatCommandsPrint(t *testing.T) {
	run := runner(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, path := range append(pages, filepath.Join(root, "README.md")) {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		blocks += len(Blocks(string(page)))
		want := Rewrite(string(page), run)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(string(page), want); diff != "" {
			t.Errorf("%s is not what the commands print (-page +commands); run go test ./internal/manual -update and read the change\n%s", path, diff)
		}
	}
	if blocks < 5 {
		t.Errorf("the manual has only %d command blocks", blocks)
	}
}

// runner returns a function that runs shell commands with a freshly built binary.
func runner(t *testing.T) func(shell string) string {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "tribunal"), "./cmd/tribunal")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	scratch := t.TempDir()
	status := filepath.Join(t.TempDir(), "status")
	return func(shell string) string {
		// $? is that of the command before, as in a terminal.
		script := "(exit $(cat \"$STATUS\" 2>/dev/null || echo 0))\n" + shell + "\necho $? > \"$STATUS\"\n"
		command := exec.Command("sh", "-c", script)
		command.Dir = root
		command.Env = []string{
			"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
			"HOME=" + scratch, "TMPDIR=" + scratch, "SCRATCH=" + scratch, "STATUS=" + status, "LC_ALL=C.UTF-8", "TZ=UTC",
		}
		out, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
		return string(out)
	}
}

func TestBlocks(t *testing.T) {
	page := "a\n```console\n$ one\nout\nput\n$ two\n```\nb\n```go\n$ no\n```\n"
	want := []Block{{Line: 2, Commands: []Command{{Line: 3, Shell: "one", Output: "out\nput\n"}, {Line: 6, Shell: "two"}}}}
	if diff := cmp.Diff(want, Blocks(page)); diff != "" {
		t.Error(diff)
	}
}

func TestRewrite(t *testing.T) {
	page := "a\n```console\n$ one\nold\n$ two\n```\nb\n```go\n$ no\nstays\n```\n"
	got := Rewrite(page, func(shell string) string { return strings.ToUpper(shell) + "\n" })
	want := "a\n```console\n$ one\nONE\n$ two\nTWO\n```\nb\n```go\n$ no\nstays\n```\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
