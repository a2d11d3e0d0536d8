package runner

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/trial"
)

// Keys are removed from wherever they stand as they are where values of variables are removed too, which goes through
// every text, and what has none stays to the byte.
func TestKeysAreRemovedFromATrial(t *testing.T) {
	key := "ghp" + "_" + strings.Repeat("a1B2", 9)
	escaped := strings.ReplaceAll(key, "_", `\u005f`)
	inBase64 := base64.StdEncoding.EncodeToString([]byte("???" + key))
	made := func(value string) *trial.Trial {
		raw := trial.Raw(value)
		return &trial.Trial{Scenario: "s", Outcome: trial.Pass, Input: raw, Output: raw,
			Tags:  []trial.Member{{Name: "k", Value: raw}},
			Steps: []trial.Step{{Action: trial.CallTool, Tool: "t", Arguments: raw, Output: raw, Error: value}}}
	}
	named := redact.Of([]string{"KEY"}, []string{"KEY=nowhere-to-be-found"})
	for _, value := range []string{
		`{ "a": 1.50, "b": ["\u00e9\n", "short"] }`, `"` + key + `"`, `["` + escaped + `"]`, `{"` + key + `": 1}`,
		`{"a":"` + strings.ReplaceAll(inBase64, "/", `\/`) + `"}`, `"a long-name-of-something-without-a-key"`, `0123456789`,
		`{"not": JSON ` + key,
	} {
		got, want := made(value), made(value)
		RemoveKeys(got)
		removeFrom(want, named)
		for i, pair := range [][2]string{{string(got.Input), string(want.Input)}, {string(got.Output), string(want.Output)},
			{string(got.Tags[0].Value), string(want.Tags[0].Value)}, {got.Steps[0].Error, want.Steps[0].Error},
			{string(got.Steps[0].Arguments), string(want.Steps[0].Arguments)},
			{string(got.Steps[0].Output), string(want.Steps[0].Output)}} {
			if pair[0] != pair[1] {
				t.Errorf("%s, text %d: %s, want %s", value, i, pair[0], pair[1])
			}
		}
		has := strings.Contains(value, key) || strings.Contains(value, escaped) || strings.Contains(value, `"a":"`)
		if has == (string(got.Input) == value) {
			t.Errorf("%s becomes %s", value, got.Input)
		}
	}
}
