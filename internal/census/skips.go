package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// countSkips clones a checkout into a folder beside which nothing else stands, runs all
// tests there, and counts those that are skipped. What is not committed is not tested.
func countSkips(ctx context.Context, folder string) ([]row, error) {
	scratch, err := os.MkdirTemp("", "census")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	clone := filepath.Join(scratch, "a", "clone")
	folder, err = filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "git", "clone", "--quiet", folder, clone).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git clone: %w\n%s", err, out)
	}
	// A worktree without a branch is not what a clone of it has checked out.
	head, err := exec.CommandContext(ctx, "git", "-C", folder, "rev-parse", "HEAD").Output()
	if err != nil {
		return nil, err
	}
	checkout := exec.CommandContext(ctx, "git", "-C", clone, "checkout", "--quiet", string(bytes.TrimSpace(head)))
	if out, err := checkout.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git checkout: %w\n%s", err, out)
	}
	test := exec.CommandContext(ctx, "go", "test", "-json", "-count=1", "./...")
	test.Dir = clone
	began := time.Now()
	out, err := test.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return nil, err
	}
	took := time.Since(began)
	counts, err := countResults(bytes.NewReader(out))
	if err != nil {
		return nil, err
	}
	cpu := test.ProcessState.UserTime() + test.ProcessState.SystemTime()
	return []row{
		{"skipped tests on a clean clone", fmt.Sprintf("%d of %s (%d failed)", counts["skip"],
			thousands(counts["skip"]+counts["pass"]+counts["fail"]), counts["fail"])},
		{"time of go test ./... there", fmt.Sprintf("%.0f s, processor %.0f s", took.Seconds(), cpu.Seconds())},
	}, nil
}

// countResults counts how tests and their parts ended, in the events of go test -json.
func countResults(events io.Reader) (map[string]int, error) {
	counts := map[string]int{}
	decoder := json.NewDecoder(events)
	for {
		var event struct{ Action, Test string }
		switch err := decoder.Decode(&event); {
		case errors.Is(err, io.EOF):
			return counts, nil
		case err != nil:
			return nil, fmt.Errorf("go test -json: %w", err)
		}
		if event.Test != "" {
			counts[event.Action]++
		}
	}
}
