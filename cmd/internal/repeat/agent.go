package repeat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/trial"
)

// Executor runs test cases once.
type Executor interface {
	// Execute runs the cases of these names, or all where it cannot be told which; nil is all. What it
	// returns holds a trial for each case that was run.
	Execute(ctx context.Context, cases []string) (*Execution, error)
}

// Execution is what one execution of a test command came to.
type Execution struct {
	Trials   map[string]*trial.Trial // by the name of the case; without those that were skipped
	Order    []string                // their names, in the order of the report
	Several  []string                // of these, what stands in the report more than once, and not as attempts
	ExitCode int                     // of the command
	Stderr   string                  // the end of its standard error
	Stdout   []byte                  // what it printed, from the beginning
}

// Agent answers a runner's requests by executions. A scenario is a test case. A verdict is of executions of all cases,
// those that are decided included: a case may fail only where others were run before it.
type Agent struct {
	// Isolate leaves out of later executions the cases that are decided.
	Isolate bool

	executor    Executor
	concurrency int

	mu       sync.Mutex
	first    map[string]*trial.Trial // of the execution that found the cases, until they are asked for
	waiting  map[string][]*request   // by scenario, by rising number
	open     int                     // requests without an answer
	inFlight map[string]int          // attempts that the runner has under way, by its test
	running  int                     // executions
	begun    int                     // executions, since the agent was made
}

// request is a trial that was asked for.
type request struct {
	runner.Request
	ctx    context.Context
	answer chan runner.Attempt // has room for the answer
}

// NewAgent returns an agent that executes so many times at once. The execution that found the cases is
// the first trial of each; nil is none, as in a run that is continued.
func NewAgent(e Executor, found *Execution, concurrency int) *Agent {
	a := &Agent{
		executor: e, concurrency: max(1, concurrency),
		first: map[string]*trial.Trial{}, waiting: map[string][]*request{}, inFlight: map[string]int{},
	}
	if found != nil {
		a.first = maps.Clone(found.Trials)
		a.begun = 1
	}
	return a
}

// Attach makes options run this agent: with as many attempts as all cases of all executions at once have, and told
// of the progress, by which it knows when the runner has asked for all that it needs.
func (a *Agent) Attach(o *runner.Options) {
	o.Agent = a
	o.AtOnce = a.concurrency
	o.Concurrency = a.concurrency * max(1, len(o.Scenarios))
	told := o.Progress
	o.Progress = func(p runner.Progress) {
		a.progress(p)
		if told != nil {
			told(p)
		}
	}
}

// Executions is how many times the command was begun.
func (a *Agent) Executions() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.begun
}

// Unlike says that the command failed although every test in its report passed: something failed that the report does
// not tell, such as an error outside of the tests, or a test that is written as passed. It is "" of others.
func (e *Execution) Unlike() string {
	if e.ExitCode == 0 || len(e.Trials) == 0 {
		return ""
	}
	for _, t := range e.Trials {
		if t.Outcome != trial.Pass {
			return ""
		}
	}
	return fmt.Sprintf("the command ended with exit code %d although every test in its report passed", e.ExitCode)
}

// Run waits for the execution that answers the request.
func (a *Agent) Run(ctx context.Context, r runner.Request) runner.Attempt {
	q := &request{Request: r, ctx: ctx, answer: make(chan runner.Attempt, 1)}
	a.mu.Lock()
	if found := a.first[r.Scenario]; found != nil && r.Trial == 0 {
		delete(a.first, r.Scenario)
		a.mu.Unlock()
		return runner.Attempt{Trial: found}
	}
	a.open++
	queue := append(a.waiting[r.Scenario], q)
	slices.SortFunc(queue, func(x, y *request) int { return cmp.Compare(x.Trial, y.Trial) })
	a.waiting[r.Scenario] = queue
	a.begin()
	a.mu.Unlock()
	select {
	case answer := <-q.answer:
		return answer
	case <-ctx.Done():
		a.forget(q)
		return runner.Attempt{Err: context.Cause(ctx)}
	}
}

// forget takes a request back that nobody waits for any more.
func (a *Agent) forget(q *request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	queue := a.waiting[q.Scenario]
	if i := slices.Index(queue, q); i >= 0 {
		a.waiting[q.Scenario] = slices.Delete(queue, i, i+1)
		a.open--
	}
}

// progress takes in what the runner has under way.
func (a *Agent) progress(p runner.Progress) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inFlight[p.Test] = p.InFlight
	a.begin()
}

// begin begins executions while there is a request for one. It waits for the runner: as long as that has
// more attempts under way than requests have arrived, some are on their way here, or their
// answers on the way back, and with them perhaps the next requests. Who holds the lock calls it.
func (a *Agent) begin() {
	under := 0
	for _, n := range a.inFlight {
		under += n
	}
	for a.running < a.concurrency && a.open == under {
		batch := a.take()
		if len(batch) == 0 {
			return
		}
		a.running++
		a.begun++
		go a.execute(batch)
	}
}

// take takes one request of each case out of the queues.
func (a *Agent) take() (batch []*request) {
	for _, name := range slices.Sorted(maps.Keys(a.waiting)) {
		if queue := a.waiting[name]; len(queue) > 0 {
			batch = append(batch, queue[0])
			a.waiting[name] = queue[1:]
		}
	}
	return batch
}

// execute answers a batch of requests by one execution.
func (a *Agent) execute(batch []*request) {
	var cases []string // all
	if a.Isolate {
		for _, q := range batch {
			cases = append(cases, q.Scenario)
		}
	}
	done, err := a.executor.Execute(batch[0].ctx, cases)
	// A part of the tests may miss a threshold, such as that of coverage, that all of them reach.
	if err == nil && len(cases) == 0 && done.Unlike() != "" {
		err = &runner.InfrastructureError{Type: "exit", Stderr: done.Stderr, Problem: done.Unlike()}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running--
	for _, q := range batch {
		a.open--
		q.answer <- answer(done, err, q.Scenario)
	}
	a.begin()
}

// answer is what an execution says of a case.
func answer(done *Execution, err error, name string) runner.Attempt {
	if err != nil {
		var infrastructure *runner.InfrastructureError
		if !errors.As(err, &infrastructure) {
			infrastructure = &runner.InfrastructureError{Type: "report", Problem: err.Error(), Err: err}
		}
		return runner.Attempt{Err: infrastructure}
	}
	t := done.Trials[name]
	if t == nil {
		return runner.Attempt{Err: &runner.InfrastructureError{
			Type: "missing", Stderr: done.Stderr,
			Problem: fmt.Sprintf("the test is not in the report of a command that ended with exit code %d", done.ExitCode),
		}}
	}
	return runner.Attempt{Trial: t}
}
