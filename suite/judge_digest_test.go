package suite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// A judge is another one where a variable in its command is, and the same with another key.
func TestVariablesOfJudges(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "judge.sh"), []byte("exit 0"), 0o666); err != nil {
		t.Fatal(err)
	}
	digest := func(command string) string {
		text := "version: 1\nname: x\nagent: {command: [a]}\ntest: {threshold: 0.8}\nlimits: none\nscenarios:\n" +
			"  - {name: a, evaluate: [any: [command: " + command + "]]}\n"
		s, err := Parse(filepath.Join(dir, "tribunal.yaml"), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		judges := oracle.Judges(s.Scenarios[0].Evaluators()...)
		if len(judges) != 1 {
			t.Fatal(judges)
		}
		return oracle.DigestOf(judges[0])
	}
	const command = `{command: [sh, judge.sh, "${JUDGE_MODEL}"], env: {KEY: "${JUDGE_KEY}"}}`
	t.Setenv("JUDGE_MODEL", "small")
	t.Setenv("JUDGE_KEY", "one")
	first := digest(command)
	t.Setenv("JUDGE_KEY", "two")
	if digest(command) != first {
		t.Error("another key makes another judge")
	}
	t.Setenv("JUDGE_MODEL", "large")
	if digest(command) == first {
		t.Error("another model makes no other judge")
	}
}
