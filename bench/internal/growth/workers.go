package growth

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// workersOf are the numbers of workers. A worker has as many trials whatever their number, so that a run takes as long
// as long as workers are not in each other's way: n^0.
func workersOf(o Options) []int {
	switch {
	case o.Short:
		return []int{1, 4}
	case o.Long:
		return []int{1, 10, 50, 100, 200, 500}
	}
	return []int{1, 10, 100}
}

// How many trials each worker has, and how long an agent that waits does so.
const (
	trialsOfFunction = 40
	trialsOfWaiting  = 10
	trialsOfProgram  = 4
	waiting          = 50 * time.Millisecond
	waitingProgram   = "0.5" // seconds
)

// workerWorks grow with the workers.
func workerWorks() []work {
	return []work{
		{"run function", "workers", workersOf, functions(trialsOfFunction, 0)},
		{"function, 50 ms", "workers", workersOf, functions(trialsOfWaiting, waiting)},
		{"run program", "workers", workersOf, programs("echo, pass")},
		{"program, 0.5 s", "workers", workersOf, programs("sh, -c, sleep " + waitingProgram + "; echo pass")},
	}
}

// functions run an agent within this process.
func functions(each int, wait time.Duration) func(context.Context, *inputs, int) (func(context.Context) error, error) {
	return func(_ context.Context, in *inputs, n int) (func(context.Context) error, error) {
		return running(in, agentWaiting(wait), n, 1, n*each)
	}
}

// agentWaiting is a function that waits and passes.
func agentWaiting(wait time.Duration) runner.Agent {
	return runner.AgentFunc(func(ctx context.Context, _ runner.Request) runner.Attempt {
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		return runner.Attempt{Trial: &trial.Trial{Outcome: trial.Pass, Output: trial.RawString("done")}}
	})
}

// running runs an agent by so many workers, in so many scenarios with a test of so many trials each.
func running(in *inputs, agent runner.Agent, workers, scenarios, trials int) (func(context.Context) error, error) {
	h := sprt.Hypotheses{Threshold: 0.6, Delta: 0.5, Alpha: 0.2, Beta: 0.2}
	design, err := sprt.Fixed(h, trials)
	o := runner.Options{Agent: agent, Concurrency: workers}
	for i := range scenarios {
		name := fmt.Sprint("s", i)
		o.Tests = append(o.Tests, runner.Test{Name: name, Design: design, Scenarios: []string{name}})
		o.Scenarios = append(o.Scenarios, runner.Scenario{Name: name})
	}
	return func(ctx context.Context) error {
		o := o
		o.Journal = in.name(".journal")
		r, err := runner.Run(ctx, o)
		if err == nil && r.Tests[scenarios-1].Trials != trials {
			err = fmt.Errorf("%d of %d trials were run", r.Tests[scenarios-1].Trials, trials)
		}
		return err
	}, err
}

// programs run a suite whose agent is a program.
func programs(argv string) func(context.Context, *inputs, int) (func(context.Context) error, error) {
	return func(_ context.Context, in *inputs, n int) (func(context.Context) error, error) {
		file, err := suiteOf(in, n, argv, 1, n*trialsOfProgram)
		return func(ctx context.Context) error { return command(ctx, nil, "run", file) }, err
	}
}

// suiteOf writes a suite of so many scenarios into a folder of its own, each of which is tried so often; a sequential
// test decides where that is once.
func suiteOf(in *inputs, workers int, argv string, scenarios, trials int) (string, error) {
	folder := in.name("")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "version: 1\nname: s\nlimits: none\nconcurrency: %d\nagent: {command: [%s], output: lines}\n"+
		"test: {threshold: 0.6, delta: 0.5, alpha: 0.2, beta: 0.2}\nscenarios:\n", workers, argv)
	for i := range scenarios {
		fmt.Fprintf(&text, "  - {name: s%d, input: %d", i, i)
		if trials > 1 {
			fmt.Fprintf(&text, ", trials: %d", trials)
		}
		text.WriteString("}\n")
	}
	file := filepath.Join(folder, "tribunal.yaml")
	return file, os.WriteFile(file, []byte(text.String()), 0o600)
}
