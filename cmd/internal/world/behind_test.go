package world

import (
	"bytes"
	"io"
	"testing"
)

// What is told behind other work comes after what that tells, and progress only from the turn on.
func TestBehindIsToldAfter(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	a := (&World{Stderr: &stderr, TerminalWidth: func(stream io.Writer) (int, bool) {
		return 80, stream == &stderr
	}}).Complete()
	behind, turn := a.Behind()
	progress := behind.NewProgress()
	if !progress.Live {
		t.Error("a terminal is not known behind")
	}
	behind.Notice("note", "of the candidate")
	progress.Say("reading")
	a.Notice("note", "of the baseline")
	turn()
	progress.Say("reading on")
	progress.End()
	behind.Notice("note", "at the end")
	const want = "tribunal: note: of the baseline\ntribunal: note: of the candidate\n" +
		"\rreading on\x1b[K\r\x1b[Ktribunal: note: at the end\n"
	if got := stderr.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
