package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

var someHeader = Header{
	Suite: "sha256:1", Seed: 7, Version: "1.0",
	Tests: []Test{{Name: "a", Design: "sha256:2", Scenarios: []string{"x", "y"}}},
}

func someTrial(scenario string, number int, outcome trial.Outcome) *trial.Trial {
	return &trial.Trial{Scenario: scenario, Index: trial.Some(number), Outcome: outcome, Output: trial.RawString("a\nb")}
}

// writeSome writes a journal in which x/0 passed, x/1 failed after a retry, and y/0
// has not ended.
func writeSome(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "journal")
	w, err := Create(name, someHeader)
	if err != nil {
		t.Fatal(err)
	}
	w.Launch(Launch{Test: "a", Scenario: "x", Trial: 0, Attempt: 0, Seed: 11})
	w.Launch(Launch{Test: "a", Scenario: "y", Trial: 0, Attempt: 0, Seed: 12})
	w.End(End{Scenario: "x", Trial: 0, Spent: Spend{Attempts: 1, CostUSD: .5}, ElapsedSeconds: 1},
		someTrial("x", 0, trial.Pass))
	w.Launch(Launch{Test: "a", Scenario: "x", Trial: 1, Attempt: 0, Seed: 13})
	w.End(End{Scenario: "x", Trial: 1, Retry: true, Cause: "start", Error: "no memory",
		Spent: Spend{Attempts: 1, Unstarted: 1}, ElapsedSeconds: 2}, nil)
	w.Launch(Launch{Test: "a", Scenario: "x", Trial: 1, Attempt: 1, Seed: 13})
	w.End(End{Scenario: "x", Trial: 1, Attempt: 1, Spent: Spend{Attempts: 1, CostUSD: .5}, ElapsedSeconds: 3},
		someTrial("x", 1, trial.Fail))
	w.Decide(Decision{"a", "sha256:2", "fail", 2, 1, 0})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestJournalIsReadBack(t *testing.T) {
	h, err := Read(writeSome(t))
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []trial.Outcome
	for _, record := range h.Records("a", "x") {
		outcomes = append(outcomes, record.Outcome)
	}
	if diff := cmp.Diff([]trial.Outcome{trial.Pass, trial.Fail}, outcomes); diff != "" {
		t.Error(diff)
	}
	if n := len(h.Records("a", "y")); n != 0 {
		t.Errorf("%d trials of y ended", n)
	}
	if diff := cmp.Diff(Spend{Attempts: 3, Unstarted: 1, CostUSD: 1}, h.Spent); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"start": 1}, h.Repeated); diff != "" {
		t.Error(diff)
	}
	if h.Lost() != 1 || h.ElapsedSeconds != 3 || len(h.Trials) != 3 || h.Ended() != 2 || len(h.Decisions) != 1 ||
		h.Torn != 0 {
		t.Errorf("%+v", h)
	}
	first := h.Trials[0]
	if got := h.Trial(Key{Scenario: "x", Number: 0}); got != first ||
		!reflect.DeepEqual(got.Launch, Launch{Test: "a", Scenario: "x", Trial: 0, Attempt: 0, Seed: 11}) ||
		got.Began != 1 || got.Ended != 1 {
		t.Errorf("x/0: %+v", got)
	}
	again := h.Trial(Key{Scenario: "x", Number: 1})
	if again.Began != 2 || again.Ended != 2 || again.Spent.CostUSD != .5 || again.End.Attempt != 1 {
		t.Errorf("x/1: %+v", again)
	}
	if h.Trial(Key{Scenario: "z", Number: 0}) != nil || h.Trial(Key{Scenario: "y", Number: 0}).End != nil ||
		h.Trial(Key{Scenario: "y", Number: 0}).Record != nil {
		t.Error("trials that did not end, or not begin, did")
	}
	if !h.Decided() {
		t.Error("the only test has its decision")
	}
}

// An extension takes back the decision of its test.
func TestExtension(t *testing.T) {
	name := writeSome(t)
	w, _, err := Resume(name, someHeader, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Extend(Extension{Test: "a", More: 10, Design: "sha256:3"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	if h.Decided() || len(h.Decisions) != 0 {
		t.Errorf("still decided: %+v", h.Decisions)
	}
	if diff := cmp.Diff([]Extension{{Test: "a", More: 10, Design: "sha256:3"}}, h.Extensions); diff != "" {
		t.Error(diff)
	}
}

// Cut anywhere, the journal is read up to its last whole line, and nothing else is
// left in the file. That it goes on from there is tried at the ends of lines, because
// it waits for the disk each time.
func TestTornLastLine(t *testing.T) {
	name := writeSome(t)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for length := range whole {
		text := whole[:length]
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		w, h, err := Resume(name, someHeader, nil)
		if err != nil {
			t.Fatalf("%d bytes: %v", length, err)
		}
		want := strings.Count(string(text), "\"record\":{") - boolean(torn(text, "record"))
		if got := len(h.Records("a", "x")); got != want {
			t.Errorf("%d bytes: %d trials, want %d", length, got, want)
		}
		lines := bytes.LastIndexByte(text, '\n') + 1
		if left, err := os.ReadFile(name); err != nil || lines > 0 && string(left) != string(whole[:lines]) {
			t.Fatalf("%d bytes: %q is left, %v", length, left, err)
		}
		nearEnd := length-lines < 2 || bytes.IndexByte(whole[length:], '\n') < 2
		if nearEnd {
			w.Launch(Launch{Test: "a", Scenario: "y", Trial: 1, Attempt: 0, Seed: 1})
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if h, err := Read(name); err != nil || h.Torn != 0 || nearEnd && h.Trial(Key{Scenario: "y", Number: 1}) == nil {
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
		"variant of test \"a\"":           func(h *Header) { h.Tests[0].Variant = "new" },
		"design of test \"a\"":            func(h *Header) { h.Tests[0].Design = "sha256:9" },
		"list of scenarios of test \"a\"": func(h *Header) { h.Tests[0].Scenarios = []string{"y", "x"} },
	} {
		h := someHeader
		h.Tests = []Test{someHeader.Tests[0]}
		change(&h)
		_, _, err := Resume(name, h, nil)
		var header *HeaderError
		if !errors.As(err, &header) || header.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	h := someHeader
	h.Version = "2.0"
	w, _, err := Resume(name, h, nil)
	if err != nil {
		t.Fatalf("another version of the program: %v", err)
	}
	w.Close()
}

func TestBadJournals(t *testing.T) {
	text, err := os.ReadFile(writeSome(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	for i := range lines {
		lines[i] = plain(lines[i])
	}
	for _, c := range []struct {
		text    string
		line    int
		problem string
	}{
		{lines[0] + "{\"launched\":{\n" + lines[1], 2, "is not a journal's"},
		{lines[0] + "{}\n", 2, "says nothing"},
		{lines[0] + strings.TrimSuffix(lines[1], "\n") + lines[2], 2, "something follows"},
		{lines[0] + strings.Replace(lines[1], "{", `{"decision":{},`, 1), 2, "several things"},
		{lines[1] + lines[0], 1, "a header is the first line"},
		{lines[0] + lines[0], 2, "a header is the first line"},
		{lines[0] + lines[3], 2, "ends without a launch"},
		{lines[0] + lines[1] + lines[3] + lines[3], 4, "ends twice"},
		{lines[0] + lines[4] + lines[5] + lines[5], 4, "ends more often"},
		{lines[0] + lines[1] + lines[3] + lines[1], 4, "launched after its end"},
		{lines[0] + lines[1] + strings.Replace(lines[3], `"record":{"scenario":"x"`, `"record":{"scenario":"y"`, 1), 3,
			`has a record of trial 0 of scenario "y", and says that trial 0 of scenario "x" ended`},
		{lines[0] + lines[1] + strings.Replace(lines[3], `,"trial":0,"outcome"`, `,"trial":1,"outcome"`, 1), 3,
			"has a record of trial 1"},
		{strings.Replace(lines[0], `"journal":1`, `"journal":2`, 1), 1, "version 2"},
		{strings.Replace(lines[0]+lines[1]+lines[3], `"outcome":"pass"`, `"outcome":"PASS"`, 1), 3, "outcome"},
	} {
		name := filepath.Join(t.TempDir(), "bad")
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(name)
		var bad *LineError
		if !errors.As(err, &bad) || bad.Line != c.line || !strings.Contains(bad.Problem, c.problem) {
			t.Errorf("want line %d %q, got %v", c.line, c.problem, err)
		}
	}
}

func TestJournalIsLocked(t *testing.T) {
	name := writeSome(t)
	w, _, err := Resume(name, someHeader, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Resume(name, someHeader, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("err = %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, _, err = Resume(name, someHeader, nil)
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	w.Close()
	if _, err := Create(name, someHeader); !errors.Is(err, ErrExists) {
		t.Errorf("err = %v", err)
	}
	if _, _, err := Resume(name+"x", someHeader, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
}

const smallJournal = `{"header":{"journal":1}}
{"launched":{"scenario":"x"}}
{"finished":{"scenario":"x","record":{"scenario":"x","outcome":"pass"}}}
`

// Whatever is read, the bytes add up, and no more ends than began.
func FuzzRead(f *testing.F) {
	f.Add([]byte(smallJournal))
	f.Add([]byte(smallJournal + `{"decision":{"test":"a"}}` + "\n" + `{"extended":{"test":"a","more":1}}` + "\n{\"laun"))
	f.Add([]byte(smallJournal + `{"finished":{"scenario":"x","record":{"output":"` + strings.Repeat("0a", 32) + `"}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, whole, err := read("f", bytes.NewReader(text), nil)
		if err != nil {
			return
		}
		if int(whole)+h.Torn != len(text) || h.Lost() < 0 || h.Ended() > len(h.Trials) {
			t.Errorf("%d whole bytes and %d torn of %d, %d lost, %d of %d ended", whole, h.Torn, len(text), h.Lost(), h.Ended(),
				len(h.Trials))
		}
		for _, x := range h.Trials {
			if (x.End == nil) != (x.Record == nil) || x.Began < 1 || x.Ended > x.Began {
				t.Errorf("%+v", x)
			}
		}
	})
}

// What is read of a line is what is read of it once it was written again.
func FuzzParseLine(f *testing.F) {
	for line := range strings.Lines(smallJournal) {
		f.Add([]byte(line))
	}
	f.Add([]byte(`{"decision":{"test":"a","outcome":"pass","trials":3}}`))
	f.Add([]byte(`{"extended":{"test":"a","more":1,"design":"d"}}`))
	f.Add([]byte(`{"launched":{}} {}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		line, err := ParseLine(text)
		if err != nil {
			return
		}
		written, err := json.Marshal(line)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := ParseLine(written)
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if second, err := json.Marshal(again); err != nil || !bytes.Equal(written, second) {
			t.Errorf("%s, and then %s, %v", written, second, err)
		}
	})
}
