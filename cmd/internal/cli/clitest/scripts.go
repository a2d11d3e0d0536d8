package clitest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tribunal-dev/tribunal/internal/beside"
	"github.com/tribunal-dev/tribunal/internal/built"
	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// Main runs the tests of a package that starts programs, and ends this one. They mostly wait, so eight tests that may
// run beside others do, unless -parallel says how many.
func Main(m *testing.M) {
	confine.Main()
	// A signal that this process ignores, as under nohup, its children would ignore too; one that it takes in
	// ends them.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	beside.Tests(8)
	refdata.Main(m)
}

// Scripts runs the transcripts in the working directory, *.txtar, with the program that users get.
func Scripts(t *testing.T) {
	t.Helper()
	programs := built.Folder(t)
	testscript.Run(t, testscript.Params{
		Dir: ".",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", programs+string(os.PathListSeparator)+env.Getenv("PATH"))
			return prepare(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"rejects": rejects,
			"json":    checkJSON,
		},
		Condition: func(name string) (bool, error) {
			if name != "confines" {
				return false, fmt.Errorf("no condition is called %s", name)
			}
			return len(confine.Rules{Network: confine.None}.Lacks()) == 0, nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// packedTrials are trials of a file in several blocks, packed once for all transcripts.
var packedTrials = sync.OnceValue(func() []byte {
	var whole bytes.Buffer
	w := gzip.NewWriter(&whole)
	for i := range 20_000 {
		fmt.Fprintf(w, `{"scenario":"s%d","trial":%d,"outcome":"pass","cost_usd":%d.5}`+"\n", i*7919%100, i/100, i*i%1009)
	}
	if err := w.Close(); err != nil {
		panic(err) // a buffer takes all
	}
	return whole.Bytes()
})

// prepare makes what a transcript cannot hold as text, and sets up its
// environment.
func prepare(env *testscript.Env) error {
	env.Setenv("GORACE", "atexit_sleep_ms=0") // a second for each command, else
	env.Setenv("TRIBUNAL_LEDGER", "off")      // what counts looks says so
	// A repository that the machine's folder for such files may lie in is none of the scripts'.
	env.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	whole := packedTrials()
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 0xff // in the checksum
	for name, content := range map[string][]byte{
		"whole.jsonl.gz":     whole,
		"truncated.jsonl.gz": whole[:len(whole)/2],
		"damaged.jsonl.gz":   damaged,
		"binary.dat":         {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0},
		"utf16.txt":          []byte("\xff\xfep\x00a\x00s\x00s\x00"),
		"latin1.jsonl":       []byte("{\"scenario\":\"caf\xe9\",\"outcome\":\"pass\"}\n"),
		"longline.jsonl": fmt.Appendf(nil,
			"{\"scenario\":\"a\",\"outcome\":\"pass\"}\n{\"scenario\":\"b\",\"outcome\":\"pass\",\"output\":%q}\n",
			strings.Repeat("x", 2000)),
		"escapes.jsonl": []byte("{\"scenario\":\"red " +
			"\\u001b[31mhot\\nline\",\"outcome\":\"pass\"}\n{\"scenario\":\"turn \\u202ened\",\"outcome\":\"fail\"}\n"),
		"bad\x1b[31mname": []byte("{\"scenario\":\"a\",\"outcome\":\"PASS \\u001b[2J\"}\n"),
	} {
		if err := os.WriteFile(filepath.Join(env.WorkDir, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// exits runs a program that must end with an exit code:
//
//	exits 64 tribunal verdict
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGUMENT...]")
	}
	if got := exitCodeOf(ts, args[1:]); strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

func exitCodeOf(ts *testscript.TestScript, command []string) int {
	err := ts.Exec(command[0], command[1:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

// rejects runs a command on input that cannot be used, with --output: it must exit
// with 65, print nothing on stdout, a problem and a hint on stderr, and leave no
// file behind:
//
//	rejects tribunal verdict empty.jsonl --threshold 0.5
func rejects(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: rejects PROGRAM ARGUMENT...")
	}
	before, err := os.ReadDir(ts.MkAbs("."))
	ts.Check(err)
	for _, command := range [][]string{args, append(args[:len(args):len(args)], "--output", "rejected.out")} {
		if got := exitCodeOf(ts, command); got != exit.Input {
			ts.Fatalf("%q: exit code %d, want %d", command, got, exit.Input)
		}
		if out := ts.ReadFile("stdout"); out != "" {
			ts.Fatalf("%q prints %q on stdout", command, out)
		}
		lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stderr"), "\n"), "\n")
		if len(lines) != 2 || !strings.HasPrefix(lines[0], "tribunal: ") || !strings.HasPrefix(lines[1], "  hint: ") {
			ts.Fatalf("%q: stderr is not a problem and a hint: %q", command, lines)
		}
	}
	after, err := os.ReadDir(ts.MkAbs("."))
	ts.Check(err)
	if len(after) != len(before) {
		ts.Fatalf("%q leaves a file behind: %v", args, after)
	}
}

// checkJSON compares a value in a JSON document, found by names and indexes:
//
//	json stdout scenarios.0.verdict pass
//
// A number that is written with ~ is compared in its digits.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH VALUE")
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	decoder.UseNumber()
	ts.Check(decoder.Decode(&value))
	for _, name := range strings.Split(args[1], ".") {
		switch v := value.(type) {
		case map[string]any:
			member, ok := v[name]
			if !ok {
				if neg {
					return
				}
				ts.Fatalf("%s: there is no %q", args[1], name)
			}
			value = member
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) {
				ts.Fatalf("%s: there is no item %q among %d", args[1], name, len(v))
			}
			value = v[i]
		default:
			ts.Fatalf("%s: %q is inside of %v", args[1], name, v)
		}
	}
	want := args[2]
	got := fmt.Sprint(value)
	if digits, ok := strings.CutPrefix(want, "~"); ok {
		x, err := strconv.ParseFloat(got, 64)
		ts.Check(err)
		_, decimals, _ := strings.Cut(digits, ".")
		want, got = digits, strconv.FormatFloat(x, 'f', len(decimals), 64)
	}
	if (got == want) == neg {
		ts.Fatalf("%s is %s, want %s (not: %t)", args[1], got, want, neg)
	}
}
