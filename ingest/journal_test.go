package ingest

import (
	"strings"
	"testing"
)

func TestBadJournal(t *testing.T) {
	const header = `{"header":{"journal":1,"tests":[]}}` + "\n"
	for _, c := range []struct{ text, want string }{
		{header, "f holds no trials"},
		{header + `{"finished":{"scenario":"a","trial":0,"record":{"scenario":"a","outcome":"good"}}}`,
			`f:2: outcome "good" is not one of pass, fail, error`},
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
	seed(f, "journal", `{"finished":{"record":{"scenario":"a","outcome":"pass"}}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "journal") })
}
