package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
)

// importedRun is the ID of the run that a file becomes in a store that is empty.
func importedRun(t *testing.T, file, name string) string {
	t.Helper()
	if code, _, stderr := tribunal(context.Background(), App{}, "import", file, "--store", name); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	s, err := store.Open(t.Context(), name, store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	runs, err := s.Runs(t.Context(), store.Query{}, 0, 0)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	return runs[0].ID
}

// Every command that has a flag for where its result goes, or in what form, does what the flag says, alone and
// together with the others. The commands are those of the tree: a new one needs a row here. Package seams has every
// result in every format.
func TestOutputFlagsOfEveryCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the agent needs a shell")
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"tribunal.yaml": "version: 1\nname: s\nlimits: none\nagent: {command: [sh, -c, \"echo pass\"], output: lines}\n" +
			"test: {threshold: 0.8, delta: 0.4, max_trials: 20}\nscenarios: [{name: one, input: 1}]\n" +
			"relations: [{name: twice, kind: idempotence, delta: 0.4}]\n",
		"corpus/conformance/one.yaml": "input: 1\n",
		"race.yaml": "version: 1\nname: race\nlimits: none\nagent: {command: [sh, -c, \"echo $ANSWER\"], output: lines, " +
			"env: {ANSWER: fail}}\n" +
			"variants: [{name: right, env: {ANSWER: pass}}]\ntest: {threshold: 0.8}\nscenarios: [{name: one, input: 1}]\n",
		"corpus/tribunal.yaml": "limits: none\ntest: {threshold: 0.8, delta: 0.4}\n" +
			"agent: {command: [sh, -c, \"echo pass\"], output: lines}\n",
		"contract.yaml": "version: 1\nname: c\nclauses:\n  - {name: a, kind: guardrail, forbid: {tools: x}}\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var trials strings.Builder
	for i := range 60 {
		trials.WriteString(`{"scenario":"a","trial":` + strconv.Itoa(i) + `,"outcome":"` +
			[]string{"pass", "fail", "pass"}[i%3] + `","steps":[` + strings.Repeat(`{"action":"call_tool","tool":"t"},`, i%4) +
			`{"action":"respond"}]}` + "\n")
	}
	if err := os.WriteFile(filepath.Join(folder, "x.jsonl"), []byte(trials.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"loop", "begun", "duo"} {
		for name, text := range ratchetFiles(name) {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Chdir(folder)
	for _, args := range []string{"improve ratchet run begun", "improve ratchet init duo"} {
		if code, _, stderr := tribunal(context.Background(), App{}, strings.Fields(args)...); code > ExitInconclusive {
			t.Fatalf("%s: exit code %d: %s", args, code, stderr)
		}
	}
	if code, _, stderr := tribunal(context.Background(), App{}, "run", "--ledger", "off"); code != ExitPass {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if code, _, stderr := tribunal(context.Background(), App{}, "judge", "label", "x.jsonl", "-o",
		"sheet.csv"); code != ExitPass {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if code, _, stderr := tribunal(context.Background(), App{}, "store", "baseline", "record", "main", "--trials", "3",
		"--store", "runs.db"); code != ExitPass {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if code, _, stderr := tribunal(context.Background(), App{}, "run", "--ledger", "off", "--fresh", "--output",
		".tribunal/other.result.json"); code != ExitPass {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	sheet, err := os.ReadFile("sheet.csv")
	if err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := tribunal(context.Background(), App{}, "import", "x.jsonl", "--store", "runs.db", "--suite",
		"shop"); code != ExitPass {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	sheet = bytes.ReplaceAll(sheet, []byte(",,,\n"), []byte(",,pass,\n"))
	if err := os.WriteFile("sheet.csv", sheet, 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := store.Open(t.Context(), "kept.db", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := tribunal(context.Background(), App{}, "run", "--shard", "1/1"); code != ExitPass {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	rows := map[string]string{
		"verdict": "x.jsonl --threshold 0.5 --ledger off", "compare": "x.jsonl x.jsonl --allow-duplicates --ledger off",
		"plan": "--threshold 0.9",
		"run":  "--fresh --ledger off", "run merge": "--fresh --ledger off", "gate": "--results .tribunal/s.result.json",
		"report": ".tribunal/s.result.json", "report view": ".tribunal/s.result.json --no-open",
		"plan month": "x.jsonl --runs-per-day 5", "store history": "shop --store runs.db", "check": "",
		"check contract": "contract.yaml x.jsonl", "check coverage": "x.jsonl",
		"compare fingerprint": "x.jsonl", "import": "x.jsonl", "judge": "tribunal.yaml x.jsonl", "judge label": "x.jsonl",
		"judge check": "sheet.csv", "check suggest": "tribunal.yaml x.jsonl",
		"compare rank": ".tribunal/s.result.json .tribunal/other.result.json",
		"plan limits":  "x.jsonl --share 0.5", "check evaluators": "--list", "plan prices list": "",
		"plan prices check": "x.jsonl",
		"report verify":     ".tribunal/s.result.json", "store info": "--store kept.db", "store export": "--store kept.db",
		"monitor": "x.jsonl --baseline 40/60",
		"repeat":  "--fresh --stdout -- cat x.jsonl", "verdict decide": "", "try": "",
		"run mutants":   "tribunal.yaml --recorded x.jsonl",
		"run relations": "--fresh", "improve race": "race.yaml --delta 0.4 --fresh --ledger off", "wire": "-- true",
		"improve ratchet run": "--fresh loop", "improve ratchet init": "--fresh loop",
		"improve ratchet try":    "--suite duo --challenger broken",
		"improve ratchet status": "begun", "wire serve": "--for 1ms", "run conformance": "--fresh --ledger off corpus",
		"store baseline show": "main --store runs.db", "store baseline list": "--store runs.db",
	}
	// One trial is one JSON document.
	rows["store traces query"], rows["store traces sample"] = "--store found.db --limit 1", "--store found.db -n 1"
	rows["store traces show"] = "--store found.db " + importedRun(t, "x.jsonl", "found.db") + "/0/0"
	root := root(completed(App{}))
	for _, command := range base.WithSubcommands(root) {
		flags := command.Flags()
		if flags.Lookup("output") == nil && flags.Lookup("json") == nil && flags.Lookup("report") == nil {
			continue
		}
		name := strings.TrimPrefix(command.CommandPath(), "tribunal ")
		row, known := rows[name]
		if !known {
			t.Errorf("%s has a flag for its output and no row", name)
			continue
		}
		run := func(more ...string) string {
			args := append(append(strings.Fields(name), more...), strings.Fields(row)...)
			code, stdout, stderr := tribunal(context.Background(), App{}, args...)
			if code > ExitInconclusive {
				t.Errorf("%q: exit code %d: %s", args, code, stderr)
			}
			return stdout
		}
		made := func(file string) []byte {
			text, err := os.ReadFile(file)
			if err != nil || len(text) == 0 {
				t.Errorf("%s makes no %s: %v", name, file, err)
			}
			return text
		}
		// run, gate, conform, relate, race and ratchet save beside what they print, decide beside what it answers, and
		// view prints where its page is.
		prints := name == "run" || name == "run merge" || name == "gate" || name == "repeat" || name == "run conformance" ||
			name == "verdict decide" || name == "report view" ||
			name == "run relations" || name == "improve race" || name == "improve ratchet run" || name == "improve ratchet try"
		if flags.Lookup("output") != nil {
			for _, form := range [][]string{nil, {"--json"}} {
				// A change tries the last form alone.
				if form != nil && flags.Lookup("json") == nil ||
					form == nil && flags.Lookup("json") != nil && !thorough.Asked() {
					continue
				}
				file := "out" + filepath.Base(name) + strings.Join(form, "")
				stdout := run(append(form, "-o", file)...)
				if text := made(file); form != nil && !json.Valid(text) {
					t.Errorf("%s --json -o: no JSON: %s", name, text)
				}
				if (stdout != "") != prints {
					t.Errorf("%s %v -o FILE prints %q", name, form, stdout)
				}
			}
		}
		if flags.Lookup("json") != nil && (flags.Lookup("output") == nil || thorough.Asked()) {
			if stdout := run("--json"); !json.Valid([]byte(stdout)) {
				t.Errorf("%s --json prints %q", name, stdout)
			}
		}
		if flags.Lookup("report") == nil || flags.Lookup("output") != nil && name != "verdict" && !thorough.Asked() {
			continue
		}
		// All forms at once, and one beside --output and --json.
		var all []string
		for _, format := range report.Formats() {
			all = append(all, "--report", format.String()+"="+name+"."+format.String())
		}
		plain := run()
		if stdout := run(all...); len(stdout) == 0 || bytes.Count([]byte(stdout), []byte("\n")) > 2*strings.Count(plain,
			"\n") {
			t.Errorf("%s --report prints %q", name, stdout)
		}
		for _, format := range report.Formats() {
			// A Pass has nothing to annotate: its file is there and empty.
			if _, err := os.Stat(name + "." + format.String()); format != report.AnnotationsFormat || err != nil {
				made(name + "." + format.String())
			}
		}
		if flags.Lookup("output") == nil {
			continue
		}
		stdout := run("--report", "junit=pair.xml", "-o", "pair.json", "--json")
		if !bytes.Contains(made("pair.xml"), []byte("<testsuite")) || !json.Valid(made("pair.json")) ||
			(stdout != "") != prints || prints && !json.Valid([]byte(stdout)) {
			t.Errorf("%s: --report, --output and --json together", name)
		}
	}
}
