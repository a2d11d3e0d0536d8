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
import pytest

log = []

@pytest.fixture(scope="module")
def shared():
    log.append("shared up")
    yield
    log.append("shared down")

@pytest.fixture
def each(tmp_path):
    log.append("up")
    yield tmp_path
    log.append("down")

def test_plain():
    pass

@pytest.mark.tribunal(threshold=0.9)
def test_good(each, shared, trial, record_property):
    trial.charge(0.5)
    record_property("mine", trial.number)
    assert not list(each.iterdir())
    (each / "x").write_text("x")

def test_setups():
    assert log == ["shared up"] + ["up", "down"] * 15

@pytest.mark.tribunal(save="bad.result.json")
@pytest.mark.parametrize("city", ["Rome"])
def test_bad(city, trial):
    print("asked", trial.number)
    raise ValueError(f"no refund of <Job at 0x{trial.seed:x}> after {trial.number} s")

@pytest.mark.tribunal(threshold=0.9, max_trials=40)
def test_close(trial):
    assert trial.number % 7, "now and then"

@pytest.mark.tribunal(errors=ConnectionError)
def test_down():
    raise ConnectionError("refused")

@pytest.mark.tribunal(errors=ConnectionError, undecided="skip")
def test_down_is_skipped():
    raise ConnectionError("refused")

@pytest.mark.tribunal
def test_skips():
    pytest.skip("not here")

@pytest.mark.tribunal
@pytest.mark.xfail(reason="known")
def test_xfails():
    assert 0

@pytest.mark.tribunal
@pytest.mark.xfail(reason="known", strict=True)
def test_xpasses():
    pass

@pytest.fixture
def broken():
    raise RuntimeError("no database")

@pytest.mark.tribunal
def test_broken(broken):
    pass

@pytest.fixture
def leaky():
    yield
    raise RuntimeError("not closed")

@pytest.mark.tribunal
def test_leaky(leaky):
    pass

@pytest.mark.tribunal
class TestIn:
    def test_instance(self):
        assert not hasattr(self, "x")
        self.x = 1

@pytest.mark.tribunal(treshold=0.8)
def test_typo():
    pass

@pytest.mark.tribunal(threshold=7)
def test_wrong():
    pass
`

const vitestTests = `
import { expect, test } from 'vitest'
import { tribunal } from 'tribunal-vitest'

let most = 0, now = 0
tribunal.test('good', { threshold: 0.9, concurrency: 3 }, async (trial) => {
  most = Math.max(most, ++now)
  await new Promise((resolve) => setTimeout(resolve, 1))
  now--
  trial.charge(0.5)
  expect(trial.seed).toBeGreaterThan(0)
})
test('there were several at once', () => expect(most).toBeGreaterThan(1))
tribunal.test('bad', { threshold: 0.9, save: 'bad.result.json' }, (trial) => {
  throw new Error('no refund of 0x' + trial.seed.toString(16) + ' after ' + trial.number + ' s')
})
tribunal.test('close', { threshold: 0.9, maxTrials: 40 }, (trial) => expect(trial.number % 7).not.toBe(0))
tribunal.test('down', { threshold: 0.9, maxTrials: 20 }, () => { throw new tribunal.Infrastructure('refused') })
tribunal.test('down is skipped', { threshold: 0.9, maxTrials: 20, undecided: 'skip' }, () => {
  throw new tribunal.Infrastructure('refused')
})
test('what cannot be started says so', async () => {
  await expect(tribunal.decide('x', { program: './nowhere' }, () => {})).rejects.toThrow('put it in PATH')
  await expect(tribunal.decide('x', { threshold: 7 }, () => {})).rejects.toThrow('--threshold')
})
`

// integration is a test framework that others wrote, with what we have for it installed as people install it.
type integration struct {
	name, program string
	args          []string
	file          string                                                         // of tests
	install       func(t *testing.T, root, folder string, env []string) []string // returns the environment
}

var integrationsOfOthers = []integration{
	{
		name: "pytest", program: "pytest", args: []string{"-rA", "-p", "no:cacheprovider", "--junitxml", "junit.xml"},
		file: "test_x.py", install: installedByPip,
	},
	{
		name: "vitest", program: inModules("vitest"), file: "x.test.js", install: installedByNPM,
		args: []string{
			"run", "--no-color", "--reporter=verbose", "--reporter=tribunal-vitest/reporter", "--reporter=junit",
			"--outputFile.junit=junit.xml",
		},
	},
}

// installedByPip has pip build and install the plugin without a network, and pytest find it.
func installedByPip(t *testing.T, root, folder string, env []string) []string {
	t.Helper()
	site := filepath.Join(folder, "site")
	install := exec.CommandContext(t.Context(), "python3", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
		"--disable-pip-version-check", "--target", site, filepath.Join(root, "packaging", "integrations", "pytest"))
	install.Env = env
	if out, err := install.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "No module named pip") {
			t.Skip("pip is not installed")
		}
		t.Fatalf("%v: %s", err, out)
	}
	return append(env, "PYTHONPATH="+site)
}

// installedByNPM has npm pack the plugin, and puts it beside what npm installed.
func installedByNPM(t *testing.T, root, folder string, env []string) []string {
	t.Helper()
	modules := filepath.Join(folder, "node_modules")
	if err := os.Mkdir(modules, 0o700); err != nil {
		t.Fatal(err)
	}
	// Of the folder above, for what the plugin imports.
	above := filepath.Join(filepath.Dir(folder), "node_modules")
	if err := os.Symlink(os.Getenv("TRIBUNAL_TEST_NODE_MODULES"), above); err != nil {
		t.Fatal(err)
	}
	pack := exec.CommandContext(t.Context(), "sh", "-ec", `npm pack --silent --pack-destination . "$1" >/dev/null
		tar xzf tribunal-vitest-*.tgz && mv package tribunal-vitest && echo '{"type":"module"}' >../package.json`,
		"sh", filepath.Join(root, "packaging", "integrations", "vitest"))
	pack.Dir, pack.Env = modules, env
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return env
}

// ready returns what runs the framework in a folder with the file of tests.
func (c integration) ready(t *testing.T, tests string) (folder string, run func(env ...string) (string, error)) {
	t.Helper()
	program, err := exec.LookPath(c.program)
	if err != nil {
		t.Skipf("%s is not installed", c.name)
	}
	root, err := built.Root()
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, c.file), []byte(tests), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "TRIBUNAL="+built.Tribunal(t), "PYTHONDONTWRITEBYTECODE=1", "COLUMNS=80", "CI=")
	env = c.install(t, root, folder, env)
	return folder, func(more ...string) (string, error) {
		command := exec.CommandContext(t.Context(), program, c.args...)
		command.Dir = folder
		command.Env = append(env, more...)
		out, err := command.CombinedOutput()
		return string(out), err
	}
}

// TestIntegrations runs the test frameworks that others wrote with what we have for them.
func TestIntegrations(t *testing.T) {
	tests := map[string]string{"pytest": pytestTests, "vitest": vitestTests}
	outcomes := map[string][]string{ // patterns of what is printed
		"pytest": {
			`PASSED test_x.py::test_good`, `PASSED test_x.py::test_setups`, `PASSED test_x.py::TestIn::test_instance`,
			`FAILED test_x.py::test_bad\[Rome\] - 0 of 4 passed: below the 90% you require`,
			`(?m)^  4 × ValueError: no refund of <Job at 0x[0-9a-f]+> after \d s$`, `tribunal: above is trial 0`,
			`(?m)^FAIL      0 of 4 passed \[0%, 60.2%\], p < 0.0001  test_x.py::test_bad\[Rome\]$`,
			`(?m)^PASS      15 of 15 passed \[78.2%, 100%\], p = 0.035  test_x.py::test_good$`,
			`(?m)^UNDECIDED 34 of 40 passed \(85%\) \[68.7%, 94.2%\], p = 0.3, add about \d+ trials$`,
			`FAILED test_x.py::test_down - undecided: 3 trials in a row`, `SKIPPED .*3 trials in a row`,
			`SKIPPED .*not here`, `XFAIL test_x.py::test_xfails - known`, `FAILED test_x.py::test_xpasses`,
			`ERROR at setup of test_broken`, `RuntimeError: no database`,
			`ERROR test_x.py::test_leaky - RuntimeError: not closed`,
			`PASSED test_x.py::test_leaky`, `the mark takes threshold`, `--threshold "7" must be a number`,
			`4 failed, 5 passed, 2 skipped, 1 xfailed, .*4 errors`,
		},
		"vitest": {
			`✓ .*good`, `✓ .*there were several at once`, `× .*bad`, `Error: 0 of 4 passed: below the 90% you require`,
			`(?m)^  4 × no refund of 0x[0-9a-f]+ after \d s$`, `Caused by: Error: no refund of 0xf4243 after 0 s`,
			`x.test.js:\d+`, `× .*down`, `undecided: 3 trials in a row`, `↓ .*down is skipped`,
			`✓ .*what cannot be started says so`,
			`(?m)^ FAIL      0 of 4 passed \[0%, 60.2%\], p < 0.0001  x.test.js > bad$`,
			`(?m)^ UNDECIDED 34 of 40 passed \(85%\) \[68.7%, 94.2%\], p = 0.3, add about \d+ trials$`,
			`3 failed \| 3 passed \| 1 skipped`,
		},
	}
	properties := map[string][]string{ // of the report as JUnit XML
		"pytest": {
			`<property name="mine" value="0" ?/>`, `<property name="tribunal.verdict" value="inconclusive" ?/>`,
			`<property name="tribunal.more_trials" value="\d+" ?/>`, `<property name="tribunal.low" value="0.68\d*" ?/>`,
			`<property name="tribunal.p_value" value="0.\d+" ?/>`,
		},
		"vitest": {`<property name="tribunal" value="fail: 0 of 4 passed \[0%, 60.2%\], p &lt; 0.0001">`},
	}
	for _, c := range integrationsOfOthers {
		t.Run(c.name, func(t *testing.T) {
			folder, run := c.ready(t, tests[c.name])
			out, err := run()
			if err == nil {
				t.Errorf("its tests fail, and it ends with exit code 0")
			}
			contains(t, out, outcomes[c.name])
			junit, err := os.ReadFile(filepath.Join(folder, "junit.xml"))
			if err != nil {
				t.Error(err)
			}
			contains(t, string(junit), properties[c.name])
			code, stdout, stderr := tribunal(t.Context(), App{}, "verify", filepath.Join(folder, "bad.result.json"))
			if code != ExitFail || !strings.Contains(stdout, "verified") {
				t.Errorf("the saved result: exit code %d, %s%s", code, stdout, stderr)
			}
		})
	}
}

// contains fails the test for each pattern that a text does not have, and logs the text then.
func contains(t *testing.T, text string, patterns []string) {
	t.Helper()
	missing := false
	for _, want := range patterns {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("nothing says %s", want)
			missing = true
		}
	}
	if missing {
		t.Log(text)
	}
}

// The example of each README does what stands there, beside xdist too.
func TestReadmesOfIntegrations(t *testing.T) {
	for _, c := range integrationsOfOthers {
		t.Run(c.name, func(t *testing.T) {
			page, err := os.ReadFile(filepath.Join("..", "..", "..", "packaging", "integrations", c.name, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			example := regexp.MustCompile("(?s)```(?:python|js)\n(.*?)```").FindSubmatch(page)
			shown := regexp.MustCompile("(?s)```text\n(.*?)```").FindSubmatch(page)
			if example == nil || shown == nil {
				t.Fatal("it has no example, or shows nothing of it")
			}
			c.file = map[string]string{"pytest": "test_shop.py", "vitest": "shop.test.js"}[c.name]
			_, run := c.ready(t, string(example[1]))
			out, err := run()
			if err == nil || !strings.Contains(out, string(shown[1])) {
				t.Errorf("%v: it does not print what is shown:\n%s", err, out)
			}
			if c.name != "pytest" {
				return
			}
			out, err = run("PYTEST_ADDOPTS=-n2")
			if strings.Contains(out, "unrecognized arguments: -n2") {
				t.Skip("pytest-xdist is not installed")
			}
			if err == nil || !strings.Contains(out, string(shown[1])) {
				t.Errorf("%v: with xdist:\n%s", err, out)
			}
		})
	}
}

// inModules is a program that npm installed.
func inModules(name string) string {
	return filepath.Join(os.Getenv("TRIBUNAL_TEST_NODE_MODULES"), ".bin", name)
}

const pytestDrop = `
import os
import pytest

pytestmark = pytest.mark.tribunal(threshold=0.5, delta=0.3)

@pytest.mark.parametrize("city", ["Rome/Lazio", "Oslo"])
def test_weather(city, trial):
    if city == "Oslo":
        assert trial.number % 4 or not os.environ.get("WORSE"), "no reply"

if os.environ.get("WORSE"):
    def test_new():
        pass
`

const vitestDrop = `
import { describe } from 'vitest'
import { tribunal } from 'tribunal-vitest'

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
	tests := map[string]string{"pytest": pytestDrop, "vitest": vitestDrop}
	saved := map[string][]string{ // in the folder of the baseline
		"pytest": {"test_x.py%3A%3Atest_weather[Oslo]", "test_x.py%3A%3Atest_weather[Rome%2FLazio]"},
		"vitest": {"x.test.js %3E weather %3E Oslo", "x.test.js %3E weather %3E Rome%2FLazio"},
	}
	outcomes := map[string][]string{ // of what is printed, where the test became worse
		"pytest": {
			`PASSED test_x.py::test_weather\[Rome/Lazio\]`, `FAILED test_x.py::test_weather\[Oslo\]`,
			`the baseline 60 of 60: worse than the baseline`, `PASSED test_x.py::test_new`,
			`there is no baseline main.test_x.py%3A%3Atest_new.result.json, so the threshold alone decides`,
		},
		"vitest": {
			`✓ .*Rome/Lazio`, `× .*Oslo`, `the baseline 60 of 60: worse than the baseline`, `✓ .*new`,
			`there is no baseline main.x.test.js %3E weather %3E new.result.json, so the threshold alone decides`,
		},
	}
	for _, c := range integrationsOfOthers {
		t.Run(c.name, func(t *testing.T) {
			folder, run := c.ready(t, tests[c.name])
			for _, env := range [][]string{{"TRIBUNAL_RECORD=60", "TRIBUNAL_RESULTS=main"}, {"TRIBUNAL_BASELINE=main"}} {
				if out, err := run(env...); err != nil || !strings.Contains(out, "2 passed") {
					t.Fatalf("%v: %v\n%s", env, err, out)
				}
			}
			for _, name := range saved[c.name] {
				if _, err := os.Stat(filepath.Join(folder, "main", name+".result.json")); err != nil {
					t.Error(err)
				}
			}
			out, err := run("TRIBUNAL_BASELINE=main", "WORSE=1")
			if err == nil {
				t.Error("one became worse, and it ends with exit code 0")
			}
			contains(t, out, outcomes[c.name])
			refused, err := run("TRIBUNAL_BASELINE=nowhere")
			if err == nil || !strings.Contains(refused, "nowhere is no folder") {
				t.Errorf("%v: %s", err, refused)
			}
		})
	}
}
