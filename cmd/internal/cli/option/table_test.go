package option

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

// differing are the names that have rows of some commands beside the row of all, by what tells them apart.
var differing = map[string]string{
	"another default": "concurrency from journal ledger max-age max-cost min-pass-rate name output scenario seed suite " +
		"threshold trial variant",
	"another question": "alpha baseline beta by compare delta gamma guard looks max-trials power prior proxy rate " +
		"record recorded sample since",
	"another kind of value": "accept branch chart csv family format json label listen only quarantine scenarios " +
		"store token trials",
	"another end of the run": "max-tokens max-turns",
}

// An option has one group, and one row unless there is a reason for another.
func TestRows(t *testing.T) {
	reason := map[string]string{}
	for why, names := range differing {
		for name := range strings.FieldsSeq(names) {
			reason[name] = why
		}
	}
	groups := map[string]string{}
	for _, g := range Groups {
		if !slices.IsSortedFunc(g.Rows, func(a, b Row) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(min(1, len(a.Commands)), min(1, len(b.Commands))))
		}) {
			t.Errorf("%s is not in order", g.Title)
		}
		rows := map[string]Row{}
		for _, r := range g.Rows {
			switch before, again := rows[r.Name]; {
			case groups[r.Name] != "" && !again:
				t.Errorf("--%s is in %s and in %s", r.Name, groups[r.Name], g.Title)
			case !again:
			case reason[r.Name] == "":
				t.Errorf("--%s has several rows, and nobody says why", r.Name)
			case r.Daily || r.Usage == before.Usage && r.Default == before.Default && r.Unit == before.Unit:
				t.Errorf("--%s of %q says nothing else than the row before", r.Name, r.Commands)
			}
			rows[r.Name], groups[r.Name] = r, g.Title
		}
	}
	for name := range reason {
		if rows := places()[name].rows; len(rows) < 2 {
			t.Errorf("--%s has %d rows, and a reason for several", name, len(rows))
		}
	}
}
