package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// measureProgram builds the program of a checkout as it is shipped and starts it so many
// times, after once that does not count. The first start reads the program from the disk;
// the others find it in memory. It is started with the command version, which does nothing
// else: what is measured is what every command pays before it begins.
func measureProgram(ctx context.Context, folder string, starts int) ([]row, error) {
	scratch, err := os.MkdirTemp("", "census")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	binary := filepath.Join(scratch, "tribunal")
	if _, err := buildProgram(ctx, folder, binary); err != nil {
		return nil, err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return nil, err
	}
	linked, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	var wall, cpu []time.Duration
	for i := range starts + 1 {
		command := exec.CommandContext(ctx, binary, "version")
		began := time.Now()
		if err := command.Run(); err != nil {
			return nil, fmt.Errorf("%s version: %w", program, err)
		}
		if i > 0 {
			wall = append(wall, time.Since(began))
			cpu = append(cpu, command.ProcessState.UserTime()+command.ProcessState.SystemTime())
		}
	}
	slices.Sort(wall)
	slices.Sort(cpu)
	// The median of the times is hardly moved by whatever else the machine does; the least
	// is close to what the program needs by itself. Of an even number of starts the upper
	// one of the middle two counts.
	return []row{
		{"size of the program, stripped", thousands(int(info.Size())) + " bytes"},
		{"other modules linked", thousands(len(linked.Deps))},
		{"start-up of tribunal version", fmt.Sprintf("median %.1f ms, least %.1f ms, processor %.1f ms (%d starts)",
			milliseconds(wall[len(wall)/2]), milliseconds(wall[0]), milliseconds(cpu[len(cpu)/2]), starts)},
	}, nil
}

// buildProgram builds the program of a checkout as it is shipped, with further variables, and returns what that took
// of the processor.
func buildProgram(ctx context.Context, folder, binary string, variables ...string) (time.Duration, error) {
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "./"+program)
	command.Dir = folder
	// As .goreleaser.yaml has it, without cgo.
	command.Env = append(append(os.Environ(), "CGO_ENABLED=0"), variables...)
	if out, err := command.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go build: %w\n%s", err, out)
	}
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime(), nil
}

// measureBuild builds the program with a cache that is empty: what a change of a package that all import costs at most.
func measureBuild(ctx context.Context, folder string) ([]row, error) {
	scratch, err := os.MkdirTemp("", "census")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	took, err := buildProgram(ctx, folder, filepath.Join(scratch, "tribunal"), "GOCACHE="+filepath.Join(scratch, "cache"))
	if err != nil {
		return nil, err
	}
	return []row{{"building it from an empty cache", fmt.Sprintf("processor %.0f s", took.Seconds())}}, nil
}

// milliseconds returns a duration as a number of them, with their fractions.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
