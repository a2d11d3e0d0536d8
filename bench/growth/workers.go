package growth

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	trialsOfFunction = 200
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
	agent := runner.AgentFunc(func(ctx context.Context, _ runner.Request) runner.Attempt {
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
		return runner.Attempt{Trial: &trial.Trial{Outcome: trial.Pass, Output: trial.RawString("done")}}
	})
	return func(_ context.Context, in *inputs, n int) (func(context.Context) error, error) {
		h := sprt.Hypotheses{Threshold: 0.6, Delta: 0.5, Alpha: 0.2, Beta: 0.2}
		design, err := sprt.Fixed(h, n*each)
		return func(ctx context.Context) error {
			r, err := runner.Run(ctx, runner.Options{
				Tests:     []runner.Test{{Name: "s", Design: design, Scenarios: []string{"s"}}},
				Scenarios: []runner.Scenario{{Name: "s"}}, Agent: agent, Concurrency: n, Journal: in.name(".journal"),
			})
			if err == nil && r.Tests[0].Trials != n*each {
				err = fmt.Errorf("%d of %d trials were run", r.Tests[0].Trials, n*each)
			}
			return err
		}, err
	}
}

// programs run a suite whose agent is a program.
func programs(argv string) func(context.Context, *inputs, int) (func(context.Context) error, error) {
	return func(_ context.Context, in *inputs, n int) (func(context.Context) error, error) {
		folder := in.name("")
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, err
		}
		file := filepath.Join(folder, "tribunal.yaml")
		text := fmt.Sprintf("version: 1\nname: s\nlimits: none\nconcurrency: %d\nagent: {command: [%s], output: lines}\n"+
			"test: {threshold: 0.6, delta: 0.5, alpha: 0.2, beta: 0.2}\nscenarios: [{name: one, input: 1, trials: %d}]\n",
			n, argv, n*trialsOfProgram)
		err := os.WriteFile(file, []byte(text), 0o600)
		return func(ctx context.Context) error { return command(ctx, nil, "run", file) }, err
	}
}
