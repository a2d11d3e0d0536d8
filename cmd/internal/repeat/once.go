package repeat

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// A runner may try a test again that failed, and report the last try alone: the test passes in every execution then,
// however seldom its first try does. Here that is switched off, or seen through. One that stops at the first failure
// leaves the tests behind it without a trial, and jest without a report: that is switched off too. So is running each
// test several times: such a test passes in an execution where it passes each time, which is another rate.

// retryOptions are the options by which a runner is told to try again, to stop early, or to run a test several times,
// with whether each has its value in an argument of its own. The value may always follow an equals sign.
type retryOptions map[string]bool

// The options of each runner. What its files ask for, and no option takes back, its report shows: see docs/hides.md.
var (
	pytestTries = retryOptions{
		"--reruns": true, "--reruns-delay": true, "--force-flaky": false, "--retries": true,
		"-x": false, "--exitfirst": false, "--maxfail": true, "--count": true,
	}
	goTestTries     = retryOptions{"-failfast": false, "--failfast": false, "-count": true, "--count": true}
	vitestTries     = retryOptions{"--retry": true, "--bail": true}
	jestTries       = retryOptions{"--bail": false, "-b": false}
	mochaTries      = retryOptions{"--retries": true, "--bail": false, "-b": false}
	nodeTries       = retryOptions{"--test-rerun-failures": true}
	playwrightTries = retryOptions{"--retries": true, "-x": false, "--max-failures": true, "--repeat-each": true}
	ctestTries      = retryOptions{"--repeat": true, "--stop-on-failure": false}
	gotestsumTries  = retryOptions{
		"--rerun-fails": false, "--rerun-fails-max-failures": true, "--rerun-fails-report": true,
		"--rerun-fails-run-root-test": false, "--rerun-fails-abort-on-data-race": false, "--max-fails": true,
	}
)

// without are the arguments without these options, and the options.
func (t retryOptions) without(argv []string) (rest, dropped []string) {
	for i := 0; i < len(argv); i++ {
		if argv[i] == "--" || argv[i] == "-args" {
			return append(rest, argv[i:]...), dropped
		}
		name, value, hasValue := strings.Cut(argv[i], "=")
		separate, is := t[name]
		if separate && !hasValue && i+1 < len(argv) {
			value = argv[i+1]
		}
		if !is || strings.HasSuffix(name, "-count") && value == "1" {
			rest = append(rest, argv[i])
			continue
		}
		dropped = append(dropped, argv[i])
		if separate && !hasValue {
			i++
		}
	}
	return rest, dropped
}

// retrying is an option that asks for more tries of a test, of whatever runner; repeating asks for more runs of all.
var (
	retrying  = lazy.Regexp(`(?i)^--?(?:[a-z-]*(?:retry|retries|reruns?|flake-attempts|until-pass)[a-z-]*)(?:=(.*))?$`)
	repeating = lazy.Regexp(`^(?:-count|--?(?:test\.count|gtest_repeat|repeat-each))(?:=(.*))?$`)
)

// TriesAgainError says that a command asks its runner for more than one run of a test: to try again what failed, so
// that most reports show the last try, or to run every test several times.
type TriesAgainError struct {
	Option  string
	repeats bool // every test
}

// Error is the message and the hint.
func (e *TriesAgainError) Error() string { return e.Message() + "; " + e.Hint() }

// Message names the option.
func (e *TriesAgainError) Message() string {
	if e.repeats {
		return fmt.Sprintf("%s has every test run several times, and one that fails once in an execution fails", e.Option)
	}
	return fmt.Sprintf("%s has a test tried again that failed, and most reports have its last try alone", e.Option)
}

// Hint says what to do.
func (e *TriesAgainError) Hint() string {
	return "omit it: how often a test passes is what is asked here"
}

// triesAgain is the error of a command that asks for more runs of a test; nil is none.
func triesAgain(argv []string) *TriesAgainError {
	for i, arg := range argv[1:] {
		if arg == "-args" { // of go test: what follows is the test's own
			break
		}
		at, repeats := retrying().FindStringSubmatch(arg), false
		if at == nil {
			at, repeats = repeating().FindStringSubmatch(arg), true
		}
		if at == nil {
			continue
		}
		value := at[1]
		if !strings.Contains(arg, "=") && i+2 < len(argv) {
			value = argv[i+2]
		}
		n, err := strconv.Atoi(value)
		switch {
		case repeats && (err != nil || n <= 1), slices.Contains([]string{"0", "false", "none", "never"}, value):
			continue
		}
		return &TriesAgainError{arg, repeats}
	}
	return nil
}

// pytestOnce is a plugin that takes those out that try again. It does so when all options and files are read: options
// and marks of theirs stay known, and do nothing.
const pytestOnce = `import pytest

HIDING = {"rerunfailures", "pytest_rerunfailures", "flaky", "pytest_retry"}


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    manager = config.pluginmanager
    for name, plugin in list(manager.list_name_plugin()):
        if plugin is None:
            continue
        module = getattr(plugin, "__name__", None) or type(plugin).__module__
        if str(name) in HIDING or str(module).partition(".")[0] in HIDING:
            manager.unregister(plugin)
`

// pytestPlugin is the module of the plugin.
const pytestPlugin = "tribunal_once"

// writePlugin writes the plugin into a folder, and returns where Python looks for modules then.
func writePlugin(folder, before string) (path string, err error) {
	if err := os.WriteFile(filepath.Join(folder, pytestPlugin+".py"), []byte(pytestOnce), 0o600); err != nil {
		return "", err
	}
	if before == "" {
		return folder, nil
	}
	return folder + string(os.PathListSeparator) + before, nil
}
