package ingest

import (
	"strings"
	"testing"
)

// Trial 2 ended first, and trial 0 at its second attempt: the order is that in which
// they were launched.
func TestJournal(t *testing.T) {
	s := Open([]string{"testdata/journal.jsonl"}, Options{})
	checkWritten(t, s, `
10 {"scenario":"day","trial":0,"outcome":"pass"}
9 {"scenario":"day","trial":1,"outcome":"fail"}
5 {"scenario":"day","trial":2,"outcome":"pass","steps":[{"action":"respond"}],"output":"sunny"}`)
	checkNotes(t, s, "testdata/journal.jsonl: 3 trials (journal); left out: lines that hold no JSON object (1), trials that did not end (1); line 12 is cut off or not JSON; attempts that were repeated: 1; the last one of each trial counts; the run ended when its tests had decided: its share of passes leans to the side of the decision")
}

func TestBadJournal(t *testing.T) {
	const header = `{"header":{"journal":1,"tests":[]}}` + "\n"
	for _, c := range []struct{ text, want string }{
		{header, "f holds no trials"},
		{header + `{"finished":{"scenario":"a","trial":0,"record":{"scenario":"a","outcome":"good"}}}`, `f:2: outcome "good" is not one of pass, fail, error`},
		{header + `{"finished":{"scenario":"a","trial":0,"record":{"scenario":"a"}}}`, `f:2: outcome is missing`},
		{header + `{"finished":{"scenario":"a","trial":0,"record":[]}}`, `f:2:`},
		{header + `{"launched":{"scenario":"a","trial":0}}`, "f holds no trials"},
	} {
		if _, err := written(streamOf(c.text, Options{})); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzJournal(f *testing.F) {
	seed(f, "journal.jsonl", `{"finished":{"record":{"scenario":"a","outcome":"pass"}}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "journal") })
}
