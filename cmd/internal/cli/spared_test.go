package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No command writes what its next call would read: into a pattern, or a folder of which every file is read. What is
// left out of a folder may lie in it, and so may what lies in a folder with a point.
func TestOutputIsNotReadAgain(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for _, name := range []string{"logs/deep/.tribunal", "runs"} {
		if err := os.MkdirAll(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("logs", "link"); err != nil {
		t.Skip(err)
	}
	files := map[string]string{
		"contract.yaml": "version: 1\nname: c\nclauses:\n  - {name: a, kind: guardrail, forbid: {tools: x}}\n",
		"suite.yaml": "version: 1\nname: s\nlimits: none\nagent: {command: [a]}\ntest: {threshold: 0.9}\nscenarios: " +
			"[{name: a}]\n",
		"other.jsonl": `{"scenario":"a","outcome":"pass","cost_usd":1,"steps":[{"action":"call_tool","tool":"t"}]}` + "\n",
	}
	files["logs/1.jsonl"] = files["other.jsonl"]
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands := []string{
		"verdict IN --threshold 0.5", "compare other.jsonl IN --allow-duplicates", "contract check contract.yaml IN", "coverage IN",
		"fingerprint IN", "forecast IN --runs-per-day 10", "import IN", "limits IN --share 0.5 --confidence 0.5",
		"suggest suite.yaml IN",
	}
	for _, c := range []struct {
		in, flags, out string
		refused        bool
		imports        bool // what else import refuses
	}{
		{"logs/*.jsonl", "", "logs/new.jsonl", true, true},
		{"./logs/[!x]*.js*", "", "logs/new.json", true, true},
		{"logs/**", "", "logs/deep/new.json", true, true},
		{"**/*.jsonl", "", "logs/new.jsonl", true, true},
		{filepath.Join(folder, "logs", "*.jsonl"), "", "logs/new.jsonl", true, true},
		{"logs/*.jsonl", "", "logs/new.json", false, false},
		{"logs/*.jsonl", "", "logs/deep/new.jsonl", false, false},
		{"logs/**", "", "logs/deep/.tribunal/new.json", false, false},
		{"logs", "--from trials", "logs/new.json", true, true},
		{"logs", "--from trials", "link/deep/new.json", true, true},
		{"link", "--from trials", "logs/new.json", true, true},
		{"logs", "--from trials", "logs/deep/.tribunal/new.json", false, false},
		{"logs", "--from trials", "runs/new.json", false, false},
		{"logs", "", "logs/new.json", false, true},
		{"other.jsonl", "--from trials", "new.json", false, false},
	} {
		for _, command := range commands {
			args := strings.Fields(strings.Replace(command, "IN", c.in, 1) + " " + c.flags + " -o " + c.out)
			code, _, stderr := tribunal(context.Background(), App{}, args...)
			refused := c.refused || c.imports && strings.HasPrefix(command, "import")
			told := code == ExitUsage &&
				strings.Contains(stderr, "hint: write it elsewhere: the next call would take it for a recording")
			_, err := os.Stat(c.out)
			if refused != told || refused != (err != nil) {
				t.Errorf("%s: exit code %d: %s", strings.Join(args, " "), code, stderr)
			}
			os.Remove(c.out)
		}
	}
}
