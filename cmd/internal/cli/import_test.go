package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/ingest"
)

// What was written before the input turned out to be bad must not be taken for a
// whole recording.
func TestImportThatBreaksOff(t *testing.T) {
	app := App{Stdin: strings.NewReader(manyTrials(5000) + `{"scenario":"a"`)}
	code, stdout, stderr := tribunal(context.Background(), app, "import", "-", "--from", "trials")
	if code != ExitInput || !strings.HasSuffix(stdout, outfile.CutMark) ||
		!strings.HasPrefix(stderr, "tribunal: standard input:5001") {
		t.Fatalf("exit code %d, stdout ends with %q, stderr %q", code, stdout[max(0, len(stdout)-80):], stderr)
	}
	code, verdict, _ := tribunal(context.Background(), App{Stdin: strings.NewReader(stdout)}, "verdict", "-",
		"--threshold", "0.5")
	if code != ExitInput || verdict != "" {
		t.Errorf("a verdict on a part: exit code %d, %s", code, verdict)
	}
	// Of a short input nothing was written yet.
	app = App{Stdin: strings.NewReader(manyTrials(5) + `{"scenario":"a"`)}
	if code, stdout, _ := tribunal(context.Background(), app, "import", "-", "--from", "trials"); code != ExitInput ||
		stdout != "" {
		t.Errorf("exit code %d, stdout %q", code, stdout)
	}
}

func TestImportThatIsInterrupted(t *testing.T) {
	for _, file := range []string{"", "out.jsonl"} {
		folder := t.TempDir()
		args := []string{"import", "-"}
		if file != "" {
			args = append(args, "--output", filepath.Join(folder, file))
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		stdin, feed := io.Pipe() // stays open: the read waits for ever
		go func() {
			io.WriteString(feed, manyTrials(100_000))
			cancel(&problem.SignalError{Signal: syscall.SIGTERM})
		}()
		code, stdout, stderr := tribunal(ctx, App{Stdin: stdin}, args...)
		feed.Close()
		if code != ExitTerminated || stderr != "tribunal: terminated\n" {
			t.Errorf("%q: exit code %d, stderr %q", args, code, stderr)
		}
		if file == "" && !strings.HasSuffix(stdout, outfile.CutMark) {
			t.Errorf("stdout of %d bytes does not end with the mark", len(stdout))
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%q leaves %v behind, %v", args, left, err)
		}
	}
}

// Trials are written while they are read.
func TestImportStreams(t *testing.T) {
	stdin, feed := io.Pipe()
	stdout, sink := io.Pipe()
	done := make(chan int)
	go func() {
		code, _, _ := tribunal(context.Background(), App{Stdin: stdin, Stdout: sink}, "import", "-")
		sink.Close()
		done <- code
	}()
	go io.WriteString(feed, manyTrials(200_000)) // more than all buffers hold
	if _, err := io.ReadFull(stdout, make([]byte, 1<<16)); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, stdout)
	go func() {
		io.WriteString(feed, "\n")
		feed.Close()
	}()
	if code := <-done; code != ExitPass {
		t.Errorf("exit code %d", code)
	}
}

func TestNotesOfManyFiles(t *testing.T) {
	folder := t.TempDir()
	for i := range 30 {
		text := "pass\nfail\n"
		if i == 25 {
			text = `<testsuite><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>`
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%02d", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, _, stderr := tribunal(context.Background(), App{}, "import", folder)
	want := fmt.Sprintf("tribunal: note: %s: 1 trial (junit); left out: skipped tests (1)\n",
		filepath.Join(folder, "25")) +
		"tribunal: note: and 29 more files: 58 trials\n" +
		"tribunal: note: trials: 59; 30 passed, 29 failed\n"
	if code != ExitPass || stderr != want {
		t.Errorf("exit code %d\n got %s\nwant %s", code, stderr, want)
	}
	sum := ingest.Sum([]ingest.Notes{
		{Trials: 1, Skipped: []ingest.Skip{{Reason: "a", Count: 2}}, ToolErrors: 3, Remarks: []string{"x", "y"}},
		{Trials: 2, Skipped: []ingest.Skip{{Reason: "b", Count: 1}, {Reason: "a", Count: 5}},
			Unjudged: []ingest.Skip{{Reason: "score unknown", Count: 1}}, Replaced: []string{"v"}},
	})
	want = "and 2 more files: 3 trials; left out: a (7), b (1); not judged by the rule: score unknown (1); tool outputs " +
		"that the pattern takes for errors: 3; variants that were replaced: v; files with remarks: 1"
	if sum != want {
		t.Errorf("got %s\nwant %s", sum, want)
	}
}
