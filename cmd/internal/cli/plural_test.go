package cli

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/report"
)

// pluralOfOne finds one of what is named as many.
var pluralOfOne = regexp.MustCompile(`(?:^|[\s("';:])1 (?:judged |recorded |further |more |other )?` +
	`(trials|scenarios|errors|attempts|files|steps|tests|pairs|rules|runs|looks|failures|passes|others|lines|tokens|` +
	`turns|clauses|tools|rounds|records|recordings|questions|variants|limits|levels|paths|executions)\b`)

// What is there once is named as one, by every command and in every format: a file of one trial, a suite of one
// scenario with one trial, a contract of one clause, and a trial that is an error.
func TestOneIsNoPlural(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	suite := "version: 1\nname: s\nlimits: none\nagent: {command: [echo, x]}\ntest: {threshold: 0.6, delta: 0.5, alpha: " +
		"0.4, beta: 0.4}\n" +
		"scenarios:\n  - {name: one, trials: 1, evaluate: [contains: x]}\n"
	step := `{"scenario":"a","outcome":"pass","cost_usd":0.1,"duration_s":1,"steps":[{"action":"call_tool","tool":"t","error":"e"}]}`
	for name, text := range map[string]string{
		"one.jsonl":   step,
		"fail.jsonl":  `{"scenario":"a","outcome":"fail","steps":[{"action":"call_tool","tool":"x"}]}`,
		"error.jsonl": `{"scenario":"a","outcome":"error","error":{"type":"t","message":"m"}}`,
		"both.jsonl": `{"scenario":"a","outcome":"pass"}` + "\n" +
			`{"scenario":"a","outcome":"error","error":{"type":"t","message":"m"}}`,
		"mixed.jsonl":   `{"scenario":"a","outcome":"pass","cost_usd":1}` + "\n" + `{"scenario":"a","outcome":"fail"}`,
		"contract.yaml": "version: 1\nname: c\nclauses:\n  - {name: a, kind: guardrail, forbid: {tools: x}}\n",
		"suite.yaml":    suite,
		"budget.yaml": strings.Replace(suite, "limits: none", "limits: none\nbudget: {max_trials: 1}", 1) +
			"  - {name: two, trials: 1, evaluate: [contains: y]}\n",
		"other/page.txt": "no trials",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	say := func(arguments string) (all string) {
		t.Helper()
		_, stdout, stderr := tribunal(context.Background(), App{}, strings.Fields(arguments)...)
		if found := pluralOfOne.FindString(stdout + stderr); found != "" {
			t.Errorf("tribunal %s says %q", arguments, strings.TrimSpace(found))
		}
		return stdout + stderr
	}
	saved := []string{}
	save := func(arguments string) {
		t.Helper()
		name := "saved" + string(rune('a'+len(saved))) + ".json"
		said := say(arguments + " -o " + name)
		say(arguments)
		if _, err := os.Stat(name); err != nil {
			t.Errorf("tribunal %s saves nothing: %s", arguments, said)
			return
		}
		saved = append(saved, name)
	}
	for _, file := range []string{"one", "fail", "error", "both", "mixed"} {
		save("verdict " + file + ".jsonl --threshold 0.9 --json")
		save("verdict " + file + ".jsonl --threshold 0.9 --by scenario --json")
		save("verdict " + file + ".jsonl --threshold 0.9 --sequential --json")
		save("compare one.jsonl " + file + ".jsonl --allow-duplicates --json")
		save("contract check contract.yaml " + file + ".jsonl --json")
		say("coverage " + file + ".jsonl")
		say("fingerprint one.jsonl " + file + ".jsonl")
		say("fingerprint " + file + ".jsonl")
		say("import " + file + ".jsonl")
		say("forecast --trials 1 " + file + ".jsonl")
	}
	save("run suite.yaml --json --fresh")
	save("run budget.yaml --json --fresh")
	save("run --record 1 suite.yaml --json --fresh")
	save("gate suite.yaml --json --fresh")
	save("plan --threshold 0.5 --delta 0.4 --json")
	for _, arguments := range []string{
		"plan --threshold 0.9 --max-trials 1", "plan --baseline 1/1", "compare --baseline 1/1 --candidate 0/1",
		"verdict --passes 1 --trials 1 --threshold 0.9", "verdict --passes 0 --trials 1 --threshold 0.9", "check suite.yaml",
		"check budget.yaml",
		"import other", "verdict other --threshold 0.9", "fingerprint one.jsonl fail.jsonl both.jsonl",
		"run budget.yaml --resume",
		"run suite.yaml --record 1", "repeat --record 1 -- false", "try --suite suite.yaml one",
	} {
		say(arguments)
	}
	for _, name := range saved {
		say("verify " + name)
		for _, format := range report.Formats() {
			say("report " + name + " --format " + format.String())
		}
	}
}

// Nor do pages, transcripts and samples of reports show many where there is one.
func TestPagesShowNoPluralOfOne(t *testing.T) {
	read := 0
	for _, root := range []string{"../../../docs", "transcripts", "../../../report/testdata", "../../../README.md",
		"../../../suite/testdata"} {
		err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			read++
			if found := pluralOfOne.FindString(string(text)); found != "" {
				t.Errorf("%s says %q", name, strings.TrimSpace(found))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if read < 50 {
		t.Errorf("only %d files were read", read)
	}
}
