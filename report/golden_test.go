package report

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

var update = flag.Bool("update", false, "write the golden files of the text reports")

// render writes a sample of either kind.
type render func(io.Writer, TextOptions) error

func samples() map[string]render {
	all := map[string]render{}
	for name, r := range thresholdSamples() {
		all[name] = func(w io.Writer, o TextOptions) error { return Threshold(w, r, o) }
	}
	for name, r := range comparisonSamples() {
		all[name] = func(w io.Writer, o TextOptions) error { return Comparison(w, r, o) }
	}
	maps.Copy(all, planRenders())
	maps.Copy(all, sequentialRenders())
	maps.Copy(all, coverageRenders())
	return all
}

func text(t testing.TB, write render, o TextOptions) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A golden file holds one sample in several looks.
func TestGolden(t *testing.T) {
	looks := []struct {
		title   string
		options TextOptions
	}{
		{"80 columns", TextOptions{}},
		{"60 columns", TextOptions{Width: 60}},
		{"120 columns", TextOptions{Width: 120}},
		{"80 columns, ASCII", TextOptions{ASCII: true}},
		{"80 columns, colour, 3 scenarios", TextOptions{Color: true, Scenarios: 3}},
	}
	for name, write := range samples() {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, look := range looks {
				shown := strings.ReplaceAll(text(t, write, look.options), "\x1b", "␛")
				fmt.Fprintf(&got, "=== %s\n%s", look.title, shown)
			}
			file := filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGoldenFilesHaveSamples(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".txt"))
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(samples())), names); diff != "" {
		t.Error(diff)
	}
}

func rangeOf(from, to int) (list []int) {
	for i := from; i <= to; i++ {
		list = append(list, i)
	}
	return list
}

func TestNoLineIsWider(t *testing.T) {
	for name, write := range samples() {
		for _, width := range append(rangeOf(40, 100), 119, 120, 121, 160, 1000) {
			for _, o := range []TextOptions{{Width: width}, {Width: width, ASCII: true, Color: true}} {
				for _, line := range strings.Split(text(t, write, o), "\n") {
					if table.Width(line) > width {
						t.Fatalf("%s: %q has %d columns, not %d", name, line, table.Width(line), width)
					}
				}
			}
		}
		if text(t, write, TextOptions{Width: 1}) != text(t, write, TextOptions{Width: leastWidth}) {
			t.Errorf("%s: the least width is not %d", name, leastWidth)
		}
	}
}

// Reports of ordinary results fit on a screen.
func TestOrdinaryReportsFitOnAScreen(t *testing.T) {
	for name, write := range samples() {
		lines := strings.Count(text(t, write, TextOptions{}), "\n")
		if lines > 45 && !strings.HasSuffix(name, "-names") {
			t.Errorf("%s has %d lines", name, lines)
		}
	}
}

func TestColorIsAllThatColorChanges(t *testing.T) {
	strip := strings.NewReplacer("\x1b[1;32m", "", "\x1b[1;31m", "", "\x1b[1;33m", "", "\x1b[0m", "")
	for name, write := range samples() {
		plain, colored := text(t, write, TextOptions{}), text(t, write, TextOptions{Color: true})
		if plain == colored {
			t.Errorf("%s: there is no colour", name)
		}
		if diff := cmp.Diff(plain, strip.Replace(colored)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if strings.Contains(plain, "\x1b") {
			t.Errorf("%s: there is colour without being asked for", name)
		}
	}
}

func TestASCIIIsASCII(t *testing.T) {
	for name, write := range samples() {
		if strings.HasSuffix(name, "-names") {
			continue // names keep their letters
		}
		for _, r := range text(t, write, TextOptions{ASCII: true}) {
			if r > '~' {
				t.Errorf("%s: %q", name, r)
			}
		}
	}
}

// fullAfter is a disk that is full after so many bytes.
type fullAfter struct{ room int }

var errFull = errors.New("disk full")

func (w *fullAfter) Write(p []byte) (int, error) {
	if len(p) > w.room {
		n := w.room
		w.room = 0
		return n, errFull
	}
	w.room -= len(p)
	return len(p), nil
}

// short is a writer that breaks the contract of io.Writer.
type short struct{}

func (short) Write(p []byte) (int, error) { return len(p) / 2, nil }

func TestWriteErrorsAreReturned(t *testing.T) {
	all := samples()
	for name, r := range comparisonSamples() {
		all["json "+name] = func(w io.Writer, _ TextOptions) error { return JSON(w, r) }
	}
	for name, write := range all {
		size := len(text(t, write, TextOptions{}))
		step := 101 // at every byte of some, at some bytes of all
		if name == "threshold-inconclusive" || name == "compare-inconclusive" || name == "json compare-counts" {
			step = 1
		}
		for room := 0; room < size; room += step {
			if err := write(&fullAfter{room}, TextOptions{}); !errors.Is(err, errFull) {
				t.Fatalf("%s: full after %d of %d bytes: %v", name, room, size, err)
			}
		}
		if err := write(&fullAfter{size}, TextOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := write(short{}, TextOptions{}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: a short write gives %v", name, err)
		}
	}
}

func TestNoResult(t *testing.T) {
	var out bytes.Buffer
	if err := Threshold(&out, nil, TextOptions{}); !errors.Is(err, ErrNoResult) {
		t.Error(err)
	}
	if err := Comparison(&out, nil, TextOptions{}); !errors.Is(err, ErrNoResult) {
		t.Error(err)
	}
	for _, write := range []func(io.Writer, *plan.Plan, TextOptions) error{Plan, PlanCompare, PlanChart} {
		if err := write(&out, nil, TextOptions{}); !errors.Is(err, ErrNoResult) {
			t.Error(err)
		}
	}
	if err := Sequential(&out, nil, TextOptions{}); !errors.Is(err, ErrNoResult) {
		t.Error(err)
	}
	if err := Coverage(&out, nil, TextOptions{}); !errors.Is(err, ErrNoResult) {
		t.Error(err)
	}
	if out.Len() > 0 {
		t.Errorf("%q was written", out.String())
	}
}
