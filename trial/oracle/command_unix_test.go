//go:build unix

package oracle

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// The children of a judge die with it: the pipe that a child holds open ends.
func TestCommandKillsChildren(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	script := `sleep 3600 > "$0" & echo started > "$0"; wait`
	judge := made(t)(Command([]string{"sh", "-c", script, pipe}, CommandOptions{}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	results := make(chan Result, 1)
	go func() { results <- judge.Evaluate(ctx, Evidence{Trial: traced()}) }()

	end, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	reader := bufio.NewReader(end)
	if line, err := reader.ReadString('\n'); err != nil || line != "started\n" {
		t.Fatalf("%q %v", line, err)
	}
	cancel()
	if r := <-results; r.Outcome != trial.Error {
		t.Errorf("%+v", r)
	}
	if _, err := io.Copy(io.Discard, reader); err != nil { // blocks as long as a child lives
		t.Error(err)
	}
}
