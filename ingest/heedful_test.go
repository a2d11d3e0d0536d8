package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var errAsked = errors.New("somebody asked for the end")

const passLine = `{"scenario":"a","outcome":"pass"}` + "\n"

// TestContextEndsBetweenTrials ends the context while the first trial is looked at.
func TestContextEndsBetweenTrials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trials.jsonl")
	if err := os.WriteFile(file, []byte(passLine+passLine), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{AllowDuplicates: true}
	for name, stream := range map[string]*Stream{
		"a file":   Open([]string{file}, o),
		"a reader": NewStream(strings.NewReader(passLine+passLine), o),
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		trials := 0
		var last error
		for _, err := range stream.Trials(ctx) {
			if last = err; err == nil {
				trials++
			}
			cancel(errAsked)
		}
		cancel(nil)
		if trials != 1 || !errors.Is(last, errAsked) {
			t.Errorf("%s: %d trials and %v, want one and %v", name, trials, last, errAsked)
		}
	}
}

// TestContextEndsWaiting ends the context while nobody writes to what is read.
func TestContextEndsWaiting(t *testing.T) {
	inner, innerWriter := io.Pipe()
	outer, outerWriter, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer outer.Close()
	defer outerWriter.Close()
	for name, c := range map[string]struct {
		stdin  io.Reader
		writer io.Writer
	}{
		"a reader":             {inner, innerWriter},
		"a pipe of the system": {outer, outerWriter},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			io.WriteString(c.writer, passLine)
			cancel(errAsked)
		}()
		var last error
		for _, err := range Open([]string{"-"}, Options{Stdin: c.stdin}).Trials(ctx) {
			last = err
		}
		if !errors.Is(last, errAsked) {
			t.Errorf("%s: the stream ended with %v, want %v", name, last, errAsked)
		}
	}
}

// TestContextEndsOpening ends the context while a named pipe has nobody who writes.
func TestContextEndsOpening(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := makePipe(pipe); err != nil {
		t.Skipf("no named pipes on %s: %v", runtime.GOOS, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	go cancel(errAsked)
	for _, err := range Open([]string{pipe}, Options{}).Trials(ctx) {
		if !errors.Is(err, errAsked) {
			t.Errorf("the stream ended with %v, want %v", err, errAsked)
		}
	}
	if writer, err := os.OpenFile(pipe, os.O_WRONLY, 0); err == nil { // lets the waiting open go
		writer.Close()
	}
}

// TestPipeIsReadWhole reads more from a pipe than any buffer holds.
func TestPipeIsReadWhole(t *testing.T) {
	const trials = 5000
	line := `{"scenario":"a","outcome":"pass","tags":{"text":"` + strings.Repeat("x", 100) + `"}}` + "\n"
	r, w := io.Pipe()
	go func() {
		for range trials {
			io.WriteString(w, line)
		}
		w.Close()
	}()
	count := 0
	for x, err := range Open([]string{"-"}, Options{Stdin: r, AllowDuplicates: true}).Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if count++; x.Place.Line != count {
			t.Fatalf("trial %d is of line %d", count, x.Place.Line)
		}
	}
	if count != trials {
		t.Errorf("%d trials, want %d", count, trials)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { panic("the reader is broken") }

// TestPanicOfReader expects the panic of a reader where the stream is read.
func TestPanicOfReader(t *testing.T) {
	defer func() {
		value := recover()
		stack, ok := value.(interface{ Stack() []byte })
		if !ok || fmt.Sprint(value) != "the reader is broken" || !bytes.Contains(stack.Stack(), []byte("brokenReader")) {
			t.Errorf("recovered %v", value)
		}
	}()
	for range Open([]string{"-"}, Options{Stdin: brokenReader{}}).Trials(t.Context()) {
	}
	t.Error("the panic is lost")
}
