package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// folder writes the files of an archive, and goes there.
func folder(t *testing.T, archive *txtar.Archive) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, f := range archive.Files {
		name := filepath.FromSlash(f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A suite of several files is the one that is written out in one, to its digest; or has its exact message.
func TestSuitesOfSeveralFiles(t *testing.T) {
	archive := cases(t, "testdata/sources.txtar")
	folder(t, archive)
	compiled := validator(t)
	count := 0
	for _, f := range archive.Files {
		name, isSuite := strings.CutSuffix(f.Name, "/"+FileName)
		if !isSuite {
			continue
		}
		count++
		t.Run(name, func(t *testing.T) {
			t.Chdir(name)
			got, err := Load(FileName)
			if want, failed := os.ReadFile("want.txt"); failed == nil {
				if err == nil {
					t.Fatal("it is accepted")
				}
				if diff := cmp.Diff(string(want), err.Error()+"\n"); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(FileName)
			if err != nil {
				t.Fatal(err)
			}
			if err := compiled.Validate(t.Context(), asJSON(t, text)); err != nil {
				t.Errorf("it does not fit the schema: %v", err)
			}
			want, err := Load("want.yaml")
			if err != nil {
				t.Fatal(err)
			}
			for i := range want.Scenarios {
				if i < len(got.Scenarios) {
					w, g := want.Scenarios[i], got.Scenarios[i]
					if diff := cmp.Diff(shown(w), shown(g)); diff != "" {
						t.Errorf("%s (-want +got):\n%s", w.Name, diff)
					}
				}
			}
			if got.Digest() != want.Digest() || got.Task().Digest != want.Task().Digest {
				t.Errorf("%d scenarios with the digest %s, not %d with %s", len(got.Scenarios), got.Digest(),
					len(want.Scenarios), want.Digest())
			}
		})
	}
	if count < 10 {
		t.Errorf("only %d cases", count)
	}
}

// shown is what a scenario says.
func shown(c Scenario) []string {
	lines := []string{c.Name, string(c.Input), fmt.Sprint(c.Tags, c.Limits, c.Test, c.Trials)}
	for _, e := range c.Evaluate {
		lines = append(lines, e.Name+": "+string(e.Spec))
	}
	return lines
}

const sampled = `
version: 1
name: shop
agent: {command: ["./agent"]}
test: {threshold: 0.9}
limits: none
scenarios: {from: rows.csv, name: "{id}", input: "{text}", sample: SAMPLE}
`

// rows writes a table of so many rows.
func rows(t *testing.T, count int, change func(i int, text string) string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("id,text,unused\n")
	for i := range count {
		b.WriteString(change(i, fmt.Sprintf("row-%d,text %d,x\n", i, i)))
	}
	if err := os.WriteFile("rows.csv", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

func names(s *Suite) (names []string) {
	for _, c := range s.Scenarios {
		names = append(names, c.Name)
	}
	return names
}

// A sample is drawn by its seed, keeps the order of the rows, and changes by one row where one is added; each row is as
// likely as another.
func TestSample(t *testing.T) {
	t.Chdir(t.TempDir())
	same := func(_ int, text string) string { return text }
	load := func(sample string) *Suite {
		t.Helper()
		s, err := Parse(FileName, []byte(strings.Replace(sampled, "SAMPLE", sample, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	rows(t, 100, same)
	one := load("20")
	if len(one.Scenarios) != 20 || one.Digest() != load("{size: 20, seed: 1}").Digest() {
		t.Errorf("%v", names(one))
	}
	want := []Source{{From: []string{"rows.csv"}, Rows: 100, Left: 100, Taken: 20, Seed: 1, Place: one.Sources[0].Place}}
	if diff := cmp.Diff(want, one.Sources); diff != "" {
		t.Error(diff)
	}
	if got := one.Sources[0].String(); got != "rows.csv: 20 of 100 rows, drawn with seed 1" {
		t.Error(got)
	}
	rows(t, 101, same)
	before, after, gone := map[string]bool{}, names(load("20")), 20
	for _, name := range names(one) {
		before[name] = true
	}
	for _, name := range after {
		if before[name] {
			gone--
		}
	}
	if gone > 1 {
		t.Errorf("a row more changed %d rows of the sample", gone)
	}
	// 400 seeds draw 5 of 20 rows: each row is drawn 100 times in the mean, with a deviation of 8.7.
	rows(t, 20, same)
	drawn := map[string]int{}
	for seed := range 400 {
		for _, name := range names(load(fmt.Sprintf("{size: 5, seed: %d}", seed+1))) {
			drawn[name]++
		}
	}
	for name, times := range drawn {
		if times < 60 || times > 140 {
			t.Errorf("%s is drawn %d times of 400", name, times)
		}
	}
	if len(drawn) != 20 {
		t.Errorf("%d rows are drawn", len(drawn))
	}
}

// A row that changed is told as changed, where the suite uses what changed of it.
func TestChangedRowIsTold(t *testing.T) {
	t.Chdir(t.TempDir())
	text := strings.Replace(sampled, ", sample: SAMPLE", "", 1)
	load := func(change func(int, string) string) *Suite {
		t.Helper()
		rows(t, 3, change)
		s, err := Parse(FileName, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := load(func(_ int, text string) string { return text })
	other := load(func(i int, text string) string {
		if i == 1 {
			return strings.Replace(text, "text", "words", 1)
		}
		return text
	})
	if first.Digest() == other.Digest() {
		t.Error("the digest is the same")
	}
	changed := DescriptionChanges(first.Description(), other.Description())
	if diff := cmp.Diff([]string{"scenarios.row-1.input changed"}, changed); diff != "" {
		t.Error(diff)
	}
	unused := load(func(_ int, text string) string { return strings.Replace(text, ",x", ",y", 1) })
	if first.Digest() != unused.Digest() {
		t.Error("a column that nothing uses changes the digest")
	}
	if place := first.Scenarios[2].Place.String(); place != "rows.csv:4" {
		t.Error(place)
	}
}

// Too much is refused.
func TestSourcesAreBounded(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, maxScenarios+1, func(_ int, text string) string { return text })
	_, err := Parse(FileName, []byte(strings.Replace(sampled, ", sample: SAMPLE", "", 1)))
	const want = "tribunal.yaml:7:12: scenarios makes more than 10000 scenarios; sample: 1000 takes so many of its rows"
	if err == nil || err.Error() != want {
		t.Error(err)
	}
	// A chain of files that is too long.
	for i := range 12 {
		text := fmt.Sprintf("include: f%d.yaml\n", i+1)
		if err := os.WriteFile(fmt.Sprintf("f%d.yaml", i), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err = Load("f0.yaml")
	if err == nil || !strings.Contains(err.Error(),
		"f8.yaml:1:10: include goes deeper than 8 files: f0.yaml -> f1.yaml -> ") {
		t.Error(err)
	}
}
