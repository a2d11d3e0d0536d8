package app_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
)

// The files count, whether they are committed, staged or neither; what is left out and what is not tracked does not.
func TestWorktree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	folder := t.TempDir()
	git := func(arguments ...string) {
		t.Helper()
		command := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, arguments...)...)
		command.Dir = folder
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", arguments, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	none := func(string) string { return "" }
	digest := func() string {
		t.Helper()
		d, _ := app.Worktree(context.Background(), folder, none, []string{filepath.Join(folder, "suite.yaml")})
		if d == "" {
			t.Fatal("no digest")
		}
		return d
	}
	git("init", "-q")
	write("agent.py", "one")
	write("suite.yaml", "one")
	git("add", ".")
	git("commit", "-qm", "one")
	first := digest()
	write("suite.yaml", "two")
	write("report.html", "new")
	git("commit", "-q", "--allow-empty", "-m", "two")
	if digest() != first {
		t.Error("the suite, a file that is not tracked or an empty commit makes another agent")
	}
	write("agent.py", "two")
	second := digest()
	if second == first {
		t.Error("a change is not seen")
	}
	git("add", "agent.py")
	if digest() != second {
		t.Error("staging a change makes another agent")
	}
	git("commit", "-qm", "three")
	if digest() != second {
		t.Error("committing a change makes another agent")
	}
	write("agent.py", "one")
	if digest() != first {
		t.Error("a change that is undone makes another agent")
	}
	if err := os.Remove(filepath.Join(folder, "agent.py")); err != nil {
		t.Fatal(err)
	}
	if d := digest(); d == first || d == second {
		t.Error("a file that is gone is not seen")
	}
}
