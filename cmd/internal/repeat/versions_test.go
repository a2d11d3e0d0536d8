package repeat

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// triedVersions are the versions that the manual says were tried, by the names of the runners.
func triedVersions(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/hides.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "| test runner | tried version |")
	table, _, _ := strings.Cut(rest, "\n\n")
	if !found {
		t.Fatal("docs/hides.md has no table of tried versions")
	}
	tried := map[string]string{}
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(line, "|")
		tried[strings.TrimSpace(cells[1])] = strings.TrimSpace(cells[2])
	}
	return tried
}

// The manual names the versions that are run: those that npm and go install, and of what the system has.
func TestTriedVersions(t *testing.T) {
	tried := triedVersions(t)
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var pinned struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal([]byte(read("testdata/runners/package.json")), &pinned); err != nil {
		t.Fatal(err)
	}
	// find is what stands in a text at the place of an expression.
	find := func(expression, text string) string {
		m := regexp.MustCompile(expression).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("nothing is like %s", expression)
		}
		return m[1]
	}
	want := map[string]string{
		"go test":   find(`(?m)^go (\d+\.\d+)`, read("../../../go.mod")),
		"gotestsum": find(`gotestsum@v(\S+)`, read("../../../.ci/runners")),
	}
	for name, dependency := range map[string]string{"vitest": "vitest", "jest": "jest", "mocha": "mocha", "bats": "bats",
		"playwright": "@playwright/test"} {
		if want[name] = pinned.Dependencies[dependency]; want[name] == "" {
			t.Errorf("package.json does not have %s", dependency)
		}
	}
	for name, version := range want {
		if tried[name] != version {
			t.Errorf("docs/hides.md has %q of %s, and %q is run", tried[name], name, version)
		}
	}
	for _, known := range runners {
		if _, is := tried[known.name]; !is {
			t.Errorf("docs/hides.md does not say what %s hides", known.name)
		}
	}
	// What Debian has is looked at where .ci/runners installs it; on another system it is another.
	system, err := os.ReadFile("/etc/os-release")
	if err != nil || !strings.Contains(string(system), "bookworm") || nodeModules() == "" {
		return
	}
	for name, command := range map[string][]string{
		"ctest": {"ctest", "--version"}, "pytest": {"pytest", "--version"},
		"rerunfailures": {"python3", "-c", "import importlib.metadata as m; print(m.version('pytest-rerunfailures'))"},
	} {
		said, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		if err != nil {
			continue // it is not installed
		}
		at := name
		if name == "rerunfailures" {
			at = "pytest"
		}
		if version := find(`(\d+(?:\.\d+)+)`, string(said)); !strings.Contains(tried[at], version) {
			t.Errorf("docs/hides.md has %q of %s, and %s is installed", tried[at], name, version)
		}
	}
}
