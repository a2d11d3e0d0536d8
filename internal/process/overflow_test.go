//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endless prints for ever, or as often as it is told, also where nobody reads.
func endless(arguments []string) int {
	signal.Ignore(syscall.SIGPIPE, syscall.SIGTERM)
	stream := os.Stdout
	if len(arguments) > 0 {
		stream = os.Stderr
	}
	for block := bytes.Repeat([]byte("x"), 1<<20); ; {
		if _, err := stream.Write(block); err != nil {
			time.Sleep(time.Minute) // and does not end for it
		}
	}
}

// A program that never stops printing is ended, although it heeds neither a closed pipe nor SIGTERM, and the
// beginning of what it printed is there.
func TestEndlessOutputEnds(t *testing.T) {
	c := program(t, "endless")
	c.MaxOutputBytes, c.Timeout, c.Grace = 1000, time.Minute, 10*time.Millisecond
	p := execute(t, c, "")
	if !p.Overflowed || !p.Truncated || p.TimedOut || p.Cancelled || string(p.Stdout) != strings.Repeat("x", 1000) {
		t.Errorf("%d bytes, overflowed %v, truncated %v, timed out %v", len(p.Stdout), p.Overflowed, p.Truncated, p.TimedOut)
	}
	c = program(t, "endless", "stderr")
	c.MaxStderrBytes, c.Timeout = 1000, 5*time.Minute
	p = execute(t, c, "")
	if !p.Overflowed || p.Truncated || p.TimedOut || p.Stderr != strings.Repeat("x", 1000) {
		t.Errorf("standard error: %d bytes, overflowed %v, truncated %v, timed out %v", len(p.Stderr), p.Overflowed,
			p.Truncated, p.TimedOut)
	}
}

// What counts is how much was printed, not whether the program had ended by the time that it was read.
func TestOverflowDependsOnTheOutputAlone(t *testing.T) {
	for _, c := range []struct {
		total int
		at    bool // is too much
	}{{1000, false}, {1001, false}, {1000 + Excess, false}, {1001 + Excess, true}} {
		ended := false
		h := &head{limit: 1000, most: 1000 + Excess, overflow: func() { ended = true }}
		var err error
		for left := c.total; left > 0 && err == nil; left -= 1000 {
			_, err = h.Write(make([]byte, min(left, 1000)))
		}
		if _, truncated := h.text(secrets{}); ended != c.at || (err != nil) != c.at || truncated != (c.total > 1000) {
			t.Errorf("%d bytes: too much %v, error %v, truncated %v", c.total, ended, err, truncated)
		}
	}
}

// A grace of 0 kills at once: a program that heeds no SIGTERM ends, and so does one that would.
func TestNoGraceKillsAtOnce(t *testing.T) {
	c := program(t, "stubborn")
	c.Timeout = 500 * time.Millisecond
	p := execute(t, c, "")
	if !p.TimedOut || p.Signal != "killed" || string(p.Stdout) != "ready\n" {
		t.Errorf("%+v", p)
	}
	c = Command{Argv: []string{"sleep", "60"}, Timeout: 50 * time.Millisecond}
	if p := execute(t, c, ""); p.Signal != "killed" {
		t.Errorf("signal %q, want no SIGTERM before", p.Signal)
	}
	c.Grace = time.Minute
	if p := execute(t, c, ""); p.Signal != "terminated" {
		t.Errorf("with a grace: signal %q", p.Signal)
	}
}

// A kill takes the grace away, before a program is asked to end and while it is waited for.
func TestKillEndsTheGrace(t *testing.T) {
	kill := make(chan struct{})
	ctx, cancel := context.WithCancel(WithKill(t.Context(), kill))
	c := program(t, "stubborn")
	c.Timeout, c.Grace = time.Minute, time.Hour
	s, err := c.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if a := s.Ask(ctx, []byte("x\n")); string(a.Stdout) != "ready\n" {
		t.Fatalf("%+v", a)
	}
	time.AfterFunc(50*time.Millisecond, func() { close(kill) })
	cancel()
	// It would end by itself after a minute, without a signal.
	if a := s.Ask(ctx, []byte("x\n")); !a.Cancelled || a.Signal != "killed" {
		t.Errorf("%+v", a)
	}
	c = Command{Argv: []string{"sleep", "60"}, Timeout: 50 * time.Millisecond, Grace: time.Hour}
	if p, err := c.Run(WithKill(t.Context(), kill), nil); err != nil || p.Signal != "killed" {
		t.Errorf("%+v, %v; want no SIGTERM before", p, err)
	}
}

// The file of an output may be anything that a program can make. Only what is a file is read, and nothing is
// waited for.
func TestOutputFileMustBeRegular(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(in("secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"pipe": syscall.Mkfifo(in("pipe"), 0o600), "link": os.Symlink(in("secret"), in("link")),
		"nowhere": os.Symlink(in("missing"), in("nowhere")), "folder": os.Mkdir(in("folder"), 0o700),
		"loop": os.Symlink(in("loop"), in("loop")), "device": os.Symlink("/dev/zero", in("device")),
	} {
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := Command{}.ReadOutput(in(name))
		if !errors.Is(err, ErrNotRegular) || text != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if _, _, err := (Command{}).ReadOutput("/dev/zero"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a device: %v", err)
	}
	if _, _, err := (Command{}).ReadOutput(in("missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for limit, want := range map[int]string{5: "secre", 6: "secret"} {
		text, truncated, err := Command{MaxOutputBytes: limit}.ReadOutput(in("secret"))
		if err != nil || string(text) != want || truncated != (limit < 6) {
			t.Errorf("%d bytes: %q, truncated %v, %v", limit, text, truncated, err)
		}
	}
}
