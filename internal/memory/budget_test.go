package memory

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestBudgetEndsAtItsCeiling(t *testing.T) {
	const mebibyte = 1 << 20
	b := New(64 * mebibyte) // 48 of it can be taken
	if err := b.Take(40*mebibyte, "a.jsonl"); err != nil {
		t.Fatal(err)
	}
	err := b.Take(9*mebibyte, "b.jsonl")
	var e *Error
	if !errors.As(err, &e) || e.ExitCode() != 65 ||
		e.Message() != "b.jsonl takes more memory than the 64 MiB that are allowed" ||
		!strings.Contains(e.Hint(), e.Option()) {
		t.Errorf("%v", err)
	}
	// What is refused is not taken, and what is given back can be taken again.
	if err := b.Take(8*mebibyte, "c"); err != nil {
		t.Error(err)
	}
	b.Give(40 * mebibyte)
	if err := b.Take(40*mebibyte, "d"); err != nil {
		t.Error(err)
	}
	if got := b.Part(4, 100*mebibyte); got != 16*mebibyte {
		t.Errorf("a quarter is %d", got)
	}
	if got := b.Part(4, 5); got != 5 {
		t.Errorf("at most 5 is %d", got)
	}
}

func TestNoBudgetIsNoEnd(t *testing.T) {
	b := From(context.Background())
	if err := b.Take(1<<62, "a"); err != nil {
		t.Error(err)
	}
	b.Give(1)
	if got := b.Part(4, 7); got != 7 {
		t.Errorf("a part of no budget is %d", got)
	}
	if mine := New(1); From(With(context.Background(), mine)) != mine {
		t.Error("the context does not carry it")
	}
}

// The estimate is not below what the decoder of the standard library takes for documents that are made of what takes
// most for their length.
func TestEstimateOfJSON(t *testing.T) {
	const many = 200_000
	for _, unit := range []string{`1`, `""`, `{}`, `[]`, `{"a":1}`, `{"a":{"b":[true]}}`,
		`"a text of some length, and more"`} {
		text := []byte("[" + strings.Repeat(unit+",", many) + unit + "]")
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		took := int64(after.HeapAlloc) - int64(before.HeapAlloc) + int64(len(text))
		runtime.KeepAlive(value)
		if estimate := OfJSON(text); estimate < took {
			t.Errorf("%s: %d bytes were taken, %d estimated", unit, took, estimate)
		}
	}
}

// The forms are those that the kernel's documentation has for /proc/meminfo and memory.max.
func TestMemoryOfTheMachine(t *testing.T) {
	folder := t.TempDir()
	write := func(text string) string {
		name := filepath.Join(folder, "f")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	if got := machine(write("MemTotal:       16384256 kB\nMemFree:          123 kB\n")); got != 16384256*1024 {
		t.Errorf("meminfo: %d", got)
	}
	if got := machine(write("nothing")); got != 0 {
		t.Errorf("no meminfo: %d", got)
	}
	if got := number(write("536870912\n")); got != 512<<20 {
		t.Errorf("a limit: %d", got)
	}
	if got := number(write("max\n")); got != 0 {
		t.Errorf("no limit: %d", got)
	}
	if got := DefaultCeiling(); got < Least || got > 2<<30 {
		t.Errorf("the default is %d", got)
	}
}
