//go:build unix

package program

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/built"
	"github.com/tribunal-dev/tribunal/internal/exit"
)

// Every command that waits ends with its first signal: for who writes into a pipe, for who reads one, and
// while it computes. No file is left.
func TestOneSignalEndsEveryCommand(t *testing.T) {
	t.Parallel()
	program := built.Tribunal(t)
	for _, c := range []struct{ name, args string }{
		{"verdict", "verdict PIPE --threshold 0.5"}, {"compare", "compare PIPE PIPE"}, {"import", "import PIPE -o imported"},
		{"fingerprint", "compare fingerprint PIPE"}, {"coverage", "check coverage PIPE"},
		{"tools", "check coverage x.jsonl --tools PIPE"},
		{"forecast", "plan month PIPE --runs-per-day 5"}, {"report", "report PIPE --format html -o report"},
		{"verify", "report verify PIPE"},
		{"gate", "gate --results PIPE"}, {"check", "check PIPE"}, {"run", "run PIPE"},
		{"contract", "check contract contract.yaml PIPE"},
		{"prior", "plan --prior PIPE --threshold 0.9"}, {"baseline", "check suite --baseline PIPE"},
		{"stdin of report", "report - --format text"}, {"stdin of verify", "report verify -"},
		{"stdin of import", "import -"},
		{"output", "verdict --passes 5 --trials 5 --threshold 0.5 -o PIPE"}, {"saved", "run suite -o PIPE --journal journal"},
		{"computing", "plan --threshold 0.99 --delta 0.002 --max-trials 20000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := os.Mkdir(filepath.Join(folder, "suite"), 0o700); err != nil {
				t.Fatal(err)
			}
			suite := "version: 1\nname: s\nlimits: none\nagent: {command: [sh, -c, \"echo pass\"], output: lines}\n" +
				"test: {threshold: 0.8, delta: 0.4, max_trials: 20}\nscenarios: [{name: one, input: 1}]\n"
			if err := os.WriteFile(filepath.Join(folder, "suite", "tribunal.yaml"), []byte(suite), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "x.jsonl"), []byte(`{"scenario":"a","outcome":"pass"}`),
				0o600); err != nil {
				t.Fatal(err)
			}
			contract := "version: 1\nname: c\nclauses:\n  - {name: a, kind: guardrail, forbid: {tools: x}}\n"
			if err := os.WriteFile(filepath.Join(folder, "contract.yaml"), []byte(contract), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(filepath.Join(folder, "PIPE"), 0o600); err != nil {
				t.Fatal(err)
			}
			// Long enough to come to where it waits. On a slow machine the signal may come before there is anybody to
			// take it.
			code, printed := -1, ""
			for wait := 300 * time.Millisecond; code < 0 && wait < 10*time.Second; wait *= 2 {
				code, printed = terminated(t, folder, wait, program, strings.Fields(c.args)...)
			}
			if code != exit.Terminated || printed != "" {
				t.Errorf("exit code %d, stdout %q", code, printed)
			}
			left, err := filepath.Glob(filepath.Join(folder, ".*.tmp"))
			if err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// terminated starts a program whose standard input stays open and empty, ends it with a signal after some time, and
// returns its exit code, -1 if the signal ended it untaken, and what it printed.
func terminated(
	t *testing.T, folder string, wait time.Duration, program string, args ...string,
) (code int, stdout string) {
	t.Helper()
	command := exec.Command(program, args...)
	command.Dir = folder
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(wait)
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// A command that goes on is ended here, and has another code.
	var killed atomic.Bool
	late := time.AfterFunc(20*time.Second, func() { killed.Store(true); command.Process.Kill() })
	defer late.Stop()
	if code = codeOf(command.Wait()); killed.Load() {
		t.Fatalf("it goes on after a signal: stdout %q, stderr %q", out.String(), complaints.String())
	}
	return code, out.String()
}
