package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What matches nothing is named as it was given, with what was probably meant.
func TestSelectionOfNothing(t *testing.T) {
	folder := t.TempDir()
	suite := `version: 1
name: s
limits: none
agent: {command: [sh, -c, "echo pass"], output: lines}
test: {threshold: 0.8, delta: 0.4, max_trials: 20}
scenarios: [{name: billing/refund, input: 1, tags: [billing]}, {name: track, input: 2},
  {name: desk/late/parcel}, {name: desk/late/letter}]
`
	if err := os.WriteFile(filepath.Join(folder, "tribunal.yaml"), []byte(suite), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flags, problem, hint string }{
		{"--only refun", `no scenario matches --only "refun"`, `did you mean --only "billing/refund"?`},
		{"--only billing*", `no scenario matches --only "billing*"`,
			`hint: a * does not match a slash: --only "billing/*" matches "billing/refund"`},
		{"--only billing/**/x", `no scenario matches --only "billing/**/x"`, `the suite has 4 scenarios`},
		{"--only *refund", `no scenario matches --only "*refund"`, `a * does not match a slash: --only "*/*refund" matches`},
		{"--only refund", `no scenario matches --only "refund"`, `hint: --only "*/refund" matches "billing/refund"`},
		{"--only desk", `no scenario matches --only "desk"`, `hint: --only "desk/*/*" matches "desk/late/parcel"`},
		{"--only DESK", `no scenario matches --only "DESK"`, `did you mean --only "desk/late/parcel"?`},
		{"--only trak --tag x", `no scenario matches --only "trak" and --tag "x"`, `did you mean --only "track"?`},
		{"--only track --tag biling", `--only "track" and --tag "biling"`, `did you mean --tag "billing"?`},
		{"--tag biling", `no scenario matches --tag "biling"`, `did you mean --tag "billing"?`},
		{"--only zzzzzz", `no scenario matches --only "zzzzzz"`, `the suite has 4 scenarios, such as "billing/refund"`},
	} {
		args := append([]string{"check", folder}, strings.Fields(c.flags)...)
		code, stdout, stderr := tribunal(context.Background(), App{}, args...)
		if code != ExitUsage || stdout != "" || !strings.Contains(stderr, c.problem) || !strings.Contains(stderr, c.hint) {
			t.Errorf("%s: exit code %d, %s", c.flags, code, stderr)
		}
	}
	code, _, stderr := tribunal(context.Background(), App{}, "improve", "rase")
	if code != ExitUsage || !strings.Contains(stderr, "did you mean tribunal improve race?") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
