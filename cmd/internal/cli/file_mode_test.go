package cli

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
)

// Every file that a run makes is its owner's alone, unless another mode is asked for: then all of them have it, also
// those that replace one.
func TestModeOfFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes here")
	}
	folder := t.TempDir()
	t.Chdir(folder)
	suite := "version: 1\nname: s\nlimits: none\nagent: {command: [sh, -c, \"echo pass\"], output: lines}\n" +
		"test: {threshold: 0.8, delta: 0.4, max_trials: 20}\nscenarios: [{name: one, input: 1}]\n"
	if err := os.WriteFile("tribunal.yaml", []byte(suite), 0o600); err != nil {
		t.Fatal(err)
	}
	made := []string{".tribunal/s.journal.jsonl", ".tribunal/s.result.json", "page.html", "junit.xml"}
	for _, c := range []struct {
		args string
		env  map[string]string
		want fs.FileMode
	}{
		{want: 0o600},
		{args: "--file-mode 0644", want: 0o644},
		{want: 0o644}, // a file that is there keeps its mode; the journal is a new one
		{env: map[string]string{"TRIBUNAL_FILE_MODE": "640"}, want: 0o640},
	} {
		args := append(strings.Fields("run --ledger off --report html=page.html --report junit=junit.xml"),
			strings.Fields(c.args)...)
		if code, _, stderr := tribunal(context.Background(), App{Env: clitest.Environment(c.env)},
			args...); code != ExitPass {
			t.Fatalf("%s: exit code %d: %s", c.args, code, stderr)
		}
		for _, name := range made {
			info, err := os.Stat(filepath.FromSlash(name))
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if strings.HasSuffix(name, ".jsonl") && c.args == "" && c.env == nil {
				want = 0o600
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("%q: %s has mode %04o, want %04o", c.args, name, got, want)
			}
		}
	}
	for mode, want := range map[string]string{
		"rw": "octal number", "0888": "octal number", "0755": "made of 4, read, and 2, write", "0444": "owner read and write",
		"10644": "made of 4",
	} {
		code, _, stderr := tribunal(context.Background(), App{}, "run", "--file-mode", mode)
		if code != ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s", mode, code, stderr)
		}
	}
}
