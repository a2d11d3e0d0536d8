package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

var someHeader = Header{
	Suite: "sha256:1", Seed: 7, Version: "1.0",
	Tests: []HeaderTest{{"a", "sha256:2", []string{"x", "y"}}},
}

func someTrial(scenario string, number int, outcome trial.Outcome) *trial.Trial {
	return &trial.Trial{Scenario: scenario, Index: trial.Some(number), Outcome: outcome, Output: trial.RawString("a\nb")}
}

// writeSome writes a journal in which x/0 passed, x/1 failed after a retry, and y/0
// has not ended.
func writeSome(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "journal")
	j, err := CreateJournal(name, someHeader)
	if err != nil {
		t.Fatal(err)
	}
	j.Launched(Launched{"a", "x", 0, 0, 11})
	j.Launched(Launched{"a", "y", 0, 0, 12})
	j.Finished(Finished{Scenario: "x", Trial: 0, Spent: Spent{Attempts: 1, CostUSD: .5}, Elapsed: 1}, someTrial("x", 0, trial.Pass))
	j.Launched(Launched{"a", "x", 1, 0, 13})
	j.Finished(Finished{Scenario: "x", Trial: 1, Retry: true, Error: "no network", Spent: Spent{Attempts: 1, CostUSD: .25}, Elapsed: 2}, nil)
	j.Launched(Launched{"a", "x", 1, 1, 13})
	j.Finished(Finished{Scenario: "x", Trial: 1, Attempt: 1, Spent: Spent{Attempts: 1, CostUSD: .25}, Elapsed: 3}, someTrial("x", 1, trial.Fail))
	j.Decision(Decision{"a", "sha256:2", "fail", 2, 1, 0})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestJournalIsReadBack(t *testing.T) {
	r, err := ReadJournal(writeSome(t))
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []trial.Outcome
	for _, f := range r.Finished("x") {
		outcomes = append(outcomes, f.trial.Outcome)
	}
	if diff := cmp.Diff([]trial.Outcome{trial.Pass, trial.Fail}, outcomes); diff != "" {
		t.Error(diff)
	}
	if n := len(r.Finished("y")); n != 0 {
		t.Errorf("%d trials of y ended", n)
	}
	if diff := cmp.Diff(Spent{Attempts: 3, CostUSD: 1}, r.Spent); diff != "" {
		t.Error(diff)
	}
	if r.Lost != 1 || r.Elapsed != 3 || len(r.Launched) != 3 || len(r.Decisions) != 1 || r.Torn != 0 {
		t.Errorf("%+v", r)
	}
}

// Cut anywhere, the journal goes on: what stood in whole lines counts.
func TestTornLastLine(t *testing.T) {
	name := writeSome(t)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for length := range whole {
		if err := os.WriteFile(name, whole[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		j, r, err := ResumeJournal(name, someHeader)
		if err != nil {
			t.Fatalf("%d bytes: %v", length, err)
		}
		if got, want := len(r.Finished("x")), strings.Count(string(whole[:length]), "\"record\":{")-boolean(torn(whole[:length], "record")); got != want {
			t.Errorf("%d bytes: %d trials, want %d", length, got, want)
		}
		j.Launched(Launched{"a", "y", 1, 0, 1})
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if r, err := ReadJournal(name); err != nil || r.Torn != 0 {
			t.Fatalf("%d bytes: after going on: %v", length, err)
		}
	}
}

func torn(text []byte, field string) bool {
	last := text[strings.LastIndexByte(string(text), '\n')+1:]
	return strings.Contains(string(last), "\""+field+"\":{")
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestOtherHeadersAreRefused(t *testing.T) {
	name := writeSome(t)
	for field, change := range map[string]func(*Header){
		"suite":                           func(h *Header) { h.Suite = "sha256:9" },
		"seed":                            func(h *Header) { h.Seed = 8 },
		"number of tests":                 func(h *Header) { h.Tests = nil },
		"test":                            func(h *Header) { h.Tests[0].Name = "b" },
		"design of test \"a\"":            func(h *Header) { h.Tests[0].Design = "sha256:9" },
		"list of scenarios of test \"a\"": func(h *Header) { h.Tests[0].Scenarios = []string{"y", "x"} },
	} {
		h := someHeader
		h.Tests = []HeaderTest{someHeader.Tests[0]}
		change(&h)
		_, _, err := ResumeJournal(name, h)
		var header *HeaderError
		if !errors.As(err, &header) || header.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	h := someHeader
	h.Version = "2.0"
	j, _, err := ResumeJournal(name, h)
	if err != nil {
		t.Fatalf("another version of the program: %v", err)
	}
	j.Close()
}

func TestBadJournals(t *testing.T) {
	text, err := os.ReadFile(writeSome(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	for _, c := range []struct {
		text    string
		line    int
		problem string
	}{
		{lines[0] + "{\"launched\":{\n" + lines[1], 2, "is not a journal's"},
		{lines[0] + "{}\n", 2, "says nothing"},
		{lines[1] + lines[0], 1, "a header is the first line"},
		{lines[0] + lines[0], 2, "a header is the first line"},
		{lines[0] + lines[3], 2, "ends without a launch"},
		{lines[0] + lines[1] + lines[3] + lines[3], 4, "ends twice"},
		{lines[0] + lines[4] + lines[5] + lines[5], 4, "ends more often"},
		{lines[0] + lines[1] + lines[3] + lines[1], 4, "launched after its end"},
		{strings.Replace(lines[0], `"journal":1`, `"journal":2`, 1), 1, "version 2"},
		{strings.Replace(lines[0]+lines[1]+lines[3], `"outcome":"pass"`, `"outcome":"PASS"`, 1), 3, "outcome"},
	} {
		name := filepath.Join(t.TempDir(), "bad")
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadJournal(name)
		var bad *JournalError
		if !errors.As(err, &bad) || bad.Line != c.line || !strings.Contains(bad.Problem, c.problem) {
			t.Errorf("want line %d %q, got %v", c.line, c.problem, err)
		}
	}
}

func TestJournalIsLocked(t *testing.T) {
	name := writeSome(t)
	j, _, err := ResumeJournal(name, someHeader)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ResumeJournal(name, someHeader); !errors.Is(err, ErrLocked) {
		t.Errorf("err = %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j, _, err = ResumeJournal(name, someHeader)
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	j.Close()
	if _, err := CreateJournal(name, someHeader); !errors.Is(err, ErrExists) {
		t.Errorf("err = %v", err)
	}
	if _, _, err := ResumeJournal(name+"x", someHeader); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}

func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"header":{"journal":1}}` + "\n" + `{"launched":{"scenario":"x"}}` + "\n" + `{"finished":{"scenario":"x","record":{"scenario":"x","outcome":"pass"}}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, whole, err := replay("f", strings.NewReader(string(text)))
		if err != nil {
			return
		}
		if int(whole)+r.Torn != len(text) || r.Lost < 0 {
			t.Errorf("%d whole bytes and %d torn of %d, %d lost", whole, r.Torn, len(text), r.Lost)
		}
	})
}
