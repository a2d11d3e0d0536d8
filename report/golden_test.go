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
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

var update = flag.Bool("update", false, "write the golden files of the text reports")

// render writes a sample of either kind.
type render func(io.Writer, Options) error

func samples() map[string]render {
	all := map[string]render{}
	for name, r := range thresholdSamples() {
		all[name] = func(w io.Writer, o Options) error { return Write(w, r, TextFormat, o) }
	}
	for name, r := range comparisonSamples() {
		all[name] = func(w io.Writer, o Options) error { return Write(w, r, TextFormat, o) }
	}
	maps.Copy(all, planRenders())
	maps.Copy(all, againstRenders())
	maps.Copy(all, sequentialRenders())
	maps.Copy(all, sequentialAgainstRenders())
	maps.Copy(all, endsRenders())
	maps.Copy(all, sizesRenders())
	maps.Copy(all, coverageRenders())
	maps.Copy(all, runRenders())
	maps.Copy(all, mutationRenders())
	maps.Copy(all, relationsRenders())
	maps.Copy(all, historyRenders())
	maps.Copy(all, raceRenders())
	maps.Copy(all, improvementRenders())
	maps.Copy(all, rankRenders())
	return all
}

func text(t testing.TB, write render, o Options) string {
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
		options Options
	}{
		{"80 columns", Options{}},
		{"60 columns", Options{Width: 60}},
		{"120 columns", Options{Width: 120}},
		{"80 columns, ASCII", Options{ASCII: true}},
		{"80 columns, colour, 3 scenarios", Options{Colour: true, Rows: 3}},
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
	slices.Sort(names) // in a folder history.txt stands behind history-cost.txt
	if diff := cmp.Diff(slices.Sorted(maps.Keys(samples())), names); diff != "" {
		t.Error(diff)
	}
}

// widths are those from 40 to 100, a tenth of them unless all are asked for, and some beyond.
func widths() (list []int) {
	for width := 40; width <= 100; width += thorough.Draws(10, 1) {
		list = append(list, width)
	}
	return append(list, 119, 120, 121, 160, 1000)
}

func TestNoLineIsWider(t *testing.T) {
	for name, write := range samples() {
		for _, width := range widths() {
			for _, o := range []Options{{Width: width}, {Width: width, ASCII: true, Colour: true}} {
				for _, line := range strings.Split(text(t, write, o), "\n") {
					if table.Width(line) > width {
						t.Fatalf("%s: %q has %d columns, not %d", name, line, table.Width(line), width)
					}
				}
			}
		}
		if text(t, write, Options{Width: 1}) != text(t, write, Options{Width: leastWidth}) {
			t.Errorf("%s: the least width is not %d", name, leastWidth)
		}
	}
}

// Reports of ordinary results fit on a screen.
func TestOrdinaryReportsFitOnAScreen(t *testing.T) {
	for name, write := range samples() {
		lines := strings.Count(text(t, write, Options{}), "\n")
		if lines > 45 && !strings.HasSuffix(name, "-names") {
			t.Errorf("%s has %d lines", name, lines)
		}
	}
}

func TestColorIsAllThatColorChanges(t *testing.T) {
	strip := strings.NewReplacer("\x1b[1;32m", "", "\x1b[1;31m", "", "\x1b[1;33m", "", "\x1b[1m", "", "\x1b[2m", "",
		"\x1b[0m", "")
	for name, write := range samples() {
		plain, colored := text(t, write, Options{}), text(t, write, Options{Colour: true})
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
		for _, r := range text(t, write, Options{ASCII: true}) {
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

// shortWriter is a writer that breaks the contract of io.Writer.
type shortWriter struct{}

func (shortWriter) Write(p []byte) (int, error) { return len(p) / 2, nil }

func TestWriteErrorsAreReturned(t *testing.T) {
	all := samples()
	for name, r := range comparisonSamples() {
		all["json "+name] = func(w io.Writer, _ Options) error { return JSON(w, r) }
	}
	for name, write := range all {
		size := len(text(t, write, Options{}))
		step := thorough.Draws(1009, 101) // at every byte of some where all is asked for, at some bytes of all
		if name == "threshold-inconclusive" || name == "compare-inconclusive" || name == "json compare-counts" {
			step = thorough.Draws(17, 1)
		}
		for room := 0; room < size; room += step {
			if err := write(&fullAfter{room}, Options{}); !errors.Is(err, errFull) {
				t.Fatalf("%s: full after %d of %d bytes: %v", name, room, size, err)
			}
		}
		if err := write(&fullAfter{size}, Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := write(shortWriter{}, Options{}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: a short write gives %v", name, err)
		}
	}
}

func TestNoResult(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, nil, TextFormat, Options{}); !errors.Is(err, errNoResult) {
		t.Error(err)
	}
	if err := Write(&out, nil, TextFormat, Options{}); !errors.Is(err, errNoResult) {
		t.Error(err)
	}
	for _, write := range []func(io.Writer, *plan.Plan, Options) error{planText, planCompare, planChart} {
		if err := write(&out, nil, Options{}); !errors.Is(err, errNoResult) {
			t.Error(err)
		}
	}
	if err := Write(&out, nil, TextFormat, Options{}); !errors.Is(err, errNoResult) {
		t.Error(err)
	}
	if err := Write(&out, nil, TextFormat, Options{}); !errors.Is(err, errNoResult) {
		t.Error(err)
	}
	if out.Len() > 0 {
		t.Errorf("%q was written", out.String())
	}
}
