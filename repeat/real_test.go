package repeat

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/trial"
)

// project is a folder with tests for one runner: "steady" passes, "never" fails, each with a name that needs to be
// quoted in patterns, and the third is skipped.
type project struct {
	runner string
	argv   []string
	files  map[string]string
	steady string // the names in the report
	never  string
}

// nodeModules is the folder with what npm installed; "" is none.
func nodeModules() string { return os.Getenv("TRIBUNAL_TEST_NODE_MODULES") }

func projects() []project {
	bin := func(name string) string { return filepath.Join(nodeModules(), ".bin", name) }
	return []project{
		{
			runner: "go test", argv: []string{"go", "test", "./..."},
			files: map[string]string{
				"go.mod": "module example.com/x\n",
				"x_test.go": "package x\nimport \"testing\"\nfunc TestSteady(t *testing.T) { t.Run(\"a (b)\", func(*testing.T) {}) }\n" +
					"func TestNever(t *testing.T) { t.Error(\"no\") }\nfunc TestSkipped(t *testing.T) { t.Skip() }\n",
			},
			steady: "example.com/x.TestSteady/a_(b)", never: "example.com/x.TestNever",
		},
		{
			runner: "pytest", argv: []string{"pytest", "-q", "-p", "no:cacheprovider"},
			files: map[string]string{
				"tests/test_x.py": "import pytest\nclass TestX:\n    @pytest.mark.parametrize('v', ['a (b)/c.d'])\n" +
					"    def test_steady(self, v):\n        pass\ndef test_never():\n    assert False\n@pytest.mark.skip\ndef test_skipped():\n    pass\n",
			},
			steady: "tests.test_x.TestX.test_steady[a (b)/c.d]", never: "tests.test_x.test_never",
		},
		{
			runner: "vitest", argv: []string{bin("vitest"), "run"},
			files: map[string]string{
				"package.json": `{"type": "module"}`,
				"src/x.test.js": "import {describe, it, expect} from 'vitest'\ndescribe('the sum', () => {\n  it('is steady (a+b)', () => {})\n" +
					"  it('is never', () => { expect(1).toBe(2) })\n  it.skip('skipped', () => {})\n})\n",
			},
			steady: "src/x.test.js.the sum > is steady (a+b)", never: "src/x.test.js.the sum > is never",
		},
		{
			runner: "jest", argv: []string{bin("jest")},
			files: map[string]string{
				"package.json": `{}`,
				"src/x.test.js": "describe('the sum', () => {\n  it('is steady (a+b)', () => {})\n" +
					"  it('is never', () => { expect(1).toBe(2) })\n  it.skip('skipped', () => {})\n})\n",
			},
		},
		{
			runner: "mocha", argv: []string{bin("mocha")},
			files: map[string]string{
				"test/x.js": "describe('the sum', () => {\n  it('is steady (a+b)', () => {})\n" +
					"  it('is never', () => { throw new Error('no') })\n  it.skip('skipped', () => {})\n})\n",
			},
		},
	}
}

// Each test runner that can be had here writes its report, and runs the cases alone that it is asked for.
func TestRealRunners(t *testing.T) {
	for _, p := range projects() {
		t.Run(p.runner, func(t *testing.T) {
			if _, err := exec.LookPath(p.argv[0]); err != nil || runtime.GOOS == "windows" {
				t.Skipf("%s is not installed", p.runner)
			}
			folder := t.TempDir()
			for name, text := range p.files {
				write(t, filepath.Join(folder, filepath.FromSlash(name)), text)
			}
			if nodeModules() != "" {
				if err := os.Symlink(nodeModules(), filepath.Join(folder, "node_modules")); err != nil {
					t.Fatal(err)
				}
			}
			c, err := NewCommand(p.argv)
			if err != nil {
				t.Fatal(err)
			}
			c.Dir = folder
			c.Allowed = process.Environment{Allow: []string{"*"}}
			if c.Known != p.runner {
				t.Fatalf("%q was recognised as %q", p.argv, c.Known)
			}
			all, err := c.Execute(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%q", all.Order)
			steady, never := named1(t, all, "teady"), named1(t, all, "ever")
			if p.steady != "" && (steady != p.steady || never != p.never) {
				t.Errorf("%q and %q, want %q and %q", steady, never, p.steady, p.never)
			}
			if all.Trials[steady].Outcome != trial.Pass || all.Trials[never].Outcome != trial.Fail {
				t.Errorf("%s %s", all.Trials[steady].Outcome, all.Trials[never].Outcome)
			}
			if slices.ContainsFunc(all.Order, func(name string) bool { return strings.Contains(strings.ToLower(name), "skipped") }) {
				t.Errorf("a test that was skipped is a trial: %q", all.Order)
			}
			if !c.Narrows() {
				return
			}
			for _, name := range []string{steady, never} {
				one, err := c.Execute(t.Context(), []string{name})
				if err != nil {
					t.Fatal(err)
				}
				if one.Trials[name] == nil || one.Trials[name].Outcome != all.Trials[name].Outcome {
					t.Errorf("asked for %q, it ran %q", name, one.Order)
				}
				other := map[string]string{steady: never, never: steady}[name]
				if one.Trials[other] != nil {
					t.Errorf("asked for %q, it ran %q too", name, other)
				}
			}
			if both, err := c.Execute(t.Context(), []string{steady, never}); err != nil || both.Trials[steady] == nil || both.Trials[never] == nil {
				t.Errorf("asked for both, it ran %v, %v", both, err)
			}
		})
	}
}

// named1 is the one case whose name ends in, or holds, a word.
func named1(t *testing.T, e *Execution, word string) string {
	t.Helper()
	var found []string
	for _, name := range e.Order {
		if strings.Contains(name, word) && (!strings.Contains(name, "TestSteady") || strings.Contains(name, "/")) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%q in %q", word, e.Order)
	}
	return found[0]
}
