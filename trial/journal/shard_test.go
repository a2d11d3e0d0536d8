package journal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"1/1": {1, 1}, "2/8": {2, 8}, "10000/10000": {10_000, 10_000}} {
		if s, err := ParseShard(text); err != nil || s != want || s.String() != text {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "2", "0/8", "9/8", "-1/8", "2/0", "a/8", "2/8/9", "1/10001", "2 / 8"} {
		if s, err := ParseShard(text); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
}

// The journal of a shard has run its part until something is launched after that, and its lines can be copied.
func TestJournalOfAShard(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal")
	header := Header{Suite: "s", Seed: 3, Shard: &Shard{2, 3}, Tests: []Test{{Name: "a", Scenarios: []string{"a"}}}}
	w, err := Create(file, header)
	if err != nil {
		t.Fatal(err)
	}
	launch := func(number int) {
		w.Launch(Launch{Test: "a", Scenario: "a", Trial: number, Seed: 9})
		record := &trial.Trial{Scenario: "a", Index: trial.Some(number), Outcome: trial.Pass}
		if err := w.End(End{Scenario: "a", Trial: number}, record); err != nil {
			t.Fatal(err)
		}
	}
	told := func(decided bool, share string) {
		t.Helper()
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		h, err := Read(file)
		if err != nil || h.Decided() != decided || (h.Share == nil) != (share == "") || h.Share != nil &&
			h.Share.Budget != share &&
			share != "whole" {
			t.Errorf("%+v, %v", h, err)
		}
	}
	launch(0)
	told(false, "")
	w.Share(Share{Trials: 1, Needed: 2, Budget: "cost"})
	told(false, "cost")
	launch(1)
	told(false, "")
	w.Share(Share{Trials: 2, Needed: 2})
	told(true, "whole")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if h, err := HeaderOf(file); err != nil || *h.Shard != *header.Shard || h.Seed != 3 {
		t.Errorf("%+v, %v", h, err)
	}
	other := header
	other.Shard = &Shard{1, 3}
	if _, _, err := Resume(file, other, nil); err == nil ||
		!strings.Contains(err.Error(), "its part is 2/3, now it is 1/3") {
		t.Error(err)
	}
	other.Shard = nil
	if _, _, err := Resume(file, other, nil); err == nil ||
		!strings.Contains(err.Error(), "its part is 2/3, now it is all of it") {
		t.Error(err)
	}
	_, lines, err := ReadWithLines(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	if list, err := lines.Of(Key{Scenario: "a", Number: 1}); err != nil || len(list) != 2 || list[0].Launch == nil ||
		list[1].End == nil {
		t.Errorf("%+v, %v", list, err)
	}
	// A whole run has no part that ends.
	whole := filepath.Join(t.TempDir(), "whole")
	if w, err = Create(whole, other); err != nil {
		t.Fatal(err)
	}
	w.Share(Share{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(whole); err == nil || !strings.Contains(err.Error(), "line 2: ends a part of a run") {
		t.Error(err)
	}
}
