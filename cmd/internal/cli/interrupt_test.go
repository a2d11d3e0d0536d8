package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// interruptedContext is a context that SIGINT ends when it was asked so many times whether it
// has ended, which is in the midst of the work, and that counts how often it is asked
// after that.
type interruptedContext struct {
	context.Context
	cancel context.CancelCauseFunc
	mutex  sync.Mutex
	left   int
	after  int
}

func interruptAfter(questions int) *interruptedContext {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &interruptedContext{Context: ctx, cancel: cancel, left: questions}
}

func (i *interruptedContext) Err() error {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if i.left--; i.left == 0 {
		i.cancel(&problem.SignalError{Signal: syscall.SIGINT})
	} else if i.left < 0 {
		i.after++
	}
	return i.Context.Err()
}

// A signal ends what takes long in the midst of it, with nothing written. What goes on
// asking has not noticed.
func TestInterruptsEndLongCommands(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	trials := write("trials.jsonl", manyTrials(1000))
	var scenarios strings.Builder
	for i := range 2000 {
		scenarios.WriteString(`{"scenario":"s` + strconv.Itoa(i) + `","outcome":"pass"}` + "\n")
	}
	spread := write("spread.jsonl", scenarios.String())
	saved := filepath.Join(folder, "saved.json")
	if code, _, stderr := tribunal(context.Background(), App{}, "compare", trials, trials, "--allow-duplicates", "--json", "--output",
		saved); code > ExitInconclusive {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	before, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string]string{
		"exact test":          "compare --baseline 930000/1000000 --candidate 929000/1000000",
		"fisher":              "compare --baseline 93000/100000 --candidate 92900/100000 --test fisher",
		"recordings":          "compare " + trials + " " + spread,
		"behaviour":           "compare " + trials + " " + trials + " --behaviour-only",
		"threshold":           "verdict " + spread + " --threshold 0.9",
		"reading":             "verdict " + trials + " --threshold 0.9",
		"plan":                "plan --threshold 0.99 --delta 0.01 --max-trials 3000",
		"sequential design":   "verdict " + trials + " --threshold 0.99 --delta 0.01 --max-trials 3000 --sequential",
		"verification":        "verify " + saved,
		"drawing":             "fingerprint " + trials + " " + trials + " --chart " + filepath.Join(folder, "map.svg"),
		"import":              "import " + trials + " -o " + filepath.Join(folder, "imported.jsonl"),
		"contents of a plan":  "plan --baseline " + trials + " --delta 0.1",
		"forecast of a month": "forecast " + trials + " --runs-per-day 5",
		"limits of trials":    "limits " + trials,
	} {
		t.Run(name, func(t *testing.T) {
			ctx := interruptAfter(20)
			code, stdout, stderr := tribunal(ctx, App{}, strings.Fields(args)...)
			if code != ExitInterrupted || stdout != "" || !strings.HasSuffix(stderr, "tribunal: interrupted\n") {
				t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			const most = 200
			if ctx.after > most {
				t.Errorf("it went on: the context was asked %d times after its end", ctx.after)
			}
		})
	}
	after, err := os.ReadDir(folder)
	if err != nil || len(after) != len(before) {
		t.Errorf("files are left: %v, %v", after, err)
	}
}

// A command that waits for what nobody writes ends with the signal.
func TestInterruptsEndWaiting(t *testing.T) {
	for _, args := range [][]string{
		{"verdict", "-", "--threshold", "0.5"},
		{"compare", "-", "other.jsonl"},
		{"import", "-"},
		{"plan", "--prior", "-", "--threshold", "0.9"},
		{"plan", "month", "-", "--runs-per-day", "5"},
		{"check", "coverage", "-"},
		{"plan", "limits", "-"},
		{"compare", "fingerprint", "-"},
		{"report", "-", "--format", "markdown"},
		{"report", "verify", "-"},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		stdin, feed := io.Pipe() // stays open: the read waits for ever
		reads := &notifyingReader{Reader: stdin, began: func() { cancel(&problem.SignalError{Signal: syscall.SIGINT}) }}
		code, stdout, stderr := tribunal(ctx, App{Stdin: reads}, args...)
		if code != ExitInterrupted || stdout != "" || stderr != "tribunal: interrupted\n" {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
		feed.Close()
	}
}

// notifyingReader tells that its first read has begun.
type notifyingReader struct {
	io.Reader
	once  sync.Once
	began func()
}

func (r *notifyingReader) Read(b []byte) (int, error) {
	r.once.Do(r.began)
	return r.Reader.Read(b)
}

// Before its first trial an interrupted run says that there was none, and what is kept of an earlier one.
func TestEarlyInterruptsSayWhatIsKept(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "tribunal.yaml", []byte(`version: 1
name: shop
agent: {command: [echo, hello]}
limits: none
scenarios: [{name: greeting, evaluate: [{contains: hello}]}]
`))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&problem.SignalError{Signal: syscall.SIGINT})
	for command, want := range map[string]string{
		"run":  "tribunal: note: no trial was run\n",
		"gate": "tribunal: note: no trial was run\n",
		"try":  "tribunal: note: the trial did not end, and nothing of it is kept\n",
		"run --resume --journal j.jsonl": "tribunal: note: no trial was run; those of before are kept in j.jsonl\n" +
			"tribunal: note: continue with: tribunal run --journal j.jsonl --resume\n",
	} {
		code, stdout, stderr := tribunal(ctx, App{}, strings.Fields(command)...)
		if code != ExitInterrupted || stdout != "" || !strings.HasSuffix(stderr, want+"tribunal: interrupted\n") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", command, code, stdout, stderr)
		}
	}
}
