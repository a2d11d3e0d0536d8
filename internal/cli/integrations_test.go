package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
	modules := os.Getenv("TRIBUNAL_TEST_NODE_MODULES")
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
			name: "vitest", program: filepath.Join(modules, ".bin", "vitest"),
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
			folder := t.TempDir()
			for name, text := range c.files {
				if text == "" {
					ours, err := os.ReadFile(filepath.Join("..", "..", "integrations", c.name, name))
					if err != nil {
						t.Fatal(err)
					}
					text = string(ours)
				}
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if modules != "" {
				if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.CommandContext(t.Context(), program, c.args...)
			command.Dir = folder
			command.Env = append(os.Environ(), "TRIBUNAL="+build(t), "PYTHONDONTWRITEBYTECODE=1")
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
