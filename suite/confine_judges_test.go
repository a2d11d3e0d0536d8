package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// An agent that may write what it is judged by is refused, wherever that is.
func TestConfinedAgentsMayNotWriteTheirJudges(t *testing.T) {
	for confined, want := range map[string]string{
		"confine: {network: none}":                                     "",
		"confine: {write: [.], network: none}":                         "",
		"confine: {write: [., work], network: none}":                   "",
		"confine: {write: [judges/data], network: none}":               "",
		"working_dir: work, confine: {network: none}":                  "",
		"working_dir: ., confine: {network: none}":                     "suite.yaml",
		"working_dir: work, confine: {write: [..], network: none}":     "suite.yaml",
		"confine: {write: [work, judges], network: none}":              "judge.py",
		"confine: {write: [judges/helper.py], network: none}":          "helper.py",
		"confine: {write: [more/part.yaml], network: none}":            "part.yaml",
		"confine: {write: [link], network: none}":                      "judge.py",
		"confine: {write: [.tribunal], network: host}":                 ".tribunal",
		"working_dir: judges, confine: {write: [data], network: none}": "",
		"working_dir: judges, confine: {network: none}":                "judge.py",
		"env_file: env/.env, confine: {write: [env], network: none}":   ".env",
		"env_file: env/.env, confine: {network: none}":                 "",
		"confine: {write: [points], network: none}":                    "points.py",
	} {
		folder := t.TempDir()
		for _, name := range []string{"work", "judges", "judges/data", "more", ".tribunal", "env", "points"} {
			if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink("judges", filepath.Join(folder, "link")); err != nil {
			t.Skip("there are no symbolic links here: ", err)
		}
		for name, text := range map[string]string{
			"judges/judge.py": "import helper\n", "judges/helper.py": "", "env/.env": "", "points/points.py": "",
			"more/part.yaml": "limits: none\n",
			"suite.yaml": "version: 1\nname: kept\ninclude: [more/part.yaml]\n" +
				"agent: {command: [go], " + confined + "}\n" +
				"test: {threshold: 0.8}\n" +
				"score: {axes: [{name: fine, points: 5, each: [{name: it, judge: {command: [go, points/points.py]}}]}]}\n" +
				"scenarios: [{name: one, evaluate: [not: {command: [go, judges/judge.py]}]}]\n",
		} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Load(filepath.Join(folder, "suite.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		err = s.Startable(s.Scenarios, false)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", confined, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), "lets the agent write what it is judged by") ||
			!strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", confined, err, want)
		}
	}
}

// A ledger of looks that is named is out of reach of the agent as the usual one is, or refused.
func TestFilesThatAgentsWrite(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"work", "kept"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("work", filepath.Join(folder, "link")); err != nil {
		t.Skip("there are no symbolic links here: ", err)
	}
	for _, c := range []struct {
		confined, file string
		want           bool
	}{
		{"confine: {write: [work], network: none}", "work/looks.jsonl", true},
		{"confine: {write: [work], network: none}", "link/looks.jsonl", true},
		{"confine: {write: [work], network: none}", "kept/looks.jsonl", false},
		{"confine: {write: [work], network: none}", "workshop.jsonl", false},
		{"confine: {network: none}", "work/looks.jsonl", false},
		{"timeout: 1s", "work/looks.jsonl", false}, // it is held to nothing
	} {
		file := filepath.Join(folder, "suite.yaml")
		text := "version: 1\nname: kept\nlimits: none\nagent: {command: [go], " + c.confined + "}\n" +
			"test: {threshold: 0.8}\nscenarios: [{name: one, evaluate: [contains: x]}]\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Writes(filepath.Join(folder, c.file)); got != c.want {
			t.Errorf("%s writes %s: %v", c.confined, c.file, got)
		}
	}
}

// The variables that a judge is given, and its files, are those of when judging began: what is judged may write both
// afterwards. Judges of scores are held like others.
func TestJudgesAreHeld(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the judges need a shell")
	}
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".env", "SAYS=no\n")
	write("judge.sh", "cat >/dev/null\n[ \"$1\" = yes ]\n")
	write("points.sh", "cat >/dev/null\nexit 1\n")
	write("suite.yaml", "version: 1\nname: held\nlimits: none\nagent: {command: [go], env_file: .env}\n"+
		"test: {threshold: 0.8}\n"+
		"score: {axes: [{name: fine, points: 5, each: [{name: it, judge: {command: [sh, points.sh]}}]}]}\n"+
		"scenarios: [{name: one, evaluate: [command: [sh, judge.sh, \"${SAYS}\"]]}]\n")
	s, err := Load(filepath.Join(folder, "suite.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s.HoldJudges(s.Scenarios)
	write(".env", "SAYS=yes\n")
	write("points.sh", "cat >/dev/null\nexit 0\n")
	answer := oracle.Evidence{Trial: &trial.Trial{Scenario: "one", Outcome: trial.Fail}}
	if got := s.Scenarios[0].Evaluators()[0].Evaluate(t.Context(), answer); got.Outcome != trial.Fail {
		t.Errorf("with another file of variables: %+v", got)
	}
	judges := s.ScoreJudges()
	if len(judges) != 1 {
		t.Fatalf("%d judges of scores", len(judges))
	}
	if got := judges[0].Evaluate(t.Context(), answer); got.Outcome == trial.Pass ||
		!strings.Contains(got.Text, "points.sh was changed") {
		t.Errorf("another judge of a score: %+v", got)
	}
}
