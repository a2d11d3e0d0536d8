package main

import (
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// page is the manual's page that the command writes.
var page = filepath.Join("..", "..", "docs", "speed.md")

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// needPeers skips the test where the machine has no peers.
func needPeers(t *testing.T) {
	t.Helper()
	python, err := findPython()
	if err != nil {
		t.Skip(err)
	}
	for _, module := range []string{"scipy", "statsmodels", "numpy"} {
		if err := exec.Command(python, "-c", "import "+module).Run(); err != nil {
			t.Skip(&missingError{module})
		}
	}
}

// TestPageIsWhatTheCommandWrites runs the command in its short form over a copy of the
// manual's page: all but numbers must stay as it is.
func TestPageIsWhatTheCommandWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	needPeers(t)
	want := readPage(t, page)
	written := filepath.Join(t.TempDir(), "speed.md")
	if err := os.WriteFile(written, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"-short", "-page", written}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	got := readPage(t, written)
	if got == want {
		t.Error("nothing was written")
	}
	if diff := cmp.Diff(numberless(want), numberless(got)); diff != "" {
		t.Errorf("docs/speed.md is not what go run ./bench/peers -update writes (-page +command):\n%s", diff)
	}
	drawn := readPage(t, filepath.Join(filepath.Dir(written), "speed.svg"))
	shown := readPage(t, filepath.Join(filepath.Dir(page), "speed.svg"))
	for _, curve := range regexp.MustCompile(`>([^<>:]+ \([a-z-]+\)): n\^`).FindAllStringSubmatch(drawn, -1) {
		if !strings.Contains(shown, ">"+curve[1]+": n^") {
			t.Errorf("docs/speed.svg has no curve of %s", curve[1])
		}
	}
}

var (
	machine = regexp.MustCompile(`(?s)Measured on .*?\n\n|SPEED  ?on .*?\n\n`)
	number  = regexp.MustCompile(`-?[0-9][0-9.,]*(?:e[-+][0-9]+)?(?: (?:ns|us|ms|s|B|kB|MB|GB)\b)?(?: [kM]\b)?`)
	spaces  = regexp.MustCompile(`\s+`)
)

// numberless is a page in words that lie between its numbers and spaces.
func numberless(text string) []string {
	text = number.ReplaceAllString(machine.ReplaceAllString(text, "(machine) "), "#")
	return strings.Split(spaces.ReplaceAllString(text, " "), " ")
}

func TestNumberless(t *testing.T) {
	a := "SPEED  on linux, 2 cores\n\n  x  1.2 ms   3.4 k tests\n- a: b takes 3 times as long.\n| -1e-05 |"
	b := "SPEED  on a b c\nd\n\n  x  12 ns  15 tests\n- a: b takes 0.3 times as long.\n| 2 |"
	if diff := cmp.Diff(numberless(a), numberless(b)); diff != "" {
		t.Error(diff)
	}
	if slices.Equal(numberless("a 1 b"), numberless("a 1 c")) {
		t.Error("other words are the same")
	}
}

// TestRatiosInProseAreOfTheTable takes every ratio that the page states and looks for it
// among those of the table.
func TestRatiosInProseAreOfTheTable(t *testing.T) {
	text := readPage(t, page)
	var ratios []string
	for line := range strings.Lines(text) {
		if cells := strings.Split(line, " | "); len(cells) == 8 && !strings.HasPrefix(line, "| work") {
			ratios = append(ratios, cells[5])
		}
	}
	if len(ratios) < 10 {
		t.Fatalf("the table has %d ratios", len(ratios))
	}
	stated := regexp.MustCompile(`([0-9][0-9.,]*) times|([0-9][0-9.,]*) ?[x×]`).FindAllStringSubmatch(text, -1)
	if len(stated) < 5 {
		t.Errorf("only %d ratios are stated", len(stated))
	}
	for _, s := range stated {
		if !slices.Contains(ratios, s[1]+s[2]) {
			t.Errorf("%q is not in the table: %q", s[0], ratios)
		}
	}
}

// TestWhatPythonLacksIsLeftOut hides SciPy behind a module of its name.
func TestWhatPythonLacksIsLeftOut(t *testing.T) {
	needPeers(t)
	hiding := t.TempDir()
	if err := os.WriteFile(filepath.Join(hiding, "scipy.py"), []byte("raise ModuleNotFoundError(name='scipy')\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", hiding)
	var out, complaints strings.Builder
	if err := run([]string{"-short", "-only", "Fisher"}, &out, &complaints); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "| Fisher") || strings.Contains(out.String(), "SciPy 1") || !strings.Contains(out.String(), "NumPy") {
		t.Error(out.String())
	}
	if want := "Fisher's test, 100/100, is left out: Python's module scipy is not installed\n"; !strings.Contains(complaints.String(), want) {
		t.Errorf("%q does not say %q", complaints.String(), want)
	}
	written := filepath.Join(t.TempDir(), "speed.md")
	if err := os.WriteFile(written, []byte(readPage(t, page)), 0o666); err != nil {
		t.Fatal(err)
	}
	var lacking *missingError
	if err := run([]string{"-short", "-page", written}, io.Discard, io.Discard); !errors.As(err, &lacking) {
		t.Errorf("a page without SciPy: %v", err)
	}
}

func TestBetween(t *testing.T) {
	got, err := between("a\n<!-- x -->\nold\n<!-- end of x -->\nb\n", "x", "new\n")
	if want := "a\n<!-- x -->\nnew\n<!-- end of x -->\nb\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := between("<!-- x -->\n", "x", ""); err == nil {
		t.Error("a page without an end is written")
	}
}

func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		name         string
		agree        func(ours, theirs []float64) (float64, bool)
		ours, theirs []float64
		difference   float64
		ok           bool
	}{
		{"equal", within(1e-9), []float64{0, 2}, []float64{0, 2}, 0, true},
		{"other", within(1e-9), []float64{1, 2}, []float64{1, 1}, 0.5, false},
		{"fewer", within(1), []float64{1, 2}, []float64{1}, math.Inf(1), false},
		{"a search that misses", below(1e-6), []float64{2}, []float64{1}, 0.5, true},
		{"a search that exceeds", below(1e-6), []float64{1}, []float64{2}, 0.5, false},
		{"chance", chance(100), []float64{0.5}, []float64{0.75}, 0.25, true},
		{"more than chance", chance(10000), []float64{0.5}, []float64{0.75}, 0.25, false},
		{"the same verdict", sameVerdict, []float64{0.01}, []float64{0.04}, 0.03, true},
		{"another verdict", sameVerdict, []float64{0.01}, []float64{0.25}, 0.24, false},
	} {
		difference, ok := c.agree(c.ours, c.theirs)
		if math.Abs(difference-c.difference) > 1e-15 || ok != c.ok {
			t.Errorf("%s: %v, %t", c.name, difference, ok)
		}
	}
	r := race{work: work{agree: within(0), peer: "x"}}
	if err := r.check([]float64{1}, []float64{2}); !errors.Is(err, errDisagree) {
		t.Errorf("err = %v", err)
	}
}

func TestArgumentsThatCannotBe(t *testing.T) {
	for _, args := range [][]string{{"now"}, {"-rounds", "0"}, {"-only", "x", "-update"}, {"-no-such"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
