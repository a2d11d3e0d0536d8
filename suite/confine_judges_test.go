package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	} {
		folder := t.TempDir()
		for _, name := range []string{"work", "judges", "judges/data", "more", ".tribunal"} {
			if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink("judges", filepath.Join(folder, "link")); err != nil {
			t.Skip("there are no symbolic links here: ", err)
		}
		for name, text := range map[string]string{
			"judges/judge.py": "import helper\n", "judges/helper.py": "", "more/part.yaml": "limits: none\n",
			"suite.yaml": "version: 1\nname: kept\ninclude: [more/part.yaml]\n" +
				"agent: {command: [go], " + confined + "}\n" +
				"test: {threshold: 0.8}\nscenarios: [{name: one, evaluate: [not: {command: [go, judges/judge.py]}]}]\n",
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
