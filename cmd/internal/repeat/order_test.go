package repeat

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// crowdedCases are cases of which one passes with a rate of 0.8 where more than three are run, and always alone.
type crowdedCases struct {
	*flaky
}

func (c crowdedCases) Execute(ctx context.Context, cases []string) (*Execution, error) {
	c.flaky.mu.Lock()
	c.flaky.rates["crowd"] = 1
	if cases == nil || len(cases) > 3 {
		c.flaky.rates["crowd"] = 0.8
	}
	c.flaky.mu.Unlock()
	return c.flaky.Execute(ctx, cases)
}

// A case that fails only among others is judged among others. It passes 80 % of the executions, for which a Pass is
// promised in at most 10 %; left alone when the others are decided, it passes nearly always.
func TestCasesThatFailAmongOthers(t *testing.T) {
	const runs = 52
	passes := func(isolate bool) (n int) {
		for seed := range uint64(runs) {
			rates := cases(20, 1)
			f := crowdedCases{&flaky{rates: rates, narrow: true, seed: 1000 + seed}}
			found, err := f.Execute(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			o := options(t, found.Order)
			a := NewAgent(f, found, 1)
			a.Isolate = isolate
			a.Attach(&o)
			result, err := runner.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, test := range result.Tests {
				if test.Name == "crowd" && test.Outcome == sprt.Pass {
					n++
				} else if test.Name != "crowd" && test.Outcome != sprt.Pass {
					t.Errorf("%s: %v", test.Name, test.Outcome)
				}
			}
		}
		return n
	}
	// Of 52 with a chance of 0.1, more than 13 are passes in one of 10,000 such tests (binomial).
	whole, isolated := passes(false), passes(true)
	t.Logf("of %d runs %d pass, and %d where decided cases are left out", runs, whole, isolated)
	if whole > 13 {
		t.Errorf("%d of %d runs pass", whole, runs)
	}
	if isolated < runs*3/4 {
		t.Errorf("%d of %d runs pass with decided cases left out: it does not depend on others", isolated, runs)
	}
}

// Cases that are in no execution that is judged leave no trace in others.
func TestWholeCommandsAreExecuted(t *testing.T) {
	f := &flaky{rates: map[string]float64{"steady": 1, "never": 0}, seed: 3}
	found, err := f.Execute(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, found.Order)
	a := NewAgent(f, found, 1)
	a.Attach(&o)
	if _, err := runner.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for i, call := range f.calls {
		if call != nil {
			t.Errorf("execution %d is of %v", i, call)
		}
	}
	if f.runs["never"] != 15 || f.runs["steady"] != 15 {
		t.Errorf("%v", f.runs)
	}
}

// What hides the first tries of a test is taken out of a command, or refused.
func TestTriesAgain(t *testing.T) {
	for _, c := range []struct {
		argv, want, dropped string
	}{
		{"pytest -q --reruns 3 --reruns-delay=1 tests", "pytest -q tests -p tribunal_once --junitxml={report}",
			"--reruns --reruns-delay=1"},
		{"npx vitest run --retry 3", "npx vitest run --retry=0 --reporter=json --outputFile={report}", "--retry"},
		{"npx mocha --retries=2", "npx mocha --retries=0 --reporter=json --reporter-option output={report}",
			"--retries=2"},
		{"npx playwright test --retries 2", "npx playwright test --retries=0 --reporter=json", "--retries"},
		{"ctest --repeat until-pass:3 -V", "ctest -V --output-junit {report}", "--repeat"},
		{"gotestsum --rerun-fails=3 --rerun-fails-max-failures 9 ./... -- -race",
			"gotestsum --jsonfile={report} ./... -- -race", "--rerun-fails=3 --rerun-fails-max-failures"},
		{"pytest -x --maxfail 2 tests", "pytest tests -p tribunal_once --junitxml={report}", "-x --maxfail"},
		{"npx jest --bail a.test.js", "npx jest a.test.js --json --outputFile={report}", "--bail"},
		{"npx vitest run --bail=1", "npx vitest run --retry=0 --reporter=json --outputFile={report}", "--bail=1"},
		{"npx playwright test -x", "npx playwright test --retries=0 --reporter=json", "-x"},
		{"go test -failfast ./...", "go test -json -count=1 ./...", "-failfast"},
		{"go test -count=3 ./...", "go test -json -count=1 ./...", "-count=3"},
		{"go test -count 3 ./... -args -count 4", "go test -json -count=1 ./... -args -count 4", "-count"},
		{"go test -count 1 ./...", "go test -json -count 1 ./...", ""},
		{"pytest --count=3", "pytest -p tribunal_once --junitxml={report}", "--count=3"},
		{"npx playwright test --repeat-each 2", "npx playwright test --retries=0 --reporter=json", "--repeat-each"},
	} {
		command, err := NewCommand(strings.Fields(c.argv))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(command.Argv, " "); got != c.want || strings.Join(command.Dropped, " ") != c.dropped {
			t.Errorf("%s is %s without %q, want %s without %s", c.argv, got, command.Dropped, c.want, c.dropped)
		}
		if err := command.Validate(); err != nil {
			t.Errorf("%s: %v", c.argv, err)
		}
	}
	for argv, option := range map[string]string{
		"ginkgo --flake-attempts=3 --junit-report={report}": "--flake-attempts=3",
		"rspec --retry 2 -o {report}":                       "--retry",
		"run --max-retries 0 --retry=none {report}":         "",
		"gotestsum ./... -- -count 2":                       "-count",
		"gotestsum ./... -- -count=1":                       "",
		"./a.test -test.count=3":                            "-test.count=3",
		"run --count 3 {report}":                            "",
		"sh run.sh {report} retry 3":                        "",
		"phpunit --log-junit {report}":                      "",
	} {
		command, err := NewCommand(strings.Fields(argv))
		if err != nil {
			t.Fatal(err)
		}
		again, is := errors.AsType[*TriesAgainError](command.Validate())
		if is != (option != "") || is && again.Option != option {
			t.Errorf("%s: %v", argv, command.Validate())
		}
	}
}

// Runners that others wrote do not hide a test that passes from its second try on.
func TestRealRunnersTryOnce(t *testing.T) {
	bin := func(name string) string { return filepath.Join(nodeModules(), ".bin", name) }
	for _, p := range []project{
		{
			runner: "pytest", argv: []string{"pytest", "-q", "-p", "no:cacheprovider", "--reruns", "3"},
			files: map[string]string{
				"pytest.ini": "[pytest]\naddopts = --reruns 2\n",
				"test_x.py": "import pytest\nn = {}\ndef tried(name):\n    n[name] = n.get(name, 0) + 1\n" +
					"    assert n[name] > 1\ndef test_option():\n    tried('option')\n" +
					"@pytest.mark.flaky(reruns=3)\ndef test_mark():\n    tried('mark')\n",
			},
		},
		{
			runner: "vitest", argv: []string{bin("vitest"), "run", "--retry", "3"},
			files: map[string]string{
				"package.json": `{"type": "module"}`,
				"x.test.js": "import {it, expect} from 'vitest'\nlet n = 0, m = 0\n" +
					"it('option', () => { expect(++n).toBe(2) })\n" +
					"it('code', {retry: 3}, () => { expect(++m).toBe(2) })\n",
			},
		},
		{
			runner: "jest", argv: []string{bin("jest")},
			files: map[string]string{
				"package.json": `{}`,
				"x.test.js":    "jest.retryTimes(3)\nlet n = 0\nit('code', () => { expect(++n).toBe(2) })\n",
			},
		},
		{
			runner: "mocha", argv: []string{bin("mocha"), "--retries", "3"},
			files: map[string]string{
				"test/x.js": "const assert = require('assert')\nlet n = 0, m = 0\n" +
					"it('option', () => assert.equal(++n, 2))\n" +
					"it('code', function () { this.retries(3); assert.equal(++m, 2) })\n",
			},
		},
		{
			runner: "playwright", argv: []string{bin("playwright"), "test", "--retries", "3"},
			files: map[string]string{
				"playwright.config.js": "module.exports = {retries: 3}\n",
				"x.spec.js": "const {test, expect} = require('@playwright/test')\n" +
					"test('option', ({}, i) => { expect(i.retry).toBe(1) })\n" +
					"test.describe(() => {\n  test.describe.configure({retries: 3})\n" +
					"  test('code', ({}, i) => { expect(i.retry).toBe(1) })\n})\n",
			},
		},
		{
			runner: "gotestsum", argv: []string{"gotestsum", "--rerun-fails=3", "--packages", "./..."},
			files: map[string]string{
				"go.mod": "module example.com/x\n",
				"x_test.go": "package x\nimport (\"os\"; \"testing\")\nfunc TestOption(t *testing.T) {\n" +
					"\tif os.Mkdir(\"tried\", 0o700) == nil { t.Error(\"the first try\") }\n}\n",
			},
		},
		{
			runner: "ctest", argv: []string{"ctest", "--repeat", "until-pass:3"},
			files: map[string]string{"CTestTestfile.cmake": "add_test(option sh -c \"! mkdir tried\")\n"},
		},
	} {
		t.Run(p.runner, func(t *testing.T) {
			if p.runner == "pytest" && exec.Command("pytest", "--reruns", "0", "--version").Run() != nil {
				t.Skip("pytest-rerunfailures is not installed")
			}
			c := p.command(t)
			all, err := c.Execute(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(all.Order) == 0 {
				t.Error("no test was run")
			}
			for _, name := range all.Order {
				if all.Trials[name].Outcome != trial.Fail {
					t.Errorf("%s: %s", name, all.Trials[name].Outcome)
				}
			}
		})
	}
	// What a file of bats asks for is not seen, as the manual says: its report has the last try alone.
	t.Run("bats", func(t *testing.T) {
		bats := filepath.Join(nodeModules(), "bats", "bin", "bats")
		if _, err := os.Stat(bats); err != nil {
			t.Skip("bats is not installed")
		}
		folder := t.TempDir()
		write(t, filepath.Join(folder, "x.bats"), "BATS_TEST_RETRIES=3\n@test option {\n  mkdir tried$BATS_TEST_TRY_NUMBER\n"+
			"  [ -d tried2 ]\n}\n@test never {\n  false\n}\n")
		c, err := NewCommand([]string{"sh", "-c", bats + " --formatter junit x.bats >{report}"})
		if err != nil {
			t.Fatal(err)
		}
		c.Dir, c.Allowed = folder, process.Environment{Allow: []string{"*"}}
		all, err := c.Execute(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		option, never := all.Trials[named1(t, all, "option")], all.Trials[named1(t, all, "never")]
		if option.Outcome != trial.Pass || never.Outcome != trial.Fail {
			t.Errorf("option %s, never %s", option.Outcome, never.Outcome)
		}
	})
}
