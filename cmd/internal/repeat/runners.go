package repeat

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// goTest writes its report on standard output.
const goTest = "go test"

// testRunner is a program that runs tests.
type testRunner struct {
	name string
	// is reports whether a command is this runner's; program is the base name of its first argument.
	is func(program string, argv []string) bool
	// tries are the options by which it is told to try again what failed, or to stop there: they are left out.
	tries retryOptions
	// report adds what makes it write a report.
	report func(argv []string) []string
	// narrow makes it run some cases alone; false where these cannot be named. nil: it cannot be told.
	narrow func(c *Command, argv, cases []string) ([]string, bool)
}

// runners are those that are known, each with the option of its own manual.
var runners = []testRunner{
	{pytest, isPytest, pytestTries, adding("-p", pytestPlugin, "--junitxml="+reportPlaceholder), pytestCases},
	{goTest, isGoTest, goTestTries, goTestReport, goTestCases},
	{"gotestsum", named("gotestsum"), gotestsumTries, gotestsumReport, nil},
	// JUnit has the last try of a test alone, and JSON all of them.
	{
		"vitest", throughNode("vitest"), vitestTries,
		adding("--retry=0", "--reporter=json", "--outputFile="+reportPlaceholder), nodeCases,
	},
	{"jest", throughNode("jest"), jestTries, adding("--json", "--outputFile="+reportPlaceholder), nodeCases},
	{
		"mocha", throughNode("mocha"), mochaTries,
		adding("--retries=0", "--reporter=json", "--reporter-option", "output="+reportPlaceholder), mochaCases,
	},
	{playwright, throughNode("playwright"), playwrightTries, adding("--retries=0", "--reporter=json"), nil},
	{"node test", isNodeTest, nodeTries, nodeReport, nil},
	{"ctest", named("ctest"), ctestTries, adding("--output-junit", reportPlaceholder), ctestCases},
	{"dotnet test", isDotnet, nil, adding("--logger", "trx;LogFileName="+reportPlaceholder), dotnetCases},
}

// Names that are asked for elsewhere too. Playwright and go test write their reports on standard output.
const (
	pytest     = "pytest"
	playwright = "playwright"
)

// gotestsumReport asks for the events of go test. Its own options stand before all others.
func gotestsumReport(argv []string) []string {
	return slices.Insert(argv, 1, "--jsonfile="+reportPlaceholder)
}

// Known are the names of the test runners that are known.
func Known() (names []string) {
	for _, r := range runners {
		names = append(names, r.name)
	}
	return names
}

// recognise returns the runner of a command; nil is none that is known.
func recognise(argv []string) *testRunner {
	program := strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
	for _, r := range runners {
		if r.is(program, argv) {
			return &r
		}
	}
	return nil
}

// named is the runner whose program has its name.
func named(name string) func(string, []string) bool {
	return func(program string, _ []string) bool { return program == name }
}

// throughNode is a runner of node, which is started by itself or through one of its package managers.
func throughNode(name string) func(string, []string) bool {
	return func(program string, argv []string) bool {
		switch program {
		case name:
			return true
		case "npx", "bunx", "yarn", "pnpm", "node":
			return slices.ContainsFunc(argv[1:], func(arg string) bool {
				base := filepath.Base(arg)
				return base == name || base == name+".js" || base == name+".mjs"
			})
		}
		return false
	}
}

func isPytest(program string, argv []string) bool {
	return program == "pytest" || program == "py.test" ||
		strings.HasPrefix(program, "python") && hasPair(argv, "-m", "pytest") ||
		slices.Contains([]string{"uv", "poetry", "pipenv", "hatch"}, program) && slices.Contains(argv, "pytest")
}

func isGoTest(program string, argv []string) bool {
	return program == "go" && len(argv) > 1 && argv[1] == "test"
}

// isNodeTest leaves one that has a report of its own to whoever asks for it.
func isNodeTest(program string, argv []string) bool {
	return program == "node" && has(argv, "--test") && !has(argv, "--test-reporter")
}

// nodeReport asks node's own runner for JUnit. Its options stand before the files.
func nodeReport(argv []string) []string {
	return slices.Insert(argv, 1, "--test-reporter=junit", "--test-reporter-destination="+reportPlaceholder)
}

func isDotnet(program string, argv []string) bool {
	return program == "dotnet" && len(argv) > 1 && argv[1] == "test"
}

// hasPair reports whether two arguments follow each other.
func hasPair(argv []string, first, second string) bool {
	for i := range len(argv) - 1 {
		if argv[i] == first && argv[i+1] == second {
			return true
		}
	}
	return false
}

// adding appends arguments.
func adding(more ...string) func([]string) []string {
	return func(argv []string) []string { return append(argv, more...) }
}

// goTestReport asks for events, and for tests that are run although nothing changed.
func goTestReport(argv []string) []string {
	flags, own := []string(nil), argv[2:]
	if end := slices.Index(own, "-args"); end >= 0 {
		own = own[:end] // what follows is the tests'
	}
	for _, flag := range []string{"-json", "-count=1"} {
		name, _, _ := strings.Cut(flag, "=")
		given := func(arg string) bool {
			arg, _, _ = strings.Cut(strings.TrimPrefix(arg, "-"), "=")
			return "-"+strings.TrimPrefix(arg, "-") == name
		}
		if !slices.ContainsFunc(own, given) {
			flags = append(flags, flag)
		}
	}
	return slices.Insert(argv, 2, flags...)
}

// goTestCases names the top-level tests, whose subtests run with them. Packages stay what they are: those
// without such a test are quickly done.
func goTestCases(_ *Command, argv, cases []string) ([]string, bool) {
	if has(argv, "-run", "--run") {
		return argv, false // the choice of the person who wrote the command stands
	}
	var tests []string
	for _, name := range cases {
		// The package, which may hold dots and slashes, then the test, then its subtests.
		at := goTestName().FindStringSubmatch(name)
		if at == nil {
			return argv, false
		}
		if !slices.Contains(tests, at[1]) {
			tests = append(tests, at[1])
		}
	}
	return slices.Insert(argv, 2, "-run=^("+strings.Join(tests, "|")+")$"), true
}

// goTestName finds the top-level test in the name of a case, such as "example.com/x.TestA/sub".
var goTestName = lazy.Regexp(`(?:^|[./ ])((?:Test|Example|Fuzz|Benchmark)[^/ ]*)`)

// pytestCases names the cases by their node ids, such as tests/test_x.py::TestY::test_z[a]. The report has the
// dotted name of the module: the longest beginning of it that is a file is the file.
func pytestCases(c *Command, argv, cases []string) ([]string, bool) {
	var ids []string
	for _, name := range cases {
		id, found := c.nodeID(name)
		if !found {
			return argv, false
		}
		ids = append(ids, id)
	}
	// What was named to run is left out, for pytest would run it too. Options and their values stay.
	return append(c.withoutPaths(argv), ids...), true
}

// nodeID is the name by which pytest runs a case.
func (c *Command) nodeID(name string) (string, bool) {
	dotted, parameters, hasParameters := strings.Cut(name, "[")
	parts := strings.Split(dotted, ".")
	for n := len(parts) - 1; n > 0; n-- {
		file := strings.Join(parts[:n], "/") + ".py"
		if info, err := os.Stat(filepath.Join(c.Dir, filepath.FromSlash(file))); err != nil || !info.Mode().IsRegular() {
			continue
		}
		id := file + "::" + strings.Join(parts[n:], "::")
		if hasParameters {
			id += "[" + parameters
		}
		return id, true
	}
	return "", false
}

// withoutPaths leaves out the arguments that are files and folders, or node ids in them, behind the program.
func (c *Command) withoutPaths(argv []string) []string {
	var rest []string
	for i, arg := range argv {
		path, _, _ := strings.Cut(arg, "::")
		// The value of an option such as -c FILE stays.
		afterOption := i > 0 && strings.HasPrefix(argv[i-1], "-") && len(argv[i-1]) == 2 &&
			!slices.Contains([]string{"-q", "-v", "-s", "-x", "-l"}, argv[i-1])
		if i > 0 && !strings.HasPrefix(arg, "-") && !afterOption {
			if _, err := os.Stat(filepath.Join(c.Dir, filepath.FromSlash(path))); err == nil {
				continue
			}
		}
		rest = append(rest, arg)
	}
	return rest
}

// nodeCases names the cases by a pattern of their full names, as vitest and jest have it.
func nodeCases(c *Command, argv, cases []string) ([]string, bool) {
	if has(argv, "-t", "--testNamePattern") {
		return argv, false
	}
	return append(argv, "-t", c.titles(cases)), true
}

// mochaCases does the same by mocha's option.
func mochaCases(c *Command, argv, cases []string) ([]string, bool) {
	if has(argv, "-g", "--grep", "-f", "--fgrep") {
		return argv, false
	}
	return append(argv, "--grep", c.titles(cases)), true
}

// has reports whether one of some options is given, by itself or with its value.
func has(argv []string, options ...string) bool {
	return slices.ContainsFunc(argv, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.Contains(options, name)
	})
}

// titles is a pattern of the full names of cases: of their groups and their own, with blanks between them.
func (c *Command) titles(cases []string) string {
	var patterns []string
	for _, name := range cases {
		patterns = append(patterns, regexp.QuoteMeta(strings.ReplaceAll(c.withoutFile(name), " > ", " ")))
	}
	return "^(" + strings.Join(patterns, "|") + ")$"
}

// withoutFile is the name of a case without the file that it stands in: a path before a dot, as vitest has it, or
// the name of a file before the groups.
func (c *Command) withoutFile(name string) string {
	if file, rest, found := strings.Cut(name, " > "); found && scriptFile().MatchString(file) {
		return rest
	}
	for i := len(name) - 1; i > 0; i-- {
		if name[i] != '.' {
			continue
		}
		if info, err := os.Stat(filepath.Join(c.Dir, filepath.FromSlash(name[:i]))); err == nil && info.Mode().IsRegular() {
			return name[i+1:]
		}
	}
	return name
}

// scriptFile is the name of a file of JavaScript or TypeScript, and nothing behind it.
var scriptFile = lazy.Regexp(`^[^ ]*\.[cm]?[jt]sx?$`)

// ctestCases names the cases by a pattern.
func ctestCases(_ *Command, argv, cases []string) ([]string, bool) {
	var patterns []string
	for _, name := range cases {
		// The report has the name of the test twice: as its class, and as its own.
		if half := len(name) / 2; len(name)%2 == 1 && name[half] == '.' && name[:half] == name[half+1:] {
			name = name[:half]
		}
		patterns = append(patterns, regexp.QuoteMeta(name))
	}
	return append(argv, "-R", "^("+strings.Join(patterns, "|")+")$"), true
}

// dotnetCases names the cases by a filter.
func dotnetCases(_ *Command, argv, cases []string) ([]string, bool) {
	if slices.Contains(argv, "--filter") {
		return argv, false
	}
	var terms []string
	for _, name := range cases {
		name, _, _ = strings.Cut(name, "(") // of the parameters
		terms = append(terms, "FullyQualifiedName="+strings.NewReplacer(`,`, `%2C`, `|`, `\|`, `&`, `\&`).Replace(name))
	}
	return append(argv, "--filter", strings.Join(terms, "|")), true
}
