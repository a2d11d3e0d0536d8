package program

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/internal/built"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// TestProgram runs what no test within this process can show.
func TestProgram(t *testing.T) {
	t.Parallel()
	program := built.Tribunal(t)
	t.Run("exit codes", func(t *testing.T) { t.Parallel(); exitCodes(t, program) })
	t.Run("closed pipe", func(t *testing.T) { t.Parallel(); unreadPipe(t, program) })
	t.Run("signals", func(t *testing.T) { t.Parallel(); signals(t, program) })
	t.Run("interrupted run", func(t *testing.T) { t.Parallel(); interruptedRun(t, program) })
}

func exitCodes(t *testing.T, program string) {
	for _, c := range []struct {
		args string
		want int
	}{
		{"verdict --passes 50 --trials 50 --threshold 0.85", exit.Pass},
		{"verdict --passes 5 --trials 50 --threshold 0.85", exit.Fail},
		{"verdict --passes 45 --trials 50 --threshold 0.85", exit.Inconclusive},
		{"verdict --passes 51 --trials 50 --threshold 0.85", exit.Usage},
		{"verdict nothing.jsonl --threshold 0.85", exit.Input},
		{"compare --baseline 93/100 --candidate 71/100", exit.Fail},
		{"version", exit.Pass},
		{"", exit.Usage},
	} {
		command := exec.Command(program, strings.Fields(c.args)...)
		command.Dir = t.TempDir()
		output, err := command.CombinedOutput()
		if got := codeOf(err); got != c.want {
			t.Errorf("tribunal %s: exit code %d, want %d: %s", c.args, got, c.want, output)
		}
	}
}

// codeOf is the exit code of a program, and -1 if a signal ended it.
func codeOf(err error) int {
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

// unreadPipe: nobody reads the result, which is no failure that anybody wants to hear of; the code is
// that which a shell gives to a program that SIGPIPE ended, and no verdict's.
func unreadPipe(t *testing.T, program string) {
	for _, args := range []string{
		"verdict --passes 50 --trials 50 --threshold 0.85",
		"compare --baseline 93/100 --candidate 71/100 --json",
		"completion bash",
		"--help",
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		command := exec.Command(program, strings.Fields(args)...)
		var stderr bytes.Buffer
		command.Stdout, command.Stderr = w, &stderr
		code := codeOf(command.Run())
		w.Close()
		if code != exit.Unread || stderr.Len() > 0 {
			t.Errorf("tribunal %s: exit code %d, stderr %q", args, code, stderr.String())
		}
	}
}

// signals ends the program while it waits for more of its input.
func signals(t *testing.T, program string) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signals")
	}
	for signal, want := range map[os.Signal]int{syscall.SIGINT: exit.Interrupted, syscall.SIGTERM: exit.Terminated,
		syscall.SIGHUP: exit.HungUp} {
		folder := t.TempDir()
		command := exec.Command(program, "verdict", "-", "--threshold", "0.5", "--output", "result")
		command.Dir = folder
		var stdout, stderr bytes.Buffer
		command.Stdout, command.Stderr = &stdout, &stderr
		stdin, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		// This is more than a pipe holds: once it is written, the program reads.
		if _, err := io.WriteString(stdin, strings.Repeat(`{"scenario":"a","outcome":"pass"}`+"\n", 50_000)); err != nil {
			t.Error(err)
		}
		if err := command.Process.Signal(signal); err != nil {
			t.Error(err)
		}
		code := codeOf(command.Wait())
		if code != want || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v: exit code %d, want %d; stdout %q, stderr %q", signal, code, want, stdout.String(), stderr.String())
		}
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("%v leaves %v behind, %v", signal, left, err)
		}
	}
}

// interruptedRun sends a run SIGINT while agents run: the first lets them end, the second ends them, and then
// their trials are errors. The agents wait for a file.
func interruptedRun(t *testing.T, program string) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such signals")
	}
	for _, interrupts := range []int{1, 2} {
		folder := t.TempDir()
		begun, release := filepath.Join(folder, "begun"), filepath.Join(folder, "release")
		suite := `version: 1
name: s
limits: none
concurrency: 1
agent: {command: [sh, -c, 'echo x >> "$0"; until [ -e "$1" ]; do sleep 0.02; done; echo pass', ` + begun + ", " + release + `], output: lines}
test: {threshold: 0.8, delta: 0.4, max_trials: 20}
scenarios: [{name: one, input: 1}]
`
		if err := os.WriteFile(filepath.Join(folder, "tribunal.yaml"), []byte(suite), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		command := exec.CommandContext(ctx, program, "run", folder)
		var stderr bytes.Buffer
		messages, err := command.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		for ctx.Err() == nil {
			if _, err := os.Stat(begun); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		lines := bufio.NewScanner(messages)
		interrupt := func() {
			if err := command.Process.Signal(syscall.SIGINT); err != nil {
				t.Error(err)
			}
		}
		interrupt()
		for lines.Scan() {
			stderr.WriteString(lines.Text() + "\n")
			if !strings.Contains(lines.Text(), "1 trial may end") {
				continue
			}
			if interrupts == 2 {
				interrupt()
			} else if err := os.WriteFile(release, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if code := codeOf(command.Wait()); code != exit.Interrupted {
			t.Errorf("%d interrupts: exit code %d, %s", interrupts, code, stderr.String())
		}
		// What is known is told, though it is no verdict.
		known := []string{"note: so far: 1 trial, kept in ", "note:   one: 1 of 1 trial passed, not decided\n"}
		if interrupts == 2 {
			known = []string{"note: so far: 0 trials, kept in "}
		}
		known = append(known, "tribunal run "+folder+" --resume\n")
		for _, text := range known {
			if !strings.Contains(stderr.String(), text) {
				t.Errorf("%d interrupts: no %q in %s", interrupts, text, stderr.String())
			}
		}
		h, err := journal.Read(filepath.Join(folder, ".tribunal", "s.journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if want := 2 - interrupts; len(h.Trials) != 1 || h.Ended() != want || h.Lost() != 1-want {
			t.Errorf("%d interrupts: %d trials, %d ended, %d lost", interrupts, len(h.Trials), h.Ended(), h.Lost())
		}
		// Who goes on has what was lost as an error, and does not ask for it again.
		if err := os.WriteFile(release, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		output, err := exec.Command(program, "run", folder, "--resume", "--json").Output()
		if code := codeOf(err); code != exit.Pass {
			t.Errorf("%d interrupts: exit code %d when it goes on: %s", interrupts, code, output)
		}
		for text, want := range map[string]bool{`"errors": 1,`: interrupts == 2, `"lost": 1`: interrupts == 2,
			"attempts-lost": interrupts == 2} {
			if strings.Contains(string(output), text) != want {
				t.Errorf("%d interrupts: %s is there: %v\n%s", interrupts, text, !want, output)
			}
		}
	}
}

// BenchmarkStartup measures what every run costs, from the start of the process
// to its end.
func BenchmarkStartup(b *testing.B) {
	program := built.Tribunal(b)
	for b.Loop() {
		if err := exec.Command(program, "version").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
