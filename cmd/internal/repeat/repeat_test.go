package repeat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// flaky are test cases that pass with known rates. What a case comes to in its n-th trial follows from n alone.
type flaky struct {
	rates  map[string]float64
	seed   uint64
	narrow bool // it runs the cases that are asked for alone

	mu    sync.Mutex
	runs  map[string]int // of each case
	calls [][]string
	fault func(call int) error // nil is none
}

func (f *flaky) Execute(_ context.Context, cases []string) (*Execution, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, cases)
	if f.fault != nil {
		if err := f.fault(len(f.calls) - 1); err != nil {
			return nil, err
		}
	}
	if cases == nil || !f.narrow {
		cases = slices.Sorted(maps.Keys(f.rates))
	}
	if f.runs == nil {
		f.runs = map[string]int{}
	}
	done := &Execution{Trials: map[string]*trial.Trial{}}
	for _, name := range cases {
		outcome := trial.Fail
		if of(f.seed, name, f.runs[name]).Float64() < f.rates[name] {
			outcome = trial.Pass
		}
		f.runs[name]++
		done.add(&trial.Trial{Scenario: name, Outcome: outcome})
	}
	return done, nil
}

func of(seed uint64, name string, n int) *rand.Rand {
	h := seed
	for _, c := range name {
		h = seeded.Scramble(h + uint64(c))
	}
	return seeded.Stream(h, uint64(n))
}

// options are those of a run of the cases, each with the default design of 0.9 less 0.1.
func options(t testing.TB, cases []string) runner.Options {
	t.Helper()
	design, err := plan.Design(t.Context(), plan.Options{
		Kind: sprt.OptimalKind, Hypotheses: sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1},
	})
	if err != nil {
		t.Fatal(err)
	}
	var o runner.Options
	for _, name := range cases {
		o.Scenarios = append(o.Scenarios, runner.Scenario{Name: name})
		o.Tests = append(o.Tests, runner.Test{Name: name, Scenarios: []string{name}, Design: design})
	}
	return o
}

func execute(t testing.TB, f *flaky, concurrency int) (*runner.Result, *Agent) {
	t.Helper()
	found, err := f.Execute(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t, found.Order)
	a := NewAgent(f, found, concurrency)
	a.Isolate = f.narrow
	a.Attach(&o)
	result, err := runner.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return result, a
}

func cases(n int, rate float64) map[string]float64 {
	rates := map[string]float64{}
	for i := range n {
		rates[fmt.Sprintf("c%03d", i)] = rate
	}
	return rates
}

// Cases that all pass need as many executions as one of them needs trials: each execution tries all of them.
func TestOneExecutionTriesEveryCase(t *testing.T) {
	f := &flaky{rates: cases(40, 1), narrow: true}
	result, a := execute(t, f, 1)
	if a.Executions() != 15 || len(f.calls) != 15 {
		t.Errorf("%d executions, %d calls, want the 15 trials that pass at the least", a.Executions(), len(f.calls))
	}
	for i, call := range f.calls[1:] {
		if len(call) != 40 {
			t.Errorf("execution %d is of %d cases", i+1, len(call))
		}
	}
	if len(result.Trials) != 40*15 {
		t.Errorf("%d trials", len(result.Trials))
	}
}

// What is decided is not tried again: the executions that one flaky case needs do not run the others.
func TestDecidedCasesAreLeftOut(t *testing.T) {
	rates := cases(20, 1)
	rates["c007"] = 0.86
	f := &flaky{rates: rates, narrow: true, seed: 3}
	execute(t, f, 1)
	if n := len(f.calls); n < 16 {
		t.Fatalf("%d executions: the flaky case was decided as soon as the others", n)
	}
	for i, call := range f.calls[15:] {
		if !slices.Equal(call, []string{"c007"}) {
			t.Errorf("execution %d is of %v", 15+i, call)
		}
	}
	if f.runs["c000"] != 15 {
		t.Errorf("a case that always passes was run %d times", f.runs["c000"])
	}
}

// Verdicts and trials are those of cases that are tried one by one: gathering changes who is asked when, and nothing
// else.
func TestGatheringChangesNoVerdict(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for many seconds")
	}
	rates := map[string]float64{"good": 1, "fine": 0.97, "poor": 0.7, "bad": 0, "edge": 0.85}
	for seed := range uint64(thorough.Draws(3, 10)) {
		gathered, _ := execute(t, &flaky{rates: rates, narrow: true, seed: seed}, 1)
		o := options(t, slices.Sorted(maps.Keys(rates)))
		o.Agent = runner.AgentFunc(func(_ context.Context, r runner.Request) runner.Attempt {
			outcome := trial.Fail
			if of(seed, r.Scenario, r.Trial).Float64() < rates[r.Scenario] {
				outcome = trial.Pass
			}
			return runner.Attempt{Trial: &trial.Trial{Scenario: r.Scenario, Outcome: outcome}}
		})
		single, err := runner.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := outcomes(gathered), outcomes(single); !maps.Equal(got, want) {
			t.Errorf("seed %d: %v\nwant %v", seed, got, want)
		}
	}
}

// outcomes are those of each scenario by number.
func outcomes(r *runner.Result) map[string]string {
	all := map[string]string{}
	for _, x := range r.Trials {
		for len(all[x.Scenario]) <= x.Number {
			all[x.Scenario] += "."
		}
		s := []byte(all[x.Scenario])
		s[x.Number] = x.Trial.Outcome.String()[0]
		all[x.Scenario] = string(s)
	}
	return all
}

// An execution without a report is an error of all its cases, and none is drawn again.
func TestExecutionWithoutAReport(t *testing.T) {
	f := &flaky{rates: cases(3, 1), narrow: true, fault: func(call int) error {
		if call == 4 {
			return errors.New("it wrote no report")
		}
		return nil
	}}
	result, a := execute(t, f, 1)
	errored := 0
	for _, x := range result.Trials {
		if x.Trial.Outcome == trial.Error {
			errored++
			if x.Number != 4 || !strings.Contains(x.Trial.Error.Message, "it wrote no report") {
				t.Errorf("%s#%d: %+v", x.Scenario, x.Number, x.Trial.Error)
			}
		}
	}
	if errored != 3 || a.Executions() <= 15 {
		t.Errorf("%d errors in %d executions", errored, a.Executions())
	}
}

// Several executions at once need no more trials than the verdicts do, and end.
func TestExecutionsAtOnce(t *testing.T) {
	rates := cases(30, 1)
	rates["c001"], rates["c002"] = 0.85, 0
	for _, concurrency := range []int{2, 3, 8} {
		f := &flaky{rates: rates, narrow: true, seed: 5}
		_, a := execute(t, f, concurrency)
		if f.runs["c000"] != 15 {
			t.Errorf("%d at once: a case that always passes was run %d times in %d executions", concurrency, f.runs["c000"],
				a.Executions())
		}
	}
}

func TestRunnersAreRecognised(t *testing.T) {
	for _, c := range []struct {
		argv  string
		known string
		want  string
	}{
		{"pytest -q", "pytest", "pytest -q -p tribunal_once --junitxml={report}"},
		{"python3 -m pytest", "pytest", "python3 -m pytest -p tribunal_once --junitxml={report}"},
		{"uv run pytest", "pytest", "uv run pytest -p tribunal_once --junitxml={report}"},
		{"pytest --junitxml={report} -q", "pytest", "pytest --junitxml={report} -q"},
		{"go test ./...", "go test", "go test -json -count=1 ./..."},
		{"go test -json ./x", "go test", "go test -count=1 -json ./x"},
		{"npx vitest run", "vitest", "npx vitest run --retry=0 --reporter=json --outputFile={report}"},
		{"./node_modules/.bin/jest", "jest", "./node_modules/.bin/jest --json --outputFile={report}"},
		{"ctest", "ctest", "ctest --output-junit {report}"},
		{"dotnet test", "dotnet test", "dotnet test --logger trx;LogFileName={report}"},
		{"./own --to {report}", "", "./own --to {report}"},
		{"go build ./...", "", "go build ./..."},
	} {
		command, err := NewCommand(strings.Fields(c.argv))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(command.Argv, " "); got != c.want || command.Known != c.known {
			t.Errorf("%s: %q %s\nwant %q %s", c.argv, command.Known, got, c.known, c.want)
		}
	}
	command, err := NewCommand([]string{"./own"})
	if err != nil {
		t.Fatal(err)
	}
	unknown := new(UnknownRunnerError)
	if err := command.Validate(); !errors.As(err, &unknown) {
		t.Error(err)
	}
	if _, err := NewCommand(nil); err == nil {
		t.Error("no command is one")
	}
}

func TestCasesAreNamedAsTheRunnerDoes(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "tests", "test_app.py"), "")
	write(t, filepath.Join(folder, "src", "sum.test.ts"), "")
	for _, c := range []struct{ argv, cases, want string }{
		{"pytest -q tests", "tests.test_app.TestX.test_y[x/y.z]",
			"pytest -q -p tribunal_once --junitxml={report} tests/test_app.py::TestX::test_y[x/y.z]"},
		{"pytest -c tests/test_app.py", "tests.test_app.test_ok",
			"pytest -c tests/test_app.py -p tribunal_once --junitxml={report} tests/test_app.py::test_ok"},
		{"pytest", "elsewhere.test_ok", "pytest -p tribunal_once --junitxml={report}"},
		{"go test ./...", "example.com/x.TestA/sub,example.com/x.TestA/other,example.com/y.TestB",
			"go test -run=^(TestA|TestB)$ -json -count=1 ./..."},
		{"go test -run=TestA ./...", "example.com/x.TestA", "go test -json -count=1 -run=TestA ./..."},
		{"npx vitest run", "src/sum.test.ts > adds > two (a+b)",
			`npx vitest run --retry=0 --reporter=json --outputFile={report} -t ^(adds two \(a\+b\))$`},
		{"ctest", "one.one,two", `ctest --output-junit {report} -R ^(one|two)$`},
		{"dotnet test", "A.B(1),C",
			"dotnet test --logger trx;LogFileName={report} --filter FullyQualifiedName=A.B|FullyQualifiedName=C"},
		{"own {report} --only {tests}", "a,b", "own {report} --only a b"},
		{"own {report} --only={tests}", "a,b", "own {report} --only=a,b"},
	} {
		command, err := NewCommand(strings.Fields(c.argv))
		if err != nil {
			t.Fatal(err)
		}
		command.Dir = folder
		got := strings.Join(command.arguments("{report}", strings.Split(c.cases, ",")), " ")
		if got != c.want {
			t.Errorf("%s of %s\n got %s\nwant %s", c.argv, c.cases, got, c.want)
		}
	}
	command, err := NewCommand([]string{"own", "{report}", "{tests}"})
	if err != nil {
		t.Fatal(err)
	}
	if got := command.arguments("r", nil); !slices.Equal(got, []string{"own", "r"}) {
		t.Errorf("all cases: %q", got)
	}
}

// A case that stands in a report more than once has passed where it passed each time.
func TestCaseThatIsReportedTwice(t *testing.T) {
	done := &Execution{Trials: map[string]*trial.Trial{}}
	for _, o := range []trial.Outcome{trial.Pass, trial.Error, trial.Pass, trial.Fail, trial.Error} {
		done.add(&trial.Trial{Scenario: "a", Outcome: o})
	}
	if done.Trials["a"].Outcome != trial.Fail || !slices.Equal(done.Order, []string{"a"}) {
		t.Errorf("%v %v", done.Trials["a"].Outcome, done.Order)
	}
}

// The price of an execution of 100 cases, beside what the command takes.
func BenchmarkExecution(b *testing.B) {
	f := &flaky{rates: cases(100, 1), narrow: true}
	found, _ := f.Execute(b.Context(), nil)
	executions := 0
	for b.Loop() {
		o := options(b, found.Order)
		a := NewAgent(f, found, 1)
		a.Attach(&o)
		if _, err := runner.Run(b.Context(), o); err != nil {
			b.Fatal(err)
		}
		executions += a.Executions()
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(executions), "ms/execution")
}
