package repeat

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
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
				"x_test.go": "package x\nimport \"testing\"\nfunc TestSteady(t *testing.T) { t.Run(\"a (b)\", func(*testing.T) " +
					"{}) }\n" +
					"func TestNever(t *testing.T) { t.Error(\"no\") }\nfunc TestSkipped(t *testing.T) { t.Skip() }\n",
			},
			steady: "example.com/x.TestSteady/a_(b)", never: "example.com/x.TestNever",
		},
		{
			runner: "pytest", argv: []string{"pytest", "-q", "-p", "no:cacheprovider"},
			files: map[string]string{
				"tests/test_x.py": "import pytest\nclass TestX:\n    @pytest.mark.parametrize('v', ['a (b)/c.d'])\n" +
					"    def test_steady(self, v):\n        pass\ndef test_never():\n    assert False\n@pytest.mark.skip\ndef " +
					"test_skipped():\n    pass\n",
			},
			steady: "tests.test_x.TestX.test_steady[a (b)/c.d]", never: "tests.test_x.test_never",
		},
		{
			runner: "vitest", argv: []string{bin("vitest"), "run"},
			files: map[string]string{
				"package.json": `{"type": "module"}`,
				"src/x.test.js": "import {describe, it, expect} from 'vitest'\ndescribe('the sum', () => {\n  it('is steady " +
					"(a+b)', () => {})\n" +
					"  it('is never', () => { expect(1).toBe(2) })\n  it.skip('skipped', () => {})\n})\n",
			},
			steady: "x.test.js > the sum > is steady (a+b)", never: "x.test.js > the sum > is never",
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
		{
			runner: "node test", argv: []string{"node", "--test", "test/x.mjs"},
			files: map[string]string{
				"test/x.mjs": "import {describe, it} from 'node:test'\ndescribe('the sum', () => {\n" +
					"  it('is steady (a+b)', () => {})\n" +
					"  it('is never', () => { throw new Error('no') })\n  it.skip('skipped', () => {})\n})\n",
			},
		},
	}
}

// command is that of the project, in a folder with its files.
func (p project) command(t *testing.T) *Command {
	t.Helper()
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
	return c
}

// Each test runner that can be had here writes its report, and runs the cases alone that it is asked for.
func TestRealRunners(t *testing.T) {
	for _, p := range projects() {
		t.Run(p.runner, func(t *testing.T) {
			c := p.command(t)
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
			if slices.ContainsFunc(all.Order,
				func(name string) bool { return strings.Contains(strings.ToLower(name), "skipped") }) {
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
			if both, err := c.Execute(t.Context(), []string{steady, never}); err != nil || both.Trials[steady] == nil ||
				both.Trials[never] == nil {
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

// untilDecided runs the command once, and then until each of its cases is decided.
func untilDecided(t *testing.T, argv []string, folder string, env map[string]string) (*runner.Result, *Agent) {
	t.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil || runtime.GOOS == "windows" {
		t.Skipf("%s is not installed", argv[0])
	}
	c, err := NewCommand(argv)
	if err != nil {
		t.Fatal(err)
	}
	c.Dir = folder
	c.Allowed = process.Environment{Allow: []string{"*"}, Set: env}
	found, err := c.Execute(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, found.Order)
	a := NewAgent(c, found, 1)
	a.Attach(&o)
	result, err := runner.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result, a
}

// The suites of projects that others wrote run as they are: fifteen executions pass every test.
func TestProjectsOfOthers(t *testing.T) {
	if nodeModules() == "" {
		t.Skip("it is run with the test runners that others wrote")
	}
	const debian = "/usr/lib/python3/dist-packages"
	for _, p := range []struct {
		argv   []string
		folder string
		least  int // tests
	}{
		{[]string{"go", "test", "github.com/google/go-cmp/cmp/cmpopts"}, "", 100},
		{[]string{"pytest", "-q", "-p", "no:cacheprovider", "toolz"}, debian, 100},
	} {
		t.Run(p.argv[len(p.argv)-1], func(t *testing.T) {
			if p.folder != "" {
				if _, err := os.Stat(filepath.Join(p.folder, p.argv[len(p.argv)-1])); err != nil {
					t.Skip(err)
				}
			}
			result, a := untilDecided(t, p.argv, p.folder, nil)
			for _, test := range result.Tests {
				if test.Outcome != sprt.Pass || test.Errors > 0 {
					t.Errorf("%s: %v after %d trials, %d errors", test.Name, test.Outcome, test.Trials, test.Errors)
				}
			}
			if len(result.Tests) < p.least || a.Executions() != 15 {
				t.Errorf("%d tests in %d executions", len(result.Tests), a.Executions())
			}
		})
	}
}

// Two hundred cases of pytest, of which twelve flip and two are broken, with the rates that TestPlantedFlakes has:
// those that are far from what is asked are on the right list.
func TestPlantedFlakesOfPytest(t *testing.T) {
	if nodeModules() == "" {
		t.Skip("it is run with the test runners that others wrote")
	}
	folder := t.TempDir()
	rates := cases(200-len(planted)-2, 1)
	for i, rate := range planted {
		rates[fmt.Sprintf("flake%02d", i)] = rate
	}
	rates["broken0"], rates["broken1"] = 0, 0
	listed, err := json.Marshal(rates)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "rates.json"), string(listed))
	// What a case comes to in its n-th execution follows from the seed, its name and n, which is kept in a file.
	write(t, filepath.Join(folder, "test_planted.py"), `import json, os, random
import pytest
rates = json.load(open("rates.json"))
@pytest.mark.parametrize("name", sorted(rates))
def test_case(name):
    with open("runs-" + name, "a+") as f:
        n = f.tell()
        f.write(".")
    assert random.Random(f"{os.environ['SEED']} {name} {n}").random() < rates[name]
`)
	for seed := range max(1, repetitions()) {
		old, err := filepath.Glob(filepath.Join(folder, "runs-*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range old {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		result, a := untilDecided(t, []string{"pytest", "-q", "-p", "no:cacheprovider"}, folder,
			map[string]string{"SEED": strconv.Itoa(seed)})
		trials, fixed := 0, 0
		for _, test := range result.Tests {
			_, name, _ := strings.Cut(strings.TrimSuffix(test.Name, "]"), "[")
			trials += test.Trials
			sample, _ := test.Design.Hypotheses.FixedSample()
			fixed += sample.Trials
			want := map[bool]sprt.Outcome{true: sprt.Pass, false: sprt.Fail}[rates[name] > .85]
			switch rate := rates[name]; {
			case test.Outcome == want:
			case rate <= .6 || rate == 1:
				t.Errorf("%s, which passes with %v: %v after %d trials", name, rate, test.Outcome, test.Trials)
			default:
				t.Logf("%s, which passes with %v: %v after %d trials", name, rate, test.Outcome, test.Trials)
			}
		}
		if len(result.Tests) != 200 || 10*trials > 4*fixed {
			t.Errorf("%d tests took %d trials, where a fixed number takes %d", len(result.Tests), trials, fixed)
		}
		t.Logf("seed %d: %d trials in %d executions; a fixed number takes %d in %d", seed, trials, a.Executions(), fixed,
			fixed/200)
	}
}

// repetitions is how many times the planted flakes are looked for.
func repetitions() int {
	n, _ := strconv.Atoi(os.Getenv("TRIBUNAL_TEST_REPETITIONS"))
	return n
}
