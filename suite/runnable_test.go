//go:build unix

package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// What is not there is found before a run, of every program that a suite starts, with its place and what to
// do; what is there is not complained about.
func TestRunnable(t *testing.T) {
	folder, bin := t.TempDir(), t.TempDir()
	for name, mode := range map[string]os.FileMode{
		filepath.Join(bin, "python3"): 0o755, filepath.Join(bin, "sh"): 0o755, filepath.Join(bin, "run.sh"): 0o644,
		filepath.Join(folder, "agent.py"): 0o644, filepath.Join(folder, "lib.py"): 0o644, filepath.Join(bin, "node"): 0o755,
		filepath.Join(folder, "agent"): 0o755, filepath.Join(folder, "plain.py"): 0o644,
	} {
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "lib"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	const frame = "version: 1\nname: s\nlimits: none\ntest: {threshold: 0.9}\n"
	const one = "scenarios: [{name: one, evaluate: [contains: x]}]\n"
	for _, c := range []struct {
		suite string
		want  []string // as "LINE:COLUMN: message; hint"
	}{
		{"agent: {command: [python3, agent.py]}\n" + one, nil},
		{"agent: {command: [python3, agnt.py]}\n" + one, []string{`5:28: agent.command[1] names a script that is not there: ` +
			`"agnt.py"; its path is from the folder in which the program starts: that of the suite, or working_dir`}},
		{"agent: {command: [sh, ./agent]}\nscenarios: [{name: one, evaluate: [{command: [python3.11, ./j]}, {command: [sh, lib]}]}]\n",
			[]string{`6:47: scenarios[0].evaluate[0].command[0] names a program that is not in PATH: "python3.11"; did you mean "python3"?`,
				`6:59: scenarios[0].evaluate[0].command[1] names a script that is not there: "./j"; its path is from the ` +
					`folder in which the program starts: that of the suite, or working_dir`}},
		// What may work is not refused.
		{"agent: {command: [python3, -m, agnt.py]}\n" + one, nil},
		{"agent: {command: [sh, run.sh]}\n" + one, nil},          // from PATH
		{"agent: {command: [node, ./agnt]}\n" + one, nil},        // agnt.js, or a folder
		{"agent: {command: [sh, '{id}.sh']}\n" + one, nil},       // one of the trial's own
		{"agent: {command: [python3, subcommand]}\n" + one, nil}, // no ending
		{"agent: {command: [./agent]}\n" + one, nil},
		{"agent: {command: ['./{id}']}\n" + one, nil},
		{"agent: {command: [pythn3, agent.py]}\n" + one,
			[]string{`5:19: agent.command[0] names a program that is not in PATH: "pythn3"; did you mean "python3"?`}},
		{"agent: {command: [agent]}\n" + one,
			[]string{`5:19: agent.command[0] names a program that is not in PATH: "agent"; the one in the folder of the suite is "./agent"`}},
		{"agent: {command: [./agnt]}\n" + one,
			[]string{`5:19: agent.command[0] names a program that is not there: "./agnt"; its path is from the folder of the suite`}},
		{"agent: {command: [./plain.py]}\n" + one,
			[]string{`5:19: agent.command[0] names a program that cannot be executed: "./plain.py"; make it executable, or begin with what runs it, such as python3`}},
		{"agent: {command: [./lib]}\n" + one,
			[]string{`5:19: agent.command[0] names a folder, which cannot be executed: "./lib"`}},
		{
			"agent: {command: [./agent]}\nbaseline_agent: {command: [./old]}\nvariants: [{name: a, command: [./a]}]\n" +
				"matrix: {x: [{name: p, command: [./p]}, {name: q}], y: [{name: r}, {name: s}]}\n" +
				"scenarios: [{name: one, evaluate: [{not: {command: [./judge]}}, {command: {command: [judge, x]}}]}]\n",
			[]string{
				`6:28: baseline_agent.command[0] names a program that is not there: "./old"; its path is from the folder of the suite`,
				`7:32: variants[0].command[0] names a program that is not there: "./a"; its path is from the folder of the suite`,
				`8:34: matrix.x[0].command[0] names a program that is not there: "./p"; its path is from the folder of the suite`,
				`9:53: scenarios[0].evaluate[0].not.command[0] names a program that is not there: "./judge"; its path is from the folder of the suite`,
				`9:86: scenarios[0].evaluate[1].command.command[0] names a program that is not in PATH: "judge"`,
			},
		},
		{"agent: {command: [./agent], output: text}\nscenarios: [{name: one, evaluate: [contains: x]}, {name: two}]\n",
			[]string{
				"6:51: scenarios[1] is judged by nothing: it has no evaluator, and output: text states no outcome; such as " +
					"evaluate: [contains: billing], or output: trial for an agent that states its outcome",
			}},
		{"agent: {command: [./agent], output: claude-stream}\nscenarios: [{name: one}]\n", []string{
			"6:13: scenarios[0] is judged by nothing: it has no evaluator, and output: claude-stream states no outcome; such " +
				"as evaluate: [contains: billing], or output: trial for an agent that states its outcome",
		}},
		{"agent: {command: [./agent], output: junit}\nscenarios: [{name: one}]\n", nil},
		{"agent: {command: [./agent], output: otlp}\nscenarios: [{name: one}]\n", nil},
		{"agent: {command: [./agent], output: lines}\nscenarios: [{name: one}]\n", nil},
		{"agent: {command: [./agent]}\nscenarios: [{name: one}]\n", nil},
	} {
		file := filepath.Join(folder, "tribunal.yaml")
		s, err := Parse(file, []byte(frame+c.suite))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := s.Runnable(); err != nil {
			got = strings.Split(strings.ReplaceAll(err.Error(), file+":", ""), "\n")
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.suite, diff)
		}
	}
}

// A run needs what it starts: not the agent that variants replace, nor the judge of a scenario that is left out,
// nor a baseline that does not run.
func TestStartable(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "agent"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	const text = "version: 1\nname: s\nlimits: none\ntest: {threshold: 0.9}\n" +
		"agent: {command: [./gone]}\nbaseline_agent: {command: [./old]}\n%s" +
		"scenarios: [{name: one, evaluate: [{command: [./judge]}]}, {name: two, evaluate: [contains: x]}]\n"
	const there = "its path is from the folder of the suite"
	for _, c := range []struct {
		variants   string
		scenarios  []int
		sideBySide bool
		want       []string
	}{
		{"", []int{1}, false, []string{`5:19: agent.command[0] names a program that is not there: "./gone"; ` + there}},
		{"variants: [{name: a, command: [./agent]}]\n", []int{1}, false, nil},
		{"variants: [{name: a, command: [agent]}]\n", []int{1}, false, nil},
		{"variants: [{name: a, command: [./agent]}]\n", []int{0, 1}, false,
			[]string{`8:47: scenarios[0].evaluate[0].command[0] names a program that is not there: "./judge"; ` + there}},
		{"variants: [{name: a, command: [./agent]}]\n", []int{1}, true,
			[]string{`6:28: baseline_agent.command[0] names a program that is not there: "./old"; ` + there}},
		{"variants: [{name: a, command: [./agent], working_dir: nowhere}, {name: b, command: [./agent], working_dir: .}]\n",
			[]int{1}, false, []string{` working_dir names a folder that is not there: "nowhere"; ` + there}},
	} {
		file := filepath.Join(folder, "tribunal.yaml")
		s, err := Parse(file, []byte(strings.Replace(text, "%s", c.variants, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var scenarios []Scenario
		for _, i := range c.scenarios {
			scenarios = append(scenarios, s.Scenarios[i])
		}
		var got []string
		if err := s.Startable(scenarios, c.sideBySide); err != nil {
			got = strings.Split(strings.ReplaceAll(err.Error(), file+":", ""), "\n")
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.variants, diff)
		}
	}
}

// A program that PATH has only through the working directory is not started by its name.
func TestProgramOfTheWorkingDirectory(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "agent"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	t.Setenv("PATH", ".")
	s, err := Parse("tribunal.yaml", []byte("version: 1\nname: s\nlimits: none\ntest: {threshold: 0.9}\n"+
		"agent: {command: [agent]}\nscenarios: [{name: one, evaluate: [contains: x]}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	err = s.Startable(s.Scenarios, false)
	if err == nil || !strings.Contains(err.Error(), "only the working directory in PATH has") {
		t.Errorf("got %v", err)
	}
}

// The formats that are said to state no outcome do not: no trial of their samples passed.
func TestSilentFormats(t *testing.T) {
	for _, name := range silentFormats {
		if name == OutputText {
			continue
		}
		format, err := ingest.ParseFormat(name)
		if err != nil {
			t.Error(err)
			continue
		}
		files, err := filepath.Glob("../ingest/testdata/formats/" + name + "/input.*")
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no sample: %v", name, err)
			continue
		}
		o := ingest.Options{From: format, Options: trial.Options{Unjudged: true}}
		for x, err := range ingest.Open(files, o).Trials(t.Context()) {
			if err != nil || x.Outcome == trial.Pass {
				t.Errorf("%s: %v, %v", name, x, err)
			}
		}
	}
}
