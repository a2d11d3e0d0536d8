package running

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// What is written of a test is read as that test, whatever its name is.
func TestQuarantineHoldsAnyName(t *testing.T) {
	names := []string{
		"plain", "# of items", "#", `\back`, `\# both`, " blanks ", "tab\tand\nline", "tests/a.py::t[x y]", "naïve ✓",
	}
	for i, name := range names {
		file := filepath.Join(t.TempDir(), "q.txt")
		test := runs.Test{Name: name, Passes: 3, Trials: 7}
		text := "# ours\n\n" + lineOf(&test, "") + "\r\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		q, err := ReadQuarantine(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		if !q.holds(name) || len(q.at) != 1 || len(q.text) != 3 || q.holds(names[(i+1)%len(names)]) {
			t.Errorf("%q: %q is read as %v", name, text, q.at)
		}
	}
}

// The figures of a line are brought up to date, and what a person wrote stays.
func TestQuarantineKeepsNotes(t *testing.T) {
	test := runs.Test{Name: "a", Passes: 3, Trials: 7}
	for before, want := range map[string]string{
		"a":                      "a\t3/7",
		"a\t1/2":                 "a\t3/7",
		"a\tsee the wiki":        "a\t3/7\tsee the wiki",
		"a\t1/2\tsee the wiki":   "a\t3/7\tsee the wiki",
		"a\t1/2 of the machines": "a\t3/7\t1/2 of the machines",
	} {
		if got := lineOf(&test, before); got != want {
			t.Errorf("%q: %q, want %q", before, got, want)
		}
	}
}

// Only what passes now and then, and is decided, flips.
func TestFlips(t *testing.T) {
	flipping := runs.Test{Verdict: verdict.Fail, Passes: 1, Fails: 5}
	for what, change := range map[string]func(*runs.Test){
		"it passes":            func(t *runs.Test) { t.Verdict = verdict.Pass },
		"it is open":           func(t *runs.Test) { t.Verdict = verdict.Inconclusive },
		"it always fails":      func(t *runs.Test) { t.Passes = 0 },
		"it only had errors":   func(t *runs.Test) { t.Fails = 0 },
		"the baseline is more": func(t *runs.Test) { t.Regression = &runs.Regression{} },
	} {
		test := flipping
		change(&test)
		if flips(&test) {
			t.Error(what)
		}
	}
	if !flips(&flipping) {
		t.Error("it flips")
	}
}
