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
scenarios: [{name: billing/refund, input: 1, tags: [billing]}, {name: track, input: 2}]
`
	if err := os.WriteFile(filepath.Join(folder, "tribunal.yaml"), []byte(suite), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flags, problem, hint string }{
		{"--only refun", `no scenario of the suite has --only "refun"`, `did you mean "billing/refund"?`},
		{"--only billing*", `no scenario of the suite has --only "billing*"`, `"billing/refund"? A * does not match a slash`},
		{"--only trak --tag x", `has --only "trak" and --tag "x"`, `did you mean "track"?`},
		{"--tag biling", `no scenario of the suite has --tag "biling"`, "did you mean --tag billing?"},
		{"--only zzzzzz", `has --only "zzzzzz"`, `the suite has 2 scenarios, such as "billing/refund"`},
	} {
		args := append([]string{"check", folder}, strings.Fields(c.flags)...)
		code, stdout, stderr := tribunal(context.Background(), App{}, args...)
		if code != ExitUsage || stdout != "" || !strings.Contains(stderr, c.problem) || !strings.Contains(stderr, c.hint) {
			t.Errorf("%s: exit code %d, %s", c.flags, code, stderr)
		}
	}
	code, _, stderr := tribunal(context.Background(), App{}, "contract", "chek")
	if code != ExitUsage || !strings.Contains(stderr, "did you mean tribunal contract check?") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
}
