package suite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/input"
)

// A suite that is read through a root opens through it all files that it names, whoever looked at the names before: a
// link that was put there a moment ago leads nowhere.
func TestFilesOfASuiteAreOpenedThroughItsRoot(t *testing.T) {
	outside := t.TempDir()
	inside := filepath.Join(outside, "project")
	if err := os.Mkdir(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(inside, "up")); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"cases.csv": "id\nhidden\n", "contract.yaml": "version: 1\nname: hidden\nclauses: []\n",
		"part.yaml":   "name: hidden\n",
		"prices.yaml": "[]\n", "tools.json": `[{"name": "hidden"}]`, "graph.yaml": "start: a\nnodes: {a: {}}\n",
		"vars.env": "A=hidden\n",
	} {
		write(filepath.Join(outside, name), text)
	}
	if err := os.Mkdir(filepath.Join(outside, "conformance"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(outside, "conformance", "hidden.yaml"), "input: 1\n")
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	// Nobody looks at the names here: the root alone keeps them.
	ctx := input.Within(t.Context(), root, func(name string) (string, error) { return filepath.Rel(inside, name) })
	file := filepath.Join(inside, "tribunal.yaml")
	for key, text := range map[string]string{
		"from":        "scenarios: {from: up/cases.csv, name: \"{id}\"}",
		"from folder": "scenarios: {from: up, name: \"{id}\"}",
		"from glob":   "scenarios: {from: \"up/*.csv\", name: \"{id}\"}",
		"corpus":      "scenarios: {corpus: up}",
		"contract":    "scenarios: [{name: one, input: 1, evaluate: [{contract: up/contract.yaml}]}]",
		"clause":      "scenarios: [{name: one, input: 1, evaluate: [{contract: {file: up/contract.yaml, clause: x}}]}]",
		"include":     "scenarios: [{name: one, input: 1}]\ninclude: up/part.yaml",
		"prices":      "scenarios: [{name: one, input: 1}]\nprices: up/prices.yaml",
		"tools_file":  "scenarios: [{name: one, input: 1}]\ncoverage: {tools_file: up/tools.json}",
		"graph_file":  "scenarios: [{name: one, input: 1}]\ncoverage: {graph_file: up/graph.yaml}",
		"env_file":    "scenarios: [{name: one, input: 1}]\nagent: {command: [./agent], env_file: up/vars.env}",
	} {
		if !strings.Contains(text, "agent:") {
			text += "\nagent: {command: [./agent]}"
		}
		write(file, "version: 1\nname: s\nlimits: none\ntest: {threshold: 0.5, delta: 0.4}\n"+text+"\n")
		s, err := LoadContext(ctx, file)
		if err == nil {
			_, err = s.Declared()
		}
		if err == nil {
			_, err = s.Expanded(s.Scenarios)
		}
		if err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", key, err)
		}
		if s, err := LoadContext(context.Background(), file); err != nil && strings.Contains(err.Error(), "escapes") {
			t.Errorf("%s without a root: %v, %v", key, s, err)
		}
	}
	write(file, "version: 1\nname: s\n")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "part.yaml"), file); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadContext(ctx, file); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("the suite itself: %v", err)
	}
}
