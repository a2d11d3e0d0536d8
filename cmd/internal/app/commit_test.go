package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git in a folder, without the settings of whoever runs the tests, and returns what it prints.
func git(t *testing.T, folder string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	c := exec.CommandContext(t.Context(), "git", args...)
	c.Dir = folder
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// What git itself says of HEAD: on a branch, packed, in a folder below, in a further work tree and without a branch.
func TestCommitIsWhatGitSays(t *testing.T) {
	none := func(string) string { return "" }
	tree := t.TempDir()
	if got := Commit(tree, none); got != "" {
		t.Fatalf("the folder of the tests is in a work tree: %s", got)
	}
	git(t, tree, "init", "-q", "-b", "topic/one")
	if got := Commit(tree, none); got != "" {
		t.Errorf("before the first commit it is %q", got)
	}
	git(t, tree, "commit", "-q", "--allow-empty", "-m", "one")
	below := filepath.Join(tree, "suites", "shop")
	if err := os.MkdirAll(below, 0o777); err != nil {
		t.Fatal(err)
	}
	further := filepath.Join(t.TempDir(), "further")
	same := func(name, folder string) {
		t.Helper()
		if got, want := Commit(folder, none), git(t, folder, "rev-parse", "HEAD"); got != want {
			t.Errorf("%s: %q, and git says %q", name, got, want)
		}
	}
	same("a branch", tree)
	same("a folder below", below)
	git(t, tree, "pack-refs", "--all")
	same("packed", tree)
	git(t, tree, "worktree", "add", "-q", "-b", "other", further)
	git(t, further, "commit", "-q", "--allow-empty", "-m", "two")
	same("a further work tree", further)
	same("the first work tree", tree)
	git(t, tree, "checkout", "-q", "--detach")
	same("without a branch", tree)
}

// What the build server says comes first, if it is a commit.
func TestCommitOfABuildServer(t *testing.T) {
	hash := strings.Repeat("0a", 20)
	env := map[string]string{"CI_COMMIT_SHA": hash, "GITHUB_SHA": "main"}
	if got := Commit(t.TempDir(), func(name string) string { return env[name] }); got != hash {
		t.Errorf("%q", got)
	}
}

// A .git that is none says nothing.
func TestCommitOfWhatIsNoGit(t *testing.T) {
	for _, text := range []string{"", "gitdir: elsewhere\n", "gitdir: /nowhere\n", "\x00\xff"} {
		tree := t.TempDir()
		if err := os.WriteFile(filepath.Join(tree, ".git"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := Commit(tree, func(string) string { return "" }); got != "" {
			t.Errorf("%q gives %q", text, got)
		}
	}
	tree := t.TempDir()
	if err := os.MkdirAll(filepath.Join(tree, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, head := range []string{"ref: ../../secret", "ref: refs/../../../etc/passwd", "not a hash"} {
		if err := os.WriteFile(filepath.Join(tree, ".git", "HEAD"), []byte(head+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := Commit(tree, func(string) string { return "" }); got != "" {
			t.Errorf("%q gives %q", head, got)
		}
	}
}
