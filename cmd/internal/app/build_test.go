package app

import (
	"testing"
)

// What git itself says of the branch, also in a further work tree and without one.
func TestBranchIsWhatGitSays(t *testing.T) {
	none := func(string) string { return "" }
	tree := t.TempDir()
	if got := Branch(tree, none); got != "" {
		t.Fatalf("the folder of the tests is in a work tree: %s", got)
	}
	git(t, tree, "init", "-q", "-b", "topic/one")
	git(t, tree, "commit", "-q", "--allow-empty", "-m", "one")
	further := t.TempDir() + "/further"
	git(t, tree, "worktree", "add", "-q", "-b", "other", further)
	for _, folder := range []string{tree, further} {
		if got, want := Branch(folder, none), git(t, folder, "branch", "--show-current"); got != want || got == "" {
			t.Errorf("%q, and git says %q", got, want)
		}
	}
	git(t, tree, "checkout", "-q", "--detach")
	if got := Branch(tree, none); got != "" {
		t.Errorf("without a branch: %q", got)
	}
}

// What build servers say, as each documents its variables.
func TestBuildServers(t *testing.T) {
	for _, c := range []struct {
		env           map[string]string
		branch, build string
	}{
		{map[string]string{"GITHUB_HEAD_REF": "topic", "GITHUB_REF_NAME": "7/merge",
			"GITHUB_SERVER_URL": "https://github.com",
			"GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "12"}, "topic", "https://github.com/o/r/actions/runs/12"},
		{map[string]string{"GITHUB_HEAD_REF": "", "GITHUB_REF_NAME": "main"}, "main", ""},
		{map[string]string{"CI_COMMIT_REF_NAME": "main", "CI_JOB_URL": "https://gitlab.com/j/1"}, "main",
			"https://gitlab.com/j/1"},
		{map[string]string{"GIT_BRANCH": "origin/topic/x", "BUILD_URL": "https://ci/job/1/"}, "topic/x", "https://ci/job/1/"},
		{map[string]string{"BUILD_SOURCEBRANCHNAME": "main", "BUILD_BUILDID": "44"}, "main", "44"},
		{map[string]string{}, "", ""},
	} {
		env := func(name string) string { return c.env[name] }
		if branch, build := Branch(t.TempDir(), env), Build(env); branch != c.branch || build != c.build {
			t.Errorf("%v: branch %q, build %q", c.env, branch, build)
		}
	}
}
