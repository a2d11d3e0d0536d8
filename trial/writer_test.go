package trial

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriterIsReadBack(t *testing.T) {
	want, err := collect(bytes.NewReader(manyLines(500)), Options{}, blockBytes)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, x := range want {
		if err := w.Write(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != len(want) {
		t.Errorf("%d lines for %d trials", n, len(want))
	}
	got, err := collect(&b, Options{}, blockBytes)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, ignorePlace); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// fullWriter fails as a disk does that is full after some bytes.
type fullWriter struct {
	room int
	err  error
}

func (f *fullWriter) Write(b []byte) (int, error) {
	if len(b) > f.room {
		return f.room, f.err
	}
	f.room -= len(b)
	return len(b), nil
}

func TestWriterReturnsErrors(t *testing.T) {
	noSpace := errors.New("no space left on device")
	x := &Trial{Scenario: "a", Outcome: Pass}
	for _, room := range []int{0, 10, 100_000} {
		w := NewWriter(&fullWriter{room, noSpace})
		var err error
		for range 10_000 {
			if err = w.Write(x); err != nil {
				break
			}
		}
		if flushed := w.Flush(); !errors.Is(flushed, noSpace) || err != nil && !errors.Is(err, noSpace) {
			t.Errorf("room %d: write %v, flush %v", room, err, flushed)
		}
		if err := w.Write(x); !errors.Is(err, noSpace) {
			t.Errorf("room %d: a write after the error returned %v", room, err)
		}
	}
	w := NewWriter(&bytes.Buffer{})
	if err := w.Write(&Trial{Outcome: Pass}); !errors.As(err, new(*FieldError)) {
		t.Errorf("a trial without a scenario: %v", err)
	}
}
