package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/built"
)

const pytestTests = `
import random, threading
import pytest, tribunal

def test_plain():
    pass

@tribunal.test(threshold=0.9)
def test_good(tmp_path):
    tribunal.trial().charge(0.5)
    assert tmp_path.exists()

@tribunal.test
def test_without_parentheses():
    pass

@tribunal.test(threshold=0.9, concurrency=4, save="bad.result.json")
def test_bad():
    assert tribunal.trial().seed < 0, "no refund"

@tribunal.test(threshold=0.9, max_trials=20)
def test_down():
    with tribunal.infrastructure(ConnectionError):
        raise ConnectionError("refused")

@tribunal.test(threshold=0.9, max_trials=20, undecided="skip")
def test_down_is_skipped():
    raise tribunal.Infrastructure("refused")

@tribunal.test(threshold=0.9)
async def test_async_that_fails():
    raise ValueError("later")

@tribunal.test(threshold=0.9)
def test_that_skips():
    pytest.skip("not here")

threads = set()

@tribunal.test(threshold=0.9, concurrency=3)
def test_threads():
    threads.add(threading.get_ident())

def test_there_were_threads():
    assert len(threads) > 1
`

const vitestTests = `
import { expect, test } from 'vitest'
import { tribunal } from './tribunal.js'

let most = 0, now = 0
tribunal.test('good', { threshold: 0.9, concurrency: 3 }, async (trial) => {
  most = Math.max(most, ++now)
  await new Promise((resolve) => setTimeout(resolve, 1))
  now--
  trial.charge(0.5)
  expect(trial.seed).toBeGreaterThan(0)
})
test('there were several at once', () => expect(most).toBeGreaterThan(1))
tribunal.test('bad', { threshold: 0.9, save: 'bad.result.json' }, () => { throw new Error('no refund') })
tribunal.test('down', { threshold: 0.9, maxTrials: 20 }, () => { throw new tribunal.Infrastructure('refused') })
tribunal.test('down is skipped', { threshold: 0.9, maxTrials: 20, undecided: 'skip' }, () => {
  throw new tribunal.Infrastructure('refused')
})
test('what cannot be started says so', async () => {
  await expect(tribunal.decide('x', { program: './nowhere' }, () => {})).rejects.toThrow('put it in PATH')
  await expect(tribunal.decide('x', { threshold: 7 }, () => {})).rejects.toThrow('--threshold')
})
`

// TestIntegrations runs the test frameworks that others wrote with what we have for them.
func TestIntegrations(t *testing.T) {
	for _, c := range []struct {
		name, program string
		args          []string
		files         map[string]string // what is copied, or its text
		outcomes      []string          // patterns of what is printed
	}{
		{
			name: "pytest", program: "pytest", args: []string{"-q", "-rA", "-p", "no:cacheprovider"},
			files: map[string]string{"tribunal.py": "", "test_x.py": pytestTests},
			outcomes: []string{
				`PASSED test_x.py::test_good`, `PASSED test_x.py::test_without_parentheses`,
				`FAILED test_x.py::test_bad`, `(?m)^0 of 4 trials passed`, `4 × AssertionError: no refund`,
				`FAILED test_x.py::test_down`, `(?m)^undecided: 0 of`, `SKIPPED .*0 of \d+ trials passed`,
				`FAILED test_x.py::test_async_that_fails`, `4 × ValueError: later`, `SKIPPED .*not here`,
				`PASSED test_x.py::test_threads`, `PASSED test_x.py::test_there_were_threads`, `3 failed, 5 passed, 2 skipped`,
			},
		},
		{
			name: "vitest", program: inModules("vitest"),
			args:  []string{"run", "--reporter=verbose", "--no-color"},
			files: map[string]string{"tribunal.js": "", "package.json": `{"type":"module"}`, "x.test.js": vitestTests},
			outcomes: []string{
				`✓ .*good`, `✓ .*there were several at once`, `× .*bad`, `Error: 0 of 4 trials passed`, `4 × no refund`,
				`× .*down`, `undecided: 0 of \d+ trials passed`, `↓ .*down is skipped`, `✓ .*what cannot be started says so`,
				`2 failed \| 3 passed \| 1 skipped`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			program, err := exec.LookPath(c.program)
			if err != nil {
				t.Skipf("%s is not installed", c.name)
			}
			folder := withFiles(t, c.name, c.files)
			command := exec.CommandContext(t.Context(), program, c.args...)
			command.Dir = folder
			command.Env = append(os.Environ(), "TRIBUNAL="+built.Tribunal(t), "PYTHONDONTWRITEBYTECODE=1")
			out, err := command.CombinedOutput()
			if err == nil {
				t.Errorf("its tests fail, and it ends with exit code 0")
			}
			for _, want := range c.outcomes {
				if !regexp.MustCompile(want).Match(out) {
					t.Errorf("nothing says %s", want)
				}
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
			code, stdout, stderr := tribunal(t.Context(), App{}, "verify", filepath.Join(folder, "bad.result.json"))
			if code != ExitFail || !strings.Contains(stdout, "verified") {
				t.Errorf("the saved result: exit code %d, %s%s", code, stdout, stderr)
			}
		})
	}
}

// inModules is a program that npm installed.
func inModules(name string) string {
	return filepath.Join(os.Getenv("TRIBUNAL_TEST_NODE_MODULES"), ".bin", name)
}

// withFiles is a folder with the files, of which those without a text are ours, and with what npm installed.
func withFiles(t *testing.T, integration string, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		if text == "" {
			ours, err := os.ReadFile(filepath.Join("..", "..", "..", "packaging", "integrations", integration, name))
			if err != nil {
				t.Fatal(err)
			}
			text = string(ours)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if modules := os.Getenv("TRIBUNAL_TEST_NODE_MODULES"); modules != "" {
		if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

const pytestDrop = `
import os
import pytest, tribunal

@pytest.mark.parametrize("city", ["Rome/Lazio", "Oslo"])
@tribunal.test(threshold=0.5, delta=0.3)
def test_weather(city):
    if city == "Oslo":
        assert tribunal.trial().number % 4 or not os.environ.get("WORSE"), "no reply"

if os.environ.get("WORSE"):
    @tribunal.test(threshold=0.5, delta=0.3)
    def test_new():
        pass
`

const vitestDrop = `
import { describe } from 'vitest'
import { tribunal } from './tribunal.js'

describe('weather', () => {
  for (const city of ['Rome/Lazio', 'Oslo']) {
    tribunal.test(city, { threshold: 0.5, delta: 0.3 }, (trial) => {
      if (city === 'Oslo' && process.env.WORSE && trial.number % 4 === 0) throw new Error('no reply')
    })
  }
  if (process.env.WORSE) tribunal.test('new', { threshold: 0.5, delta: 0.3 }, () => {})
})
`

// A run that is recorded is what a later one is compared with, test by test: one that fails each fourth time, where it
// did not before, fails although its threshold of a half is met.
func TestIntegrationsAgainstABaseline(t *testing.T) {
	for _, c := range []struct {
		name, program string
		args          []string
		files         map[string]string // what is copied, or its text
		saved         []string          // in the folder of the baseline
		passed        string            // of what is printed, where nothing changed
		outcomes      []string          // of what is printed, where the test became worse
	}{
		{
			name: "pytest", program: "pytest", args: []string{"-q", "-rA", "-p", "no:cacheprovider"},
			files:  map[string]string{"tribunal.py": "", "test_x.py": pytestDrop},
			saved:  []string{"test_x.py%3A%3Atest_weather[Oslo]", "test_x.py%3A%3Atest_weather[Rome%2FLazio]"},
			passed: `2 passed`,
			outcomes: []string{
				`PASSED test_x.py::test_weather\[Rome/Lazio\]`, `FAILED test_x.py::test_weather\[Oslo\]`,
				`the baseline 60 of 60: worse than the baseline`, `PASSED test_x.py::test_new`,
				`there is no baseline main.test_x.py%3A%3Atest_new.result.json, so the threshold alone decides`,
			},
		},
		{
			name: "vitest", program: inModules("vitest"), args: []string{"run", "--reporter=verbose", "--no-color"},
			files:  map[string]string{"tribunal.js": "", "package.json": `{"type":"module"}`, "x.test.js": vitestDrop},
			saved:  []string{"x.test.js %3E weather %3E Oslo", "x.test.js %3E weather %3E Rome%2FLazio"},
			passed: `2 passed`,
			outcomes: []string{
				`✓ .*Rome/Lazio`, `× .*Oslo`, `the baseline 60 of 60: worse than the baseline`, `✓ .*new`,
				`there is no baseline main.x.test.js %3E weather %3E new.result.json, so the threshold alone decides`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			program, err := exec.LookPath(c.program)
			if err != nil {
				t.Skipf("%s is not installed", c.name)
			}
			folder := withFiles(t, c.name, c.files)
			run := func(env ...string) (string, error) {
				command := exec.CommandContext(t.Context(), program, c.args...)
				command.Dir = folder
				command.Env = append(os.Environ(), "TRIBUNAL="+built.Tribunal(t), "PYTHONDONTWRITEBYTECODE=1")
				command.Env = append(command.Env, env...)
				out, err := command.CombinedOutput()
				return string(out), err
			}
			for _, env := range [][]string{{"TRIBUNAL_RECORD=60", "TRIBUNAL_RESULTS=main"}, {"TRIBUNAL_BASELINE=main"}} {
				if out, err := run(env...); err != nil || !strings.Contains(out, c.passed) {
					t.Fatalf("%v: %v\n%s", env, err, out)
				}
			}
			for _, name := range c.saved {
				if _, err := os.Stat(filepath.Join(folder, "main", name+".result.json")); err != nil {
					t.Error(err)
				}
			}
			out, err := run("TRIBUNAL_BASELINE=main", "WORSE=1")
			if err == nil {
				t.Error("one became worse, and it ends with exit code 0")
			}
			for _, want := range c.outcomes {
				if !regexp.MustCompile(want).MatchString(out) {
					t.Errorf("nothing says %s", want)
				}
			}
			refused, err := run("TRIBUNAL_BASELINE=nowhere")
			if err == nil || !strings.Contains(refused, "nowhere is no folder") {
				t.Errorf("%v: %s", err, refused)
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}
