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
// A test that looks for data beside the repository finds none there: what is counted is
// what somebody sees who has cloned the repository and nothing else.
func countSkips(ctx context.Context, folder string) ([]row, error) {
	scratch, err := os.MkdirTemp("", "census")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	// Two levels deep, so that "../.." of the clone is still within the scratch folder.
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
	// With -count=1 no result comes from the cache of an earlier run.
	test := exec.CommandContext(ctx, "go", "test", "-json", "-count=1", "./...")
	test.Dir = clone
	began := time.Now()
	out, err := test.Output()
	// Tests that fail are a figure too; a go command that cannot be started is an error.
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
// The keys are the actions of test2json, such as "pass", "fail" and "skip"; "run" and
// "output" are counted with them and not used. Events without a test are of a whole
// package.
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
