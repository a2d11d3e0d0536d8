package suite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/suite"
)

// Scenarios of elsewhere are read over what the suite says: its defaults and its test, and none of its own scenarios,
// be they its own or those of a file that it includes.
func TestWith(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"tribunal.yaml": "version: 1\nname: shop\ninclude: more.yaml\nagent: {command: [./agent]}\ntest: {threshold: " +
			"0.75}\n" +
			"limits: {max_turns: 7, max_cost_usd: 1}\ndefaults: {evaluate: [contains: done]}\n" +
			"variants: [{name: slow}]\nscenarios: [{name: own}]\n",
		"more.yaml": "scenarios: [{name: included}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := suite.Load(filepath.Join(dir, "tribunal.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	with, err := s.With("given.yaml", []byte("scenarios:\n- {name: new, input: [1], evaluate: [must-call: pay]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(with.Scenarios) != 1 || len(with.Variants) != 0 {
		t.Fatalf("%d scenarios, %d variants", len(with.Scenarios), len(with.Variants))
	}
	c := with.Scenarios[0]
	if c.Name != "new" || string(c.Input) != "[1]" || len(c.Evaluate) != 2 || c.Test.Threshold != 0.75 ||
		c.Limits.MaxTurns.Value != 7 || with.Dir() != s.Dir() {
		t.Errorf("%+v", c)
	}
	if len(s.Scenarios) != 2 || len(s.Variants) != 1 {
		t.Error("the suite itself was changed")
	}
	with, err = s.With("given.yaml", []byte("variants: [{name: fast}]\nscenarios: [{name: new}]\n"))
	if err != nil || len(with.Variants) != 1 || with.Variants[0].Name != "fast" {
		t.Errorf("%+v, %v", with, err)
	}
	with, err = s.With("given.yaml", []byte("variants: [{name: fast}]\n"))
	if err != nil || len(with.Variants) != 1 || len(with.Scenarios) != 2 {
		t.Errorf("%+v, %v", with, err)
	}
	for text, want := range map[string]string{
		"scenarios: [{name: new, inptu: 1}]": `given.yaml:1:25: scenarios[0] has no key "inptu"; did you mean "input"?`,
		"agent: {command: [rm]}":             "given.yaml:1:1: ",
		"scenarios: {from: /etc/passwd}":     "given.yaml:1:12: ",
		"scenarios: []":                      "given.yaml:1:12: scenarios must not be empty",
		"[":                                  "given.yaml:2:1: the file of scenarios is not YAML",
	} {
		if _, err := s.With("given.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
