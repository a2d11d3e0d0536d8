//go:build unix

package cli

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is named and is no file that can be read, by every command that reads one: the message says what it is, and
// nothing waits for it.
func TestOddFilesByEveryCommand(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile("good.jsonl", []byte(`{"scenario":"a","outcome":"pass"}`), 0o600))
	must(os.WriteFile("contract.yaml",
		[]byte("version: 1\nname: c\nclauses:\n  - {name: a, kind: guardrail, forbid: {tools: x}}\n"), 0o600))
	must(os.Mkdir("folder", 0o700))
	must(syscall.Mkfifo("fifo", 0o600))
	must(os.Symlink("nowhere", "dangling"))
	must(os.Symlink("loop", "loop"))
	must(os.WriteFile("empty", nil, 0o600))
	socket, err := net.Listen("unix", filepath.Join(folder, "socket"))
	must(err)
	defer socket.Close()
	kinds := map[string][]string{ // with words of which one is in the message
		"missing":   {"does not exist", "no such file", "there is no"},
		"dangling":  {"does not exist", "no such file", "there is no"},
		"folder":    {"folder", "directory", "holds no", "does not exist"},
		"socket":    {"socket", "no regular file", "not a regular file", "cannot be read", "device"},
		"loop":      {"too many", "cannot be read", "links"},
		"/dev/zero": {"no regular file", "not a regular file", "device", "never ends"},
		"empty":     {"empty", "no trials", "is not", "has no", "no schema", "does not hold", "no document"},
	}
	commands := []string{
		"verdict FILE --threshold 0.5", "verdict FILE --threshold 0.9 --delta 0.1 --sequential", "compare FILE good.jsonl",
		"compare good.jsonl FILE", "fingerprint FILE", "coverage FILE", "import FILE -o imported",
		"forecast FILE --runs-per-day 5", "limits FILE",
		"plan --prior FILE --threshold 0.9", "plan --baseline FILE --delta 0.1", "report FILE", "verify FILE", "check FILE",
		"run FILE",
		"gate --results FILE --no-suite", "contract check FILE good.jsonl", "contract check contract.yaml FILE",
		"coverage good.jsonl --tools FILE", "verdict good.jsonl --threshold 0.5 --map FILE",
		"run --baseline FILE contract.yaml",
	}
	for kind, words := range kinds {
		for _, command := range commands {
			code, stdout, stderr := tribunal(context.Background(), App{},
				strings.Fields(strings.ReplaceAll(command, "FILE", kind))...)
			said := false
			for _, word := range words {
				said = said || strings.Contains(stderr, word)
			}
			// The last command is wrong for its suite as well, which may be told first.
			if code != ExitInput || stdout != "" || !said && !strings.Contains(command, "run --baseline") {
				t.Errorf("%s: exit code %d, stdout %q, stderr %q", strings.ReplaceAll(command, "FILE", kind), code, stdout, stderr)
			}
		}
	}
	// What cannot be written: the result goes nowhere, so no verdict's exit code is left.
	for _, args := range []string{
		"verdict good.jsonl --threshold 0.5 -o /dev/full",
		"compare good.jsonl good.jsonl --allow-duplicates --json -o /dev/full",
		"import good.jsonl -o /dev/full",
		"plan --threshold 0.9 -o /dev/full", "coverage good.jsonl -o /dev/full", "fingerprint good.jsonl -o /dev/full",
		"contract check contract.yaml good.jsonl -o /dev/full",
	} {
		if code, _, stderr := tribunal(context.Background(), App{}, strings.Fields(args)...); code != ExitOutput ||
			!strings.Contains(stderr, "/dev/full") {
			t.Errorf("%s: exit code %d, %s", args, code, stderr)
		}
	}
	for _, args := range []string{
		"verdict good.jsonl --threshold 0.5 -o folder", "import good.jsonl -o nowhere/x",
		"plan --threshold 0.9 --chart folder",
		"verdict good.jsonl good.jsonl --threshold 0.5", "compare good.jsonl", "verify", "plan",
		"report good.jsonl --format word",
	} {
		if code, stdout, stderr := tribunal(context.Background(), App{}, strings.Fields(args)...); code != ExitUsage ||
			stdout != "" ||
			!strings.HasPrefix(stderr, "tribunal: ") {
			t.Errorf("%s: exit code %d, stdout %q, %s", args, code, stdout, stderr)
		}
	}
}
