//go:build unix

package oracle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/trial"
)

// What an agent may do to its judge between two judgements: each is an error of the judging, and never a pass.
func TestJudgesThatWereReplaced(t *testing.T) {
	const refuses = "#!/bin/sh\necho no; exit 1\n"
	const passes = "#!/bin/sh\nexit 0\n"
	files := map[string]string{
		"judge": refuses, "judge.sh": ". ./part.sh\n", "part.sh": refuses,
		"judge.py":      "import sys, helper, parts.inner\nsys.exit(1)\n",
		"helper.py":     "x = 1\n",
		"parts/deep.py": "x = 1\n", "parts/inner.py": "x = 1\n",
		"judge.mjs": "import x from \"./module.mjs\"\nprocess.exit(1)\n", "module.mjs": "export default 1\n",
		"other/file": "x",
	}
	for name, c := range map[string]struct {
		argv []string
		deed func(t *testing.T, folder string)
		want string // the file that is named; "" is no change
	}{
		"the program":             {[]string{"./judge"}, write("judge", passes), "judge"},
		"the program, moved":      {[]string{"./judge"}, rename("judge", "away"), "judge"},
		"a link in its place":     {[]string{"./judge"}, link("judge", "/bin/true"), "judge"},
		"a script":                {[]string{"sh", "judge.sh"}, write("judge.sh", passes), "judge.sh"},
		"what a script takes in":  {[]string{"sh", "./judge.sh"}, write("part.sh", passes), "part.sh"},
		"a script of Python":      {[]string{"python3", "-u", "judge.py"}, write("judge.py", "x = 2"), "judge.py"},
		"a module":                {[]string{"python3", "judge.py"}, write("helper.py", "exit()"), "helper.py"},
		"a module that was none":  {[]string{"python3", "judge.py"}, write("json.py", "x = 2"), "json.py"},
		"a package that was none": {[]string{"python3", "judge.py"}, write("json/__init__.py", "x = 2"), "__init__.py"},
		"a module of a package":   {[]string{"python3", "judge.py"}, write("parts/deep.py", "x = 2"), "deep.py"},
		"a module that is gone":   {[]string{"python3", "judge.py"}, rename("helper.py", "away"), "helper.py"},
		"a module of JavaScript":  {[]string{"node", "judge.mjs"}, write("module.mjs", "x"), "module.mjs"},
		"the second script": {[]string{"node", "--import", "./module.mjs", "judge.mjs"}, write("judge.mjs", "x"),
			"judge.mjs"},
		"nothing":                  {[]string{"./judge"}, func(*testing.T, string) {}, ""},
		"the same again":           {[]string{"./judge"}, write("judge", refuses), ""},
		"what it may read":         {[]string{"./judge", "other/file"}, write("other/file", "y"), ""},
		"what the agent has to do": {[]string{"python3", "judge.py", "other/file"}, write("other/x.py", "y"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for name, text := range files {
				write(name, text)(t, folder)
			}
			judge, err := Command(c.argv, CommandOptions{Dir: folder})
			if err != nil {
				t.Fatal(err)
			}
			DigestOf(judge) // as before the first trial
			c.deed(t, folder)
			r := judge.Evaluate(t.Context(), Evidence{Trial: &trial.Trial{Scenario: "x"}})
			switch {
			case r.Outcome == trial.Pass:
				t.Errorf("it passes: %+v", r)
			case c.want == "" && strings.Contains(r.Text, "is not what it was"):
				t.Errorf("nothing was changed: %s", r.Text)
			case c.want != "" && (r.Outcome != trial.Error || !strings.Contains(r.Text, c.want+" was changed")):
				t.Errorf("%+v", r)
			}
		})
	}
}

// A judge that changes itself, or is changed while it judges, has not judged.
func TestJudgeThatIsReplacedWhileItJudges(t *testing.T) {
	folder := t.TempDir()
	write("judge", "#!/bin/sh\necho '#' >> judge\nexit 0\n")(t, folder)
	judge, err := Command([]string{"./judge"}, CommandOptions{Dir: folder})
	if err != nil {
		t.Fatal(err)
	}
	r := judge.Evaluate(t.Context(), Evidence{Trial: &trial.Trial{Scenario: "x"}})
	if r.Outcome != trial.Error || !strings.Contains(r.Text, "is not what it was") {
		t.Errorf("%+v", r)
	}
}

// A judge that is confined judges, and writes nowhere but where temporary files go.
func TestJudgeThatIsConfined(t *testing.T) {
	if lacks := (confine.Rules{Network: confine.None}).Lacks(); len(lacks) > 0 {
		t.Skip("this machine cannot confine programs: " + confine.Told(lacks))
	}
	for _, confined := range []bool{false, true} {
		folder := t.TempDir()
		write("judge.sh", "echo x > escaped; echo x > $TMPDIR/own\n")(t, folder)
		judge, err := Command([]string{"sh", "judge.sh"}, CommandOptions{Dir: folder, Confine: confined})
		if err != nil {
			t.Fatal(err)
		}
		r := judge.Evaluate(t.Context(), Evidence{Trial: &trial.Trial{Scenario: "x"}})
		if _, err := os.Stat(filepath.Join(folder, "escaped")); (err == nil) == confined {
			t.Errorf("confined %t: %v", confined, err)
		}
		if confined && r.Outcome != trial.Pass {
			t.Errorf("%+v", r)
		}
	}
}

func TestJudgeFiles(t *testing.T) {
	folder := t.TempDir()
	write("judge.py", "import helper")(t, folder)
	write("helper.py", "")(t, folder)
	judge, err := Command([]string{"python3", "judge.py"}, CommandOptions{Dir: folder})
	if err != nil {
		t.Fatal(err)
	}
	negation, err := Not(judge)
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(folder, "judge.py") + " " + filepath.Join(folder, "helper.py")
	if got := strings.Join(JudgeFiles(negation), " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func write(name, text string) func(*testing.T, string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func rename(from, to string) func(*testing.T, string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		if err := os.Rename(filepath.Join(folder, from), filepath.Join(folder, to)); err != nil {
			t.Fatal(err)
		}
	}
}

func link(name, to string) func(*testing.T, string) {
	return func(t *testing.T, folder string) {
		t.Helper()
		rename(name, "away")(t, folder)
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
}
